package restore_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/orders"
	"github.com/tenantry/tenantry/functions/sales"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/infra/operator/restore"
	"github.com/tenantry/tenantry/infra/underrace"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// given makes a number the last one that was given out, so that the next one is like no other number in the table.
func given(t *testing.T, conn *table.Conn, last tenant.ID) {
	t.Helper()
	if err := crosstenant.Open(conn).Update(crosstenant.Tenants()).Set("n", last).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A company of the copy comes to stand beside the one that there is, under a number of its own; from there under another one. Nothing of
// the second holds the number of the first, not in zipped histories either, nor a version of its files.
func TestANewNumber(t *testing.T) {
	const first, second tenant.ID = 70000123, 80000456
	w := estatetest.Make(t)
	copied, _ := w.Table(t)
	live, name := w.Table(t)
	before := estatetest.Scan(t, name)
	given(t, live, first-1)
	r := restorer(copied, live, estatetest.Bucket(t))
	is, err := r.Number(t.Context(), company)
	if err != nil || is != first {
		t.Fatalf("%d, %v", is, err)
	}
	report, err := r.Run(t.Context(), company, first)
	if err != nil {
		t.Fatal(err)
	}
	for _, told := range []string{"another company's now, and stay so", "the company has none"} {
		if !strings.Contains(strings.Join(report.Told, "\n"), told) {
			t.Errorf("%q is not told: %q", told, report.Told)
		}
	}
	if report.Objects < 5 || report.Copied < 400 {
		t.Errorf("%+v", report)
	}
	after := estatetest.Scan(t, name)
	for key, item := range before {
		switch {
		case key == crosstenant.Tenants():
		case key.SK == "memberships": // of its members
			if list := table.Attributes(item).List("m"); len(list) > 0 &&
				!reflect.DeepEqual(table.Attributes(after[key]).List("m")[:len(list)], list) {
				t.Errorf("%v has lost some: %v", key, after[key])
			}
		case !reflect.DeepEqual(after[key], item):
			t.Errorf("%v is %v, not %v", key, after[key], item)
		}
	}
	theSame(t, live, company, first)

	given(t, live, second-1)
	again := restorer(live, live, estatetest.Bucket(t))
	if is, err = again.Number(t.Context(), first); err != nil || is != second {
		t.Fatalf("%d, %v", is, err)
	}
	if _, err := again.Run(t.Context(), first, second); err != nil {
		t.Fatal(err)
	}
	versions := map[string]bool{}
	e := estate.Open(live, estatetest.Bucket(t))
	for o, err := range e.Folder(t.Context(), estate.Prefix(keyspace.Files, first)) {
		if err != nil {
			t.Fatal(err)
		}
		versions[o.Version] = true
	}
	mine := 0
	for key, item := range estatetest.Scan(t, name) {
		of := estatetest.Of(key, item)
		if len(of) != 1 || of[0] != second {
			continue
		}
		mine++
		for _, text := range estatetest.Texts(item) {
			if text = unzipped(text); strings.Contains(text, first.String()) || versions[text] {
				t.Errorf("%v holds %q", key, text)
			}
		}
	}
	if mine < 400 || len(versions) < 5 {
		t.Errorf("%d items, %d versions", mine, len(versions))
	}
	theSame(t, live, first, second)
}

func unzipped(text string) string {
	if r, err := gzip.NewReader(strings.NewReader(text)); err == nil {
		if plain, err := io.ReadAll(r); err == nil {
			return string(plain)
		}
	}
	return text
}

// theSame asks the functions for lists and histories of two companies: they differ in nothing but the number. The original of a sealed
// document is read from each one's own file.
func theSame(t *testing.T, conn *table.Conn, a, b tenant.ID) {
	t.Helper()
	store := filestest.New(t)
	api := webtest.Setup{Change: func(e *app.Env) { e.Table, e.Files = conn, store }}.New(
		t, clients.New, documents.New, history.New, orders.New, sales.New)
	for _, path := range []string{
		"/v1/crm/clients/", "/v1/crm/clients/1/", "/v2/documents/", "/v2/documents/1/", "/v1/crm/requests/", "/v1/crm/requests/1/", "/v1/sales/leads/",
		"/v1/crm/history/?object=lead:1", "/v1/crm/history/?object=order:1",
	} {
		one, other := api.As(webtest.Owner(a)).Get(path), api.As(webtest.Owner(b)).Get(path)
		want := one.Body()
		for _, says := range []string{`"tenant":%s`, `"field":"tenant","from":null,"to":%s}`} {
			want = bytes.ReplaceAll(want, fmt.Appendf(nil, says, a), fmt.Appendf(nil, says, b))
		}
		if one.Code() != 200 || !bytes.Equal(want, other.Body()) {
			t.Errorf("%s: %d\n%s\n%s", path, one.Code(), want, other.Body())
		}
	}
	for _, id := range []tenant.ID{a, b} {
		var item table.Attributes
		of := table.Of(conn, id)
		if err := of.Get(t.Context(), of.Record(kinds.Document, 1), &item); err != nil {
			t.Fatal(err)
		}
		d := new(document.Document)
		if err := item.Decode(d); err != nil {
			t.Fatal(err)
		}
		f := d.FileOf(document.Original)
		if text, err := store.Get(t.Context(), id, f.ID, f.Version, 99); err != nil || string(text) != "original" {
			t.Errorf("the original of company %d is %q, %v", id, text, err)
		}
	}
}

// A new number is given once: killed at any write, and run again with the number that was told, it ends as if it had not been killed.
func TestANewNumberKilled(t *testing.T) {
	const first tenant.ID = 70000123
	w := estatetest.Make(t)
	copied, _ := w.Table(t)
	run := func(name string, k *estatetest.Killer, numbered bool) (err error) {
		r := restorer(copied, table.Open(k.Table(enginetest.Client(t)), name), k.Bucket(estatetest.Bucket(t)))
		if !numbered {
			if _, err = r.Number(t.Context(), company); err != nil {
				return err
			}
		}
		_, err = r.Run(t.Context(), company, first)
		return err
	}
	e := estate.Open(copied, estatetest.Bucket(t))
	begin := func() string {
		t.Helper()
		live, name := w.Table(t)
		given(t, live, first-1)
		if _, err := e.DeleteObjects(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		return name
	}
	whole, name := &estatetest.Killer{}, begin()
	if err := run(name, whole, false); err != nil {
		t.Fatal(err)
	}
	size := len(estatetest.Scan(t, name))
	objects := func() (n int) {
		for _, err := range e.Objects(t.Context(), first) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	files := objects()
	const numbering = 2 // the number itself, and the company's item
	most := 12
	if underrace.Enabled {
		most = 4
	}
	step := max(1, (whole.Writes()-numbering)/most)
	t.Logf("%d writes, killed at each %d. after the number was given", whole.Writes(), step)
	for at := numbering + 1; at <= whole.Writes(); at += step {
		name := begin()
		if err := run(name, &estatetest.Killer{At: int64(at), After: at/step%2 == 0}, false); !errors.Is(err, estatetest.ErrKilled) {
			t.Fatalf("killed at %d: %v", at, err)
		}
		if err := run(name, &estatetest.Killer{}, true); err != nil {
			t.Fatalf("killed at %d, and run again: %v", at, err)
		}
		if got := len(estatetest.Scan(t, name)); got != size {
			t.Errorf("killed at %d: %d items, not %d", at, got, size)
		}
		if n := objects(); n != files {
			t.Errorf("killed at %d: %d objects, not %d", at, n, files)
		}
		theSame(t, table.Open(enginetest.Client(t), name), company, first)
	}
	// Before its item is made a number is lost, and nothing else is.
	for at := int64(1); at <= numbering; at++ {
		name := begin()
		if err := run(name, &estatetest.Killer{At: at}, false); !errors.Is(err, estatetest.ErrKilled) {
			t.Fatalf("killed at %d: %v", at, err)
		}
		if err := run(name, &estatetest.Killer{}, true); !errors.Is(err, restore.ErrRefused) {
			t.Errorf("killed at %d, and run again: %v", at, err)
		}
	}
}
