package row

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// Type says what a row is about, in the words of callers.
type Type string

// The types of rows.
const (
	Delivery  Type = "delivery"
	Inventory Type = "inventory"
	Penalty   Type = "penalty"
	Request   Type = "request"
	Sale      Type = "sale"
	Service   Type = "service"
	Workshop  Type = "workshop"
)

// Types are all types of rows.
func Types() []Type { return []Type{Delivery, Inventory, Penalty, Request, Sale, Service, Workshop} }

// Values are the types of rows.
func (Type) Values() []enum.Value { return enum.Named(Types()...) }

// letter is the type as it is stored.
func (t Type) letter() string {
	if t == Service {
		return "v" // sales have the s
	}
	return string(t[:1])
}

// typeOf is the type with a letter; empty if no type has it.
func typeOf(letter string) Type {
	if i := slices.IndexFunc(Types(), func(t Type) bool { return t.letter() == letter }); i >= 0 {
		return Types()[i]
	}
	return ""
}

// Row is a row as it is stored.
type Row struct {
	record.Meta
	Letter     string        `dynamo:"ty"`
	Date       decode.Date   `dynamo:"da"`
	Source     int64         `dynamo:"so"` // the id of the line, the fee, the order or the penalty
	Order      *int64        `dynamo:"q,omitempty"`
	Status     *order.Status `dynamo:"st,omitempty"` // of the order
	Client     *int64        `dynamo:"cl,omitempty"`
	Item       *int64        `dynamo:"it,omitempty"`
	Group      *int64        `dynamo:"gr,omitempty"` // that of the item when the line was priced
	Service    *int64        `dynamo:"se,omitempty"`
	Point      *int64        `dynamo:"rp,omitempty"`
	Prediction money.Amount  `dynamo:"p"`
	Profit     money.Amount  `dynamo:"pf"`

	// A row of an order itself also has the ids of the order's other rows, and the revision of the
	// order that all of them were made from. It stays, without being listed, when the order is deleted.
	Others []byte `dynamo:"ot,omitempty"`
	Of     int64  `dynamo:"rv,omitempty"`
	Gone   bool   `dynamo:"go,omitempty"`

	// A row that is the base of steps also has the numbers of those that may be there, and a digest of what all of them say; no digest
	// as long as not all are written.
	Steps []byte `dynamo:"sp,omitempty"`
	Made  int64  `dynamo:"mk,omitempty"`
}

// Type is what the row is about.
func (r *Row) Type() Type { return typeOf(r.Letter) }

// Kind is the kind of rows. They are listed by their days, below one place. Only this package
// writes them, by transactions of its own.
func Kind() *record.Kind[*Row] { return declared.Get(declare) }

var declared record.Declared[*Row]

func declare() record.Kind[*Row] {
	return record.Kind[*Row]{Kind: kinds.Of(kinds.MetricRow), Below: func(r *Row) record.Child {
		if r.Gone {
			return record.Child{}
		}
		return record.Child{Of: kinds.MetricRow, ID: every, At: r.entry().at()}
	}}
}

// every is the id of the place that all rows are below.
const every = 0

// What a row is of. A row's id follows from that and from the id of what it is of, so that working
// a row out again finds the row that is there.
const (
	ofOrder int64 = iota
	ofLine
	ofService
	ofFee
	ofPenalty
	ofRest // what was paid for an order that has nothing to be paid
	sources
)

const perSource = 8 // ids; not less than there are sources, with those of steps

func idOf(source, id int64) int64 { return id*perSource + source }

// StatusOf is the id of the row that has the status of the row's order; nil if the row has it itself,
// or belongs to no order. The row of a penalty shows no status, because it does not change with the order.
func (r *Row) StatusOf() *int64 {
	if r.Order == nil || r.Status != nil {
		return nil
	}
	id := idOf(ofOrder, *r.Order)
	return &id
}

// pack are ids in ascending order, as they are stored: the first one, and how far each is from the
// one before it.
func pack(ids []int64) (b []byte) {
	last := int64(0)
	for _, id := range ids {
		b, last = binary.AppendUvarint(b, uint64(id-last)), id
	}
	return b
}

func unpack(b []byte) (ids []int64, err error) {
	last := int64(0)
	for len(b) > 0 {
		by, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, fmt.Errorf("row: %x are no ids", b)
		}
		last += int64(by)
		ids, b = append(ids, last), b[n:]
	}
	return ids, nil
}

// entry is what the index knows of a row: all that lists are filtered and ordered by.
type entry struct {
	id                 int64
	date               decode.Date
	letter             string
	point              int64 // 0: none
	prediction, profit int64 // cents
}

func (r *Row) entry() entry {
	e := entry{id: r.ID, date: r.Date, letter: r.Letter, prediction: r.Prediction.Cents(), profit: r.Profit.Cents()}
	if r.Point != nil {
		e.point = *r.Point
	}
	return e
}

// at is where the row stands in the index.
func (e entry) at() string {
	n := func(n int64) string { return strconv.FormatInt(n, 10) }
	return strings.Join([]string{string(e.date), e.letter, n(e.point), n(e.prediction), n(e.profit)}, ":")
}

func entryOf(p record.Place) (e entry, err error) {
	parts := strings.Split(p.At, ":")
	if len(parts) != 5 {
		return e, fmt.Errorf("row: the place %q", p.At)
	}
	e = entry{id: p.ID, date: decode.Date(parts[0]), letter: parts[1]}
	for i, to := range []*int64{&e.point, &e.prediction, &e.profit} {
		if *to, err = strconv.ParseInt(parts[2+i], 10, 64); err != nil {
			return e, fmt.Errorf("row: the place %q: %w", p.At, err)
		}
	}
	return e, nil
}

// dayOf is the day of a moment in a time zone.
func dayOf(of moment.Micros, zone *time.Location) decode.Date {
	at := of.Time().In(zone)
	switch { // a moment of the first or the last year that there is may be a day of another one
	case at.Year() < 1:
		return firstDay
	case at.Year() > 9999:
		return lastDay
	}
	return decode.Date(at.Format(time.DateOnly))
}

// The first and the last day that there is.
const (
	firstDay decode.Date = "0001-01-01"
	lastDay  decode.Date = "9999-12-31"
)
