package files

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/tenant"
)

// ReadUpload reads an upload that is used once and not kept. It fails with ErrNotFound if
// nothing was uploaded, and with ErrTooLarge if it has more than most bytes.
func (s *Store) ReadUpload(ctx context.Context, t tenant.ID, id uuid.UUID, most int64) ([]byte, error) {
	key := uploadKey(t, id)
	return s.get(ctx, &s3.GetObjectInput{Key: &key}, most)
}
