package files_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/infra/local/bucket/buckettest"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

const pdf = "application/pdf"

// send carries out a presigned upload as a client would.
func send(t *testing.T, r files.Request, body string, change func(*http.Request)) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), r.Method, r.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range r.Headers {
		request.Header.Set(name, value)
	}
	if change != nil {
		change(request)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

func fetch(t *testing.T, address string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

func TestUploadIsTakenByCopy(t *testing.T) {
	s, id, company := filestest.New(t), uuid.New(), tenant.ID(1)
	if _, err := s.Take(t.Context(), company, id); !errors.Is(err, files.ErrNotFound) {
		t.Fatalf("take before the upload: %v", err)
	}
	upload, err := s.Upload(t.Context(), company, id, pdf, 5)
	if err != nil {
		t.Fatal(err)
	}
	if life := time.Until(upload.Expires); life < files.UploadTime-time.Minute || life > files.UploadTime {
		t.Errorf("the upload lives %v", life)
	}
	if strings.Contains(upload.File, "?") || !strings.HasPrefix(upload.URL, upload.File+"?") {
		t.Errorf("file %s is not the unsigned address of %s", upload.File, upload.URL)
	}
	if code := send(t, upload, "first", nil); code != http.StatusOK {
		t.Fatalf("upload: %d", code)
	}
	got, err := s.ParseUpload(t.Context(), company, upload.File)
	if err != nil || got != id {
		t.Fatalf("parse: %v %v", got, err)
	}
	first, err := s.Take(t.Context(), company, id)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("first"))
	if first.ID != id || first.Size != 5 || first.ContentType != pdf || !bytes.Equal(first.SHA256, sum[:]) || first.Version == "" {
		t.Errorf("taken: %+v", first)
	}
	// The same presigned request again, with other bytes: what was taken stays.
	if code := send(t, upload, "other", nil); code != http.StatusOK {
		t.Fatalf("replay: %d", code)
	}
	again, err := s.Take(t.Context(), company, id)
	if err != nil || again.ID != id || bytes.Equal(again.SHA256, sum[:]) {
		t.Fatalf("second take: %+v %v", again, err)
	}
	for _, f := range []struct {
		object files.Object
		want   string
	}{{first, "first"}, {again, "other"}} {
		address, expires, err := s.Download(t.Context(), company, f.object.ID, f.object.Version, "Договор №1.pdf")
		if err != nil {
			t.Fatal(err)
		}
		if life := time.Until(expires); life < files.DownloadTime-time.Minute || life > files.DownloadTime {
			t.Errorf("the download lives %v", life)
		}
		answer, body := fetch(t, address)
		if answer.StatusCode != http.StatusOK || body != f.want {
			t.Errorf("download: %d %q, want %q", answer.StatusCode, body, f.want)
		}
		if h := answer.Header; h.Get("Content-Disposition") != files.Disposition("Договор №1.pdf") ||
			h.Get("Content-Type") != pdf || h.Get("Cache-Control") != "private, no-store" {
			t.Errorf("headers: %v", h)
		}
		if answer, _ := fetch(t, strings.Replace(address, f.object.Version, "null", 1)); answer.StatusCode != http.StatusForbidden {
			t.Errorf("another version under the same signature: %d", answer.StatusCode)
		}
		data, err := s.Get(t.Context(), company, f.object.ID, f.object.Version, 5)
		if err != nil || string(data) != f.want {
			t.Errorf("get: %q %v", data, err)
		}
		if data, err := s.Get(t.Context(), company, f.object.ID, f.object.Version, 4); !errors.Is(err, files.ErrTooLarge) || data != nil {
			t.Errorf("get of more than was asked for: %q %v", data, err)
		}
	}
	if answer, _ := fetch(t, upload.File); answer.StatusCode != http.StatusForbidden {
		t.Errorf("the unsigned address answers %d", answer.StatusCode)
	}
}

func TestUploadIsBoundToWhatWasAskedFor(t *testing.T) {
	s, company := filestest.New(t), tenant.ID(2)
	for name, c := range map[string]struct {
		body   string
		change func(*http.Request)
	}{
		"longer":             {body: "123456"},
		"shorter":            {body: "1234"},
		"empty":              {body: ""},
		"another type":       {body: "12345", change: func(r *http.Request) { r.Header.Set("Content-Type", "text/html") }},
		"no type":            {body: "12345", change: func(r *http.Request) { r.Header.Del("Content-Type") }},
		"another key":        {body: "12345", change: func(r *http.Request) { r.URL.Path = strings.Replace(r.URL.Path, "/2/", "/3/", 1) }},
		"a file of a record": {body: "12345", change: func(r *http.Request) { r.URL.Path = strings.Replace(r.URL.Path, "/uploads/", "/t/", 1) }},
		"another method":     {body: "12345", change: func(r *http.Request) { r.Method = http.MethodPost }},
	} {
		t.Run(name, func(t *testing.T) {
			id := uuid.New()
			upload, err := s.Upload(t.Context(), company, id, pdf, 5)
			if err != nil {
				t.Fatal(err)
			}
			if code := send(t, upload, c.body, c.change); code < 400 {
				t.Errorf("accepted with %d", code)
			}
			if _, err := s.Take(t.Context(), company, id); !errors.Is(err, files.ErrNotFound) {
				t.Errorf("take: %v", err)
			}
		})
	}
}

func TestParseUploadTakesOnlyItsOwn(t *testing.T) {
	s, id := filestest.New(t), uuid.New()
	upload, err := s.Upload(t.Context(), 7, id, pdf, 1)
	if err != nil {
		t.Fatal(err)
	}
	good := upload.File
	base := strings.TrimSuffix(good, "uploads/7/"+id.String())
	for name, uri := range map[string]string{
		"another company":           base + "uploads/8/" + id.String(),
		"a company's prefix":        base + "uploads/77/" + id.String(),
		"a taken file":              base + "t/7/" + id.String(),
		"traversal":                 base + "uploads/8/../7/" + id.String(),
		"escaped traversal":         base + "uploads/8/%2e%2e/7/" + id.String(),
		"doubled slash":             base + "uploads//7/" + id.String(),
		"upper case":                base + "uploads/7/" + strings.ToUpper(id.String()),
		"braces":                    base + "uploads/7/{" + id.String() + "}",
		"no dashes":                 base + "uploads/7/" + strings.ReplaceAll(id.String(), "-", ""),
		"query":                     good + "?x=1",
		"presigned":                 upload.URL,
		"fragment":                  good + "#" + id.String(),
		"query before":              base + "?/uploads/7/" + id.String(),
		"user":                      strings.Replace(good, "://", "://a@", 1),
		"another host":              "https://example.com/uploads/7/" + id.String(),
		"another host, ours behind": "https://example.com/?" + good,
		"another scheme":            strings.Replace(good, "http", "ftp", 1),
		"more":                      good + "/" + id.String(),
		"space":                     good + " ",
		"nil":                       "",
		"a uuid alone":              id.String(),
		"leading zero":              base + "uploads/07/" + id.String(),
	} {
		if got, err := s.ParseUpload(t.Context(), 7, uri); !errors.Is(err, files.ErrForeign) || got != uuid.Nil {
			t.Errorf("%s: %s is taken for %v (%v)", name, uri, got, err)
		}
	}
	if got, err := s.ParseUpload(t.Context(), 8, good); !errors.Is(err, files.ErrForeign) || got != uuid.Nil {
		t.Errorf("company 8 takes an upload of company 7: %v %v", got, err)
	}
}

func TestPut(t *testing.T) {
	s, id, company := filestest.New(t), uuid.New(), tenant.ID(3)
	const html = "text/html; charset=utf-8"
	object, err := s.Put(t.Context(), company, id, html, []byte("<p>ү</p>"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("<p>ү</p>"))
	if object.Size != 9 || object.ContentType != html || !bytes.Equal(object.SHA256, sum[:]) {
		t.Errorf("put: %+v", object)
	}
	if _, err := s.Get(t.Context(), 4, id, object.Version, 9); !errors.Is(err, files.ErrNotFound) {
		t.Errorf("another company's get: %v", err)
	}
	if _, err := s.Get(t.Context(), company, uuid.New(), object.Version, 9); !errors.Is(err, files.ErrNotFound) {
		t.Errorf("get of nothing: %v", err)
	}
}

// TestBucketAway: what can't be reached is unavailable, not missing.
func TestBucketAway(t *testing.T) {
	_, err := filestest.Away().Take(t.Context(), 1, uuid.New())
	if err == nil || errors.Is(err, files.ErrNotFound) || !table.Unavailable(err) {
		t.Errorf("without a bucket: %v", err)
	}
}

// answering answers every request with a status.
type answering int

func (a answering) Do(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: int(a), Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// A bucket that fails, such as one without room, is unavailable; what it refuses is our mistake.
func TestBucketFails(t *testing.T) {
	for status, want := range map[answering]bool{500: true, 503: true, 507: true, 400: false, 403: false} {
		s := filestest.Behind(t, func(aws.HTTPClient) aws.HTTPClient { return status })
		_, put := s.Put(t.Context(), 1, uuid.New(), "text/plain", []byte("x"))
		_, get := s.Latest(t.Context(), 1, uuid.New(), 9)
		if table.Unavailable(put) != want || table.Unavailable(get) != want || put == nil || get == nil {
			t.Errorf("%d: %v; %v", status, put, get)
		}
	}
}

// TestConfigurationFails: nothing is asked before it is needed, and what failed
// is asked again.
func TestConfigurationFails(t *testing.T) {
	asked := 0
	s := files.New(files.Options{Bucket: "files", Config: func(context.Context) (aws.Config, error) {
		if asked++; asked == 1 {
			return aws.Config{}, errors.New("no credentials")
		}
		return aws.Config{Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", "")}, nil
	}})
	if asked != 0 {
		t.Error("asked at the start")
	}
	for try, works := range []bool{false, true, true} {
		if _, err := s.Upload(t.Context(), 1, uuid.New(), pdf, 1); (err == nil) != works {
			t.Errorf("try %d: %v", try, err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

// TestAddressOnAWS: without an endpoint the bucket is in the host name.
func TestAddressOnAWS(t *testing.T) {
	s := files.New(files.Options{Bucket: "tenantry-files", Config: func(context.Context) (aws.Config, error) {
		return aws.Config{Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", "session")}, nil
	}})
	id := uuid.New()
	upload, err := s.Upload(t.Context(), 5, id, pdf, 10)
	if err != nil {
		t.Fatal(err)
	}
	if want := "https://tenantry-files.s3.eu-central-1.amazonaws.com/uploads/5/" + id.String(); upload.File != want {
		t.Errorf("file %s, want %s", upload.File, want)
	}
	for _, signed := range []string{"content-length", "content-type", "host"} {
		if !strings.Contains(upload.URL, signed) {
			t.Errorf("%s is not signed: %s", signed, upload.URL)
		}
	}
	if strings.Contains(strings.ToLower(upload.URL), "checksum") {
		t.Errorf("the checksum of nothing is signed: %s", upload.URL)
	}
	if got, err := s.ParseUpload(t.Context(), 5, upload.File); err != nil || got != id {
		t.Errorf("parse: %v %v", got, err)
	}
}

// Whoever uses a presigned request may reach the bucket by another name than the function does. Both names are of this
// machine here.
func TestPublicEndpoint(t *testing.T) {
	b, id, company := buckettest.Bucket(t), uuid.New(), tenant.ID(41)
	public := strings.Replace(b.Endpoint, "127.0.0.1", "localhost", 1)
	store := func(endpoint, public string) *files.Store {
		return files.New(files.Options{Bucket: b.Name, Endpoint: endpoint, PublicEndpoint: public, Config: func(context.Context) (aws.Config, error) {
			return aws.Config{
				Region: b.Region, Credentials: credentials.NewStaticCredentialsProvider(b.AccessKey, b.SecretKey, ""), RetryMaxAttempts: 1,
			}, nil
		}})
	}
	s := store(b.Endpoint, public)
	upload, err := s.Upload(t.Context(), company, id, pdf, 5)
	if err != nil || !strings.HasPrefix(upload.URL, public+"/") || !strings.HasPrefix(upload.File, public+"/") {
		t.Fatalf("%+v, %v", upload, err)
	}
	if code := send(t, upload, "first", nil); code != http.StatusOK {
		t.Fatalf("upload: %d", code)
	}
	if origin, err := s.Origin(t.Context()); err != nil || origin != public {
		t.Errorf("origin %s, %v", origin, err)
	}
	if got, err := s.ParseUpload(t.Context(), company, upload.File); err != nil || got != id {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := s.ParseUpload(t.Context(), company, strings.Replace(upload.File, public, b.Endpoint, 1)); !errors.Is(err, files.ErrForeign) {
		t.Errorf("the function's own name is no address for others: %v", err)
	}
	taken, err := s.Take(t.Context(), company, id)
	if err != nil {
		t.Fatal(err)
	}
	address, _, err := s.Download(t.Context(), company, id, taken.Version, "a.pdf")
	if err != nil || !strings.HasPrefix(address, public+"/") {
		t.Fatalf("%s, %v", address, err)
	}
	if answer, body := fetch(t, address); answer.StatusCode != http.StatusOK || body != "first" {
		t.Errorf("download: %s %s", answer.Status, body)
	}
	// What the function does itself goes to its own address only.
	if _, err := store("http://127.0.0.1:1", public).Take(t.Context(), company, id); err == nil || errors.Is(err, files.ErrNotFound) {
		t.Errorf("the public address was asked: %v", err)
	}
}
