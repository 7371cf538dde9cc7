package finance

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type transactionBody struct {
	Account decode.Optional[int64]           `json:"account" required:"true" example:"1"`
	Amount  decode.Optional[money.Amount]    `json:"amount" required:"true" example:"1500.00" doc:"What comes in, or goes out where it is negative; not 0"`
	Type    decode.Optional[int64]           `json:"type" nullable:"true" doc:"One of the account's types; required where the account has some"`
	Date    decode.Optional[decode.DateTime] `json:"date" doc:"Now, if it is left out. One that is dated ahead enters the balance when its time comes; an account has at most 100 of those, and 2,000 on one day."`
	Request decode.Optional[int64]           `json:"request" nullable:"true" doc:"Id of an order. It does not change what was paid for the order: POST /v1/crm/requests/{id}/pay/ does."`
	Client  decode.Optional[int64]           `json:"client" nullable:"true" doc:"Id of a client"`
	Comment decode.Optional[string]          `json:"comment" nullable:"true" blank:"true" maxLength:"1000" example:"Rent"`
}

// Transaction is a posting as callers see it.
type Transaction struct {
	ledger.ShownPosting
	Tenant int64 `json:"tenant"`
}

type transactionResource = resource.Resource[*ledger.Posting, transactionBody, Transaction]

func transactions() transactionResource {
	return transactionResource{
		Kind: ledger.Postings(), Role: role, Reads: role,
		Doc: "What another record has posted, such as an exchange, can't be changed here: 409 with the code owned. A payment of " +
			"an order is not changed but refunded.",
		Apply: applyTransaction, View: viewTransaction,
		Made: func(ctx context.Context, w *record.Work, p *ledger.Posting, _ *transactionBody) error {
			if err := ledger.Typed(ctx, w, p, w.Errors("")); err != nil {
				return err
			}
			return ledger.Posted(ctx, w, p)
		},
		Changed: func(ctx context.Context, w *record.Work, p *ledger.Posting, _ *transactionBody) error {
			if err := ledger.Free(p); err != nil {
				return err
			}
			if err := ledger.Typed(ctx, w, p, w.Errors("")); err != nil {
				return err
			}
			if err := ledger.Reposted(ctx, w, p, w.Errors("")); err != nil {
				return err
			}
			return refunded(ctx, w, p, p.Amount.Sub(ledger.Postings().Before(w, p.ID).Amount))
		},
		Gone: func(ctx context.Context, w *record.Work, p *ledger.Posting) error {
			if err := ledger.Free(p); err != nil {
				return err
			}
			if err := ledger.Unposted(ctx, w, p); err != nil {
				return err
			}
			return refunded(ctx, w, p, p.Amount.Neg())
		},
	}
}

// refunded tells an order that a refund of one of its payments comes, goes or changes. by is what
// that adds to what was paid.
func refunded(ctx context.Context, w *record.Work, p *ledger.Posting, by money.Amount) error {
	if p.RefundOf == nil || by.IsZero() {
		return nil
	}
	of, err := ledger.Pays(ctx, w, p)
	if err != nil || of == nil {
		return err
	}
	return order.Refunded(ctx, w, of, p, by.Neg())
}

func applyTransaction(p *ledger.Posting, in *transactionBody, errs fault.FieldErrors) {
	if p.ID == 0 { // it is new
		p.Sort, p.Date = ledger.SortPlain, p.Created
	}
	in.Account.Into(&p.Account)
	in.Amount.Into(&p.Amount)
	in.Type.IntoNullable(&p.Type)
	dated(in.Date, &p.Date, errs)
	in.Request.IntoNullable(&p.Request)
	in.Client.IntoNullable(&p.Client)
	in.Comment.IntoNullable(&p.Comment)
	if in.Amount.Set && p.Amount.IsZero() {
		errs.Add("amount", say.IsZero)
	}
}

// dated writes the date that was sent to a record, if something can be booked then.
func dated(in decode.Optional[decode.DateTime], to *moment.Micros, errs fault.FieldErrors) {
	switch {
	case !in.Set || in.Null:
	case !ledger.ValidDate(in.Value.Time):
		errs.Add("date", ledger.BadDate)
	default:
		*to = moment.Of(in.Value.Time)
	}
}

func viewTransaction(p *ledger.Posting, _ resource.Viewer) Transaction {
	return Transaction{ShownPosting: p.Shown(), Tenant: int64(p.Tenant())}
}

type refundBody struct {
	Transaction decode.Optional[int64]           `json:"transaction" required:"true" example:"1" doc:"The transaction that is refunded"`
	Amount      decode.Optional[money.Amount]    `json:"amount" required:"true" example:"500.00" doc:"Above 0, and at most what is left of the transaction"`
	Date        decode.Optional[decode.DateTime] `json:"date" doc:"Now, if it is left out"`
	Comment     decode.Optional[string]          `json:"comment" nullable:"true" blank:"true" maxLength:"1000" example:"Rent"`
}

// refund is the operation that refunds a transaction.
func refund(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: "refunds-create", Method: http.MethodPost, Path: "/v1/finances/refunds/", Role: role, Status: http.StatusCreated,
		Idempotent: true, Thorough: true, Faults: []fault.Code{fault.Conflict}, Summary: "Refund a transaction, or a part of it",
		Doc: "Makes a transaction of the opposite sign in the same account. All refunds of a transaction are never more than it; " +
			"deleting a refund gives it back. A refund of a payment lowers the paid_amount of the order.",
	}, func(ctx context.Context, r *web.Request, in *struct{ Body refundBody }) (*web.Reply[Transaction], error) {
		var made resource.Result[*ledger.Posting]
		o := transactions().Outcome(ctx, r, &made, http.StatusCreated)
		return o.After(resource.Scope(r, now).Do(ctx, o, func(w *record.Work) error {
			part := ledger.Part{Of: in.Body.Transaction.Value, Amount: in.Body.Amount.Value, Date: moment.Of(w.Scope().Actor.At)}
			in.Body.Comment.IntoNullable(&part.Comment)
			errs := w.Errors("")
			dated(in.Body.Date, &part.Date, errs)
			positive(part.Amount, errs)
			if errs.Has("transaction") {
				return w.Check(ctx)
			}
			p, err := ledger.Refund(ctx, w, part)
			if err != nil {
				return err
			}
			made = resource.Result[*ledger.Posting]{Work: w, Record: p}
			return refunded(ctx, w, p, p.Amount)
		}))
	})
}

// positive reports an amount that is not above 0.
func positive(a money.Amount, errs fault.FieldErrors) {
	if a.Cmp(money.Amount{}) <= 0 && !errs.Has("amount") {
		errs.Add("amount", say.NotAboveZero)
	}
}
