package ledger

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/say"
)

// Exchange is an exchange between two accounts as it is stored. Its two postings are made and
// removed with it.
type Exchange struct {
	record.Meta
	From    int64         `dynamo:"f"`
	To      int64         `dynamo:"t"`
	Amount  money.Amount  `dynamo:"s"` // above 0
	Date    moment.Micros `dynamo:"at"`
	Comment *string       `dynamo:"co,omitempty,allowempty"` // may be empty
	Out     int64         `dynamo:"o"`                       // the posting out of From
	In      int64         `dynamo:"i"`                       // the posting into To
}

// ShownExchange is what callers and the history see of an exchange.
type ShownExchange struct {
	ID        int64        `json:"id"`
	CreatedAt string       `json:"created_at" format:"date-time"`
	From      int64        `json:"from"`
	To        int64        `json:"to"`
	Amount    money.Amount `json:"amount"`
	Date      string       `json:"date" format:"date-time"`
	Comment   *string      `json:"comment" nullable:"true"`
	Out       int64        `json:"transaction_from" doc:"The transaction out of from"`
	In        int64        `json:"transaction_to" doc:"The transaction into to"`
}

// Shown is what callers see of an exchange.
func (e *Exchange) Shown() ShownExchange {
	return ShownExchange{
		ID: e.ID, CreatedAt: e.CreatedAt(), From: e.From, To: e.To, Amount: e.Amount, Date: encode.Instant(e.Date.Time()),
		Comment: e.Comment, Out: e.Out, In: e.In,
	}
}

// Exchanges is the kind of exchanges.
func Exchanges() *record.Kind[*Exchange] { return declaredExchanges.Get(declareExchanges) }

var declaredExchanges record.Declared[*Exchange]

func declareExchanges() record.Kind[*Exchange] {
	return record.Kind[*Exchange]{
		Kind: kinds.Of(kinds.Exchange), Shown: func(e *Exchange) any { return e.Shown() },
		Columns: []column.Column[*Exchange]{
			column.Reference("from", "f", func(e *Exchange) *int64 { return &e.From }).Doc("Id of the account that the amount came from"),
			column.Reference("to", "o", func(e *Exchange) *int64 { return &e.To }).Doc("Id of the account that it went to"),
			column.Moment("date", "d", func(e *Exchange) *moment.Micros { return &e.Date }).
				Doc("A moment, a local time of the company, or a day of the company"),
			column.Amount("amount", "s", func(e *Exchange) *money.Amount { return &e.Amount }).Doc("The amount"),
		},
		More: func(e *Exchange) string { return record.Texts(e.Comment) },
		Concerns: func(e *Exchange) []event.Ref {
			return event.Some(event.Ref{Kind: kinds.Account, ID: e.From}, event.Ref{Kind: kinds.Account, ID: e.To})
		},
	}
}

// Exchanging posts the two postings of a new exchange of the unit of work. Accounts that don't
// exist are reported at the fields "from" and "to".
func Exchanging(ctx context.Context, w *record.Work, e *Exchange) error {
	t, errs := w.Scope().Table, w.Errors("")
	all := keys{t.Company()}
	for _, id := range []int64{e.From, e.To} {
		all.add(Accounts().Key(t, id))
		if e.Date > now(w) {
			all.add(t.Beside(kinds.Account, id))
		}
	}
	if err := w.Load(ctx, all...); err != nil {
		return err
	}
	if e.From == e.To && !errs.Has("from") && !errs.Has("to") {
		errs.Add("to", say.ExchangeSameAccount)
	}
	for field, id := range map[string]int64{"from": e.From, "to": e.To} {
		if _, err := Accounts().Read(ctx, w, id); errors.Is(err, fault.ErrNotFound) {
			errs.Add(field, say.DoesNotExist(id))
		} else if err != nil {
			return err
		}
	}
	if err := errs.Err(); err != nil {
		return err
	}
	out := &Posting{Account: e.From, Amount: e.Amount.Neg(), Date: e.Date, Sort: SortExchange, Comment: e.Comment, Owned: true}
	in := &Posting{Account: e.To, Amount: e.Amount, Date: e.Date, Sort: SortExchange, Comment: e.Comment, Owned: true}
	Postings().Create(w, "", out, in)
	for _, p := range []*Posting{out, in} {
		if err := Posted(ctx, w, p); err != nil {
			return err
		}
		p.Exchange = &e.ID
	}
	e.Out, e.In = out.ID, in.ID
	return nil
}

// Unexchanged removes the postings of an exchange that goes.
func Unexchanged(ctx context.Context, w *record.Work, e *Exchange) error {
	t := w.Scope().Table
	if err := w.Load(ctx, Postings().Key(t, e.Out), Postings().Key(t, e.In)); err != nil {
		return err
	}
	for _, id := range []int64{e.Out, e.In} {
		if err := Unpost(ctx, w, id); err != nil {
			return err
		}
	}
	return nil
}
