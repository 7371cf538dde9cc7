package search_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/listing/listingtest"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
)

const kind = kinds.Document

type record struct {
	table.Item
	search.Indexed
	Name   string `dynamo:"name"`
	Source int64  `dynamo:"source"`
	At     int64  `dynamo:"at"`
	Rest   string `dynamo:"rest,omitempty"`
}

func (r record) id() int64 {
	id, err := table.ParseSortID(r.SK)
	if err != nil {
		panic(err)
	}
	return id
}

type store struct {
	*table.Tenant
	dir   listing.Listing
	index search.Index[record]
}

func newStore(c *table.Conn, id tenant.ID) *store {
	t := table.Of(c, id)
	dir := listing.Of(t, kind, nil)
	return &store{Tenant: t, dir: dir, index: search.Index[record]{
		Tenant: t, Kind: kind, Listing: dir, Values: func(r table.Attributes) (search.Values, error) { return search.Values{Name: r.Text("name")}, nil }, Needs: []string{"name"},
	}}
}

func (s *store) record(id int64, name string, source, at int64) record {
	return record{
		Item:    table.At(s.Record(kind, id), 1),
		Indexed: search.New(s.Tenant, kind, search.Values{Name: name, Numbers: map[string]int64{"s": source, "c": at}}, search.TextBytes),
		Name:    name, Source: source, At: at,
	}
}

// fill writes records of the ids 1 …, and gives them newest first.
func (s *store) fill(t testing.TB, n int, of func(id int64) record) (records []record) {
	t.Helper()
	if _, err := s.dir.Reserve(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	for first := int64(1); first <= int64(n); first += listing.MaxOperations {
		var ids []int64
		for id := first; id < first+listing.MaxOperations && id <= int64(n); id++ {
			ids = append(ids, id)
			records = append(records, of(id))
		}
		batch := records[len(records)-len(ids):]
		if err := s.dir.CreateMany(t.Context(), ids, func(tx *table.Tx) ([]int64, error) {
			for _, r := range batch {
				tx.Put(s.Create(r), nil)
			}
			return ids, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	slices.Reverse(records)
	return records
}

func ids(records []record) (ids []int64) {
	for _, r := range records {
		ids = append(ids, r.id())
	}
	return ids
}

const alphabet = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"

func words(r *rand.Rand, n int) string {
	list := make([]string, n)
	for i := range list {
		letters := []rune(alphabet)
		w := make([]rune, 2+r.IntN(3))
		for j := range w {
			w[j] = letters[r.IntN(8)]
		}
		list[i] = string(w)
	}
	return strings.Join(list, " ")
}

// model answers a query by looking at every record whole.
func model(records []record, q search.Query, filter func(record) bool) (page []int64, count int) {
	var found []record
	for _, r := range records {
		folded := search.Fold(r.Name)
		if !slices.ContainsFunc(q.Words, func(w string) bool { return !strings.Contains(folded, w) }) && filter(r) {
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b record) int {
		for _, by := range q.Order {
			c := map[string]int{
				search.Text: strings.Compare(russian(a.Name), russian(b.Name)),
				search.ID:   cmp.Compare(a.id(), b.id()),
				"s":         cmp.Compare(a.Source, b.Source),
				"c":         cmp.Compare(a.At, b.At),
			}[by.Field]
			if by.Descending {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return cmp.Compare(b.id(), a.id())
	})
	from := min(q.Offset, len(found))
	return ids(found[from:min(from+q.Size, len(found))]), len(found)
}

// russian makes ё sort where it stands in the alphabet.
func russian(name string) string {
	letters := []rune(alphabet)
	return strings.Map(func(r rune) rune {
		if i := slices.Index(letters, r); i >= 0 {
			return 'а' + rune(i)
		}
		return r
	}, search.Fold(name))
}

func TestAgreesWithTheModel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := newStore(tabletest.New(t), 7)
	prefix := words(random, 40) // longer than an entry holds
	records := s.fill(t, 300, func(id int64) record {
		name := words(random, 1+random.IntN(6))
		switch random.IntN(6) {
		case 0:
			name = prefix + " " + name
		case 1:
			name = prefix[:188] + name // around the cut
		case 2:
			name = strings.ToUpper(name) + " 字"
		}
		return s.record(id, name, int64(random.IntN(3)), int64(random.IntN(50))*1_000_003)
	})
	fields := []string{search.Text, search.ID, "s", "c"}
	for i := range 80 {
		q := search.Query{Offset: random.IntN(120), Size: 1 + random.IntN(40)}
		for range random.IntN(3) {
			q.Words = append(q.Words, search.Words(words(random, 1))...)
		}
		for range random.IntN(4) {
			q.Order = append(q.Order, search.By{Field: fields[random.IntN(4)], Descending: random.IntN(2) == 0})
		}
		filter := func(record) bool { return true }
		if source := int64(random.IntN(6)); source < 3 {
			q.Filter = func(e search.Entry) bool { return e.Number("s") == source }
			filter = func(r record) bool { return r.Source == source }
		}
		want, wantCount := model(records, q, filter)
		items, count, err := s.index.Page(t.Context(), q)
		if err != nil || count != wantCount || !slices.Equal(ids(items), want) {
			t.Fatalf("query %d %+v:\n got %v of %d, %v\nwant %v of %d", i, q, ids(items), count, err, want, wantCount)
		}
	}
}

func TestARecordLeavesTheIndex(t *testing.T) {
	s := newStore(tabletest.New(t), 7)
	s.fill(t, 5, func(id int64) record { return s.record(id, fmt.Sprint("name ", id), 0, 0) })
	find := func(text string) []int64 {
		t.Helper()
		items, count, err := s.index.Page(t.Context(), search.Query{Words: search.Words(text), Size: 20})
		if err != nil || count != len(items) {
			t.Fatalf("%d of %d, %v", len(items), count, err)
		}
		return ids(items)
	}
	if err := listingtest.Delete(t.Context(), s.Tenant, s.dir, 2, func(tx *table.Tx) error {
		tx.Delete(s.Delete(s.Record(kind, 2)).If("attribute_exists(pk)"), fault.ErrNotFound)
		tx.Put(s.Put(record{Item: table.At(s.Archive(kind, 2), 1), Name: "name 2"}), nil)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(s.record(3, "other", 0, 0)).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := find("NAME"); !slices.Equal(got, []int64{5, 4, 1}) {
		t.Errorf("found %v", got)
	}
	if got := find("oth"); !slices.Equal(got, []int64{3}) {
		t.Errorf("found %v", got)
	}
	if got := newStore(tabletest.New(t), 8); len(got.find(t)) != 0 {
		t.Error("another company finds something")
	}
}

func (s *store) find(t testing.TB) []int64 {
	t.Helper()
	items, _, err := s.index.Page(t.Context(), search.Query{Size: 20})
	if err != nil {
		t.Fatal(err)
	}
	return ids(items)
}

// An entry whose record is not there, as a reader sees it whose index lags.
func TestAnEntryWithoutARecord(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{})
	client := world.Client(1)
	s := newStore(table.Open(client, name), 7)
	s.fill(t, 3, func(id int64) record { return s.record(id, "name", 0, 0) })
	lost := s.record(9, "name", 0, 0)
	lost.SK = table.SortID(9)
	lost.PK = s.Archive(kind, 9).PK // the entry points to a record that is elsewhere
	if err := s.Put(lost).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	items, count, err := s.index.Page(t.Context(), search.Query{Size: 20})
	if err != nil || count != 3 || !slices.Equal(ids(items), []int64{3, 2, 1}) {
		t.Errorf("%v of %d, %v", ids(items), count, err)
	}
	if n := client.Calls()["BatchGetItem"]; n != 2 {
		t.Errorf("%d BatchGets", n)
	}
}

func TestTooMany(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{})
	client := world.Client(1)
	s := newStore(table.Open(client, name), 7)
	// Counters alone make a listing of more records than may be searched.
	for bucket := range 10 {
		base := table.Attributes{}
		base.SetText("pk", s.Listing(kind))
		base.SetText("sk", fmt.Sprintf("%06d", bucket))
		for name, n := range map[string]int64{"v": 1, "n": listing.Bucket, "f": 1<<32 - 1, "z": 1, "r": 1} {
			base.SetInt(name, n)
		}
		if err := s.Put(base).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := s.index.Page(t.Context(), search.Query{Size: 20})
	f, ok := fault.As(err)
	if !ok || f.Code != fault.Invalid || f.Members["code"] != "too_many_records" || f.Detail == "" {
		t.Errorf("%v", err)
	}
	if calls := client.Calls(); calls["Query"] != 1 || calls["BatchGetItem"] != 0 {
		t.Errorf("calls %v", calls)
	}
}

// Names that are longer than entries hold, and alike as far as they do: every
// one has to be looked into.
func TestLongNames(t *testing.T) {
	const n = 2500
	s := newStore(tabletest.New(t), 7)
	long := strings.Repeat("очень ", 20)
	records := s.fill(t, n, func(id int64) record {
		r := s.record(id, long+fmt.Sprintf("%d №%d", (id*7919)%n, id), id%10, id)
		r.Rest = strings.Repeat("x", 600)
		return r
	})
	everything := func(record) bool { return true }
	seldom := func(r record) bool { return r.Source == 3 }
	byName := []search.By{{Field: search.Text}}
	for _, tt := range []struct {
		name         string
		query        search.Query
		filter       func(record) bool
		calls        int
		units        float64
		findsNothing bool
	}{
		{"search", search.Query{Words: []string{"№1000"}, Size: 20}, everything, 8, 600, false},
		{"search for what is not there", search.Query{Words: []string{"никогда"}, Size: 20}, everything, 8, 600, true},
		{"search among few", search.Query{Words: []string{"77"}, Size: 20}, seldom, 7, 300, false},
		{"order", search.Query{Order: byName, Offset: 1200, Size: 20}, everything, 8, 600, false},
		{"order descending", search.Query{Order: []search.By{{Field: search.Text, Descending: true}}, Offset: 2480, Size: 20}, everything, 8, 600, false},
		{"search and order", search.Query{Words: []string{"очень", "11"}, Order: byName, Size: 20}, everything, 8, 600, false},
		{"order what was found without looking", search.Query{Words: []string{"очень"}, Order: byName, Size: 20}, everything, 8, 600, false},
	} {
		if tt.filter(records[0]) != everything(records[0]) {
			tt.query.Filter = func(e search.Entry) bool { return e.Number("s") == 3 }
		}
		want, wantCount := model(records, tt.query, tt.filter)
		ctx, m := meter.Start(t.Context())
		items, count, err := s.index.Page(ctx, tt.query)
		if err != nil || count != wantCount || !slices.Equal(ids(items), want) || (count == 0) != tt.findsNothing {
			t.Errorf("%s:\n got %v of %d, %v\nwant %v of %d", tt.name, ids(items), count, err, want, wantCount)
		}
		used := m.Usage()
		t.Logf("%s: %d calls, %.1f units, %v", tt.name, used.Calls, used.ReadUnits, used.Time)
		if used.Calls > tt.calls || used.ReadUnits > tt.units {
			t.Errorf("%s: %d calls, %.1f units", tt.name, used.Calls, used.ReadUnits)
		}
	}
}

// The size of an item by DynamoDB's rules.
func size(t testing.TB, entry search.Indexed, keys ...string) (n int) {
	t.Helper()
	for _, k := range keys {
		n += len("pk") + len(k)
	}
	n += len("x") + 3
	for name := range entry.X {
		n += len(name) + 1
		if b := entry.X.Bytes(name); b != nil {
			n += len(b)
		} else if digits := len(entry.X.Number(name)); digits > 0 {
			n += 2 + (digits+1)/2
		}
	}
	return n
}

func TestEntriesAreSmall(t *testing.T) {
	s := newStore(tabletest.New(t), 999_999)
	const microseconds = 4_102_444_800_123_456 // in the year 2100
	e := search.New(s.Tenant, kind, search.Values{
		Name: strings.Repeat("Договор ", 60), Numbers: map[string]int64{"s": 1, "c": microseconds, "u": microseconds + 1},
	}, search.TextBytes)
	key := s.Record(kind, 1_000_000_000)
	if n := size(t, e, key.PK, key.SK, e.IX); n > search.EntryBytes {
		t.Errorf("an entry has %d bytes", n)
	} else {
		t.Logf("an entry has at most %d bytes", n)
	}
}

// Ten thousand records of 1 KB with the longest entries.
func TestBounds(t *testing.T) {
	s := newStore(tabletest.New(t), 999_999)
	const microseconds = 4_102_444_800_123_456
	s.fill(t, 10_000, func(id int64) record {
		name := fmt.Sprintf("Договор %d аренды строительного оборудования", id)
		name += strings.Repeat(".", search.TextBytes-1-len([]rune(name)))
		r := record{
			Item: table.At(s.Record(kind, id), 1), Name: name,
			Indexed: search.New(s.Tenant, kind, search.Values{Name: name, Numbers: map[string]int64{"s": 1, "c": microseconds - id, "u": microseconds + id}}, search.TextBytes),
		}
		r.Rest = strings.Repeat("x", 650)
		return r
	})
	for _, tt := range []struct {
		name  string
		query search.Query
		count int
	}{
		{"search", search.Query{Words: search.Words("АРЕНДЫ 77"), Size: 20}, 280},
		{"order by name", search.Query{Order: []search.By{{Field: search.Text}}, Offset: 5000, Size: 20}, 10_000},
		{"order by time", search.Query{Order: []search.By{{Field: "c"}}, Size: 20}, 10_000},
	} {
		ctx, m := meter.Start(context.Background())
		items, count, err := s.index.Page(ctx, tt.query)
		if err != nil || count != tt.count || len(items) != 20 {
			t.Fatalf("%s: %d of %d, %v", tt.name, len(items), count, err)
		}
		used := m.Usage()
		t.Logf("%s: %d calls, %.1f units, %v", tt.name, used.Calls, used.ReadUnits, used.Time)
		if used.Calls > 5 || used.ReadUnits > 250 {
			t.Errorf("%s: %d calls, %.1f units", tt.name, used.Calls, used.ReadUnits)
		}
	}
}
