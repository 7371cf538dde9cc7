package finance

import (
	"context"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type exchangeBody struct {
	From    decode.Optional[int64]           `json:"from" required:"true" example:"1" doc:"The account that the amount comes from"`
	To      decode.Optional[int64]           `json:"to" required:"true" example:"2" doc:"Another account, that it goes to"`
	Amount  decode.Optional[money.Amount]    `json:"amount" required:"true" example:"250.00" doc:"Above 0"`
	Date    decode.Optional[decode.DateTime] `json:"date" doc:"Now, if it is left out"`
	Comment decode.Optional[string]          `json:"comment" nullable:"true" blank:"true" maxLength:"1000" example:"Rent"`
}

// Exchange is an exchange as callers see it.
type Exchange struct {
	ledger.ShownExchange
	Tenant int64 `json:"tenant"`
}

func exchanges() resource.Resource[*ledger.Exchange, exchangeBody, Exchange] {
	return resource.Resource[*ledger.Exchange, exchangeBody, Exchange]{
		Kind: ledger.Exchanges(), Role: role, Reads: role,
		Doc: "An exchange is two transactions, which are made and deleted with it.",
		Apply: func(e *ledger.Exchange, in *exchangeBody, errs fault.FieldErrors) {
			e.Date = e.Created
			in.From.Into(&e.From)
			in.To.Into(&e.To)
			in.Amount.Into(&e.Amount)
			dated(in.Date, &e.Date, errs)
			in.Comment.IntoNullable(&e.Comment)
			positive(e.Amount, errs)
		},
		View: func(e *ledger.Exchange, _ resource.Viewer) Exchange {
			return Exchange{ShownExchange: e.Shown(), Tenant: int64(e.Tenant())}
		},
		Made: func(ctx context.Context, w *record.Work, e *ledger.Exchange, _ *exchangeBody) error {
			return ledger.Exchanging(ctx, w, e)
		},
		Gone: ledger.Unexchanged,
	}
}
