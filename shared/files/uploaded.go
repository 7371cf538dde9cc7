package files

import (
	"context"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/tenant"
)

// ReadUpload reads an upload that is used once and not kept. It fails with ErrNotFound if
// nothing was uploaded, and with ErrTooLarge if it has more than most bytes.
func (s *Store) ReadUpload(ctx context.Context, t tenant.ID, id uuid.UUID, most int64) ([]byte, error) {
	c, err := s.client(ctx)
	if err != nil {
		return nil, err
	}
	key := uploadKey(t, id)
	out, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: s.bucket(), Key: &key})
	if err != nil {
		return nil, failure("read upload", err)
	}
	defer out.Body.Close()
	data, err := io.ReadAll(io.LimitReader(out.Body, most+1))
	if err != nil {
		return nil, fmt.Errorf("files: read upload: %w", err)
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("%w: over %d bytes", ErrTooLarge, most)
	}
	return data, nil
}
