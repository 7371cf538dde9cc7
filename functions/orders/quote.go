package orders

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// Quote is what an order would cost, and how that comes about.
type Quote struct {
	Available      bool            `json:"available" doc:"Whether all items are free for their times"`
	RentStart      *string         `json:"rent_start" nullable:"true" format:"date-time"`
	RentEnd        *string         `json:"rent_end" nullable:"true" format:"date-time"`
	Price          money.Amount    `json:"price" doc:"All lines less all discounts, with the tax that is added"`
	PriceInventory money.Amount    `json:"price_inventory" doc:"The item lines before discounts"`
	PriceService   money.Amount    `json:"price_service" doc:"The service lines before discounts"`
	PriceDiscount  money.Amount    `json:"price_discount" doc:"All discounts"`
	Tax            money.Amount    `json:"tax" doc:"Added to the price, or inside it (tax_included)"`
	TaxPercent     money.Amount    `json:"tax_percent"`
	TaxIncluded    bool            `json:"tax_included"`
	Steps          []pricing.Step  `json:"steps" doc:"How the price comes about. They add up to it, apart from tax_included."`
	Inventories    []QuotedLine    `json:"inventories" doc:"The item lines, in the order in which they were sent"`
	Services       []QuotedService `json:"services" doc:"The service lines, in the order in which they were sent"`
}

// QuotedPrice is how the price of a line comes about.
type QuotedPrice struct {
	order.ShownTerms
	Units int64          `json:"units" doc:"How many times the price is taken, for one piece"`
	Net   money.Amount   `json:"net" doc:"The price less the discounts of the line"`
	Share money.Amount   `json:"share" doc:"The net with its part of the order's own discount and of the added tax. The shares of all lines add up to the order's price."`
	Steps []pricing.Step `json:"steps" doc:"They add up to the net."`
}

// QuotedLine is an item line that an order would have.
type QuotedLine struct {
	Inventory *int64         `json:"inventory" nullable:"true" doc:"Id of an inventory item. Of a line that names inventory_group: the free one with the lowest id, as rentals of a group cost the same; null if none is free"`
	Group     *int64         `json:"inventory_group" nullable:"true"`
	Type      order.LineType `json:"type" doc:"{values}"`
	StartAt   string         `json:"start_at" format:"date-time"`
	EndAt     *string        `json:"end_at" nullable:"true" format:"date-time" doc:"Null for a sale"`
	QuotedPrice
	Available    bool                    `json:"available" doc:"Whether the item is free for this time"`
	Free         *int64                  `json:"free" nullable:"true" doc:"Of a line that names inventory_group: how many active items of the group are free for this time, without those that another line of the call names, or that a line before it got, for a time that overlaps. It may lag a second behind changes; the item that is chosen does not. Null of other lines"`
	Conflicts    []calendar.ItemConflict `json:"conflicts" doc:"What is in the way, as a create would refuse it"`
	Alternatives []item.Alternative      `json:"alternatives" doc:"At most 10 items of the same group that are free for this time, if this one is not. They may lag a second behind changes."`
}

// QuotedService is a service line that an order would have.
type QuotedService struct {
	Service int64        `json:"service" doc:"Id of a service"`
	Title   string       `json:"service_name"`
	Type    service.Type `json:"service_type" doc:"{values}"`
	Count   int64        `json:"count"`
	ByTime  bool         `json:"by_time" doc:"It is charged for the time, its own or that of its order, besides for each of count."`
	StartAt *string      `json:"start_at" nullable:"true" format:"date-time" doc:"Of a time of its own; null: the order's"`
	EndAt   *string      `json:"end_at" nullable:"true" format:"date-time"`
	QuotedPrice
}

// quoteLine is an item line of a quote. It names an item or a group, which a line of an order can't.
type quoteLine struct {
	Inventory decode.Optional[int64] `json:"inventory" example:"1" doc:"Id of an inventory item; required without inventory_group"`
	Group     decode.Optional[int64] `json:"inventory_group" doc:"Id of an inventory group, of a rental, instead of inventory: a free item of it"`
	lineFields
}

// quoteBody is what callers send for a quote.
type quoteBody struct {
	orderBody
	Inventories decode.Optional[[]quoteLine]  `json:"inventories" maxItems:"30" example:"[{\"inventory\":1}]" doc:"Item lines"`
	Services    decode.Optional[[]newService] `json:"services" maxItems:"10" doc:"Service lines"`
}

// fillQuote does what fillNew does, for a quote.
func fillQuote(w *record.Work, o *order.Order, in *quoteBody) order.Changes {
	body := newOrderBody{orderBody: in.orderBody, Services: in.Services}
	byPath := map[string]*quoteLine{}
	for i := range in.Inventories.Value {
		l := &in.Inventories.Value[i]
		body.Inventories.Value = append(body.Inventories.Value, newLine{Inventory: l.Inventory, lineFields: l.lineFields})
		byPath[fmt.Sprintf("inventories.%d", i)] = l
	}
	c := fillNew(w, o, &body)
	for _, d := range c.Lines {
		sent, errs := byPath[d.Path], w.Errors(d.Path)
		switch {
		case sent.Group.Set && sent.Inventory.Set:
			errs.Add("inventory_group", say.QuoteItemOrGroup)
		case sent.Group.Set || errs.Has("inventory_group"):
			if d.Class = (&order.Class{Group: sent.Group.Value}); d.Line.Type == order.Sale {
				errs.Add("inventory_group", say.QuoteGroupOfRentalAlone)
			}
		case !sent.Inventory.Set && !errs.Has("inventory"):
			errs.Add("inventory", say.Required)
		}
	}
	return c
}

// quote is the operation that prices an order without making it.
func quote(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: "orders-quote", Method: http.MethodPost, Path: orders(now).Path() + "quote/", Thorough: true, OnlyReads: true,
		Faults: []fault.Code{fault.Conflict}, Summary: "Price an order, without making it",
		Doc: "Takes what a create takes, and writes nothing. Each price comes with the steps that lead to it; a create with the same " +
			"body stores the same amounts. What is wrong with the body is refused as at a create, but an item that is not free is not: " +
			"available is false then, and its line has conflicts and alternatives. A line may name inventory_group instead of inventory: " +
			"a rental gets a free item of the group, and no other line of the call has it at that time. A sale names its item.",
	}, func(ctx context.Context, r *web.Request, in *struct{ Body quoteBody }) (*Quote, error) {
		var shown *Quote
		err := resource.Scope(r, now).Rehearse(ctx, func(w *record.Work) error {
			o := new(order.Order)
			order.Kind().Create(w, "", o)
			c := fillQuote(w, o, &in.Body)
			q, err := order.MakeQuote(ctx, w, o, c)
			if err == nil {
				shown = viewQuote(o, c, q)
			}
			return err
		})
		return shown, err
	})
}

func viewQuote(o *order.Order, c order.Changes, q order.Quote) *Quote {
	of := o.Shown()
	v := &Quote{
		Available: q.Available, RentStart: of.RentStart, RentEnd: of.RentEnd, Price: of.Price, PriceInventory: of.PriceInventory,
		PriceService: of.PriceService, PriceDiscount: of.PriceDiscount, Tax: of.Tax, TaxPercent: of.TaxPercent, TaxIncluded: of.TaxIncluded,
		Steps: append([]pricing.Step{}, q.Totals.Steps...), Inventories: []QuotedLine{}, Services: []QuotedService{},
	}
	for i, d := range c.Lines {
		l := d.Line.Shown()
		var chosen, free *int64
		if d.Line.Item != 0 {
			chosen = &d.Line.Item
		}
		if d.Class != nil {
			free = &d.Class.Free
		}
		v.Inventories = append(v.Inventories, QuotedLine{
			Inventory: chosen, Free: free, Group: l.Group, Type: l.Type, StartAt: l.StartAt, EndAt: l.EndAt,
			QuotedPrice: viewPrice(l.ShownTerms, d.Price, q.Shares[i]), Available: len(d.Conflicts) == 0 && chosen != nil,
			Conflicts: append([]calendar.ItemConflict{}, d.Conflicts...), Alternatives: append([]item.Alternative{}, q.Alternatives[i]...),
		})
	}
	for i, d := range c.Services {
		v.Services = append(v.Services, viewQuotedService(d.Line, d.Price, q.Shares[len(c.Lines)+i]))
	}
	return v
}

func viewQuotedService(of *order.ServiceLine, p pricing.Price, share money.Amount) QuotedService {
	l := of.Shown()
	return QuotedService{
		Service: l.Service, Title: l.Title, Type: l.Type, Count: l.Count, ByTime: l.ByTime, StartAt: l.StartAt, EndAt: l.EndAt,
		QuotedPrice: viewPrice(l.ShownTerms, p, share),
	}
}

func viewPrice(terms order.ShownTerms, p pricing.Price, share money.Amount) QuotedPrice {
	return QuotedPrice{ShownTerms: terms, Units: p.Units, Net: p.Net, Share: share, Steps: p.Steps}
}
