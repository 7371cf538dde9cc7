package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/infra/local/bucket/buckettest"
)

// release is one that was built and packaged, in a folder and a bucket of its own.
type release struct {
	t      *testing.T
	folder string
	bucket string
	client *s3.Client
}

func packaged(t *testing.T) release {
	t.Helper()
	r := release{t, t.TempDir(), "zips-" + uuid.NewString(), buckettest.Bucket(t).Client()}
	if _, err := r.client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &r.bucket}); err != nil {
		t.Fatal(err)
	}
	template := "Resources:\n  Table: {Type: AWS::DynamoDB::Table}\n"
	for _, id := range []string{"OrdersFunction", "WorkerFunction"} {
		if err := os.MkdirAll(filepath.Join(r.folder, "build", id), 0o700); err != nil {
			t.Fatal(err)
		}
		r.write("build/"+id+"/bootstrap", "the program "+id)
		r.put(id+".zip", zipped(t, map[string]string{"bootstrap": "the program " + id}))
		template += fmt.Sprintf("  %s: {Type: AWS::Serverless::Function, Properties: {CodeUri: 's3://%s/%s.zip'}}\n", id, r.bucket, id)
	}
	r.write("packaged.yaml", template)
	return r
}

func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for name, text := range files {
		w, err := archive.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func (r release) put(key string, body []byte) {
	r.t.Helper()
	if _, err := r.client.PutObject(r.t.Context(), &s3.PutObjectInput{Bucket: &r.bucket, Key: &key, Body: bytes.NewReader(body)}); err != nil {
		r.t.Fatal(err)
	}
}

func (r release) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.folder, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r release) read(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.folder, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

func (r release) run(ctx context.Context, words string) (string, error) {
	args := strings.Fields(strings.ReplaceAll(words, "@", r.folder+"/"))
	var out strings.Builder
	err := run(ctx, r.client, append([]string{"-template", r.folder + "/packaged.yaml"}, args...), &out)
	return out.String(), err
}

const (
	listing  = "-built @build -write @zips.sha256"
	checking = "-check @zips.sha256"
)

// What was listed is found again, as often as it is checked.
func TestTheSame(t *testing.T) {
	r := packaged(t)
	if said, err := r.run(t.Context(), listing); err != nil || !strings.Contains(said, "2 zips of 2 functions are what was built") {
		t.Fatalf("%v\n%s", err, said)
	}
	if list := r.read("zips.sha256"); strings.Count(list, "\n") != 3 || !strings.Contains(list, "  s3://"+r.bucket+"/OrdersFunction.zip\n") {
		t.Errorf("%s", list)
	}
	for range 2 {
		if said, err := r.run(t.Context(), checking); err != nil || !strings.Contains(said, "2 zips are those of the list") {
			t.Errorf("%v\n%s", err, said)
		}
	}
}

// Whatever differs from what was listed is told, and the command fails, so that the deployment behind it does not begin.
func TestWhatDiffers(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r release)
		want   string
	}{
		"another zip": {func(r release) { r.put("OrdersFunction.zip", zipped(t, map[string]string{"bootstrap": "another"})) }, "OrdersFunction.zip is "},
		"a byte more": {func(r release) { r.put("WorkerFunction.zip", append(zipped(t, nil), 0)) }, "WorkerFunction.zip is "},
		"no zip": {func(r release) {
			if _, err := r.client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &r.bucket, Key: aws.String("OrdersFunction.zip")}); err != nil {
				t.Fatal(err)
			}
		}, "OrdersFunction.zip: operation error S3"},
		"another template": {func(r release) { r.write("packaged.yaml", r.read("packaged.yaml")+"# more\n") }, "the template is "},
		"a function more": {func(r release) {
			r.write("packaged.yaml", r.read("packaged.yaml")+"  A: {Type: AWS::Serverless::Function, Properties: {CodeUri: 's3://b/a.zip'}}\n")
		}, "s3://b/a.zip is not in the list"},
		"a function less": {func(r release) {
			text, _, _ := strings.Cut(r.read("packaged.yaml"), "  WorkerFunction:")
			r.write("packaged.yaml", text)
		}, "WorkerFunction.zip is in the list, and the template doesn't"},
		"a list that is none": {func(r release) { r.write("zips.sha256", "hash\n") }, "a line that is none"},
		"no list at all":      {func(r release) { r.write("zips.sha256", "") }, "listed is none"},
	} {
		t.Run(name, func(t *testing.T) {
			r := packaged(t)
			if said, err := r.run(t.Context(), listing); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			c.change(r)
			said, err := r.run(t.Context(), checking)
			if err == nil || !strings.Contains(said+err.Error(), c.want) || errors.Is(err, command.ErrFound) != strings.Contains(said, "Nothing is to be deployed") {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}

// What was not built is never listed.
func TestWhatWasNotBuilt(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"bootstrap differs":    {"bootstrap": "another"},
		"more: no such file":   {"bootstrap": "the program OrdersFunction", "more": "x"},
		"bootstrap is missing": {},
	} {
		r := packaged(t)
		r.put("OrdersFunction.zip", zipped(t, files))
		if said, err := r.run(t.Context(), listing); err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "file does not exist", "no such file or directory"), want) {
			t.Errorf("%v, want %q\n%s", err, want, said)
		}
		if _, err := os.Stat(filepath.Join(r.folder, "zips.sha256")); err == nil {
			t.Errorf("%s: it is listed", want)
		}
	}
	r := packaged(t)
	r.put("OrdersFunction.zip", []byte("no zip"))
	if _, err := r.run(t.Context(), listing); err == nil || !strings.Contains(err.Error(), "not a valid zip") {
		t.Error(err)
	}
}

func TestFlags(t *testing.T) {
	r := packaged(t)
	for words, want := range map[string]string{
		"": "name -check", "-write @a": "name -check", "-built @build": "name -check", "-check @a -write @b -built @build": "name -check",
		"-check @none": "no such file", "-checks @a": "-checks",
	} {
		if _, err := r.run(t.Context(), words); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", words, err, want)
		}
	}
	for template, want := range map[string]string{
		"Resources: {A: {Type: AWS::Serverless::Function, Properties: {CodeUri: a/}}}": "the code of A is a/, and not packaged",
		"Resources: {}": "it has no functions", "{": "yaml",
	} {
		r.write("packaged.yaml", template)
		if _, err := r.run(t.Context(), listing); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", template, err, want)
		}
	}
}
