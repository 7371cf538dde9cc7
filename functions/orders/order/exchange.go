package order

import (
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
)

// Exchange is a swap of an item that was out for another one, as it is stored. It is made by SwapItem, and never changes.
type Exchange struct {
	record.Meta
	Order     int64         `dynamo:"q"`
	Client    *int64        `dynamo:"cl,omitempty"` // that of the order at that time
	Line      int64         `dynamo:"l"`            // that ended
	Next      int64         `dynamo:"n"`            // that went on
	From      int64         `dynamo:"f"`            // the item that came back
	To        int64         `dynamo:"t"`            // the item that went out
	At        moment.Micros `dynamo:"at"`
	New       bool          `dynamo:"np,omitempty"`
	Reason    string        `dynamo:"rs"`
	CreatedBy *int64        `dynamo:"cb,omitempty"`
}

// SwapPrice says what a rental costs from a swap on.
type SwapPrice string

// What a rental costs from a swap on.
const (
	KeepPrice SwapPrice = "keep" // as agreed for the item that it had
	NewPrice  SwapPrice = "new"  // by the tariffs of the item that it has then
)

// Values are the choices of a price.
func (SwapPrice) Values() []enum.Value {
	return enum.Named(KeepPrice, NewPrice)
}

// ShownExchange is what callers and the history see of an exchange.
type ShownExchange struct {
	ID        int64     `json:"id"`
	CreatedAt string    `json:"created_at" format:"date-time"`
	Request   int64     `json:"request" doc:"Id of the order"`
	Client    *int64    `json:"client" nullable:"true" doc:"Id of the client that the order had then"`
	LineFrom  int64     `json:"order_inventory_from" doc:"Id of the item line that ended"`
	LineTo    int64     `json:"order_inventory_to" doc:"Id of the item line that went on"`
	From      int64     `json:"inventory_from" doc:"Id of the item that came back"`
	To        int64     `json:"inventory_to" doc:"Id of the item that went out instead"`
	Datetime  string    `json:"datetime" format:"date-time" doc:"When it happened, which may have been told later"`
	Price     SwapPrice `json:"price" doc:"{values}"`
	Reason    string    `json:"reason"`
	CreatedBy *int64    `json:"created_by" nullable:"true" doc:"Number of a user"`
}

// Shown is what callers see of an exchange.
func (e *Exchange) Shown() ShownExchange {
	s := ShownExchange{
		ID: e.ID, CreatedAt: e.CreatedAt(), Request: e.Order, Client: e.Client, LineFrom: e.Line, LineTo: e.Next, From: e.From, To: e.To,
		Datetime: encode.Instant(e.At.Time()), Price: KeepPrice, Reason: e.Reason, CreatedBy: e.CreatedBy,
	}
	if e.New {
		s.Price = NewPrice
	}
	return s
}

// Exchanges is the kind of exchanges.
func Exchanges() *record.Kind[*Exchange] { return declaredExchanges.Get(declareExchanges) }

var declaredExchanges record.Declared[*Exchange]

func declareExchanges() record.Kind[*Exchange] {
	return record.Kind[*Exchange]{
		Kind: kinds.Of(kinds.Swap), Shown: func(e *Exchange) any { return e.Shown() },
		Columns: []column.Column[*Exchange]{
			column.Reference("request", "q", func(e *Exchange) *int64 { return &e.Order }).Doc("Id of an order"),
			column.Reference("client", "c", func(e *Exchange) *int64 { return e.Client }).Doc("Id of a client"),
			column.Reference("inventory_from", "f", func(e *Exchange) *int64 { return &e.From }).Doc("Id of the item that came back"),
			column.Reference("inventory_to", "t", func(e *Exchange) *int64 { return &e.To }).Doc("Id of the item that went out"),
			column.Moment("datetime", "d", func(e *Exchange) *moment.Micros { return &e.At }).
				Doc("A moment, a local time of the company, or a day of the company"),
		},
		More: func(e *Exchange) string { return record.Texts(&e.Reason) },
	}
}
