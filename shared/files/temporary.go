package files

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// temporaryKey returns the key of temporary bytes.
func temporaryKey(t tenant.ID, id uuid.UUID) string {
	return keyIn(keyspace.Temporary, t, id)
}

// PutTemporary stores bytes that are kept for at least a day, and not much longer. The company
// is 0 if they belong to none.
func (s *Store) PutTemporary(ctx context.Context, t tenant.ID, id uuid.UUID, contentType string, data []byte) error {
	return s.PutTemporaryFrom(ctx, t, id, contentType, bytes.NewReader(data))
}

// PutTemporaryFrom is PutTemporary for data that need not be in memory. The data is read
// twice: for the checksum, and to send it.
func (s *Store) PutTemporaryFrom(ctx context.Context, t tenant.ID, id uuid.UUID, contentType string, data io.ReadSeeker) error {
	c, err := s.client(ctx)
	if err != nil {
		return err
	}
	key := temporaryKey(t, id)
	if _, err := c.PutObject(ctx, &s3.PutObjectInput{
		Bucket: s.bucket(), Key: &key, ContentType: &contentType, Body: data,
		ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
	}); err != nil {
		return failure("put temporary", err)
	}
	return nil
}

// GetTemporary reads bytes that PutTemporary has stored. It fails with ErrNotFound if they are
// gone.
func (s *Store) GetTemporary(ctx context.Context, t tenant.ID, id uuid.UUID) ([]byte, error) {
	c, err := s.client(ctx)
	if err != nil {
		return nil, err
	}
	key := temporaryKey(t, id)
	out, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: s.bucket(), Key: &key})
	if err != nil {
		return nil, failure("get temporary", err)
	}
	defer out.Body.Close()
	data, err := io.ReadAll(out.Body)
	if err != nil {
		return nil, failure("get temporary", err)
	}
	return data, nil
}

// DownloadTemporary presigns reading bytes that PutTemporary has stored, to be saved under a
// name.
func (s *Store) DownloadTemporary(
	ctx context.Context, t tenant.ID, id uuid.UUID, name string,
) (address string, expires time.Time, err error) {
	return s.presignDownload(ctx, &s3.GetObjectInput{Key: aws.String(temporaryKey(t, id))}, name)
}
