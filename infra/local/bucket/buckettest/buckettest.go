// Package buckettest gives tests a real S3 bucket.
//
// A test process has one server with one bucket, built and started by the first test that asks; it ends with the process.
// Tests share the bucket: each keeps to keys of its own (a prefix from its tenant or a random one).
package buckettest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/tenantry/tenantry/infra/local/bucket"
)

// shared starts the server of this test process once. The server's folder has to outlive the test that starts it, so
// it can't be t.TempDir: it lies in the system's temporary folder, and the next test process removes the folders of
// processes that have ended.
var shared = sync.OnceValues(func() (*bucket.Bucket, error) {
	ctx := context.Background()
	sweep()
	dir, err := os.MkdirTemp("", folders)
	if err != nil {
		return nil, err
	}
	server := filepath.Join(dir, "server")
	if err := bucket.Build(ctx, server); err != nil {
		return nil, err
	}
	// The running server doesn't need its file any more.
	defer os.Remove(server)
	return bucket.Start(ctx, bucket.Options{
		Folder: filepath.Join(dir, "data"),
		Name:   "files",
		Server: server,
		CORS: []types.CORSRule{{
			AllowedOrigins: []string{"*"},
			AllowedMethods: []string{"GET", "HEAD", "PUT", "POST"},
			AllowedHeaders: []string{"*"},
			ExposeHeaders:  []string{"ETag", "x-amz-version-id"},
			MaxAgeSeconds:  aws.Int32(7200),
		}},
	})
})

const (
	folders = "tenantry-bucket-"
	// old is longer than any test process lives.
	old = 2 * time.Hour
)

func sweep() {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), folders+"*"))
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > old {
			_ = os.RemoveAll(dir)
		}
	}
}

// Bucket returns the test process's bucket.
func Bucket(t testing.TB) *bucket.Bucket {
	t.Helper()
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Client returns a client of the test process's bucket, and the bucket's name.
func Client(t testing.TB) (client *s3.Client, name string) {
	t.Helper()
	b := Bucket(t)
	return b.Client(), b.Name
}
