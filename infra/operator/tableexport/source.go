package tableexport

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Objects are the objects of S3.
type Objects interface {
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
}

// source opens a file of an export by its name below the export's folder.
type source func(ctx context.Context, name string) (io.ReadCloser, error)

// find is the source of the export at a place.
func find(objects Objects, place string) (source, error) {
	rest, remote := strings.CutPrefix(place, "s3://")
	if !remote {
		return func(_ context.Context, name string) (io.ReadCloser, error) {
			return os.Open(filepath.Join(place, filepath.FromSlash(name)))
		}, nil
	}
	bucket, prefix, _ := strings.Cut(strings.TrimRight(rest, "/"), "/")
	if bucket == "" || prefix == "" {
		return nil, fmt.Errorf("%s is no place of an export, such as s3://bucket/prefix/AWSDynamoDB/01693685827463-2d8752fd", place)
	}
	return func(ctx context.Context, name string) (io.ReadCloser, error) {
		out, err := objects.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: aws.String(prefix + "/" + name)})
		if err != nil {
			return nil, err
		}
		return out.Body, nil
	}, nil
}
