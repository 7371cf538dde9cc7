package orders

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// whatIfBody is an operation on an order that is asked about.
type whatIfBody struct {
	Operation decode.Optional[askedName]   `json:"operation" required:"true" example:"action" doc:"{values}: POST …/action/, PATCH of the order, and the bulk calls of its inventories or services"`
	Line      decode.Optional[int64]       `json:"line" nullable:"true" doc:"Id of the item line that the operation is about. Only for one that is about a single line, and required there"`
	Body      decode.Optional[decode.JSON] `json:"body" required:"true" example:"{\"status\":1}" doc:"What the operation takes. Of inventories and services, the elements of the list tell which bulk call is meant: objects with an id change lines, objects without one add some, and ids alone remove lines."`
}

// WhatIf is what an operation would make of an order.
type WhatIf struct {
	ETag       string                  `json:"etag" doc:"That of the order, for the If-Match of the operation itself: it comes to this then"`
	Available  bool                    `json:"available" doc:"Whether all items are free for what the operation wants. If not, it would be 409, and after is as if they were."`
	Conflicts  []calendar.ItemConflict `json:"conflicts" doc:"What is in the way, as the operation would refuse it"`
	Before     WhatIfOrder             `json:"before" doc:"The order as it is"`
	After      WhatIfOrder             `json:"after" doc:"The order as it would be"`
	Difference money.Amount            `json:"difference" doc:"By how much the price of the order would rise; negative, if it would fall"`
	Fees       []WhatIfFee             `json:"fees" doc:"The fees and late fees that would be new, other ones, or gone"`
	Refund     money.Amount            `json:"refund" doc:"What would be given back, or would be overpaid"`
	Debt       money.Amount            `json:"debt" doc:"What would be owed"`
}

// WhatIfOrder is an order as it is, or would be.
type WhatIfOrder struct {
	Status         order.Status        `json:"status" doc:"{values}"`
	RentStart      *string             `json:"rent_start" nullable:"true" format:"date-time"`
	RentEnd        *string             `json:"rent_end" nullable:"true" format:"date-time"`
	Price          money.Amount        `json:"price" doc:"All lines less all discounts, with the tax that is added"`
	PriceInventory money.Amount        `json:"price_inventory" doc:"The item lines before discounts"`
	PriceService   money.Amount        `json:"price_service" doc:"The service lines before discounts"`
	PriceDiscount  money.Amount        `json:"price_discount" doc:"All discounts"`
	Tax            money.Amount        `json:"tax" doc:"Added to the price, or inside it"`
	AllFees        money.Amount        `json:"penalty_amount" doc:"Late fees and fees"`
	PaidAmount     money.Amount        `json:"paid_amount"`
	Debt           money.Amount        `json:"debt" doc:"What is owed; a cancelled order owes its fees alone."`
	Overpaid       money.Amount        `json:"overpaid" doc:"What was paid above what is owed"`
	PaymentStatus  order.PaymentStatus `json:"payment_status" doc:"{values}"`
	Steps          []pricing.Step      `json:"steps" doc:"How the price comes about. They add up to it, apart from fees and a tax inside it."`
	Inventories    []WhatIfLine        `json:"inventories" doc:"The item lines"`
	Services       []WhatIfService     `json:"services" doc:"The service lines"`
}

// WhatIfLine is an item line of an order as it is, or would be.
type WhatIfLine struct {
	ID        *int64         `json:"id" nullable:"true" doc:"Null for a line that would be new"`
	Inventory int64          `json:"inventory" doc:"Id of an inventory item"`
	Group     *int64         `json:"inventory_group" nullable:"true"`
	Type      order.LineType `json:"type" doc:"{values}"`
	StartAt   string         `json:"start_at" format:"date-time"`
	EndAt     *string        `json:"end_at" nullable:"true" format:"date-time" doc:"Null for a sale"`
	FactStart *string        `json:"fact_start_at" nullable:"true" format:"date-time" doc:"When it was handed out"`
	FactEnd   *string        `json:"fact_end_at" nullable:"true" format:"date-time" doc:"When it was taken back"`
	LinePrice
	Share   money.Amount `json:"share" doc:"The net with its part of the order's own discount and of the added tax. The shares of all lines add up to the order's price."`
	LateFee money.Amount `json:"penalty_amount" doc:"For coming back late"`
}

// WhatIfService is a service line of an order as it is, or would be.
type WhatIfService struct {
	ID *int64 `json:"id" nullable:"true" doc:"Null for a line that would be new"`
	QuotedService
}

// WhatIfFee is a fee that would not be as it is.
type WhatIfFee struct {
	ID      *int64       `json:"id" nullable:"true" doc:"Id of the fee; null for one that would be new, and for a late fee"`
	Line    *int64       `json:"line" nullable:"true" doc:"Id of the item line whose late fee it is; null for any other fee"`
	Comment *string      `json:"comment" nullable:"true"`
	Before  money.Amount `json:"before" doc:"How much it is; 0 for one that would be new"`
	After   money.Amount `json:"after" doc:"How much it would be; 0 for one that would be gone"`
}

// whatIf is the operation that tells what another one would make of an order.
func whatIf(now func() time.Time) web.Operation {
	res := orders(now)
	type input struct {
		ID      int64  `path:"id"`
		IfMatch string `header:"If-Match"`
		Body    whatIfBody
	}
	return web.Op(web.Operation{
		ID: "orders-what-if", Method: http.MethodPost, Path: res.Path() + "{id}/quote/", Thorough: true, OnlyReads: true,
		Faults: resource.Changing(), Summary: "Tell what an operation would make of an order",
		Doc: "Takes what the operation takes, and writes nothing. Answered with the order as it is, and as it would be, each price with " +
			"its steps. Carried out at that time, with etag as If-Match, it comes to the same amounts; settings and prices that change " +
			"meanwhile count. What the operation would refuse is refused in the same way, what is wrong with its body below `body`; but " +
			"an item that is not free is not refused: available is false then.",
	}, func(ctx context.Context, r *web.Request, in *input) (*web.Reply[WhatIf], error) {
		sent, line, err := in.Body.operation(r)
		if err != nil || sent.do == nil {
			return nil, err // or the decoder has found all that is wrong
		}
		scope := resource.Scope(r, now)
		scope.Wrong = sent.wrong
		var shown *WhatIf
		err = scope.Trial(ctx, func(w *record.Work) error {
			o, err := res.Edit(ctx, w, r, in.ID)
			if err != nil {
				return err
			}
			if line != 0 && o.Line(line) == nil {
				return fault.ErrNotFound
			}
			etag := web.ETag(record.Revision(o))
			of, err := order.Suppose(ctx, w, o, func() error { return sent.do(ctx, w, o, line) })
			if err == nil {
				shown = viewWhatIf(etag, of)
			}
			return err
		})
		if err != nil {
			return nil, underBody(err, sent.outline)
		}
		return &web.Reply[WhatIf]{Header: map[string]string{"ETag": shown.ETag}, Body: shown}, nil
	})
}

// operation is the operation that was sent, and the line that it is about. It does nothing if the decoder has refused what was sent.
func (in *whatIfBody) operation(r *web.Request) (sent sentOperation, line int64, err error) {
	all := askedOperations()
	i := slices.IndexFunc(all, func(one askedOperation) bool { return one.name == in.Operation.Value })
	if i < 0 {
		return sent, 0, nil
	}
	of, errs := all[i], fault.FieldErrors{}
	if of.role != "" && !r.Principal.Role.Covers(of.role) {
		return sent, 0, fault.ErrForbidden
	}
	switch isNamed := in.Line.Set && !in.Line.Null; {
	case of.ofLine && !isNamed:
		errs.Add("line", say.Required)
	case isNamed && !of.ofLine:
		errs.Add("line", say.OperationOfWholeOrder)
	}
	if in.Body.Set {
		if sent, err = of.readBody(r, in.Body.Value); err != nil {
			return sentOperation{}, 0, err
		}
	}
	if errs.Any() || r.Wrong.Any() {
		if sent.wrong.Any() {
			errs["body"] = sent.wrong.InStep(sent.outline)
		}
		return sentOperation{}, 0, errs.Err()
	}
	return sent, in.Line.Value, nil
}

// readBody reads the body of an operation.
func (of askedOperation) readBody(r *web.Request, body decode.JSON) (sentOperation, error) {
	tree, err := decode.Parse(decode.TypeJSON, body, []string{decode.TypeJSON})
	if err != nil {
		return sentOperation{}, err
	}
	sent, err := of.read(r, tree)
	return sent, underBody(err, sent.outline)
}

// underBody puts what is wrong with the body of an operation where that body was sent.
func underBody(err error, outline map[string]any) error {
	f, ok := fault.As(err)
	if !ok || len(f.Fields) == 0 {
		return err
	}
	moved := *f
	moved.Fields = fault.FieldErrors{"body": f.Fields.InStep(outline)}
	return &moved
}

func viewWhatIf(etag string, of order.Supposed) *WhatIf {
	before, after := of.Before.Order, of.After.Order
	v := &WhatIf{
		ETag: etag, Available: len(of.Conflicts) == 0, Conflicts: append([]calendar.ItemConflict{}, of.Conflicts...),
		Before: viewExplained(of.Before, before), After: viewExplained(of.After, before), Fees: []WhatIfFee{},
		Difference: after.Price.Sub(before.Price),
	}
	for _, c := range of.Fees() {
		shown := WhatIfFee{Comment: c.Comment, Before: c.Before, After: c.After}
		if before.Line(c.Line) != nil {
			shown.Line = &c.Line
		} else if slices.ContainsFunc(before.Fees, func(f order.Fee) bool { return f.ID == c.ID }) {
			shown.ID = &c.ID
		}
		v.Fees = append(v.Fees, shown)
	}
	v.Refund, v.Debt = of.Refund(), v.After.Debt
	return v
}

// viewExplained shows an order. What before does not have has no id yet.
func viewExplained(e order.Explained, before *order.Order) WhatIfOrder {
	of := e.Order.Shown()
	v := WhatIfOrder{
		Status: of.Status, RentStart: of.RentStart, RentEnd: of.RentEnd, Price: of.Price, PriceInventory: of.PriceInventory,
		PriceService: of.PriceService, PriceDiscount: of.PriceDiscount, Tax: of.Tax, AllFees: of.AllFees, PaidAmount: of.PaidAmount,
		Debt: of.Debt, Overpaid: of.Overpaid, PaymentStatus: of.PaymentStatus, Steps: append([]pricing.Step{}, e.Totals.Steps...),
		Inventories: []WhatIfLine{}, Services: []WhatIfService{},
	}
	for _, l := range e.Lines {
		is := l.Line.Shown()
		shown := WhatIfLine{
			Inventory: l.Line.Item, Group: is.Group, Type: is.Type, StartAt: is.StartAt, EndAt: is.EndAt, FactStart: is.FactStart,
			FactEnd: is.FactEnd, LinePrice: *viewLinePrice(l.Line, l.Price), Share: l.Share, LateFee: is.LateFee,
		}
		if before.Line(is.ID) != nil {
			shown.ID = &is.ID
		}
		v.Inventories = append(v.Inventories, shown)
	}
	for _, l := range e.Services {
		is := l.Line.Shown()
		shown := WhatIfService{QuotedService: viewQuotedService(l.Line, l.Price, l.Share)}
		if slices.Contains(before.Services, is.ID) {
			shown.ID = &is.ID
		}
		v.Services = append(v.Services, shown)
	}
	return v
}
