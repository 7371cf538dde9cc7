package orders

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// LinePrice is how the price of an item line has come about.
type LinePrice struct {
	order.ShownTerms
	Units       int64           `json:"units" doc:"How many times tarif_price is taken; a combined price has more parts, see steps."`
	Net         money.Amount    `json:"net" doc:"The price less the discounts of the line"`
	PricedUntil *string         `json:"priced_until" nullable:"true" format:"date-time" doc:"The end that is priced: later than the line's where a price rule has a minimum, or a shorter end kept its price; earlier where what came back early was priced anew; null for a sale"`
	PriceBook   *int64          `json:"price_book" nullable:"true" doc:"The number of the price book by which the line is priced; null: no price rules count for it"`
	Offer       []OfferedTariff `json:"offer" doc:"Of a combined price: the tariffs that took part, as they were when the line got them"`
	Steps       []pricing.Step  `json:"steps" doc:"They add up to the net."`
}

// OfferedTariff is a tariff of an offer, as it was when a line got it.
type OfferedTariff struct {
	ID       int64           `json:"id"`
	Name     *string         `json:"name" nullable:"true"`
	Price    money.Amount    `json:"price"`
	Duration *moment.Seconds `json:"duriation" nullable:"true" doc:"Seconds that the price is for; null: any time"`
	OneTime  bool            `json:"one_time_payment"`
}

// linePrice is the operation that explains the price of an item line.
func linePrice(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: "order-lines-price", Method: http.MethodGet, Path: lines(now).Path() + "{id}/price/",
		Summary: "Explain the price of an item line",
		Doc: "The steps that lead to it, by what was agreed when the line got its terms. A line whose price was worked out under " +
			"settings that were changed since has one step with that price.",
	}, func(ctx context.Context, r *web.Request, in *struct {
		ID int64 `path:"id"`
	},
	) (*LinePrice, error) {
		l, p, err := order.PriceOf(ctx, resource.Scope(r, now).Reading(), in.ID)
		if err != nil {
			return nil, err
		}
		return viewLinePrice(l, p), nil
	})
}

func viewLinePrice(l *order.Line, p pricing.Price) *LinePrice {
	v := &LinePrice{ShownTerms: l.Terms.Shown(), Units: p.Units, Net: p.Net, Offer: []OfferedTariff{}, Steps: p.Steps}
	if l.Type != order.Sale {
		until := encode.Instant(p.End)
		v.PricedUntil = &until
	}
	if l.Place != nil {
		v.PriceBook = &l.Place.Book
	}
	for _, of := range l.Offer {
		shown := OfferedTariff{ID: of.ID, Name: of.Name, Price: of.Cost, OneTime: of.Once}
		if of.Duration > 0 {
			shown.Duration = &of.Duration
		}
		v.Offer = append(v.Offer, shown)
	}
	return v
}
