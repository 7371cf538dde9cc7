package orders

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type actionBody struct {
	Status   decode.Optional[order.Status]    `json:"status" required:"true" example:"1" doc:"1 reserve, 2 hand out, 3 cancel, 4 take back"`
	Lines    decode.Optional[[]int64]         `json:"order_inventories" nullable:"true" maxItems:"30" doc:"Ids of the item lines that are handed out or taken back (2, 4); left out: all that can be"`
	Early    decode.Optional[company.Early]   `json:"early" nullable:"true" doc:"What becomes of the prices of what comes back early (4): {values}; left out, as the settings say"`
	Refund   decode.Optional[bool]            `json:"refund" default:"false" doc:"What is overpaid once the items are back (4) is refunded, the newest payments first. Needs a manager"`
	Fee      decode.Optional[money.Amount]    `json:"fee" nullable:"true" minimum:"0" doc:"What cancelling (3) costs, instead of what the rental settings say; less than that needs a manager. 0: nothing"`
	NoShow   decode.Optional[bool]            `json:"no_show" default:"false" doc:"Nobody came for a reserved order (3): no_show_percent of the rental settings is charged"`
	Datetime decode.Optional[decode.DateTime] `json:"datetime" nullable:"true" doc:"When it happened, now or past, a hand-out at most 31 days ago; now, if it is left out"`
}

// act is the operation that takes an order a step further.
func act(now func() time.Time) web.Operation {
	return resource.Action(orders(now), now, web.Operation{
		ID: "action", Summary: "Reserve, hand out, take back or cancel an order",
		Doc: "0 request → 1 reserved → 2 in rent → 4 completed; 0, 1 → 3 cancelled. 2 hands items out, 4 takes them back, with a fee for " +
			"each that is late, and the price that early says for each that is early. The order is completed when all its rentals are " +
			"back or removed and all its sales handed out, and is 5 " +
			"as long as something is owed then. refund gives back what is overpaid then: a transaction of the kind refund for each " +
			"payment, at most 10 of them, in its account; 409 with the code unrefunded where that can't be done. " +
			"3 charges what the rental settings say (cancellation, no_show_percent) as a fee of the " +
			"order; a cancelled order owes its fees alone, and may be paid. no_show of an order that is not reserved, or has not " +
			"begun, is 409 with the code no_show. Any other step is 409 with the code status and the allowed ones.",
	}, takeStep)
}

// takeStep takes an order the step that was sent.
func takeStep(ctx context.Context, w *record.Work, o *order.Order, in *actionBody) error {
	if err := w.Errors("").Err(); err != nil {
		return err
	}
	a := order.Action{Status: in.Status.Value}
	if in.Lines.Set && !in.Lines.Null {
		if a.Lines = in.Lines.Value; len(a.Lines) == 0 {
			return fault.Field("order_inventories", say.EmptyList)
		}
	}
	in.Early.Into(&a.Early)
	decode.IntoMicros(in.Datetime, &a.At)
	in.Refund.Into(&a.Refund)
	in.Fee.IntoNullable(&a.Fee)
	in.NoShow.Into(&a.NoShow)
	return order.Act(ctx, w, o, a)
}

type payBody struct {
	Amount  decode.Optional[money.Amount]    `json:"amount" required:"true" example:"5000.00" doc:"Above 0. More than is owed is taken too: overpaid in the answer says how much."`
	Account decode.Optional[int64]           `json:"account" nullable:"true" doc:"The company's default account, if it is left out"`
	Type    decode.Optional[int64]           `json:"type" nullable:"true" doc:"One of the account's types"`
	Date    decode.Optional[decode.DateTime] `json:"date" nullable:"true" doc:"Now or past; now, if it is left out"`
	Comment decode.Optional[string]          `json:"comment" nullable:"true" blank:"true" maxLength:"1000"`
}

func (in *payBody) payment() order.Payment {
	p := order.Payment{Amount: in.Amount.Value}
	in.Account.IntoNullable(&p.Account)
	in.Type.IntoNullable(&p.Type)
	decode.IntoMicros(in.Date, &p.Date)
	in.Comment.IntoNullable(&p.Comment)
	return p
}

// pay is the operation that takes a payment.
func pay(now func() time.Time) web.Operation {
	return resource.Action(orders(now), now, web.Operation{
		ID: "pay", Summary: "Pay an order, or a part of it", Doc: "Posts a transaction of the kind payment into an account.",
	}, func(ctx context.Context, w *record.Work, o *order.Order, in *payBody) error {
		return order.Pay(ctx, w, o, in.payment())
	})
}
