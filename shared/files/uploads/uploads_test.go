package uploads_test

import (
	"bytes"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

func TestUpload(t *testing.T) {
	conn, now := tabletest.New(t), time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)
	store := uploads.Store{Files: filestest.New(t), Now: func() time.Time { return now }, NewUUID: uuid.New}
	ours, theirs := table.Of(conn, 4), table.Of(conn, 5)
	request, err := store.Announce(t.Context(), ours, 42, "clients.csv", "text/csv", 5)
	if err != nil {
		t.Fatal(err)
	}
	none := func(what string, of *table.Tenant, uri string) {
		t.Helper()
		if _, _, err := store.Read(t.Context(), of, uri); !errors.Is(err, uploads.ErrNone) {
			t.Errorf("%s: %v", what, err)
		}
	}
	none("without bytes", ours, request.File)
	put, err := http.NewRequestWithContext(t.Context(), request.Method, request.URL, bytes.NewReader([]byte("a;b;c")))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range request.Headers {
		put.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(put)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%v %v", answer, err)
	}
	_ = answer.Body.Close()

	now = now.Add(uploads.Life - time.Second)
	if data, name, err := store.Read(t.Context(), ours, request.File); err != nil || string(data) != "a;b;c" || name != "clients.csv" {
		t.Errorf("%q %q %v", data, name, err)
	}
	if u, err := store.Find(t.Context(), ours, request.File); err != nil || u.By != 42 {
		t.Errorf("%+v %v", u, err)
	}
	none("another company's", theirs, request.File)
	none("of elsewhere", ours, "https://example.com/a.csv")
	now = now.Add(time.Second)
	none("too old", ours, request.File)
}
