package files_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

func TestSegments(t *testing.T) {
	const company, kind = tenant.ID(5), kinds.Client
	s, id, data := filestest.New(t), uuid.New(), bytes.Repeat([]byte("segment "), 1<<17)
	version, err := s.PutSegment(t.Context(), company, kind, id, data)
	if err != nil || version == "" || version == "null" {
		t.Fatalf("%q, %v", version, err)
	}
	// A first try whose answer was lost.
	if again, err := s.PutSegment(t.Context(), company, kind, id, data); err != nil || again != version {
		t.Errorf("again: %q, %v", again, err)
	}
	if _, err := s.PutSegment(t.Context(), company, kind, id, []byte("others")); err == nil {
		t.Error("a segment was replaced")
	}
	read := func() {
		t.Helper()
		if got, err := s.GetSegment(t.Context(), company, kind, id, version); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
	read()
	for range 2 {
		if err := s.DeleteSegment(t.Context(), company, kind, id); err != nil {
			t.Fatal(err)
		}
	}
	read() // as a manifest that was restored does
	empty := uuid.New()
	if version, err = s.PutSegment(t.Context(), company, kind, empty, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := s.GetSegment(t.Context(), company, kind, empty, version); err != nil || len(got) != 0 {
		t.Errorf("%d bytes of none, %v", len(got), err)
	}
}

func TestSegmentsThatAreNotRead(t *testing.T) {
	const company, kind = tenant.ID(5), kinds.Client
	s, id, other := filestest.New(t), uuid.New(), uuid.New()
	version, err := s.PutSegment(t.Context(), company, kind, id, []byte("segment"))
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := s.PutSegment(t.Context(), company, kind, other, []byte("other"))
	if err != nil {
		t.Fatal(err)
	}
	away := filestest.Away()
	get := func(s *files.Store, t tenant.ID, kind kinds.Code, id uuid.UUID, version string) func(context.Context) error {
		return func(ctx context.Context) error { _, err := s.GetSegment(ctx, t, kind, id, version); return err }
	}
	for name, row := range map[string]struct {
		do   func(context.Context) error
		want error // nil: the bucket is away
	}{
		"another company":   {get(s, 6, kind, id, version), files.ErrNotFound},
		"another kind":      {get(s, company, kinds.Agent, id, version), files.ErrNotFound},
		"another id":        {get(s, company, kind, uuid.New(), version), files.ErrNotFound},
		"another's version": {get(s, company, kind, id, foreign), files.ErrNotFound},
		"as a file": {func(ctx context.Context) error {
			_, err := s.Get(ctx, company, id, version, 9)
			return err
		}, files.ErrNotFound},
		"get without a bucket": {get(away, company, kind, id, version), nil},
		"put without a bucket": {func(ctx context.Context) error {
			_, err := away.PutSegment(ctx, company, kind, id, nil)
			return err
		}, nil},
		"delete without one": {func(ctx context.Context) error { return away.DeleteSegment(ctx, company, kind, id) }, nil},
		"too large to put": {func(ctx context.Context) error {
			_, err := s.PutSegment(ctx, company, kind, uuid.New(), make([]byte, files.MaxSegment+1))
			return err
		}, files.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			switch err := row.do(t.Context()); {
			case row.want == nil && (errors.Is(err, files.ErrNotFound) || !table.Unavailable(err)):
				t.Errorf("%v, want one of a bucket that is away", err)
			case row.want != nil && !errors.Is(err, row.want):
				t.Errorf("%v, want %v", err, row.want)
			}
		})
	}
}

// What AWS answers, and the local bucket doesn't.
func TestAnswersAboutSegments(t *testing.T) {
	const denied = "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
	get := func(s *files.Store) error {
		_, err := s.GetSegment(t.Context(), 5, kinds.Client, uuid.New(), "1")
		return err
	}
	put := func(s *files.Store) error {
		_, err := s.PutSegment(t.Context(), 5, kinds.Client, uuid.New(), []byte("segment"))
		return err
	}
	for name, row := range map[string]struct {
		do     func(*files.Store) error
		answer http.HandlerFunc
		is     error
		says   string
	}{
		"missing, of who may not list": {get, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(denied))
		}, files.ErrNotFound, "AccessDenied"},
		"a version that none has": {get, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte("<Error><Code>InvalidArgument</Code><Message>Invalid version id specified</Message></Error>"))
		}, files.ErrNotFound, "InvalidArgument"},
		"too large to read": {get, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "268435457")
		}, files.ErrTooLarge, "268435457 bytes"},
		"cut off": {get, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			_, _ = w.Write([]byte("seg"))
		}, nil, "unexpected EOF"},
		"put by who may not": {put, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(denied))
		}, nil, "AccessDenied"},
		"put without a version": {put, func(http.ResponseWriter, *http.Request) {}, nil, "without a version"},
	} {
		t.Run(name, func(t *testing.T) {
			engine := httptest.NewServer(row.answer)
			defer engine.Close()
			err := row.do(at(engine.URL))
			if err == nil || !strings.Contains(err.Error(), row.says) || errors.Is(err, files.ErrNotFound) != errors.Is(row.is, files.ErrNotFound) ||
				row.is != nil && !errors.Is(err, row.is) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A bucket may refuse a put before it has read all of it, and close the connection: its answer is then lost.
func TestPutWithoutAnswer(t *testing.T) {
	data := bytes.Repeat([]byte("segment "), 1<<17)
	sum := sha256.Sum256(data)
	for name, row := range map[string]struct {
		status  int
		sum     []byte
		version string
		says    string
	}{
		"stored":           {http.StatusOK, sum[:], "7", ""},
		"with other bytes": {http.StatusOK, make([]byte, len(sum)), "", "is stored with other bytes"},
		"not stored":       {http.StatusNotFound, nil, "", "put search/5/cli/"},
	} {
		t.Run(name, func(t *testing.T) {
			engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPut {
					panic(http.ErrAbortHandler)
				}
				w.Header().Set("X-Amz-Checksum-Sha256", base64.StdEncoding.EncodeToString(row.sum))
				w.Header().Set("X-Amz-Version-Id", "7")
				w.WriteHeader(row.status)
			}))
			defer engine.Close()
			version, err := at(engine.URL).PutSegment(t.Context(), 5, kinds.Client, uuid.New(), data)
			if version != row.version || (err == nil) != (row.says == "") || errors.Is(err, files.ErrNotFound) ||
				err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("%q, %v", version, err)
			}
		})
	}
}

// at returns a store whose bucket is at an address, and which tries everything once.
func at(endpoint string) *files.Store {
	return files.New(files.Options{Bucket: "files", Endpoint: endpoint, Config: func(context.Context) (aws.Config, error) {
		return aws.Config{
			Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""), RetryMaxAttempts: 1,
		}, nil
	}})
}
