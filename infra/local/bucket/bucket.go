// Package bucket runs the local S3: a process with one versioned bucket over a folder, for the local platform and tests.
//
// It starts the server, makes the bucket as the template describes it, and tells clients how to reach it. It knows
// nothing of the keys and objects in the bucket, and functions never import it.
package bucket

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/tenantry/tenantry/infra/local/child"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/program"
)

const (
	attempts = 5
	region   = "us-east-1"

	// What the server prints once it serves, and part of what it prints before it ends because another process has its port.
	listening = "bucket: listening"
	portTaken = "address already in use"
)

// Options of Start.
type Options struct {
	// Folder keeps the files. It is made if it does not exist.
	Folder string
	// Name of the bucket.
	Name string
	// CORS are the bucket's CORS rules. Without any, browsers can't use the bucket from pages of other origins.
	CORS []types.CORSRule
	// Server is the server's binary, as Build makes it.
	Server string
	// Secret is the access key's; empty draws a new one.
	Secret string
}

// Address is what a client needs to know of a bucket.
type Address struct {
	// Endpoint is the URL for S3 clients, which have to use path-style addresses.
	Endpoint string
	// Name, Region, AccessKey and SecretKey are what a client needs besides the endpoint. The secret is new on every
	// start, unless the options say which it is.
	Name, Region, AccessKey, SecretKey string
}

// Bucket is a running server with its bucket.
type Bucket struct {
	*child.Process
	Address
}

// Build compiles the server of the module that the working directory is in and puts it at path.
func Build(ctx context.Context, path string) error {
	root, err := engine.ModuleRoot()
	if err != nil {
		return fmt.Errorf("bucket: %w", err)
	}
	return program.Build(ctx, path, program.Options{
		Root: root, Module: "infra/local/bucket/server", Flags: []string{"-ldflags=-s -w"}, Once: true,
	})
}

// Start runs the server, and makes the bucket if the folder has none. The server ends with Stop, with ctx, or with
// this process.
func Start(ctx context.Context, o Options) (*Bucket, error) {
	folder, err := filepath.Abs(o.Folder)
	if err != nil {
		return nil, fmt.Errorf("bucket: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("bucket: data folder: %w", err)
	}
	b := &Bucket{Address: o.address()}
	for try := 1; ; try++ {
		port, err := child.FreePort()
		if err != nil {
			return nil, fmt.Errorf("bucket: %w", err)
		}
		b.Endpoint = "http://127.0.0.1:" + strconv.Itoa(port)
		b.Process, err = child.Start(ctx, child.Options{
			Path:  o.Server,
			Args:  []string{"-folder", folder, "-port", strconv.Itoa(port), "-region", region},
			Env:   append(os.Environ(), "AWS_ACCESS_KEY_ID="+b.AccessKey, "AWS_SECRET_ACCESS_KEY="+b.SecretKey),
			Ready: func(line string) bool { return line == listening },
		})
		if err == nil {
			break
		}
		if try == attempts || !errors.Is(err, child.ErrEnded) || !strings.Contains(err.Error(), portTaken) {
			return nil, fmt.Errorf("bucket: %w", err)
		}
	}
	if err := b.create(ctx, o.CORS); err != nil {
		b.Stop()
		return nil, err
	}
	return b, nil
}

// address returns what is known of a bucket before it is started: all but the endpoint.
func (o Options) address() Address {
	return Address{Name: o.Name, Region: region, AccessKey: "local", SecretKey: cmp.Or(o.Secret, rand.Text())}
}

// Client returns a client of the bucket's server.
func (a Address) Client() *s3.Client {
	return s3.New(s3.Options{
		Region:       a.Region,
		BaseEndpoint: aws.String(a.Endpoint),
		UsePathStyle: true,
		Credentials:  credentials.NewStaticCredentialsProvider(a.AccessKey, a.SecretKey, ""),
	})
}

func (b *Bucket) create(ctx context.Context, cors []types.CORSRule) error {
	client := b.Client()
	name := aws.String(b.Name)
	_, err := client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: name})
	var mine *types.BucketAlreadyOwnedByYou
	if err != nil && !errors.As(err, &mine) {
		return fmt.Errorf("bucket: create %s: %w", b.Name, err)
	}
	if _, err := client.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{
		Bucket:                  name,
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
	}); err != nil {
		return fmt.Errorf("bucket: version %s: %w", b.Name, err)
	}
	if len(cors) == 0 {
		return nil
	}
	if _, err := client.PutBucketCors(ctx, &s3.PutBucketCorsInput{
		Bucket: name, CORSConfiguration: &types.CORSConfiguration{CORSRules: cors},
	}); err != nil {
		return fmt.Errorf("bucket: CORS of %s: %w", b.Name, err)
	}
	return nil
}
