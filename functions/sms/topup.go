package sms

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// Account is the account as callers see it.
type Account struct {
	Balance   money.Amount   `json:"balance" doc:"What is left for SMS"`
	Price     *money.Amount  `json:"price" nullable:"true" doc:"What a segment of a message to one telephone costs usually; null where nothing sends SMS"`
	Prices    []CountryPrice `json:"prices" doc:"What a segment costs by country; to others no SMS are sent"`
	FreeLeft  int64          `json:"free_left" doc:"How many links and codes for signing are still free today (UTC); one to a country that costs more takes more of them"`
	RefusedAt *string        `json:"refused_at" nullable:"true" format:"date-time" doc:"When a signer last got no code because neither what is free nor the balance paid it, to the hour; null: never"`
}

// CountryPrice is what a segment costs in a country.
type CountryPrice struct {
	Country string       `json:"country" doc:"ISO 3166"`
	Price   money.Amount `json:"price"`
}

// HistoryItem is an operation as callers see it.
type HistoryItem struct {
	ID        int64        `json:"id"`
	Tenant    int64        `json:"tenant"`
	Invoice   int64        `json:"invoice" doc:"The number of the operation in the account, in the order in which they were booked: each is one more than the one before"`
	CreatedAt string       `json:"created_at" format:"date-time"`
	UpdatedAt string       `json:"updated_at" format:"date-time"`
	Amount    money.Amount `json:"amount" doc:"Above 0 for what came in or was given back, below 0 for what a message cost"`
	Comment   *string      `json:"comment" nullable:"true" doc:"What the operator said of what came in, such as the number of an invoice"`
}

type topUpBody struct {
	Amount decode.Optional[money.Amount] `json:"amount" required:"true" example:"5000.00" doc:"Above 0"`
}

// history is the list of the operations.
func history() resource.Resource[*account.Operation, topUpBody, HistoryItem] {
	return resource.Resource[*account.Operation, topUpBody, HistoryItem]{
		Kind: account.Operations(),
		Doc:  "What came in, what messages cost, and what was given back. The amounts add up to the balance.",
		View: viewItem,
	}
}

func viewItem(op *account.Operation, _ resource.Viewer) HistoryItem {
	return HistoryItem{
		ID: op.ID, Tenant: int64(op.Tenant()), Invoice: op.Invoice, CreatedAt: op.CreatedAt(), UpdatedAt: op.UpdatedAt(), Amount: op.Amount,
		Comment: op.Comment,
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
			Doc: "Books an amount that the company has paid. The answer is the item of the history. On most stages only the " +
				"operator books: there it is 403 with the code host_only for owners too.",
		}, g.topUp),
	}
}

func (g *group) account(ctx context.Context, r *web.Request, _ *struct{}) (*Account, error) {
	key := r.Table.SMSAccount()
	var found table.Attributes
	if err := r.Table.Get(ctx, key, &found); err != nil && !errors.Is(err, table.ErrNotFound) {
		return nil, err
	}
	a, err := account.Of(found, key)
	if err != nil {
		return nil, err
	}
	c := g.env.Config.SMS
	view := Account{Balance: a.Balance, Prices: []CountryPrice{}, FreeLeft: a.FreeLeft(c.Free, g.env.Now())}
	if c.Provider != "" {
		view.Price = &c.Price
		for _, country := range c.Rates {
			view.Prices = append(view.Prices, CountryPrice{country.Code, country.Price})
		}
	}
	if a.Refused > 0 {
		at := encode.Instant(time.UnixMicro(a.Refused))
		view.RefusedAt = &at
	}
	return &view, nil
}

// errHostOnly is the answer where only the operator books what companies have paid.
func errHostOnly() error {
	return fault.New(fault.Forbidden, say.SMSTopUpHostOnly).Coded()
}

func (g *group) topUp(ctx context.Context, r *web.Request, in *struct{ Body topUpBody }) (*web.Reply[HistoryItem], error) {
	if !g.env.Config.SMS.TopUp {
		return nil, errHostOnly()
	}
	var made *account.Operation
	o := web.OutcomeOf(r, func() (*web.Reply[HistoryItem], error) {
		return &web.Reply[HistoryItem]{Body: web.Body(viewItem(made, resource.Viewer{}))}, nil
	})
	return o.After(resource.Scope(r, g.env.Now).Do(ctx, o, func(w *record.Work) (err error) {
		var amount money.Amount
		in.Body.Amount.Into(&amount)
		made, err = account.TopUp(ctx, w, amount, nil, w.Errors(""))
		return err
	}))
}
