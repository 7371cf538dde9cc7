// Package values is what templates of documents may say: the variables, and their values for a client
// or an order.
//
// Each variable is declared once, with a sentence about it and where its value comes from. The
// schema that a template is checked against, the list for editors and the values of a document all
// follow from that. What a preview shows without a record are the same declarations, applied to
// records that Example makes up.
//
// Values are texts as a contract in Kazakhstan writes them: dates as 22.11.2026, where the company is;
// amounts as 125 000,00; and both also in words, in three languages.
//
// What never goes in here: HTTP, how templates are written (functions/documents/merge), and who may
// read the records.
package values

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/documents/merge"
	"github.com/tenantry/tenantry/functions/documents/template"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Source is the records that values are taken from.
type Source struct {
	Document Document
	Base     string // the API's own address, in the addresses of images

	about    template.Subject
	company  company.Company
	zone     *time.Location
	client   *client.Client // nil: the order has none
	order    *order.Order   // nil: about a client
	lines    []line
	services []*order.ServiceLine
	points   map[int64]place
	fields   map[string]customfield.Set // by key
}

// Document is the document that is made.
type Document struct {
	Number int64
	Name   string
	At     time.Time
}

// line is an item line with its item, which may be gone.
type line struct {
	*order.Line
	item *item.Item
}

// place is a rental point.
type place struct{ name, address string }

// keys are the keys of the custom fields that are variables, by what a template is about.
func keys(about template.Subject) []string {
	if about == template.OfClient {
		return []string{"client"}
	}
	return []string{"client", "order", "inventory", "inventory_car", "inventory_scooter", "inventory_motorcycle"}
}

// always are the keys of what every source has.
func always(t *table.Tenant, about template.Subject) []table.Key {
	list := []table.Key{t.Company()}
	for _, key := range keys(about) {
		list = append(list, t.Definitions(key))
	}
	return list
}

// open reads what every source has, and further items in the same call.
func open(ctx context.Context, w *record.Work, about template.Subject, also ...table.Key) (s *Source, err error) {
	t := w.Scope().Table
	if err := w.Load(ctx, append(always(t, about), also...)...); err != nil {
		return nil, err
	}
	s = &Source{about: about, fields: map[string]customfield.Set{}}
	if s.company, err = company.Get(ctx, w); err != nil {
		return nil, err
	}
	if s.zone, err = s.company.Zone(); err != nil {
		return nil, err
	}
	for _, key := range keys(about) {
		found, err := w.Item(ctx, t.Definitions(key))
		if err != nil {
			return nil, err
		}
		if s.fields[key], err = customfield.Decode(found); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Load reads the records for a document about a client or an order. Where there is none with the id, the error is
// a fault at object_id. For a client it takes one call, for an order two. The error is table.ErrRevision where
// the order was changed in between.
func Load(ctx context.Context, w *record.Work, about template.Subject, id int64) (*Source, error) {
	t, kind := w.Scope().Table, template.KindOf(about)
	if id <= 0 || id > table.MaxID {
		return nil, none(id)
	}
	s, err := open(ctx, w, about, t.Record(kind.Code, id))
	if err != nil {
		return nil, err
	}
	if kind.Code == kinds.Client {
		s.client, err = Read[client.Client](ctx, w, kind.Code, id)
		if err == nil && s.client == nil {
			err = none(id)
		}
		return s, err
	}
	s.order, err = Read[order.Order](ctx, w, kind.Code, id)
	if err == nil && s.order == nil {
		err = none(id)
	}
	if err != nil {
		return nil, err
	}
	return s, s.loadOrder(ctx, w)
}

// none is the fault about a record that isn't there.
func none(id int64) error { return fault.Field("object_id", say.DoesNotExist(id)) }

// Ever returns a record as Read does, or as it was when it was deleted.
func Ever[T any](ctx context.Context, w *record.Work, kind kinds.Code, id int64) (*T, error) {
	found, err := w.ItemEver(ctx, kind, id)
	if found == nil || err != nil {
		return nil, err
	}
	rec := new(T)
	return rec, found.Decode(rec)
}

// Read returns a record as the unit of work has it; nil if no record has the id.
func Read[T any](ctx context.Context, w *record.Work, kind kinds.Code, id int64) (*T, error) {
	found, err := w.Item(ctx, w.Scope().Table.Record(kind, id))
	if found == nil || err != nil {
		return nil, err
	}
	rec := new(T)
	return rec, found.Decode(rec)
}

// loadOrder reads what belongs to the order, in one call.
func (s *Source) loadOrder(ctx context.Context, w *record.Work) (err error) {
	t, o := w.Scope().Table, s.order
	around := order.ShownKeys(t, o)
	for _, id := range []*int64{o.Point, o.PointReturn} {
		if id != nil {
			around = append(around, t.Record(kinds.RentalPoint, *id))
		}
	}
	if err := w.Load(ctx, around...); err != nil {
		return err
	}
	var named []record.Reference // the order keeps the names of what was deleted since
	for _, l := range o.Lines {
		named = append(named, record.Reference{Kind: kinds.Inventory, ID: l.Item})
	}
	if o.Client != nil {
		named = append(named, record.Reference{Kind: kinds.Client, ID: *o.Client})
	}
	for _, id := range []*int64{o.Point, o.PointReturn} {
		if id != nil {
			named = append(named, record.Reference{Kind: kinds.RentalPoint, ID: *id})
		}
	}
	if err := w.LoadEver(ctx, named...); err != nil {
		return err
	}
	if err := s.loadLines(ctx, w); err != nil {
		return err
	}
	if o.Client != nil {
		if s.client, err = Ever[client.Client](ctx, w, kinds.Client, *o.Client); err != nil {
			return err
		}
	}
	s.points = map[int64]place{}
	for _, id := range []*int64{o.Point, o.PointReturn} {
		if id == nil {
			continue
		}
		found, err := w.ItemEver(ctx, kinds.RentalPoint, *id)
		if err != nil {
			return err
		}
		s.points[*id] = place{found.Text(kinds.Name), found.Text("a")}
	}
	return nil
}

// loadLines reads the lines as the order holds them. If one isn't there, or isn't as the order holds it, the order was changed
// after it was read.
func (s *Source) loadLines(ctx context.Context, w *record.Work) error {
	for _, held := range s.order.Lines {
		l, err := Read[order.Line](ctx, w, kinds.OrderInventory, held.ID)
		if err != nil {
			return err
		}
		if l == nil || !s.order.Holds(l) {
			return table.ErrRevision
		}
		it, err := Ever[item.Item](ctx, w, kinds.Inventory, l.Item)
		if err != nil {
			return err
		}
		s.lines = append(s.lines, line{l, it})
	}
	for _, id := range s.order.Services {
		l, err := Read[order.ServiceLine](ctx, w, kinds.OrderService, id)
		if err != nil {
			return err
		}
		if l == nil {
			return table.ErrRevision
		}
		s.services = append(s.services, l)
	}
	return nil
}

// Fields reads what a template about a client or an order may use: a source without a record, good for Schema alone. It reads
// further items in the same call.
func Fields(ctx context.Context, w *record.Work, about template.Subject, also ...table.Key) (*Source, error) {
	return open(ctx, w, about, also...)
}

// Language is the language of the company's documents: the one in which it writes, else Russian.
func (s *Source) Language() string { return string(cmp.Or(s.company.Speaks(), say.Russian)) }

// Variable is a variable as editors list it. Of a row, its name is that of the list, [] and its own.
type Variable struct {
	Name, Example string
	Says          say.Message
}

// Schema says which variables there are.
func (s *Source) Schema() merge.Schema {
	root := merge.Schema{Fields: map[string]merge.Schema{}}
	for _, f := range s.variables() {
		declare(root, strings.Split(f.name, "."), merge.Schema{})
	}
	for _, l := range s.lists() {
		row := merge.Schema{Fields: map[string]merge.Schema{}}
		for _, f := range l.fields {
			declare(row, strings.Split(f.name, "."), merge.Schema{})
		}
		declare(root, strings.Split(l.name, "."), merge.Schema{Row: &row})
	}
	return root
}

// declare adds a schema at a path.
func declare(to merge.Schema, path []string, s merge.Schema) {
	for _, name := range path[:len(path)-1] {
		next, ok := to.Fields[name]
		if !ok {
			next = merge.Schema{Fields: map[string]merge.Schema{}}
			to.Fields[name] = next
		}
		to = next
	}
	to.Fields[path[len(path)-1]] = s
}

// Values are the values of the variables.
func (s *Source) Values() merge.Value {
	root := merge.Value{Fields: map[string]merge.Value{}}
	at := scope{Source: s}
	for _, f := range s.variables() {
		set(root, strings.Split(f.name, "."), merge.Value{Text: f.of(at)})
	}
	for _, l := range s.lists() {
		var rows []merge.Value
		for _, at := range l.rows() {
			row := merge.Value{Fields: map[string]merge.Value{}}
			for _, f := range l.fields {
				set(row, strings.Split(f.name, "."), merge.Value{Text: f.of(at)})
			}
			rows = append(rows, row)
		}
		set(root, strings.Split(l.name, "."), merge.Value{Rows: rows})
	}
	return root
}

// set sets the value at a path.
func set(to merge.Value, path []string, v merge.Value) {
	for _, name := range path[:len(path)-1] {
		next, ok := to.Fields[name]
		if !ok {
			next = merge.Value{Fields: map[string]merge.Value{}}
			to.Fields[name] = next
		}
		to = next
	}
	to.Fields[path[len(path)-1]] = v
}

// Variables lists the variables in the order of their declaration; the examples are the source's values.
func (s *Source) Variables() (list []Variable) {
	at := scope{Source: s}
	for _, f := range s.variables() {
		list = append(list, Variable{f.name, f.of(at), f.says})
	}
	for _, l := range s.lists() {
		rows := l.rows()
		for _, f := range l.fields {
			v := Variable{Name: l.name + "[]." + f.name, Says: f.says}
			if len(rows) > 0 {
				v.Example = f.of(rows[0])
			}
			list = append(list, v)
		}
	}
	return list
}
