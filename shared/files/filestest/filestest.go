// Package filestest gives tests a Store over the real local bucket.
package filestest

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/tenantry/tenantry/infra/local/bucket/buckettest"
	"github.com/tenantry/tenantry/shared/files"
)

// New returns a Store with the test process's bucket. Tests that must not see each other's
// files use different companies.
func New(t testing.TB) *files.Store {
	t.Helper()
	b := buckettest.Bucket(t)
	return files.New(files.Options{
		Bucket: b.Name, Endpoint: b.Endpoint,
		Config: func(context.Context) (aws.Config, error) {
			return aws.Config{
				Region:      b.Region,
				Credentials: credentials.NewStaticCredentialsProvider(b.AccessKey, b.SecretKey, ""),
			}, nil
		},
	})
}

// Away returns a Store whose bucket can't be reached.
func Away() *files.Store {
	return files.New(files.Options{
		Bucket: "files", Endpoint: "http://127.0.0.1:1", // nothing listens there
		Config: func(context.Context) (aws.Config, error) {
			return aws.Config{
				Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""), RetryMaxAttempts: 1,
			}, nil
		},
	})
}
