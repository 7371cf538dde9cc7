package ledger

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/nullable"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/event"
)

// Posting is a posting into an account as it is stored; callers know it as a transaction.
type Posting struct {
	record.Meta
	Account  int64         `dynamo:"a"`
	Amount   money.Amount  `dynamo:"s"` // signed, not 0
	Type     *int64        `dynamo:"y,omitempty"`
	Date     moment.Micros `dynamo:"at"`
	Day      decode.Date   `dynamo:"da"` // that it is booked on
	Ahead    bool          `dynamo:"f,omitempty"`
	Sort     Sort          `dynamo:"k"`
	Request  *int64        `dynamo:"q,omitempty"`
	Client   *int64        `dynamo:"cl,omitempty"`
	Comment  *string       `dynamo:"co,omitempty,allowempty"` // may be empty
	Refunded money.Amount  `dynamo:"rf"`                      // how much of it; not negative
	RefundOf *int64        `dynamo:"ro,omitempty"`
	Exchange *int64        `dynamo:"ex,omitempty"`
	Owned    bool          `dynamo:"ow,omitempty"` // another record has posted it, and changes it
}

// Sort is what a posting is for, as it is stored.
type Sort string

// The sorts of postings.
const (
	SortPayment  Sort = "pay"
	SortRefund   Sort = "ref"
	SortDeposit  Sort = "dep"
	SortReferral Sort = "rfl"
	SortExchange Sort = "exc"
	SortPlain    Sort = "pln"
)

// Sorts are the sorts of postings with their names.
func Sorts() []column.Named {
	return []column.Named{
		{Names: []string{"payment"}, Stored: string(SortPayment)},
		{Names: []string{"refund"}, Stored: string(SortRefund)},
		{Names: []string{"deposit"}, Stored: string(SortDeposit)},
		{Names: []string{"referral"}, Stored: string(SortReferral)},
		{Names: []string{"exchange"}, Stored: string(SortExchange)},
		{Names: []string{"plain"}, Stored: string(SortPlain)},
	}
}

// SortName is the name of a sort, by which callers know it.
type SortName string

// Values are the names of the sorts.
func (SortName) Values() []enum.Value {
	var list []SortName
	for _, sort := range Sorts() {
		list = append(list, SortName(sort.Names[0]))
	}
	return enum.Named(list...)
}

// ShownPosting is what callers and the history see of a posting.
type ShownPosting struct {
	ID        int64        `json:"id"`
	CreatedAt string       `json:"created_at" format:"date-time"`
	UpdatedAt string       `json:"updated_at" format:"date-time"`
	Account   int64        `json:"account"`
	Amount    money.Amount `json:"amount"`
	Type      *int64       `json:"type" nullable:"true"`
	Date      string       `json:"date" format:"date-time"`
	Day       decode.Date  `json:"day" doc:"The company's day that it is booked on, as of when it got its date"`
	Request   *int64       `json:"request" nullable:"true"`
	Client    *int64       `json:"client" nullable:"true"`
	Comment   *string      `json:"comment" nullable:"true"`
	Sort      SortName     `json:"kind"`
	Refunded  money.Amount `json:"refunded" doc:"How much of it was refunded"`
	RefundOf  *int64       `json:"refund_of" nullable:"true" doc:"The transaction that it refunds"`
	Exchange  *int64       `json:"exchange" nullable:"true" doc:"The exchange that it belongs to"`
}

// Shown is what callers see of a posting.
func (p *Posting) Shown() ShownPosting {
	s := ShownPosting{
		ID: p.ID, CreatedAt: p.CreatedAt(), UpdatedAt: p.UpdatedAt(), Account: p.Account, Amount: p.Amount, Type: p.Type,
		Date: encode.Instant(p.Date.Time()), Day: p.Day, Request: p.Request, Client: p.Client, Comment: p.Comment,
		Refunded: p.Refunded, RefundOf: p.RefundOf, Exchange: p.Exchange,
	}
	for _, sort := range Sorts() {
		if sort.Stored == string(p.Sort) {
			s.Sort = SortName(sort.Names[0])
		}
	}
	return s
}

// Postings is the kind of postings.
func Postings() *record.Kind[*Posting] { return declaredPostings.Get(declarePostings) }

var declaredPostings record.Declared[*Posting]

func declarePostings() record.Kind[*Posting] {
	return record.Kind[*Posting]{
		Kind: kinds.Of(kinds.Transaction), Shown: func(p *Posting) any { return p.Shown() },
		References: func(p *Posting) []record.Reference {
			list := []record.Reference{{Field: "account", Kind: kinds.Account, ID: p.Account, Hold: true}}
			if p.RefundOf != nil { // it has the client and the order of what it refunds, which may be gone
				return list
			}
			if p.Client != nil {
				list = append(list, record.Reference{Field: "client", Kind: kinds.Client, ID: *p.Client})
			}
			if p.Request != nil {
				list = append(list, record.Reference{Field: "request", Kind: kinds.Order, ID: *p.Request})
			}
			return list
		},
		More: func(p *Posting) string { return record.Texts(p.Comment) },
		Columns: []column.Column[*Posting]{
			column.Reference("account", "a", func(p *Posting) *int64 { return &p.Account }).Doc("Id of an account"),
			column.Number("type", "y", func(p *Posting) *int64 { return p.Type }).Doc("A type of an account"),
			column.Moment("date", "d", func(p *Posting) *moment.Micros { return &p.Date }).
				Doc("A moment, a local time of the company, or a day of the company"),
			column.Amount("amount", "s", func(p *Posting) *money.Amount { return &p.Amount }).Doc("Signed"),
			column.Reference("client", "c", func(p *Posting) *int64 { return p.Client }).Doc("Id of a client"),
			column.Reference("request", byRequest, func(p *Posting) *int64 { return p.Request }).Doc("Id of a request"),
			column.Name("kind", bySort, func(p *Posting) *string { return (*string)(&p.Sort) }, Sorts()...).Doc("What was posted"),
		},
		Concerns: func(p *Posting) []event.Ref {
			return event.Some(
				event.To(kinds.Order, p.Request), event.To(kinds.Client, p.Client), event.Ref{Kind: kinds.Account, ID: p.Account},
			)
		},
		Below: func(p *Posting) record.Child { return record.Child{Of: kinds.Account, ID: p.Account, At: p.place()} },
	}
}

// Post creates a posting of the unit of work. The caller has set the account, the amount, the
// date and the sort, and whatever else it wants; what is wrong with them is reported at the
// fields "account", "date" and "client" of the body at path.
func Post(ctx context.Context, w *record.Work, path string, p *Posting) error {
	Postings().Create(w, path, p)
	return Posted(ctx, w, p)
}

// Posted does what goes with a new posting of the unit of work, which is complete but for its id
// and its day. If something is wrong with it, that is reported when the unit of work ends.
func Posted(ctx context.Context, w *record.Work, p *Posting) (err error) {
	if err := load(ctx, w, nil, p); err != nil {
		return err
	}
	if p.Day, err = dayOf(ctx, w, p.Date); err != nil {
		return err
	}
	if err := w.Number(ctx); err != nil {
		return err
	}
	return book(ctx, w, nil, p)
}

// Reposted does what goes with a change of a posting by the unit of work. What is wrong with the
// change is added to errs.
func Reposted(ctx context.Context, w *record.Work, p *Posting, errs fault.FieldErrors) (err error) {
	before := Postings().Before(w, p.ID)
	if err := load(ctx, w, before, p); err != nil {
		return err
	}
	if p.Date != before.Date {
		if p.Day, err = dayOf(ctx, w, p.Date); err != nil {
			return err
		}
	}
	if err := refunding(ctx, w, before, p, errs); err != nil {
		return err
	}
	if err := w.Check(ctx); err != nil { // there may be no such account
		return err
	}
	return book(ctx, w, before, p)
}

// Unpost removes a posting, with what goes with that.
func Unpost(ctx context.Context, w *record.Work, id int64) error {
	p, err := Postings().Edit(ctx, w, id)
	if err != nil {
		return err
	}
	if err := Unposted(ctx, w, p); err != nil {
		return err
	}
	return Postings().Remove(ctx, w, id)
}

// Unposted does what goes with the end of a posting.
func Unposted(ctx context.Context, w *record.Work, p *Posting) error {
	before := Postings().Before(w, p.ID)
	if err := load(ctx, w, before, nil); err != nil {
		return err
	}
	if err := unrefunded(ctx, w, before); err != nil {
		return err
	}
	return book(ctx, w, before, nil)
}

// load reads in one call what the rules need of a posting before and after a change.
func load(ctx context.Context, w *record.Work, before, after *Posting) error {
	t := w.Scope().Table
	var all keys
	for _, p := range []*Posting{before, after} {
		if p == nil {
			continue
		}
		all.add(Accounts().Key(t, p.Account))
		if p.Ahead || p.Date > now(w) {
			all.add(t.Beside(kinds.Account, p.Account))
		}
		if p.RefundOf != nil {
			all.add(Postings().Key(t, *p.RefundOf))
		}
	}
	if after != nil {
		if before == nil || before.Date != after.Date {
			all.add(t.Company())
		}
		if after.Client != nil {
			all.add(t.Record(kinds.Client, *after.Client))
		}
		if after.Request != nil && (after.RefundOf != nil || before == nil || !nullable.Same(before.Request, after.Request)) {
			all.add(t.Record(kinds.Order, *after.Request))
		}
	}
	return w.Load(ctx, all...)
}

// book changes what stands beside accounts as a posting makes it: one that comes, goes, or
// changes.
func book(ctx context.Context, w *record.Work, before, after *Posting) error {
	if before != nil && after != nil && isBookedAlike(before, after) {
		return nil
	}
	if before != nil {
		add(w, before, -1)
		if before.Ahead {
			if err := Accounts().RemoveEntry(ctx, w, before.Account, before.ID); err != nil {
				return err
			}
		}
	}
	if after == nil {
		return nil
	}
	add(w, after, 1)
	if after.Ahead = after.Date > now(w); !after.Ahead {
		return nil
	}
	return announce(ctx, w, after)
}

// add adds a posting to its account, or takes it away where sign is -1.
func add(w *record.Work, p *Posting, sign int64) {
	by := p.Amount
	if sign < 0 {
		by = by.Neg()
	}
	Accounts().AddToSums(w, p.Account, record.Addition{Name: total, By: by})
	Accounts().Book(w, p.Account, record.Day{Date: p.Day, Count: sign, Sum: by, Check: sign * p.Check(), Most: MaxDaily, Full: errDaily})
}

// atOnce is how many entries whose time has come one unit of work removes.
const atOnce = 20

// announce sets the entry of a posting that is dated ahead, and removes others whose time has
// come.
func announce(ctx context.Context, w *record.Work, p *Posting) error {
	entries, err := Accounts().Entries(ctx, w, p.Account)
	if err != nil {
		return err
	}
	gone := 0
	for number, e := range entries {
		if e.At <= now(w) && number != p.ID && gone < atOnce {
			if err := Accounts().RemoveEntry(ctx, w, p.Account, number); err != nil {
				return err
			}
			gone++
		}
	}
	return Accounts().SetEntry(ctx, w, p.Account, p.ID, record.Entry{At: p.Date, Amount: p.Amount}, errAhead)
}

// accountOf reads the account of a posting. It returns nil if that account does not exist, because
// the check of references reports the error.
func accountOf(ctx context.Context, w *record.Work, p *Posting) (*Account, error) {
	a, err := Accounts().Read(ctx, w, p.Account)
	if errors.Is(err, fault.ErrNotFound) {
		return nil, nil
	}
	return a, err
}

// Typed reports an error if the account has types, and the posting has no type or one that the
// account does not have. The rule holds only for postings that people make.
func Typed(ctx context.Context, w *record.Work, p *Posting, errs fault.FieldErrors) error {
	if before := Postings().Before(w, p.ID); before != nil && before.Account == p.Account && nullable.Same(before.Type, p.Type) {
		return nil // the account may have had the type when the posting got it
	}
	if err := load(ctx, w, Postings().Before(w, p.ID), p); err != nil {
		return err
	}
	a, err := accountOf(ctx, w, p)
	if err != nil || a == nil {
		return err
	}
	p.checkType(a.Types, errs)
	return nil
}
