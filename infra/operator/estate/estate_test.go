package estate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Each item of the known world that is of a company is found by the walk over the company, once, and nothing else is; but for what ends
// by its time, which is listed.
func TestEverythingIsFound(t *testing.T) {
	w := estatetest.Make(t)
	conn, _ := w.Table(t)
	e := estate.Open(conn, estatetest.Bucket(t))
	kindsOf := map[string]bool{}
	for company := tenant.ID(1); company <= 4; company++ {
		numbers, err := e.Numbers(t.Context(), company)
		if err != nil {
			t.Fatal(err)
		}
		found := map[table.Key]int{}
		for item, err := range e.Own(t.Context(), company, numbers) {
			if err != nil {
				t.Fatal(err)
			}
			found[estate.KeyOf(item)]++
		}
		for item, err := range e.Outside(t.Context(), company) {
			if err != nil {
				t.Fatal(err)
			}
			found[estate.KeyOf(item.Attributes)]++
			if sealed := strings.HasPrefix(item.Text("pk"), "H#"); sealed != (item.Seal != nil) {
				t.Errorf("%v: with a seal: %t", estate.KeyOf(item.Attributes), item.Seal != nil)
			}
		}
		for key, item := range w.Items {
			p := e.Pattern(key.PK)
			switch mine := slices.Contains(estatetest.Of(key, item), company); {
			case mine && p.Found == keyspace.ByTime:
				if table.Attributes(item).Int("ttl") == 0 || p.Name != "replay" {
					t.Errorf("%v ends by its time, and has none", key)
				}
			case mine && found[key] != 1:
				t.Errorf("%v of company %d was found %d times", key, company, found[key])
			case !mine && found[key] != 0:
				t.Errorf("%v was found with company %d", key, company)
			case mine:
				kindsOf[p.Name] = true
			}
		}
	}
	for _, p := range keyspace.Partitions() {
		switch p.Name {
		case "users", "companies", "ping", "post", "identity", // of nobody
			"bulk", "smsreport", "allowance", "rate", "cms", "inbox": // which the world has none of
			continue
		}
		if p.Found != keyspace.ByTime && !kindsOf[p.Name] {
			t.Errorf("the world has no %s to be found", p.Key)
		}
	}
}

// Counts are those of a whole reading, and the numbers of a company that is not there find nothing.
func TestCount(t *testing.T) {
	w := estatetest.Make(t)
	conn, _ := w.Table(t)
	e := estate.Open(conn, estate.Bucket{})
	numbers, err := e.Numbers(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.Count(t.Context(), 1, numbers)
	if err != nil {
		t.Fatal(err)
	}
	var want, bytes int
	for key, item := range w.Items {
		if slices.Contains(estatetest.Of(key, item), 1) && e.Pattern(key.PK).Found != keyspace.ByTime {
			want, bytes = want+1, bytes+table.Attributes(item).Size()
		}
	}
	items, objects := c.Total()
	if items.Number != want || items.Bytes != int64(bytes) || objects.Number != 0 || want < 500 {
		t.Errorf("%+v items, want %d of %d bytes; %+v objects", items, want, bytes, objects)
	}
	var live int
	for key := range w.Items {
		if key.PK == table.Prefix(1)+string(kinds.Client) {
			live++
		}
	}
	if c.Kinds["cli"].Number <= live || live == 0 {
		t.Errorf("%d items of clients, of which %d are live", c.Kinds["cli"].Number, live)
	}
	if none, err := e.Count(t.Context(), 77, estate.Numbers{}); err != nil || len(none.Items) != 0 {
		t.Errorf("of nobody: %+v, %v", none, err)
	}
	for number, given := range map[tenant.ID]bool{1: true, 5: true, 6: false, 0: false, -1: false} {
		if is, err := e.Given(t.Context(), number); err != nil || is != given {
			t.Errorf("%d was given: %t, %v", number, is, err)
		}
	}
}

// Objects of a company, all versions and marks of deletions of all folders, are found and deleted, and no others, however alike the
// numbers of the companies are.
func TestObjects(t *testing.T) {
	const company, alike tenant.ID = 9001, 90012
	conn, _ := (&estatetest.World{}).Table(t)
	e, store := estate.Open(conn, estatetest.Bucket(t)), filestest.New(t)
	for _, c := range []tenant.ID{company, alike} {
		id := uuid.New()
		for _, text := range []string{"one", "two"} {
			if _, err := store.Put(t.Context(), c, id, "text/plain", []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := store.PutSegment(t.Context(), c, kinds.Client, id, []byte("segment")); err != nil {
			t.Fatal(err)
		}
		if err := store.DeleteSegment(t.Context(), c, kinds.Client, id); err != nil {
			t.Fatal(err)
		}
		if err := store.PutJob(t.Context(), c, id, "text/plain", []byte("job")); err != nil {
			t.Fatal(err)
		}
	}
	count := func(c tenant.ID) (n, marks int) {
		for o, err := range e.Objects(t.Context(), c) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			if o.Mark {
				marks++
			}
		}
		return n, marks
	}
	if n, marks := count(company); n != 5 || marks != 1 {
		t.Errorf("%d versions, of which %d are marks", n, marks)
	}
	if n, err := e.DeleteObjects(t.Context(), company); err != nil || n != 5 {
		t.Errorf("deleted %d, %v", n, err)
	}
	if n, err := e.DeleteObjects(t.Context(), company); err != nil || n != 0 {
		t.Errorf("deleted %d again, %v", n, err)
	}
	if n, _ := count(company); n != 0 {
		t.Errorf("%d versions are left", n)
	}
	if n, _ := count(alike); n != 5 {
		t.Errorf("%d versions of the other company", n)
	}
}
