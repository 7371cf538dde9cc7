package resource_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// This is a sketch of an order, to show how domains meet: an order and its lines,
// a client whose sums it changes and who can't go while it is there, an account
// that a payment posts to, an action, and a message with a key. The first half is
// the domain, which knows no HTTP; the second is its face.

// ---- The domain.

const (
	codeOrder   kinds.Code = "zo"
	codeLine    kinds.Code = "zl"
	codeClient  kinds.Code = "zc"
	codeAccount kinds.Code = "za"
	codePosting kinds.Code = "zp"
)

type order struct {
	record.Meta
	Client int64        `dynamo:"k"`
	Due    money.Amount `dynamo:"s"` // what its lines cost
	Paid   money.Amount `dynamo:"p"`
	Counts int64        `dynamo:"l"` // lines, as the message counted them
	Lines  []int64      `dynamo:"li"`
}

type line struct {
	record.Meta
	Order int64        `dynamo:"o"`
	Price money.Amount `dynamo:"p"`
}

// posting is one payment into an account, which can't go as long as it has some.
type posting struct {
	record.Meta
	Account int64        `dynamo:"a"`
	Amount  money.Amount `dynamo:"s"`
}

func orders() *record.Kind[*order] {
	return &record.Kind[*order]{
		Kind:  sketched(codeOrder),
		Shown: func(o *order) any { return shownOrder{o.ID, o.Client, o.Paid} },
		References: func(o *order) []record.Reference {
			return []record.Reference{{Field: "client", Kind: codeClient, ID: o.Client, Hold: true}}
		},
	}
}

func lines() *record.Kind[*line] {
	return &record.Kind[*line]{
		Kind:   sketched(codeLine),
		Shown:  func(l *line) any { return shownLine{l.ID, l.Price} },
		Parent: func(l *line) record.Parent { return record.Parent{Kind: codeOrder, ID: l.Order, List: "lines"} },
		Below:  func(l *line) record.Child { return record.Child{Of: codeOrder, ID: l.Order, At: l.Price.String()} },
	}
}

func postings() *record.Kind[*posting] {
	return &record.Kind[*posting]{
		Kind: sketched(codePosting), AppendOnly: true,
		References: func(p *posting) []record.Reference {
			return []record.Reference{{Field: "account", Kind: codeAccount, ID: p.Account, Hold: true}}
		},
	}
}

// addLines adds lines to an order that the unit of work makes or changes.
func addLines(ctx context.Context, w *record.Work, o *order, made ...*line) error {
	lines().Create(w, "", made...)
	if err := w.Number(ctx); err != nil {
		return err
	}
	due := money.Amount{}
	for _, l := range made {
		l.Order, due = o.ID, due.Add(l.Price)
		o.Lines = append(o.Lines[:len(o.Lines):len(o.Lines)], l.ID)
	}
	o.Due = o.Due.Add(due)
	owe(w, o.Client, due)
	w.Arm(recounts, strconv.FormatInt(o.ID, 10))
	return nil
}

// removeLine removes a line of an order that the unit of work changes.
func removeLine(ctx context.Context, w *record.Work, o *order, id int64) error {
	l, err := lines().Edit(ctx, w, id)
	if err != nil {
		return err
	}
	o.Lines = slices.DeleteFunc(slices.Clone(o.Lines), func(other int64) bool { return other == id })
	o.Due = o.Due.Sub(l.Price)
	owe(w, o.Client, money.Amount{}.Sub(l.Price))
	return lines().Remove(ctx, w, id)
}

// owe changes what a client owes, who is held by an order of the unit of work.
func owe(w *record.Work, client int64, by money.Amount) {
	withNames(codeClient).AddToSums(w, client, record.Addition{Name: "d", By: by})
}

// pay pays for an order into an account, or back out of it: the order, the client's
// debt, the account's balance and its posting are one write.
func pay(w *record.Work, o *order, account int64, a money.Amount) {
	o.Paid = o.Paid.Add(a)
	owe(w, o.Client, money.Amount{}.Sub(a))
	post(w, account, a)
}

// post is the ledger's: another domain's verb, of a lower rank.
func post(w *record.Work, account int64, a money.Amount) {
	postings().Create(w, "", &posting{Account: account, Amount: a})
	none := money.Amount{}
	withNames(codeAccount).AddToSums(w, account, record.Addition{Name: "b", By: a, Least: &none, Refused: errOverdrawn})
}

var errOverdrawn = fault.New(fault.Conflict, "The account does not have that much.").With("code", "overdrawn")

// recounts is the kind of the message that counts an order's lines.
const recounts outbox.Kind = "sketch.recount"

// counted carries the message out: by what is true now, so that twice is once. It is a
// change like any other, which callers see by the order's revision.
func counted(ctx context.Context, s record.Scope, id int64) error {
	return s.Do(ctx, nil, func(w *record.Work) error {
		o, err := orders().Edit(ctx, w, id)
		if errors.Is(err, fault.ErrNotFound) { // it went meanwhile
			return nil
		}
		if err == nil {
			o.Counts = int64(len(o.Lines))
		}
		return err
	})
}

// ---- The face.

type shownOrder struct {
	ID     int64        `json:"id"`
	Client int64        `json:"client"`
	Paid   money.Amount `json:"paid_amount"`
}

type shownLine struct {
	ID    int64        `json:"id"`
	Price money.Amount `json:"price"`
}

// Order is an order as callers see it.
type Order struct {
	shownOrder
	Lines []shownLine  `json:"lines"`
	Debt  money.Amount `json:"client_debt"`
}

type orderBody struct {
	Client decode.Optional[int64]      `json:"client" required:"true"`
	Lines  decode.Optional[[]lineBody] `json:"lines"`
}

type lineBody struct {
	Price decode.Optional[money.Amount] `json:"price" required:"true"`
}

type paying struct {
	Account decode.Optional[int64]        `json:"account" required:"true"`
	Amount  decode.Optional[money.Amount] `json:"amount" required:"true"`
}

func newSketch(env app.Env) app.Group {
	faces := resource.Resource[*order, orderBody, Order]{
		Kind:  orders(),
		Apply: func(o *order, in *orderBody, _ fault.FieldErrors) { in.Client.Into(&o.Client) },
		View:  func(o *order, _ resource.Viewer) Order { return Order{shownOrder: shownOrder{o.ID, o.Client, o.Paid}} },
		Join:  joined, Made: withLines, Changed: withLines,
		Gone: func(ctx context.Context, w *record.Work, o *order) error {
			for _, id := range o.Lines {
				if err := removeLine(ctx, w, o, id); err != nil {
					return err
				}
			}
			owe(w, o.Client, o.Paid) // which stays paid
			return nil
		},
	}
	operations := faces.Operations(env.Now)
	for id, sign := range map[string]int64{"pay": 1, "refund": -1} {
		op := web.Operation{ID: id, Summary: strings.ToUpper(id[:1]) + id[1:] + " an order"}
		operations = append(operations, resource.Action(faces, env.Now, op, func(_ context.Context, w *record.Work, o *order, in *paying) error {
			if in.Amount.Value.Cmp(money.Amount{}) <= 0 {
				return fault.Field("amount", "Ensure this value is greater than 0.")
			}
			amount := in.Amount.Value
			if sign < 0 {
				amount = money.Amount{}.Sub(amount)
			}
			pay(w, o, in.Account.Value, amount)
			return nil
		}))
	}
	for _, c := range []kinds.Code{codeClient, codeAccount} {
		operations = append(operations, plain(c).Operations(env.Now)...)
	}
	return app.Group{Group: web.Group{Name: "sketch", Zone: inUTC, Operations: operations}, Work: outbox.Work{
		recounts: func(ctx context.Context, m outbox.Message) error {
			company, _ := m.Tenant()
			id, err := strconv.ParseInt(m.Body, 10, 64)
			if err != nil {
				return outbox.ErrDrop
			}
			actor := audit.Actor{Request: m.ID, At: env.Now()}
			return counted(ctx, record.Scope{Table: table.Of(env.Table, company), Now: env.Now, Actor: actor}, id)
		},
	}}
}

// withLines adds the lines of a body, to an order that may be another client's now.
func withLines(ctx context.Context, w *record.Work, o *order, in *orderBody) error {
	if was := orders().Before(w, o.ID); was != nil && was.Client != o.Client {
		debt := o.Due.Sub(o.Paid)
		owe(w, was.Client, money.Amount{}.Sub(debt))
		owe(w, o.Client, debt)
	}
	made := make([]*line, len(in.Lines.Value))
	for i, l := range in.Lines.Value {
		made[i] = &line{Price: l.Price.Value}
	}
	return addLines(ctx, w, o, made...)
}

// joined adds what a page shows of lines and of the clients' sums, in one batch.
func joined(ctx context.Context, w *record.Work, list []*order, views []Order) error {
	var keys []table.Key
	for _, o := range list {
		keys = append(keys, w.Scope().Table.Beside(codeClient, o.Client))
		for _, id := range o.Lines {
			keys = append(keys, lines().Key(w.Scope().Table, id))
		}
	}
	if err := w.Load(ctx, keys...); err != nil {
		return err
	}
	for i, o := range list {
		views[i].Lines = []shownLine{}
		for _, id := range o.Lines {
			l, err := lines().Read(ctx, w, id)
			if errors.Is(err, fault.ErrNotFound) { // it went since the order was read
				continue
			}
			if err != nil {
				return err
			}
			views[i].Lines = append(views[i].Lines, shownLine{l.ID, l.Price})
		}
		sums, err := withNames(codeClient).Sums(ctx, w, o.Client)
		if err != nil {
			return err
		}
		views[i].Debt = sums["d"]
	}
	return nil
}

func inUTC(context.Context, *table.Tenant) (*time.Location, error) { return time.UTC, nil }
