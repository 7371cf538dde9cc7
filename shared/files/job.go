package files

import (
	"context"
	"net/url"

	"github.com/google/uuid"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Jobs are bytes that are on their way to a function which may reach nothing else of the bucket,
// or that it has made. They are kept for a day, and each is named by a uuid that its caller chooses.

func jobKey(t tenant.ID, id uuid.UUID) string { return keyIn(keyspace.Render, t, id) }

// PutJob stores bytes of a job.
func (s *Store) PutJob(ctx context.Context, t tenant.ID, id uuid.UUID, contentType string, data []byte) error {
	_, err := s.put(ctx, jobKey(t, id), contentType, data)
	return err
}

// GetJob reads bytes of a job. It fails with ErrNotFound if there are none, and with ErrTooLarge if
// there are more than most.
func (s *Store) GetJob(ctx context.Context, t tenant.ID, id uuid.UUID, most int64) ([]byte, error) {
	key := jobKey(t, id)
	return s.get(ctx, &s3.GetObjectInput{Key: &key}, most)
}

// GiveJob copies one version of a file of the company to a job.
func (s *Store) GiveJob(ctx context.Context, t tenant.ID, file uuid.UUID, version string, job uuid.UUID) error {
	c, err := s.client(ctx)
	if err != nil {
		return err
	}
	_, err = s.duplicate(ctx, c, fileKey(t, file), version, jobKey(t, job))
	return err
}

// TakeJob copies bytes of a job to the files of the company, under the given id, and returns what
// it copied, as Take does with an upload.
func (s *Store) TakeJob(ctx context.Context, t tenant.ID, job, id uuid.UUID) (Object, error) {
	return s.take(ctx, jobKey(t, job), fileKey(t, id), id)
}

// take copies the newest version at one key to another, and returns the copy.
func (s *Store) take(ctx context.Context, from, to string, id uuid.UUID) (Object, error) {
	c, err := s.client(ctx)
	if err != nil {
		return Object{}, err
	}
	head, err := c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: s.bucket(), Key: &from})
	if err != nil {
		return Object{}, failure("look at "+from, err)
	}
	// Copy the version that was looked at, even if there is a newer one by now.
	copied, err := s.duplicate(ctx, c, from, aws.ToString(head.VersionId), to)
	if err != nil {
		return Object{}, err
	}
	var checksum *string
	if copied.CopyObjectResult != nil {
		checksum = copied.CopyObjectResult.ChecksumSHA256
	}
	return object(id, copied.VersionId, checksum, aws.ToInt64(head.ContentLength), aws.ToString(head.ContentType))
}

// duplicate copies a version from one key to another; without a version, the newest one.
func (s *Store) duplicate(ctx context.Context, c *client, from, version, to string) (*s3.CopyObjectOutput, error) {
	source := s.options.Bucket + "/" + from
	if version != "" {
		source += "?versionId=" + url.QueryEscape(version)
	}
	copied, err := c.CopyObject(ctx, &s3.CopyObjectInput{
		Bucket: s.bucket(), Key: &to, CopySource: &source, ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
	})
	if err != nil {
		return nil, failure("copy "+from, err)
	}
	return copied, nil
}
