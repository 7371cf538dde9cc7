package orders

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// depositBody is what callers send for a deposit that is there.
type depositBody struct {
	Comment decode.Optional[string] `json:"comment" nullable:"true" blank:"true" maxLength:"1000" example:"In cash"`
}

func deposits() resource.Embedded[*order.Order, order.Deposit, depositBody, order.ShownDeposit] {
	return resource.Embedded[*order.Order, order.Deposit, depositBody, order.ShownDeposit]{
		List: order.Deposits(), Path: "deposits", Param: "request_id", One: "deposit", Many: "deposits",
		Doc: "Money that clients leave until the items are back. A deposit is no payment, and does not change what is owed.",
		Apply: func(_ *order.Order, d *order.Deposit, in *depositBody, _ fault.FieldErrors) {
			in.Comment.IntoNullable(&d.Comment)
		},
		View: func(_ *order.Order, d *order.Deposit, _ resource.Viewer) order.ShownDeposit { return d.Shown() },
		Changed: func(ctx context.Context, w *record.Work, o *order.Order, was, is *order.Deposit) error {
			if is == nil {
				return order.DropDeposit(ctx, w, o, was)
			}
			return order.ChangeDeposit(w, o, was, is)
		},
	}
}

func depositOperations(now func() time.Time) []web.Operation {
	list := deposits()
	create := resource.Add(list, now, "Posts a transaction of the kind deposit into an account. An order has at most 50 deposits.",
		func(ctx context.Context, w *record.Work, o *order.Order, in *payBody) (*order.Deposit, error) {
			return order.TakeDeposit(ctx, w, o, in.payment())
		})
	return []web.Operation{
		list.All(now), create, list.Read(now), list.Update(now), list.Patch(now), list.Delete(now), returnDeposit(now),
	}
}

type returnBody struct {
	Amount   decode.Optional[money.Amount]    `json:"amount" nullable:"true" minimum:"0" doc:"What is given back; all that is left after withhold, if it is left out"`
	Withhold decode.Optional[money.Amount]    `json:"withhold" minimum:"0" default:"0.00" doc:"What is kept, and becomes a payment"`
	Date     decode.Optional[decode.DateTime] `json:"date" nullable:"true" doc:"Now or past; now, if it is left out"`
	Comment  decode.Optional[string]          `json:"comment" nullable:"true" blank:"true" maxLength:"1000"`
}

// returnDeposit is the operation that gives a deposit back. It is answered with the whole order.
func returnDeposit(now func() time.Time) web.Operation {
	res := orders(now)
	type input struct {
		Above   int64  `path:"request_id"`
		ID      int64  `path:"id"`
		IfMatch string `header:"If-Match"`
		Body    returnBody
	}
	return web.Op(web.Operation{
		ID: "deposits-return", Method: http.MethodPost, Path: res.Path() + "{request_id}/deposits/{id}/return/",
		Idempotent: true, Thorough: true, Faults: resource.Changing(), Summary: "Return a deposit, or a part of it",
		Doc: "amount is posted out of the deposit's account. withhold becomes a payment, in the same account. Together they are at most " +
			"what is left of the deposit. Of a cancelled order at most what it owes is withheld; if it owes nothing, to withhold is " +
			"409 with the code status. " +
			"Answered with the whole order; If-Match is about the order.",
	}, func(ctx context.Context, r *web.Request, in *input) (*web.Reply[Order], error) {
		var of resource.Result[*order.Order]
		o := res.Outcome(ctx, r, &of, http.StatusOK)
		return o.After(resource.Scope(r, now).Do(ctx, o, func(w *record.Work) error {
			rec, err := res.Edit(ctx, w, r, in.Above)
			if err != nil {
				return err
			}
			of = resource.Result[*order.Order]{Work: w, Record: rec}
			back := order.Return{Withhold: in.Body.Withhold.Value}
			in.Body.Amount.IntoNullable(&back.Amount)
			decode.IntoMicros(in.Body.Date, &back.Date)
			in.Body.Comment.IntoNullable(&back.Comment)
			return order.ReturnDeposit(ctx, w, rec, in.ID, back)
		}))
	})
}

// feeBody is what callers send for a fee.
type feeBody struct {
	Amount  decode.Optional[money.Amount] `json:"amount" required:"true" example:"2000.00" doc:"Above 0"`
	Comment decode.Optional[string]       `json:"comment" nullable:"true" blank:"true" maxLength:"1000" example:"A scratch"`
}

func fees() resource.Embedded[*order.Order, order.Fee, feeBody, order.ShownFee] {
	return resource.Embedded[*order.Order, order.Fee, feeBody, order.ShownFee]{
		List: order.Fees(), Path: "penalties", Param: "request_id", One: "fee", Many: "fees",
		Doc: "What clients are charged besides the price. The penalty_amount of an order has its fees in it. Those of a cancelled order " +
			"that owes nothing by them can't change: 409 with the code status. Those that it owes become less by managers alone (403). " +
			"One that is a traffic penalty is taken back by the penalty alone: 409 with the code owned.",
		Apply:   func(_ *order.Order, f *order.Fee, in *feeBody, errs fault.FieldErrors) { in.apply(f, errs) },
		View:    func(_ *order.Order, f *order.Fee, _ resource.Viewer) order.ShownFee { return f.Shown() },
		Changed: order.Charged,
	}
}

func feeOperations(now func() time.Time) []web.Operation {
	list := fees()
	create := resource.Add(list, now, "An order has at most 50 fees. A completed order that is paid becomes one of a debtor (status 5).",
		func(ctx context.Context, w *record.Work, o *order.Order, in *feeBody) (*order.Fee, error) {
			var f order.Fee
			in.apply(&f, w.Errors(""))
			return order.Charge(ctx, w, o, f)
		})
	return []web.Operation{list.All(now), create, list.Read(now), list.Update(now), list.Patch(now), list.Delete(now)}
}

// apply writes what was sent to a fee.
func (in *feeBody) apply(f *order.Fee, errs fault.FieldErrors) {
	in.Amount.Into(&f.Amount)
	in.Comment.IntoNullable(&f.Comment)
	if !errs.Has("amount") && (f.Amount.IsNegative() || f.Amount.IsZero()) {
		errs.Add("amount", say.OrderAmountNotAboveZero)
	}
}
