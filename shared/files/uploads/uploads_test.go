package uploads_test

import (
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
)

func TestUpload(t *testing.T) {
	conn, now := tabletest.New(t), time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	store := uploads.Store{Files: filestest.New(t), Now: clock, NewUUID: uuid.New, Throttle: throttle.Open(conn, clock)}
	ours, theirs := table.Of(conn, 4), table.Of(conn, 5)
	request, err := store.Announce(t.Context(), ours, principal.Principal{User: 42}, "clients.csv", "text/csv", 5)
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
	if status, answer, _ := filestest.Send(t, request.Method, request.URL, "a;b;c", request.Headers); status != http.StatusOK {
		t.Fatal(status, answer)
	}

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

// A user and a company announce so many a day, and who is refused uses up nothing
// of the others.
func TestQuota(t *testing.T) {
	conn, now := tabletest.New(t), time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	store := uploads.Store{Files: filestest.New(t), Now: clock, NewUUID: uuid.New, Throttle: throttle.Open(conn, clock)}
	announce := func(company tenant.ID, user int64) error {
		_, err := store.Announce(t.Context(), table.Of(conn, company), principal.Principal{User: user}, "a.csv", "text/csv", 5)
		return err
	}
	refused := func(what string, err error) {
		t.Helper()
		if f, ok := fault.As(err); !ok || f.Code != fault.Throttled {
			t.Errorf("%s: %v", what, err)
		}
	}
	// used counts all but one of what a rule allows, without a call for each.
	used := func(rule string, most int, subject string) {
		t.Helper()
		key := crosstenant.Throttle(rule, throttle.Subject(subject), strconv.FormatInt(now.Truncate(24*time.Hour).Unix(), 10))
		if err := crosstenant.Open(conn).Update(key).Set("c", most-1).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	used("uploader", uploads.MaxOfUser, "1")
	if err := announce(4, 1); err != nil {
		t.Fatal(err)
	}
	refused("a user", announce(4, 1))
	refused("a user in another company", announce(5, 1))
	used("uploads", uploads.MaxOfCompany, "4")
	if err := announce(4, 2); err != nil {
		t.Fatal(err)
	}
	refused("a company", announce(4, 99))
	if err := announce(5, 99); err != nil {
		t.Errorf("another company: %v", err)
	}
	now = now.Add(24 * time.Hour)
	if err := announce(4, 1); err != nil {
		t.Errorf("the next day: %v", err)
	}
}
