package order

import (
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
)

// Line is an item line as it is stored.
type Line struct {
	record.Meta
	Terms
	Order       int64          `dynamo:"q"`
	Item        int64          `dynamo:"it"`
	Client      *int64         `dynamo:"cl,omitempty"` // that of the order
	Group       *int64         `dynamo:"gr,omitempty"` // that of the item when the line was priced
	Place       *Place         `dynamo:"pl,omitempty"` // where price rules are asked; nil: none price the line
	Type        LineType       `dynamo:"ty"`
	Start       moment.Micros  `dynamo:"s"`
	End         moment.Micros  `dynamo:"f,omitempty"` // 0 for a sale
	FactStart   *moment.Micros `dynamo:"fs,omitempty"`
	FactEnd     *moment.Micros `dynamo:"fe,omitempty"`
	PricedFrom  moment.Micros  `dynamo:"ps,omitempty"` // the start of the time that is priced; 0: Start
	PricedUntil moment.Micros  `dynamo:"pe,omitempty"` // and its end; 0: End
	EndKept     bool           `dynamo:"ek,omitempty"` // a shorter end obeys the setting early, unlike those of lines from before it
	Continues   int64          `dynamo:"cn,omitempty"` // the line whose item was swapped for this one's; 0: none was
	ContinuedBy int64          `dynamo:"cy,omitempty"` // the line whose item came instead of this one's; 0: none did
	First       *First         `dynamo:"ft,omitempty"` // of a line that continues another one
	Exchange    *int64         `dynamo:"xg,omitempty"` // the last swap that the line is a part of
	Buffer      moment.Seconds `dynamo:"bu,omitempty"` // for which the item is kept free afterwards
	LateFee     money.Amount   `dynamo:"la"`           // for coming back late
	HandOut     *Done          `dynamo:"ho,omitempty"` // how the line was before, once its item was handed out
	Return      *Done          `dynamo:"rt,omitempty"` // and once it was taken back
	Set         *int64         `dynamo:"se,omitempty"`
	SetGroup    *string        `dynamo:"sg,omitempty"`
	CreatedBy   *int64         `dynamo:"cb,omitempty"`
	Extra       decode.JSON    `dynamo:"e"`
	nameless    bool           // a quoted line that names a group, and has got no item; never stored
}

// First is what the lines of a rental whose item was swapped know of the first one of them.
type First struct {
	Start moment.Micros `dynamo:"s"` // its planned start
	Out   moment.Micros `dynamo:"o"` // when its item was handed out
}

// ShownLine is what the history sees of an item line, and callers together with its client and its item.
type ShownLine struct {
	ID        int64    `json:"id"`
	CreatedAt string   `json:"created_at" format:"date-time"`
	UpdatedAt string   `json:"updated_at" format:"date-time"`
	Request   int64    `json:"request" doc:"Id of the order"`
	Group     *int64   `json:"inventory_group" nullable:"true" doc:"That of the item when the line was priced"`
	Type      LineType `json:"type" doc:"{values}"`
	StartAt   string   `json:"start_at" format:"date-time"`
	EndAt     *string  `json:"end_at" nullable:"true" format:"date-time" doc:"Null for a sale"`
	FactStart *string  `json:"fact_start_at" nullable:"true" format:"date-time" doc:"When it was handed out"`
	FactEnd   *string  `json:"fact_end_at" nullable:"true" format:"date-time" doc:"When it was taken back"`
	ShownTerms
	LateFee      money.Amount `json:"penalty_amount" doc:"For coming back late"`
	Set          *int64       `json:"set" nullable:"true"`
	SetGroup     *string      `json:"set_group" nullable:"true" doc:"Lines of an order with the same one stay together in bulk calls."`
	CreatedBy    *int64       `json:"created_by" nullable:"true" doc:"Number of a user"`
	Warehouse    *int64       `json:"warehouse" nullable:"true" doc:"Always null"`
	Counterparty *int64       `json:"counterparty" nullable:"true" doc:"Always null"`
	Exchange     *int64       `json:"exchange" nullable:"true" doc:"Id of the exchange by which its item came or went last, while it was out; null if it was not swapped"`
	Extra        decode.JSON  `json:"extra"`
}

// toldLine is an item line in a history, with its item and its client by their ids.
type toldLine struct {
	ShownLine
	Inventory int64  `json:"inventory"`
	Client    *int64 `json:"client"`
}

// Lines is the kind of item lines. A unit of work that makes or changes one calls Arrange; one that
// removes it calls Drop or Remove.
func Lines() *record.Kind[*Line] { return declaredLines.Get(declareLines) }

var declaredLines record.Declared[*Line]

func declareLines() record.Kind[*Line] {
	return record.Kind[*Line]{
		Kind:  kinds.Of(kinds.OrderInventory),
		Shown: func(l *Line) any { return toldLine{l.Shown(), l.Item, l.Client} },
		Parent: func(l *Line) record.Parent {
			return record.Parent{Kind: kinds.Order, ID: l.Order, List: "inventories"}
		},
		Columns: []column.Column[*Line]{
			column.Reference("request", byOrder, func(l *Line) *int64 { return &l.Order }).Doc("Id of an order"),
			column.Reference("inventory", ByItem, func(l *Line) *int64 { return &l.Item }).Doc("Id of an inventory item"),
			column.Reference("client", ByClient, func(l *Line) *int64 { return l.Client }).Doc("Id of a client"),
			column.Choice("type", "y", func(l *Line) *LineType { return &l.Type }),
			column.Moment("start_at", "s", func(l *Line) *moment.Micros { return &l.Start }).Doc("A time, or a whole day of the company"),
			column.Moment("end_at", "e", (*Line).due).Doc("A time, or a whole day of the company"),
		},
		References: lineReferences,
		Below: func(l *Line) record.Child {
			return record.Child{Of: kinds.Inventory, ID: l.Item, At: record.At(l.from()) + ":" + strconv.FormatInt(l.Order, 10)}
		},
		Extras: record.Free("order_inventory", func(l *Line) decode.JSON { return l.Extra }), MaxExtra: maxExtra,
	}
}

// OrderAt is the order of a line, read from the line's place below its item.
func OrderAt(p record.Place) (id int64, err error) {
	return strconv.ParseInt(p.At[strings.LastIndexByte(p.At, ':')+1:], 10, 64)
}

// Until is the part of an item's lines that begin at a moment or before it, the last one first.
func Until(at moment.Micros) record.Span {
	return record.Span{To: record.At(at) + ":" + after, Newest: true}
}

// after sorts after every number.
const after = "~"

// lineReferences are the records that a line refers to: the item as long as the line needs it.
func lineReferences(l *Line) []record.Reference {
	var list []record.Reference
	if !l.nameless {
		list = append(list, record.Reference{Field: "inventory", Kind: kinds.Inventory, ID: l.Item})
	}
	if l.Discount != nil && l.Continues == 0 { // one that goes on has the discount of what it continues
		list = append(list, record.Reference{Field: "discount", Kind: kinds.Discount, ID: l.Discount.ID})
	}
	return list
}

// from is when the item was handed out; as planned, before it is.
func (l *Line) from() moment.Micros {
	if l.FactStart != nil {
		return *l.FactStart
	}
	return l.Start
}

// due is when a rental has to come back; nil for a sale.
func (l *Line) due() *moment.Micros {
	if l.Type == Sale {
		return nil
	}
	return &l.End
}

// state says where the item of a line is.
func (l *Line) state() State {
	switch {
	case l.FactEnd != nil:
		return Returned
	case l.FactStart != nil:
		return Out
	}
	return Planned
}

// held is what the order holds of a line.
func (l *Line) held() Held {
	h := Held{ID: l.ID, Item: l.Item, Start: min(l.Start, l.from()), End: l.End, State: l.state()}
	if plan := max(l.Start, l.PricedFrom, l.began()); h.Start < plan {
		h.Plan = plan // also where a shorter end has made the start the hand-out, which was early for free
	}
	if l.ContinuedBy == 0 && (l.PricedUntil > l.End || l.FactEnd != nil && l.PricedUntil == *l.FactEnd) {
		h.Priced = l.PricedUntil // not that of a longer time that costs no more than what was kept
	}
	if l.SetGroup != nil {
		h.Set = *l.SetGroup
	}
	if l.First != nil {
		h.Began = l.First.Start
	}
	return h
}

// priced is what the price of a line follows from, apart from price rules.
func (l *Line) priced() pricing.Item {
	it := l.Terms.priced()
	it.Sale, it.Start, it.End = l.Type == Sale, l.pricedFrom().Time(), l.pricedUntil().Time()
	it.Share = l.share()
	return it
}

// Shown returns what callers see of a line.
func (l *Line) Shown() ShownLine {
	return ShownLine{
		ID: l.ID, CreatedAt: l.CreatedAt(), UpdatedAt: l.UpdatedAt(), Request: l.Order, Group: l.Group, Type: l.Type,
		StartAt: encode.Instant(l.Start.Time()), EndAt: encode.Moment(l.due()),
		FactStart: encode.Moment(l.FactStart), FactEnd: encode.Moment(l.FactEnd), ShownTerms: l.Terms.Shown(), LateFee: l.LateFee,
		Set: l.Set, SetGroup: l.SetGroup, CreatedBy: l.CreatedBy, Exchange: l.Exchange, Extra: l.Extra,
	}
}
