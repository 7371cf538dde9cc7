package files_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/table"
)

func TestTemporary(t *testing.T) {
	s, id := filestest.New(t), uuid.New()
	if _, err := s.GetTemporary(t.Context(), 5, id); !errors.Is(err, files.ErrNotFound) {
		t.Fatalf("before it was put: %v", err)
	}
	for _, body := range []string{"first", "second"} {
		if err := s.PutTemporary(t.Context(), 5, id, "text/csv", []byte(body)); err != nil {
			t.Fatal(err)
		}
		if got, err := s.GetTemporary(t.Context(), 5, id); err != nil || string(got) != body {
			t.Fatalf("%q %v, want %q", got, err, body)
		}
	}
	address, _, err := s.DownloadTemporary(t.Context(), 5, id, "clients.csv")
	if err != nil || !strings.Contains(address, "/temporary/5/"+id.String()) {
		t.Fatalf("%s %v", address, err)
	}
	answer, body := fetch(t, address)
	if answer.StatusCode != http.StatusOK || body != "second" || answer.Header.Get("Content-Type") != "text/csv" ||
		answer.Header.Get("Content-Disposition") != files.Disposition("clients.csv") {
		t.Errorf("%d %q %v", answer.StatusCode, body, answer.Header)
	}
	for what, get := range map[string]func() error{
		"another company": func() error { _, err := s.GetTemporary(t.Context(), 6, id); return err },
		"a file":          func() error { _, err := s.Get(t.Context(), 5, id, "null", 10); return err },
		"an upload":       func() error { _, err := s.Take(t.Context(), 5, id); return err },
	} {
		if err := get(); !errors.Is(err, files.ErrNotFound) {
			t.Errorf("%s finds it: %v", what, err)
		}
	}
	away := filestest.Away()
	if err := away.PutTemporary(t.Context(), 5, id, "text/csv", nil); !table.Unavailable(err) {
		t.Errorf("put without a bucket: %v", err)
	}
	if _, err := away.GetTemporary(t.Context(), 5, id); errors.Is(err, files.ErrNotFound) || !table.Unavailable(err) {
		t.Errorf("get without a bucket: %v", err)
	}
}
