// Package filestest gives tests a files.Store on the real local bucket. What a group does with files never goes in
// here.
package filestest

import (
	"context"
	"io"
	"net/http"
	"strings"
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

// Behind returns a Store with the test process's bucket, of which every request goes through another client of HTTP.
func Behind(t testing.TB, client func(aws.HTTPClient) aws.HTTPClient) *files.Store {
	t.Helper()
	b := buckettest.Bucket(t)
	return files.New(files.Options{
		Bucket: b.Name, Endpoint: b.Endpoint,
		Config: func(context.Context) (aws.Config, error) {
			return aws.Config{
				Region: b.Region, HTTPClient: client(http.DefaultClient),
				Credentials: credentials.NewStaticCredentialsProvider(b.AccessKey, b.SecretKey, ""),
			}, nil
		},
	})
}

// Away returns a Store whose bucket can't be reached, to test what happens then.
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

// Send sends a request to the bucket, or to any address in an answer of the API.
func Send(t testing.TB, method, url, body string, header map[string]string) (status int, answer string, got http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.StatusCode, string(text), w.Header
}

// Fetch reads an address, which has to answer with 200.
func Fetch(t testing.TB, address string) (body string, header http.Header) {
	t.Helper()
	status, body, header := Send(t, http.MethodGet, address, "", nil)
	if status != http.StatusOK {
		t.Fatalf("GET %s: %d %s", address, status, body)
	}
	return body, header
}
