package bucket_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/tenantry/tenantry/infra/local/bucket"
)

// An address that is presigned before there is a server takes a file, once there is one.
func TestAPresignedUploadWaitsForTheServer(t *testing.T) {
	dir := t.TempDir()
	options := bucket.Options{Folder: filepath.Join(dir, "files"), Name: "files", Server: filepath.Join(dir, "server")}
	waits, compiles := make(chan struct{}, 100), make(chan struct{})
	a, err := bucket.Announce(t.Context(), options, func(ctx context.Context) error {
		<-compiles
		return bucket.Build(ctx, options.Server)
	}, func() { waits <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	defer a.Stop()
	url, header := upload(t, a.Client(), a.Name, "t/1/a", 5)
	answered := make(chan int, 1)
	go func() {
		defer close(answered)
		if response, _ := send(t, http.MethodPut, url, "hello", header); response != nil {
			answered <- response.StatusCode
		}
	}()
	<-waits
	select {
	case status := <-answered:
		t.Fatalf("an upload without a server: %d", status)
	case <-time.After(50 * time.Millisecond):
	}
	if a.Runs() {
		t.Fatal("a server runs that isn't compiled")
	}
	close(compiles)
	if err := a.Wait(t.Context()); err != nil || !a.Runs() {
		t.Fatalf("the server doesn't run: %v", err)
	}
	if status := <-answered; status != http.StatusOK {
		t.Fatalf("the upload that waited: %d", status)
	}
	got, err := a.Client().GetObject(t.Context(), &s3.GetObjectInput{Bucket: &a.Name, Key: aws.String("t/1/a")})
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(got.Body); string(body) != "hello" {
		t.Fatalf("the file holds %q", body)
	}
}

func TestAServerThatIsNotCompiledEndsWhatWaits(t *testing.T) {
	dir, waits := t.TempDir(), make(chan struct{}, 100)
	broken := errors.New("it doesn't compile")
	a, err := bucket.Announce(t.Context(), bucket.Options{Folder: dir, Name: "files"}, func(ctx context.Context) error {
		<-waits
		return broken
	}, func() { waits <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	defer a.Stop()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.Endpoint+"/files/a", nil)
	if err != nil {
		t.Fatal(err)
	}
	if response, err := http.DefaultClient.Do(r); err == nil {
		response.Body.Close()
		t.Fatalf("nobody answers with %d", response.StatusCode)
	}
	if err := a.Wait(t.Context()); !errors.Is(err, broken) || a.Runs() {
		t.Fatalf("Wait says %v", err)
	}
}

// Stop doesn't wait for the end of a compilation.
func TestStopEndsTheCompiling(t *testing.T) {
	a, err := bucket.Announce(t.Context(), bucket.Options{Folder: t.TempDir(), Name: "files"}, func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.Stop()
	if err := a.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Fatalf("Wait says %v", err)
	}
}
