package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Segments hold what can be searched of records of one kind (shared/record/search). They never
// change: a merge stores others in their place, and deletes them.

// MaxSegment is how many bytes a segment may have.
const MaxSegment = 256 << 20

// The company and the kind are the caller's own, so what a manifest says can't lead to a segment of
// another company or kind.
func segmentKey(t tenant.ID, kind kinds.Code, id uuid.UUID) string {
	return keyspace.Segments + "/" + t.String() + "/" + string(kind) + "/" + id.String()
}

// PutSegment stores a segment under an id that was not used before, and returns its version. Storing
// the same bytes again changes nothing. It fails if the id has other bytes.
func (s *Store) PutSegment(ctx context.Context, t tenant.ID, kind kinds.Code, id uuid.UUID, data []byte) (version string, err error) {
	if len(data) > MaxSegment {
		return "", fmt.Errorf("%w: a segment of %d bytes", ErrTooLarge, len(data))
	}
	c, err := s.client(ctx)
	if err != nil {
		return "", err
	}
	key, sum := segmentKey(t, kind, id), sha256.Sum256(data)
	checksum := base64.StdEncoding.EncodeToString(sum[:])
	out, err := c.PutObject(ctx, &s3.PutObjectInput{
		Bucket: s.bucket(), Key: &key, Body: bytes.NewReader(data), ChecksumSHA256: &checksum, IfNoneMatch: aws.String("*"),
	})
	var stored *string
	switch {
	case err == nil:
		stored = out.VersionId
	case code(err) == "PreconditionFailed": // perhaps by a first try of the same call, whose answer was lost
		if stored, err = s.same(ctx, c, key, checksum); err != nil {
			return "", err
		}
	case code(err) == "": // no answer: the bucket may have refused a second try before it had read all of it
		var looked error
		if stored, looked = s.same(ctx, c, key, checksum); looked != nil {
			return "", fmt.Errorf("files: put %s: %w (%s)", key, err, looked.Error()) // looked may be ErrNotFound, which this isn't
		}
	default:
		return "", failure("put "+key, err)
	}
	if aws.ToString(stored) == "" {
		return "", fmt.Errorf("files: stored %s without a version", key)
	}
	return *stored, nil
}

// same returns the version of an object that has to have a checksum.
func (s *Store) same(ctx context.Context, c *client, key, checksum string) (version *string, err error) {
	head, err := c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: s.bucket(), Key: &key, ChecksumMode: types.ChecksumModeEnabled})
	if err != nil {
		return nil, failure("look at "+key, err)
	}
	if aws.ToString(head.ChecksumSHA256) != checksum {
		return nil, fmt.Errorf("files: %s is stored with other bytes", key)
	}
	return head.VersionId, nil
}

// GetSegment reads a segment, which may have been deleted some days ago. The caller compares the bytes
// with the checksum that its manifest has. It fails with ErrNotFound if there are none.
func (s *Store) GetSegment(ctx context.Context, t tenant.ID, kind kinds.Code, id uuid.UUID, version string) ([]byte, error) {
	c, err := s.client(ctx)
	if err != nil {
		return nil, err
	}
	key := segmentKey(t, kind, id)
	out, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: s.bucket(), Key: &key, VersionId: &version}, func(o *s3.Options) {
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired // the caller does that
	})
	if err != nil {
		err = failure("get "+key, err)
		// S3 tells only those who may list the bucket that something isn't there, and who reads segments may not. A version that none
		// can have is invalid.
		switch code(err) {
		case "AccessDenied", "InvalidArgument":
			err = fmt.Errorf("%w (%w)", ErrNotFound, err)
		}
		return nil, err
	}
	defer out.Body.Close()
	size := aws.ToInt64(out.ContentLength)
	if size > MaxSegment {
		return nil, fmt.Errorf("%w: %s has %d bytes", ErrTooLarge, key, size)
	}
	data := make([]byte, size) // exactly: growing it would take twice the memory
	if _, err := io.ReadFull(out.Body, data); err != nil {
		return nil, failure("get "+key, err)
	}
	return data, nil
}

// DeleteSegment deletes a segment that no manifest names any more. Its bytes can still be read by its
// version, until the bucket's lifecycle removes them: the table may be restored to a time at which its
// manifest named them. Deleting it again changes nothing.
func (s *Store) DeleteSegment(ctx context.Context, t tenant.ID, kind kinds.Code, id uuid.UUID) error {
	c, err := s.client(ctx)
	if err != nil {
		return err
	}
	key := segmentKey(t, kind, id)
	if _, err := c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: s.bucket(), Key: &key}); err != nil {
		return failure("delete "+key, err)
	}
	return nil
}

// code returns what the bucket calls an error; empty if it didn't answer.
func code(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}
