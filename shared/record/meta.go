package record

import (
	"reflect"
	"slices"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Meta is what every record carries; a stored struct embeds it. No kind may use the attribute
// names in it, nor kinds.Name, for anything else.
type Meta struct {
	table.Item
	search.Indexed
	Listed
	ID        int64         `dynamo:"id"`
	Revision  int64         `dynamo:"r"` // counts the writes; each write is conditional on it
	Created   moment.Micros `dynamo:"c"`
	Updated   moment.Micros `dynamo:"m"`
	Import    int64         `dynamo:"im,omitempty"` // the import that created the record; see shared/record/bulk
	Waiting   bool          `dynamo:"w,omitempty"`  // its import may not be committed yet; see shared/record/bulk
	Deleted   moment.Micros `dynamo:"d,omitempty"`  // set only in the archive
	DeletedBy int64         `dynamo:"db,omitempty"`
	Stamp     moment.Micros `dynamo:"dm,omitempty"` // of its last change in the log of events, where that is later than Updated
	// Request is the id of the request that created the record; only append-only kinds have it.
	Request string `dynamo:"rq,omitempty"`

	sent []sentPart // the free parts that the caller has sent, in this unit of work
}

// sentPart is a free part that was sent: the field that its errors are reported at, and where the record has it.
type sentPart struct {
	field string
	at    *decode.JSON
}

// requestAttribute is the attribute of Meta.Request.
const requestAttribute = "rq"

func (m *Meta) meta() *Meta { return m }

// Stored is a record: a pointer to a stored struct, which embeds Meta. What is generic here and in resource takes the pointer, since
// all pointers share one compiled body, where each struct would get its own.
type Stored interface{ meta() *Meta }

// empty is a new record whose fields are zero.
func empty[T Stored]() T { return made(reflect.TypeFor[T]()).(T) } //nolint:forcetypeassert // it is one

// copied is a shallow copy of a record.
func copied[T Stored](rec T) T {
	to := made(reflect.TypeOf(rec)).(T) //nolint:forcetypeassert // it is one
	overwrite(to, rec)
	return to
}

// made returns a pointer of a type to a new struct.
func made(pointer reflect.Type) any { return reflect.New(pointer.Elem()).Interface() }

// overwrite makes a record a shallow copy of another one of its type.
func overwrite(to, from Stored) { reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from).Elem()) }

// Tenant is the company that the record belongs to, read from its key.
func (m *Meta) Tenant() tenant.ID {
	id, _ := table.TenantOf(m.PK)
	return id
}

// CreatedAt is the time of creation, as answers show it.
func (m *Meta) CreatedAt() string { return encode.Instant(m.Created.Time()) }

// UpdatedAt is the time of the last change, as answers show it.
func (m *Meta) UpdatedAt() string { return encode.Instant(m.Updated.Time()) }

// ID is a record's id; 0 before it has one.
func ID(rec Stored) int64 { return rec.meta().ID }

// CreatedAt is when a record was created, as answers show it.
func CreatedAt(rec Stored) string { return rec.meta().CreatedAt() }

// Revision counts the writes of a record.
func Revision(rec Stored) int64 { return rec.meta().Revision }

// extraField is the field of the free part of most records.
const extraField = "extra"

// ExtraInto writes a record's free part, which is {} until a caller sends one. A free part that
// was sent is checked even if it is the same as before.
func ExtraInto(rec Stored, in decode.Optional[decode.JSON], to *decode.JSON) {
	ExtraAt(rec, extraField, in, to)
}

// ExtraAt does the same for a record with several free parts. It writes the one at the given
// field, such as "car.extra", where its errors are reported too.
func ExtraAt(rec Stored, field string, in decode.Optional[decode.JSON], to *decode.JSON) {
	m := rec.meta()
	if in.Null || in.Set {
		m.sent = append(slices.Clip(m.sent), sentPart{field, to})
	}
	switch {
	case in.Null:
		*to = decode.JSON("null")
	case in.Set:
		*to = in.Value
	case len(*to) == 0:
		*to = decode.JSON("{}")
	}
}

// stamped keeps the stamp of a change, where it says more than Updated.
func (m *Meta) stamped(at moment.Micros) {
	if m.Stamp = 0; at > m.Updated {
		m.Stamp = at
	}
}

// Attributes are the attributes of a Meta, for a kind that encodes its items by hand.
func (m *Meta) Attributes() table.Attributes {
	a := table.Attributes{}
	for name, text := range map[string]string{"pk": m.PK, "sk": m.SK, "ix": m.IX, "by": m.By, "bs": m.BS, requestAttribute: m.Request} {
		if text != "" {
			a.SetText(name, text)
		}
	}
	for name, n := range map[string]int64{"v": int64(m.V), "id": m.ID, "r": m.Revision, "c": int64(m.Created), "m": int64(m.Updated)} {
		a.SetInt(name, n)
	}
	for name, n := range map[string]int64{
		bulk.Import: m.Import, "d": int64(m.Deleted), "db": m.DeletedBy, "dm": int64(m.Stamp), "xm": m.Changed,
	} {
		if n != 0 {
			a.SetInt(name, n)
		}
	}
	if m.X != nil {
		a.SetBytes("x", m.X)
	}
	if m.Waiting {
		a.SetBool(bulk.Waiting, true)
	}
	return a
}

// MetaOf reads the Meta of an item, for a kind that decodes its items by hand.
func MetaOf(a table.Attributes) (m Meta, err error) {
	m = Meta{
		Item: table.Item{PK: a.Text("pk"), SK: a.Text("sk"), V: int(a.Int("v"))}, Listed: Listed{By: a.Text("by"), BS: a.Text("bs")},
		Revision: a.Int("r"), Created: moment.Micros(a.Int("c")), Updated: moment.Micros(a.Int("m")), Import: a.Int(bulk.Import),
		Waiting: a[bulk.Waiting] != nil, Deleted: moment.Micros(a.Int("d")), DeletedBy: a.Int("db"), Stamp: moment.Micros(a.Int("dm")),
		Request: a.Text(requestAttribute),
	}
	m.IX, m.Changed, m.X = a.Text("ix"), a.Int("xm"), a.Bytes("x")
	m.ID, err = table.ParseSortID(m.SK)
	return m, err
}
