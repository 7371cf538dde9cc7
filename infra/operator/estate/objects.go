package estate

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Object is one version of an object, or the mark that one was deleted.
type Object struct {
	Key, Version string
	Size         int64
	Mark         bool // it is a mark of a deletion, without bytes
	Latest       bool
}

// Prefix is what the keys of a company's objects in a folder begin with.
func Prefix(folder string, t tenant.ID) string { return folder + "/" + t.String() + "/" }

// Objects yields all versions of all objects of a company, and all marks of deletions, folder by folder.
func (e *Estates) Objects(ctx context.Context, t tenant.ID) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		if e.bucket.API == nil {
			return
		}
		for _, f := range keyspace.Folders() {
			for o, err := range e.Folder(ctx, Prefix(f.Name, t)) {
				if !yield(o, err) || err != nil {
					return
				}
			}
		}
	}
}

// Folder yields all versions below a prefix.
func (e *Estates) Folder(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		in := &s3.ListObjectVersionsInput{Bucket: &e.bucket.Name, Prefix: &prefix}
		for {
			page, err := e.bucket.API.ListObjectVersions(ctx, in)
			if err != nil {
				yield(Object{}, fmt.Errorf("estate: objects below %s: %w", prefix, err))
				return
			}
			for _, o := range versions(page) {
				if !yield(o, nil) {
					return
				}
			}
			if !aws.ToBool(page.IsTruncated) {
				return
			}
			in = &s3.ListObjectVersionsInput{
				Bucket: &e.bucket.Name, Prefix: &prefix, KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker,
			}
		}
	}
}

func versions(page *s3.ListObjectVersionsOutput) (list []Object) {
	for _, v := range page.Versions {
		list = append(list, Object{
			Key: aws.ToString(v.Key), Version: aws.ToString(v.VersionId), Size: aws.ToInt64(v.Size), Latest: aws.ToBool(v.IsLatest),
		})
	}
	for _, m := range page.DeleteMarkers {
		list = append(list, Object{
			Key: aws.ToString(m.Key), Version: aws.ToString(m.VersionId), Mark: true, Latest: aws.ToBool(m.IsLatest),
		})
	}
	return list
}

// mostDeleted is how many versions one call deletes.
const mostDeleted = 1000

// DeleteObjects deletes all versions and marks of a company's objects, and returns how many. It can be called again until it returns 0.
func (e *Estates) DeleteObjects(ctx context.Context, t tenant.ID) (deleted int, err error) {
	var some []types.ObjectIdentifier
	flush := func() error {
		if len(some) == 0 {
			return nil
		}
		out, err := e.bucket.API.DeleteObjects(ctx, &s3.DeleteObjectsInput{
			Bucket: &e.bucket.Name, Delete: &types.Delete{Objects: some, Quiet: aws.Bool(true)},
		})
		if err != nil {
			return fmt.Errorf("estate: delete %d objects: %w", len(some), err)
		}
		if len(out.Errors) > 0 {
			first := out.Errors[0]
			return fmt.Errorf("estate: delete %s: %s: %s", aws.ToString(first.Key), aws.ToString(first.Code), aws.ToString(first.Message))
		}
		deleted += len(some)
		some = nil
		return nil
	}
	for o, err := range e.Objects(ctx, t) {
		if err != nil {
			return deleted, err
		}
		some = append(some, types.ObjectIdentifier{Key: aws.String(o.Key), VersionId: aws.String(o.Version)})
		if len(some) == mostDeleted {
			if err := flush(); err != nil {
				return deleted, err
			}
		}
	}
	err = flush()
	return deleted, err
}

// KindOf is what follows the number of the company in a partition of a company: a kind or a name.
func KindOf(pk string) string {
	t, _ := table.TenantOf(pk)
	kind, _, _ := strings.Cut(strings.TrimPrefix(pk, table.Prefix(t)), "#")
	return kind
}
