package bucket_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/tenantry/tenantry/infra/local/bucket"
	"github.com/tenantry/tenantry/infra/local/bucket/buckettest"
)

// upload is a presigned PUT of n bytes of plain text.
func upload(t *testing.T, client *s3.Client, name, key string, n int64) (string, http.Header) {
	t.Helper()
	signed, err := s3.NewPresignClient(client).PresignPutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(name), Key: aws.String(key), ContentType: aws.String("text/plain"), ContentLength: aws.Int64(n),
	})
	if err != nil {
		t.Fatal(err)
	}
	return signed.URL, signed.SignedHeader
}

func send(t *testing.T, method, url, body string, header http.Header) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		if k != "Host" && k != "Content-Length" {
			request.Header[k] = v
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(answer)
}

func TestPresignedUploadHoldsWhatWasSigned(t *testing.T) {
	client, name := buckettest.Client(t)
	for _, c := range []struct {
		name, body, contentType string
		change                  func(url string) string
		status                  int
	}{
		{name: "as signed", body: "hello", contentType: "text/plain", status: 200},
		{name: "more bytes", body: "hello!", contentType: "text/plain", status: 403},
		{name: "fewer bytes", body: "hell", contentType: "text/plain", status: 403},
		{name: "another type", body: "hello", contentType: "text/html", status: 403},
		{
			name: "another key", body: "hello", contentType: "text/plain", status: 403,
			change: func(url string) string { return strings.Replace(url, "/presigned/", "/elsewhere/", 1) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, header := upload(t, client, name, "presigned/"+strings.ReplaceAll(c.name, " ", "-"), 5)
			header.Set("Content-Type", c.contentType)
			if c.change != nil {
				url = c.change(url)
			}
			if response, answer := send(t, http.MethodPut, url, c.body, header); response.StatusCode != c.status {
				t.Fatalf("status %d, want %d: %s", response.StatusCode, c.status, answer)
			}
		})
	}
}

func TestPresignedDownload(t *testing.T) {
	client, name := buckettest.Client(t)
	url, header := upload(t, client, name, "download/имя файла.txt", 5)
	if response, answer := send(t, http.MethodPut, url, "hello", header); response.StatusCode != 200 {
		t.Fatalf("upload: %d %s", response.StatusCode, answer)
	}
	signed, err := s3.NewPresignClient(client).PresignGetObject(t.Context(), &s3.GetObjectInput{
		Bucket: aws.String(name), Key: aws.String("download/имя файла.txt"),
		ResponseContentDisposition: aws.String(`attachment; filename="a.txt"`), ResponseContentType: aws.String("application/pdf"),
	})
	if err != nil {
		t.Fatal(err)
	}
	response, answer := send(t, http.MethodGet, signed.URL, "", nil)
	if response.StatusCode != 200 || answer != "hello" ||
		response.Header.Get("Content-Disposition") != `attachment; filename="a.txt"` ||
		response.Header.Get("Content-Type") != "application/pdf" {
		t.Fatalf("%d %v %q", response.StatusCode, response.Header, answer)
	}
	if response, _ := send(t, http.MethodGet, signed.URL+"0", "", nil); response.StatusCode != 403 {
		t.Fatalf("a changed signature gave %d", response.StatusCode)
	}
	if response, _ := send(t, http.MethodGet, strings.Split(signed.URL, "?")[0], "", nil); response.StatusCode != 403 {
		t.Fatalf("without a signature: %d", response.StatusCode)
	}
}

func TestCopyKeepsBytesThatALaterUploadReplaces(t *testing.T) {
	client, name := buckettest.Client(t)
	bucketName := aws.String(name)
	for _, body := range []string{"first", "later"} {
		url, header := upload(t, client, name, "uploads/1", 5)
		if response, answer := send(t, http.MethodPut, url, body, header); response.StatusCode != 200 {
			t.Fatalf("upload: %d %s", response.StatusCode, answer)
		}
		if body == "later" {
			break
		}
		copied, err := client.CopyObject(t.Context(), &s3.CopyObjectInput{
			Bucket: bucketName, Key: aws.String("t/1"), CopySource: aws.String(name + "/uploads/1"),
			ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
		})
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte("first"))
		if got := aws.ToString(copied.CopyObjectResult.ChecksumSHA256); got != base64.StdEncoding.EncodeToString(sum[:]) {
			t.Fatalf("checksum of the copy %q", got)
		}
		if aws.ToString(copied.VersionId) == "" {
			t.Fatal("the copy has no version")
		}
	}
	for key, want := range map[string]string{"t/1": "first", "uploads/1": "later"} {
		got, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: bucketName, Key: aws.String(key)})
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(got.Body)
		if string(body) != want {
			t.Fatalf("%s holds %q, want %q", key, body, want)
		}
	}
}

func TestAnOldVersionStays(t *testing.T) {
	client, name := buckettest.Client(t)
	key := &s3.PutObjectInput{Bucket: aws.String(name), Key: aws.String("versions/1")}
	var versions []string
	for _, body := range []string{"one", "two"} {
		key.Body = bytes.NewReader([]byte(body))
		put, err := client.PutObject(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, aws.ToString(put.VersionId))
	}
	if _, err := client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: key.Bucket, Key: key.Key}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: key.Bucket, Key: key.Key}); err == nil {
		t.Fatal("the deleted key is still there")
	}
	for i, want := range []string{"one", "two"} {
		got, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: key.Bucket, Key: key.Key, VersionId: aws.String(versions[i])})
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(got.Body); string(body) != want {
			t.Fatalf("version %d holds %q, want %q", i, body, want)
		}
	}
}

func TestABrowserOfAnyOriginMayUseAPresignedUpload(t *testing.T) {
	client, name := buckettest.Client(t)
	url, header := upload(t, client, name, "cors/1", 5)
	origin := http.Header{"Origin": {"https://acme.example"}}
	preflight := origin.Clone()
	preflight.Set("Access-Control-Request-Method", "PUT")
	preflight.Set("Access-Control-Request-Headers", "content-type")
	response, answer := send(t, http.MethodOptions, url, "", preflight)
	if response.StatusCode != 200 || response.Header.Get("Access-Control-Allow-Origin") == "" ||
		!strings.Contains(response.Header.Get("Access-Control-Allow-Methods"), "PUT") ||
		!strings.Contains(strings.ToLower(response.Header.Get("Access-Control-Allow-Headers")), "content-type") {
		t.Fatalf("preflight: %d %v %s", response.StatusCode, response.Header, answer)
	}
	header.Set("Origin", "https://acme.example")
	response, answer = send(t, http.MethodPut, url, "hello", header)
	if response.StatusCode != 200 || response.Header.Get("Access-Control-Allow-Origin") == "" ||
		!strings.Contains(strings.ToLower(response.Header.Get("Access-Control-Expose-Headers")), "etag") {
		t.Fatalf("upload: %d %v %s", response.StatusCode, response.Header, answer)
	}
}

func TestTheFolderKeepsTheFilesAndTheWorkingDirectoryStays(t *testing.T) {
	before, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	server := filepath.Join(dir, "server")
	if err := bucket.Build(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	options := bucket.Options{Folder: filepath.Join(dir, "made", "files"), Name: "files", Server: server}
	first, err := bucket.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	put := &s3.PutObjectInput{Bucket: aws.String("files"), Key: aws.String("t/7/a"), Body: strings.NewReader("kept")}
	if _, err := first.Client().PutObject(t.Context(), put); err != nil {
		t.Fatal(err)
	}
	first.Kill()
	second, err := bucket.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Stop()
	got, err := second.Client().GetObject(t.Context(), &s3.GetObjectInput{Bucket: put.Bucket, Key: put.Key})
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(got.Body); string(body) != "kept" {
		t.Fatalf("after a kill the file holds %q", body)
	}
	if second.SecretKey == first.SecretKey {
		t.Fatal("two starts share a secret")
	}
	if after, err := os.Getwd(); err != nil || after != before {
		t.Fatalf("working directory %q, %v; want %q", after, err, before)
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		options bucket.Options
		want    string
	}{
		{"no server", bucket.Options{Folder: dir, Name: "files", Server: filepath.Join(dir, "none")}, "no such file"},
		{"a file for a folder", bucket.Options{Folder: file, Name: "files"}, "data folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := bucket.Start(t.Context(), c.options); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
		})
	}
}
