package orders

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
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
	Inventory int64          `json:"inventory" doc:"Id of an inventory item"`
	Group     *int64         `json:"inventory_group" nullable:"true"`
	Type      order.LineType `json:"type" doc:"{values}"`
	StartAt   string         `json:"start_at" format:"date-time"`
	EndAt     *string        `json:"end_at" nullable:"true" format:"date-time" doc:"Null for a sale"`
	QuotedPrice
	Available    bool                    `json:"available" doc:"Whether the item is free for this time"`
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

// quote is the operation that prices an order without making it.
func quote(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: "orders-quote", Method: http.MethodPost, Path: orders(now).Path() + "quote/", Thorough: true, OnlyReads: true,
		Faults: []fault.Code{fault.Conflict}, Summary: "Price an order, without making it",
		Doc: "Takes what a create takes, and writes nothing. Each price comes with the steps that lead to it; a create with the same " +
			"body stores the same amounts. What is wrong with the body is refused as at a create, but an item that is not free is not: " +
			"available is false then, and its line has conflicts and alternatives.",
	}, func(ctx context.Context, r *web.Request, in *struct{ Body newOrderBody }) (*Quote, error) {
		var shown *Quote
		err := resource.Scope(r, now).Rehearse(ctx, func(w *record.Work) error {
			o := new(order.Order)
			order.Kind().Create(w, "", o)
			c := fillNew(w, o, &in.Body)
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
		v.Inventories = append(v.Inventories, QuotedLine{
			Inventory: d.Line.Item, Group: l.Group, Type: l.Type, StartAt: l.StartAt, EndAt: l.EndAt,
			QuotedPrice: viewPrice(l.ShownTerms, d.Price, q.Shares[i]), Available: len(d.Conflicts) == 0,
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
