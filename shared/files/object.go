package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/transport/http"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/tenant"
)

// Object is one version of one file: bytes that never change.
type Object struct {
	ID          uuid.UUID
	Version     string
	SHA256      []byte
	Size        int64
	ContentType string
}

// Take copies an upload to the files of the company, under the upload's own id, and returns
// what it copied. Taking the same bytes again makes another version of the same file. It fails
// with ErrNotFound if nothing was uploaded.
func (s *Store) Take(ctx context.Context, t tenant.ID, id uuid.UUID) (Object, error) {
	return s.take(ctx, uploadKey(t, id), fileKey(t, id), id)
}

// Put stores bytes in memory as a file of the company.
func (s *Store) Put(ctx context.Context, t tenant.ID, id uuid.UUID, contentType string, data []byte) (Object, error) {
	out, err := s.put(ctx, fileKey(t, id), contentType, data)
	if err != nil {
		return Object{}, err
	}
	return object(id, out.VersionId, out.ChecksumSHA256, int64(len(data)), contentType)
}

func (s *Store) put(ctx context.Context, key, contentType string, data []byte) (*s3.PutObjectOutput, error) {
	c, err := s.client(ctx)
	if err != nil {
		return nil, err
	}
	out, err := c.PutObject(ctx, &s3.PutObjectInput{
		Bucket: s.bucket(), Key: &key, ContentType: &contentType, Body: bytes.NewReader(data),
		ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
	})
	if err != nil {
		return nil, failure("put "+key, err)
	}
	return out, nil
}

// object fails if the bucket's answer lacks what a record needs to find its bytes again.
func object(id uuid.UUID, version, checksum *string, size int64, contentType string) (Object, error) {
	sum, err := base64.StdEncoding.DecodeString(aws.ToString(checksum))
	if err != nil || len(sum) != 32 || aws.ToString(version) == "" {
		return Object{}, fmt.Errorf("files: stored without version (%q) or checksum (%q)",
			aws.ToString(version), aws.ToString(checksum))
	}
	return Object{ID: id, Version: *version, SHA256: sum, Size: size, ContentType: contentType}, nil
}

// Get reads a file of the company. It fails with ErrTooLarge if the file has more than most
// bytes.
func (s *Store) Get(ctx context.Context, t tenant.ID, id uuid.UUID, version string, most int64) ([]byte, error) {
	return s.get(ctx, &s3.GetObjectInput{Key: aws.String(fileKey(t, id)), VersionId: &version}, most)
}

// Latest reads the newest version of a file of the company. It is for files whose name is made of
// their content, so that their versions don't differ.
func (s *Store) Latest(ctx context.Context, t tenant.ID, id uuid.UUID, most int64) ([]byte, error) {
	return s.get(ctx, &s3.GetObjectInput{Key: aws.String(fileKey(t, id))}, most)
}

// get reads an object of at most most bytes.
func (s *Store) get(ctx context.Context, of *s3.GetObjectInput, most int64) ([]byte, error) {
	c, err := s.client(ctx)
	if err != nil {
		return nil, err
	}
	of.Bucket = s.bucket()
	out, err := c.GetObject(ctx, of)
	if err != nil {
		return nil, failure("get "+*of.Key, err)
	}
	defer out.Body.Close()
	data, err := io.ReadAll(io.LimitReader(out.Body, most+1))
	if err != nil {
		return nil, failure("get "+*of.Key, err)
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("%w: over %d bytes", ErrTooLarge, most)
	}
	return data, nil
}

// Download presigns reading one version of a file of the company. A browser saves it under the
// given name, and never shows it as a page.
func (s *Store) Download(
	ctx context.Context, t tenant.ID, id uuid.UUID, version, name string,
) (address string, expires time.Time, err error) {
	return s.presignDownload(ctx, &s3.GetObjectInput{Key: aws.String(fileKey(t, id)), VersionId: &version}, name)
}

func (s *Store) presignDownload(ctx context.Context, of *s3.GetObjectInput, name string) (address string, expires time.Time, err error) {
	c, err := s.client(ctx)
	if err != nil {
		return "", time.Time{}, err
	}
	of.Bucket = s.bucket()
	of.ResponseContentDisposition = aws.String(Disposition(name))
	of.ResponseCacheControl = aws.String("private, no-store")
	signed, err := c.presign.PresignGetObject(ctx, of, s3.WithPresignExpires(DownloadTime))
	if err != nil {
		return "", time.Time{}, fmt.Errorf("files: presign download: %w", err)
	}
	expires, err = expiry(signed.URL)
	return signed.URL, expires, err
}

// failure distinguishes bytes that do not exist, and what the bucket refuses, from a bucket that fails.
func failure(what string, err error) error {
	switch code(err) {
	case "NoSuchKey", "NotFound", "NoSuchVersion":
		return ErrNotFound
	}
	var response *http.ResponseError
	refused := errors.As(err, &response) && response.HTTPStatusCode() >= 400 && response.HTTPStatusCode() < 500
	if err = fmt.Errorf("files: %s: %w", what, err); refused {
		return err
	}
	return failed{err}
}

// failed is the error of a bucket that gave no answer, broke one off, or had no room: a later try may succeed. table.Unavailable
// knows it by its method, so callers are told to come back.
type failed struct{ error }

func (f failed) Unwrap() error      { return f.error }
func (failed) RetryableError() bool { return true }
