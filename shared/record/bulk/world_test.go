package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/listing/folding"
	"github.com/tenantry/tenantry/shared/record/listing/listingtest"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

const kind = kinds.Client

// person is a record that reserves its number.
type person struct {
	table.Item
	search.Indexed
	Name    string `dynamo:"n"`
	IIN     string `dynamo:"iin,omitempty"`
	Import  int64  `dynamo:"im,omitempty"`
	Waiting bool   `dynamo:"w,omitempty"`
}

func (p person) id() int64 {
	id, err := table.ParseSortID(p.SK)
	if err != nil {
		panic(err)
	}
	return id
}

func imports() bulk.Imports {
	return bulk.Imports{
		Kind: kind, Message: "test.import",
		Reserved: func(t *table.Tenant, row table.Attributes) []table.Key {
			return []table.Key{value(row.Text("iin")).Key(t)}
		},
	}
}

// office is one process of a company, and its clock.
type office struct {
	t    testing.TB
	conn *table.Conn
	*table.Tenant
	clock *time.Time
}

func newOffice(t testing.TB, conn *table.Conn, clock *time.Time) office {
	t.Helper()
	if conn == nil {
		conn = table.Open(enginetest.Client(t), enginetest.Table(t))
	}
	if clock == nil {
		now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		clock = &now
	}
	return office{t: t, conn: conn, Tenant: table.Of(conn, 7), clock: clock}
}

func (o office) now() time.Time { return *o.clock }

func (o office) listing() listing.Listing {
	return listing.Of(o.Tenant, kind, folding.Ask(o.Tenant, kind, o.now))
}

func searched() search.Kind { return search.Kind{Code: kind} }

func (o office) index() search.Index {
	return search.Index{
		Tenant: o.Tenant, Kind: searched(), Listing: o.listing(),
	}
}

func (o office) person(id int64, iin string) person {
	return person{Item: table.At(o.Record(kind, id), 1), Name: "name " + iin, IIN: iin}
}

// rows are as many people of an import.
func (o office) rows(n int, abandoned unique.Abandoned, iin func(i int) string, indexed bool) []bulk.Row {
	rows := make([]bulk.Row, n)
	for i := range rows {
		rows[i] = bulk.Row{Operations: 2, Put: func(tx *table.Tx, id, im int64) error {
			p := o.person(id, iin(i))
			p.Import, p.Waiting = im, true
			if indexed {
				p.X = search.Encode(searched(), search.Values{Name: p.Name}) // the rest comes when the record is changed
			}
			tx.Put(o.Create(p), fmt.Errorf("row %d exists", id))
			abandoned.Of(im).Reserve(tx, o.Tenant, value(p.IIN), id)
			return nil
		}}
	}
	return rows
}

func numbered(prefix string) func(i int) string {
	return func(i int) string { return fmt.Sprintf("%s%06d", prefix, i) }
}

// create makes one person.
func (o office) create(ctx context.Context, iin string, abandoned unique.Abandoned) (int64, error) {
	return listingtest.Create(ctx, o.Tenant, o.listing(), func(tx *table.Tx, id int64) error {
		p := o.person(id, iin)
		p.Indexed = search.New(o.Tenant, searched(), search.Values{Name: p.Name}, 1)
		tx.Put(o.Create(p), errors.New("exists"))
		abandoned.Reserve(tx, o.Tenant, value(iin), id)
		return nil
	})
}

// run imports n people.
func (o office) run(ctx context.Context, n int, iin func(i int) string) (int64, error) {
	return imports().Run(ctx, o.Tenant, o.listing(), o.now, bulk.Plan{Rows: o.rows(n, unique.Abandoned{}, iin, true), By: 3}, nil)
}

// seen are the people that lists show, by each way to them. They must agree.
func (o office) seen() (iins []string) {
	o.t.Helper()
	count, err := o.listing().Count(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	page, n, err := decoded(o.listing().Page(o.t.Context(), 0, 5000, false))
	if err != nil || n != count || len(page) != count {
		o.t.Fatalf("page of %d of %d, %v; count %d", len(page), n, err, count)
	}
	found, n, err := decoded(o.index().Page(o.t.Context(), search.Query{Words: []string{"name"}, Order: []segment.By{{Field: segment.ID}}, Size: 5000}))
	if err != nil || n != count || len(found) != count {
		o.t.Fatalf("search finds %d of %d, %v; count %d", len(found), n, err, count)
	}
	for i, p := range page {
		if p.SK != found[i].SK {
			o.t.Fatalf("page holds %s, search %s", p.SK, found[i].SK)
		}
		if !o.visible(p.id()) {
			o.t.Fatalf("%d is in a list and not visible", p.id())
		}
		iins = append(iins, p.IIN)
	}
	slices.Sort(iins)
	return iins
}

// visible tells whether a record is to be seen by who reads it by its number.
func (o office) visible(id int64) bool {
	o.t.Helper()
	row := o.row(id)
	if row[bulk.Waiting] == nil {
		return true
	}
	visible, err := bulk.Visible(o.t.Context(), o.Tenant, kind, row.Int(bulk.Import))
	if err != nil {
		o.t.Fatal(err)
	}
	return visible
}

func (o office) row(id int64) (row table.Attributes) {
	o.t.Helper()
	if err := o.Get(o.t.Context(), o.Record(kind, id), &row); err != nil {
		o.t.Fatal(err)
	}
	return row
}

// stored are the items of a partition.
func (o office) stored(partition string) (items []table.Attributes) {
	o.t.Helper()
	if err := o.Table().Get("pk", partition).Consistent(true).All(o.t.Context(), &items); err != nil {
		o.t.Fatal(err)
	}
	return items
}

// clean says that nothing is left but what lists show, each with its reservation.
func (o office) clean(want []string, reserved func(i int) string, n int) {
	o.t.Helper()
	if got := o.seen(); !slices.Equal(got, want) {
		o.t.Fatalf("%d people are seen, want %d:\n got %v\nwant %v", len(got), len(want), got, want)
	}
	if items := o.stored(o.Records(kind)); len(items) != len(want) {
		o.t.Fatalf("%d records are stored of %d", len(items), len(want))
	}
	for _, item := range o.stored(o.Listing(kind)) {
		if strings.HasPrefix(item.Text("sk"), "p#") {
			o.t.Fatalf("left pending: %s", item.Text("sk"))
		}
	}
	for i := range n {
		var owner table.Attributes
		err := o.Get(o.t.Context(), value(reserved(i)).Key(o.Tenant), &owner)
		if there := err == nil; there != slices.Contains(want, reserved(i)) {
			o.t.Fatalf("%s is reserved: %v, %v", reserved(i), there, err)
		}
		if err == nil && o.row(owner.Int("o")).Text("iin") != reserved(i) {
			o.t.Fatalf("%s is reserved by %d, who has another", reserved(i), owner.Int("o"))
		}
	}
}

// deliver carries out what is due, as the worker does.
func (o office) deliver() {
	o.t.Helper()
	all := crosstenant.Open(o.conn)
	work := imports().Work(o.conn, o.now)
	if err := outbox.EachDue(o.t.Context(), all, o.now(), func(k table.Key) error {
		m, ok, err := outbox.Claim(o.t.Context(), all, k, o.now(), time.Minute)
		if err != nil || !ok || work[m.Kind] == nil {
			return err
		}
		err = work[m.Kind](o.t.Context(), m)
		var later outbox.Later
		if errors.As(err, &later) {
			_, err = outbox.PutOff(o.t.Context(), all, m, o.now(), later)
			return err
		}
		if err != nil {
			return err
		}
		_, err = outbox.Done(o.t.Context(), all, m, o.now(), nil)
		return err
	}); err != nil {
		o.t.Fatal(err)
	}
}

// waiting is how many rows carry w.
func (o office) waiting() (n int) {
	o.t.Helper()
	for _, row := range o.stored(o.Records(kind)) {
		if row["w"] != nil {
			n++
		}
	}
	return n
}

func (o office) pass(d time.Duration) { *o.clock = o.clock.Add(d) }

// value is an IIN.
func value(iin string) unique.Value {
	return unique.Value{Kind: kind, Name: "iin", Value: iin}
}

func values(n int, iin func(i int) string) []unique.Value {
	list := make([]unique.Value, n)
	for i := range list {
		list[i] = value(iin(i))
	}
	return list
}

func all(n int, iin func(i int) string) (list []string) {
	for i := range n {
		list = append(list, iin(i))
	}
	return list
}

// decoded are what a page has found, as people.
func decoded(found []table.Attributes, count int, err error) ([]*person, int, error) {
	if err != nil {
		return nil, 0, err
	}
	list, err := table.DecodeAll[*person](found)
	return list, count, err
}
