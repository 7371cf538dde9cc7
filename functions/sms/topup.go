package sms

import (
	"context"
	"errors"
	"net/http"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// Account is the account as callers see it.
type Account struct {
	Balance money.Amount  `json:"balance" doc:"What is left for SMS"`
	Price   *money.Amount `json:"price" nullable:"true" doc:"What a segment of a message to one telephone costs; null where nothing sends SMS"`
}

// HistoryItem is an operation as callers see it.
type HistoryItem struct {
	ID        int64        `json:"id"`
	Tenant    int64        `json:"tenant"`
	Invoice   int64        `json:"invoice" doc:"The number of the operation in the account, in the order in which they were booked: each is one more than the one before"`
	CreatedAt string       `json:"created_at" format:"date-time"`
	UpdatedAt string       `json:"updated_at" format:"date-time"`
	Amount    money.Amount `json:"amount" doc:"Above 0 for what came in or was given back, below 0 for what a message cost"`
}

type topUpBody struct {
	Amount decode.Optional[money.Amount] `json:"amount" required:"true" example:"5000.00" doc:"Above 0"`
}

// history is the list of the operations.
func history() resource.Resource[operation, topUpBody, HistoryItem] {
	return resource.Resource[operation, topUpBody, HistoryItem]{
		Kind: operations(),
		Doc:  "What came in, what messages cost, and what was given back. The amounts add up to the balance.",
		View: viewItem,
	}
}

func viewItem(op *operation, _ resource.Viewer) HistoryItem {
	return HistoryItem{
		ID: op.ID, Tenant: int64(op.Tenant()), Invoice: op.Invoice, CreatedAt: op.CreatedAt(), UpdatedAt: op.UpdatedAt(), Amount: op.Amount,
	}
}

// accountOperations are the operations of the account.
func (g *group) accountOperations() []web.Operation {
	return []web.Operation{
		web.Op(web.Operation{
			ID: "sms-account-read", Method: http.MethodGet, Path: "/v1/sms/account/", Summary: "Read the account for SMS",
		}, g.account),
		history().List(g.env.Now),
		web.Op(web.Operation{
			ID: "sms-account-top-up", Method: http.MethodPost, Path: "/v1/sms/account/top_up/", Role: tenant.Owner,
			Status: http.StatusCreated, Idempotent: true, Thorough: true, Summary: "Top up the account for SMS",
			Doc: "Books an amount that the company has paid. The answer is the item of the history.",
		}, g.topUp),
	}
}

func (g *group) account(ctx context.Context, r *web.Request, _ *struct{}) (*Account, error) {
	key := r.Table.SMSAccount()
	var found table.Attributes
	if err := r.Table.Get(ctx, key, &found); err != nil && !errors.Is(err, table.ErrNotFound) {
		return nil, err
	}
	a, err := accountOf(found, key)
	if err != nil {
		return nil, err
	}
	view := Account{Balance: a.Balance}
	if price := g.env.Config.SMS.Price; g.env.Config.SMS.Provider != "" {
		view.Price = &price
	}
	return &view, nil
}

func (g *group) topUp(ctx context.Context, r *web.Request, in *struct{ Body topUpBody }) (*web.Reply[HistoryItem], error) {
	var made *operation
	o := web.OutcomeOf(r, func() (*web.Reply[HistoryItem], error) {
		return &web.Reply[HistoryItem]{Body: web.Body(viewItem(made, resource.Viewer{}))}, nil
	})
	return o.After(resource.Scope(r, g.env.Now).Do(ctx, o, func(w *record.Work) error {
		op, errs := &operation{}, w.Errors("")
		in.Body.Amount.Into(&op.Amount)
		if !errs.Has("amount") && op.Amount.Cmp(money.Amount{}) <= 0 {
			errs.Add("amount", "Ensure this value is greater than 0.")
		}
		if err := errs.Err(); err != nil {
			return err
		}
		a, err := open(ctx, w)
		if err != nil {
			return err
		}
		if a.Balance.Add(op.Amount).Cmp(money.Most()) > 0 {
			return fault.Field("amount", fault.BadDigits)
		}
		made = op
		return book(ctx, w, op)
	}))
}
