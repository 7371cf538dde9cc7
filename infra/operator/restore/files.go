package restore

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Number gives out a number for a company of the copy that is to stand beside the one that there is, and makes its item. Run goes on
// from there, and again after it was killed.
func (r *Restorer) Number(ctx context.Context, was tenant.ID) (is tenant.ID, err error) {
	copied, err := r.From.Company(ctx, was)
	if err != nil {
		return 0, err
	}
	if copied == nil {
		return 0, fmt.Errorf("%w: the copy has no company %d", ErrRefused, was)
	}
	var counter struct {
		N tenant.ID `dynamo:"n"`
	}
	all := r.To.All()
	next := all.Update(crosstenant.Tenants()).Add("n", 1).Set("v", 1)
	if err := table.Retry(ctx, func() error { return next.Value(ctx, &counter) }); err != nil {
		return 0, err
	}
	run := &run{Restorer: r, was: was, is: counter.N, id: newRun(), all: all, to: r.To.Of(counter.N), begun: r.Now()}
	if run.numbers, err = r.From.Numbers(ctx, was); err != nil {
		return 0, err
	}
	if run.company, err = run.renamed(copied); err != nil {
		return 0, err
	}
	return counter.N, run.found(ctx)
}

// copyOf is the metadata of a copied file that names the version that it is a copy of, so that a run after this one knows it.
const copyOf = "copy-of"

// files copies all versions of the company's files to its new number, the oldest of each first. Under its own number they are there:
// nothing deletes a version, but erasing the company.
func (r *run) files(ctx context.Context) error {
	if r.To.Bucket().API == nil {
		return nil
	}
	if r.was == r.is && r.Files == nil {
		for _, err := range r.To.Folder(ctx, estate.Prefix(keyspace.Files, r.is)) {
			return err
		}
		r.tell("There are no files of the company: records that had some name what is gone.")
		return nil
	}
	r.versions = map[string]string{}
	to := estate.Prefix(keyspace.Files, r.is)
	for o, err := range r.To.Folder(ctx, to) {
		if err != nil {
			return err
		}
		head, err := r.head(ctx, o)
		if err != nil {
			return err
		}
		r.versions[head.Metadata[copyOf]] = o.Version
	}
	if r.Files != nil {
		return r.bring(ctx, to)
	}
	from := estate.Prefix(keyspace.Files, r.was)
	var same []estate.Object // of one key, the newest first
	for o, err := range r.To.Folder(ctx, from) {
		if err != nil {
			return err
		}
		if len(same) > 0 && same[0].Key != o.Key {
			if err := r.copies(ctx, same, to); err != nil {
				return err
			}
			same = same[:0]
		}
		if !o.Mark {
			same = append(same, o)
		}
	}
	if err := r.copies(ctx, same, to); err != nil {
		return err
	}
	return r.recompany(ctx)
}

// recompany renames the company's item again: it was, before its files were copied.
func (r *run) recompany(ctx context.Context) error {
	copied, err := r.From.Company(ctx, r.was)
	if err != nil {
		return err
	}
	r.company, err = r.renamed(copied)
	return err
}

// Source are files from elsewhere: all versions, those of one name in the order in which they were stored.
type Source func(yield func(Version) error) error

// Version is one version of a file.
type Version struct {
	Name, Version, ContentType string
	Open                       func() (io.ReadSeekCloser, error)
}

// bring stores the files that come from elsewhere and are not here yet.
func (r *run) bring(ctx context.Context, to string) error {
	bucket := r.To.Bucket()
	err := r.Files(func(v Version) error {
		if r.versions[v.Version] != "" {
			return nil
		}
		if err := r.held(ctx); err != nil {
			return err
		}
		body, err := v.Open()
		if err != nil {
			return err
		}
		defer body.Close()
		out, err := bucket.API.PutObject(ctx, &s3.PutObjectInput{
			Bucket: &bucket.Name, Key: aws.String(to + v.Name), Body: body, ContentType: &v.ContentType,
			Metadata: map[string]string{copyOf: v.Version}, ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
		})
		if err != nil {
			return fmt.Errorf("restore: %s: %w", v.Name, err)
		}
		r.versions[v.Version] = aws.ToString(out.VersionId)
		r.report.Objects++
		return nil
	})
	if err != nil {
		return err
	}
	return r.recompany(ctx)
}

func (r *run) head(ctx context.Context, o estate.Object) (*s3.HeadObjectOutput, error) {
	bucket := r.To.Bucket()
	head, err := bucket.API.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &bucket.Name, Key: &o.Key, VersionId: &o.Version})
	if err != nil {
		return nil, fmt.Errorf("restore: %s: %w", o.Key, err)
	}
	return head, nil
}

// copies copies the versions of one file that were not copied yet.
func (r *run) copies(ctx context.Context, same []estate.Object, to string) error {
	bucket := r.To.Bucket()
	for _, o := range slices.Backward(same) {
		if r.versions[o.Version] != "" {
			continue
		}
		head, err := r.head(ctx, o)
		if err != nil {
			return err
		}
		if err := r.held(ctx); err != nil {
			return err
		}
		name := o.Key[strings.LastIndexByte(o.Key, '/')+1:]
		out, err := bucket.API.CopyObject(ctx, &s3.CopyObjectInput{
			Bucket: &bucket.Name, Key: aws.String(to + name),
			CopySource:        aws.String(bucket.Name + "/" + o.Key + "?versionId=" + url.QueryEscape(o.Version)),
			MetadataDirective: types.MetadataDirectiveReplace, Metadata: map[string]string{copyOf: o.Version},
			ContentType: head.ContentType, ContentDisposition: head.ContentDisposition, CacheControl: head.CacheControl,
			ContentEncoding:   head.ContentEncoding,
			ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
		})
		if err != nil {
			return fmt.Errorf("restore: copy of %s: %w", o.Key, err)
		}
		r.versions[o.Version] = aws.ToString(out.VersionId)
		r.report.Objects++
	}
	return nil
}
