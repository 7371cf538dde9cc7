package resource_test

import (
	"context"
	"errors"
	"strconv"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/function"
	"github.com/tenantry/tenantry/shared/history"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/resource"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
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

// sketched are the kinds as the registry would have them.
func sketched(c kinds.Code) kinds.Kind {
	return map[kinds.Code]kinds.Kind{
		codeOrder:   {Code: codeOrder, Name: "sketch_order", Label: "Order", Many: "orders", Path: "/v1/orders/", Role: tenant.ReadOnly},
		codeLine:    {Code: codeLine, Name: "sketch_line", Label: "Line", Many: "lines", Role: tenant.ReadOnly},
		codeClient:  {Code: codeClient, Name: "sketch_client", Label: "Client", Many: "clients", Path: "/v1/clients/", Sums: true, Role: tenant.ReadOnly},
		codeAccount: {Code: codeAccount, Name: "sketch_account", Label: "Account", Many: "accounts", Path: "/v1/accounts/", Sums: true, Role: tenant.ReadOnly},
		codePosting: {Code: codePosting, Name: "sketch_posting", Label: "Posting", Many: "postings", Role: tenant.ReadOnly},
	}[c]
}

type order struct {
	record.Meta
	Client int64        `dynamo:"k"`
	Paid   money.Amount `dynamo:"p"`
	Counts int64        `dynamo:"l"` // lines, as the message counted them
	Lines  []int64      `dynamo:"li"`
}

type line struct {
	record.Meta
	Order int64        `dynamo:"o"`
	Price money.Amount `dynamo:"p"`
}

// posting is one payment into an account.
type posting struct {
	record.Meta
	Account int64        `dynamo:"a"`
	Amount  money.Amount `dynamo:"s"`
}

// named is all that the sketch needs of clients and accounts.
type named struct {
	record.Meta
	Name string `dynamo:"n"`
}

func orders() record.Kind[order] {
	return record.Kind[order]{
		Kind:  sketched(codeOrder),
		Shown: func(o *order) any { return shownOrder{o.ID, o.Client, o.Paid} },
		References: func(o *order) []record.Reference {
			return []record.Reference{{Field: "client", Kind: codeClient, ID: o.Client, Hold: true}}
		},
	}
}

func lines() record.Kind[line] {
	return record.Kind[line]{
		Kind:   sketched(codeLine),
		Shown:  func(l *line) any { return shownLine{l.ID, l.Price} },
		Parent: func(l *line) record.Parent { return record.Parent{Kind: codeOrder, ID: l.Order, List: "lines"} },
		Below:  func(l *line) record.Child { return record.Child{Of: codeOrder, ID: l.Order, At: l.Price.String()} },
	}
}

func postings() record.Kind[posting] {
	return record.Kind[posting]{Kind: sketched(codePosting), AppendOnly: true}
}

func withNames(c kinds.Code) record.Kind[named] {
	return record.Kind[named]{Kind: sketched(c), Name: func(n *named) string { return n.Name }}
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
	withNames(codeClient).Add(w, o.Client, record.Sum{Name: "d", By: due})
	w.Arm(recounts, strconv.FormatInt(o.ID, 10), w.Scope().Now())
	return nil
}

// pay pays for an order into an account: the order, the client's debt, the
// account's balance and its posting are one write.
func pay(ctx context.Context, w *record.Work, o *order, account int64, a money.Amount) error {
	o.Paid = o.Paid.Add(a)
	withNames(codeClient).Add(w, o.Client, record.Sum{Name: "d", By: money.Amount{}.Sub(a)})
	return post(ctx, w, account, a)
}

// post is the ledger's: another domain's verb, of a lower rank.
func post(ctx context.Context, w *record.Work, account int64, a money.Amount) error {
	if _, err := withNames(codeAccount).Read(ctx, w, account); err != nil {
		return fault.Field("account", fault.BadReference(account))
	}
	postings().Create(w, "", &posting{Account: account, Amount: a})
	none := money.Amount{}
	withNames(codeAccount).Add(w, account, record.Sum{Name: "b", By: a, Least: &none, Refused: errOverdrawn})
	return nil
}

var errOverdrawn = fault.New(fault.Conflict, "The account does not have that much.").With("code", "overdrawn")

// recounts is the kind of the message that counts an order's lines.
const recounts outbox.Kind = "sketch.recount"

// counted carries the message out: by what is true now, so that twice is once.
func counted(ctx context.Context, s record.Scope, id int64) error {
	return s.Do(ctx, nil, func(w *record.Work) error {
		o, err := orders().Edit(ctx, w, id)
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

func newSketch(env function.Env) function.Group {
	faces := resource.Resource[order, orderBody, Order]{
		Kind:  orders(),
		Apply: func(o *order, in *orderBody, _ fault.Fields) { in.Client.Into(&o.Client) },
		View:  func(o *order, _ resource.Viewer) Order { return Order{shownOrder: shownOrder{o.ID, o.Client, o.Paid}} },
		Join:  joined, Made: withLines, Changed: withLines,
		Gone: func(ctx context.Context, w *record.Work, o *order) error {
			for _, id := range o.Lines {
				if err := lines().Remove(ctx, w, id); err != nil {
					return err
				}
			}
			return nil
		},
	}
	operations := append(faces.Operations(env.Now), resource.Action(faces, env.Now, web.Operation{ID: "pay", Summary: "Pay for an order"},
		func(ctx context.Context, w *record.Work, o *order, in *paying) error {
			return pay(ctx, w, o, in.Account.Value, in.Amount.Value)
		}))
	for _, c := range []kinds.Code{codeClient, codeAccount} {
		operations = append(operations, plain(c).Operations(env.Now)...)
	}
	return function.Group{Group: web.Group{Name: "sketch", Operations: operations}, Work: outbox.Work{
		recounts: func(ctx context.Context, m outbox.Message) error {
			company, _ := m.Tenant()
			id, err := strconv.ParseInt(m.Body, 10, 64)
			if err != nil {
				return outbox.ErrDrop
			}
			actor := history.Actor{Request: m.ID, At: env.Now()}
			return counted(ctx, record.Scope{Table: table.Of(env.Table, company), Now: env.Now, Actor: actor}, id)
		},
	}}
}

// Named is a client or an account as callers see it.
type Named struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

type namedBody struct {
	Name decode.Optional[string] `json:"name" required:"true"`
}

func plain(c kinds.Code) resource.Resource[named, namedBody, Named] {
	return resource.Resource[named, namedBody, Named]{
		Kind:  withNames(c),
		Apply: func(n *named, in *namedBody, _ fault.Fields) { in.Name.Into(&n.Name) },
		View:  func(n *named, _ resource.Viewer) Named { return Named{n.ID, n.Name} },
	}
}

func withLines(ctx context.Context, w *record.Work, o *order, in *orderBody) error {
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
