package order

import (
	"github.com/tenantry/tenantry/functions/orders/pricebook"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/nullable"
)

// Terms are what a line costs: a tariff, or all tariffs of an offer, as they were when they were given to the line, or what the company
// agreed on instead, and the discounts. A line that is priced by an offer shows the longest tariff of its sum as its own.
type Terms struct {
	Tariff     *int64         `dynamo:"ta,omitempty"`
	Name       *string        `dynamo:"tn,omitempty,allowempty"` // of the tariff
	Cost       money.Amount   `dynamo:"tp"`                      // of the tariff, not negative
	Duration   moment.Seconds `dynamo:"td,omitempty"`            // 0: any time
	Once       bool           `dynamo:"to,omitempty"`            // paid once, however long the time is
	Offer      []Offered      `dynamo:"of,omitempty"`            // the tariffs whose cheapest sum is the price; empty: the tariff alone
	Month      company.Months `dynamo:"mo,omitempty"`            // how they count months; empty: as the company does now
	Agreed     bool           `dynamo:"ag,omitempty"`            // the price is not what the tariffs cost: discounts are measured by List
	Instead    bool           `dynamo:"in,omitempty"`            // of an agreed price: it stands for an offer, and its tariff is only shown
	List       *money.Amount  `dynamo:"ls"`                      // of an agreed price: what the tariffs would cost; nil: there are none
	Discount   *Reduction     `dynamo:"di,omitempty"`
	Additional money.Amount   `dynamo:"ad"`

	Price         money.Amount `dynamo:"p"` // before discounts
	PriceDiscount money.Amount `dynamo:"dc"`
}

// Offered is a tariff of an offer, as it was.
type Offered struct {
	ID       int64          `dynamo:"i"`
	Name     *string        `dynamo:"n,omitempty,allowempty"`
	Cost     money.Amount   `dynamo:"p"`
	Duration moment.Seconds `dynamo:"d,omitempty"`
	Once     bool           `dynamo:"o,omitempty"`
}

// Place is by which price book a line is priced, and where: as it was when the line got its terms.
type Place struct {
	Book     int64  `dynamo:"b"`
	Group    *int64 `dynamo:"g,omitempty"`
	Category *int64 `dynamo:"c,omitempty"`
	Point    *int64 `dynamo:"p,omitempty"`
}

// rules are the price rules of a book that are for a place.
func (p *Place) rules(books books) []pricing.Rule {
	if p == nil {
		return nil
	}
	return books[p.Book].At(pricebook.Place{Group: p.Group, Category: p.Category, Point: p.Point})
}

// ShownTerms is what callers see of the price of a line.
type ShownTerms struct {
	Tariff        *int64           `json:"tarif" nullable:"true" doc:"Id of a tariff, with the name, price and duration that it had when it was given to the line; of a combined price, the longest of the sum"`
	TariffName    *string          `json:"tarif_name" nullable:"true"`
	TariffPrice   money.Amount     `json:"tarif_price"`
	TariffOnce    bool             `json:"one_time_payment"`
	Duration      *decode.Duration `json:"tarif_duration" nullable:"true" doc:"The time that the price is for; null: any time"`
	Combined      bool             `json:"combined" doc:"The price is the cheapest sum of the tariffs that were offered when the line got its terms."`
	Discount      *int64           `json:"discount" nullable:"true" doc:"Id of a discount, with the percent or amount that it had when it was given"`
	Additional    money.Amount     `json:"additional_discount"`
	Price         money.Amount     `json:"price" doc:"Before discounts"`
	PriceDiscount money.Amount     `json:"price_discount" doc:"All discounts of the line, at most its price"`
}

// sameTariff tells whether terms name the same tariff, at the same price.
func (t *Terms) sameTariff(other *Terms) bool {
	return nullable.Same(t.Tariff, other.Tariff) && t.Cost.Cmp(other.Cost) == 0 && t.Duration == other.Duration && t.Once == other.Once
}

// combined tells whether the price is the cheapest sum of an offer.
func (t *Terms) combined() bool { return len(t.Offer) > 0 }

// priced is what the price of terms follows from.
func (t *Terms) priced() pricing.Item {
	it := pricing.Item{
		Terms:    pricing.Terms{Price: t.Cost, Duration: t.Duration, Once: t.Once},
		Discount: t.Discount.pricing(), Additional: t.Additional,
	}
	if t.Tariff != nil {
		it.Tariff = *t.Tariff
	}
	for _, of := range t.Offer {
		it.Offer = append(it.Offer, of.pricing())
	}
	return it
}

func (of Offered) pricing() pricing.Offered {
	return pricing.Offered{ID: of.ID, Terms: pricing.Terms{Price: of.Cost, Duration: of.Duration, Once: of.Once}}
}

// show makes a tariff of the offer the one that the terms show.
func (t *Terms) show(longest pricing.Offered) {
	for _, of := range t.Offer {
		if of.ID == longest.ID {
			id := of.ID
			t.Tariff, t.Name, t.Cost, t.Duration, t.Once = &id, of.Name, of.Cost, of.Duration, of.Once
		}
	}
}

// base is the price by tariffs, by which discounts are measured.
func (t *Terms) base() money.Amount {
	if t.List != nil {
		return *t.List
	}
	return t.Price
}

// Shown returns what callers see of the price of a line.
func (t *Terms) Shown() ShownTerms {
	s := ShownTerms{
		Tariff: t.Tariff, TariffName: t.Name, TariffPrice: t.Cost, TariffOnce: t.Once, Combined: t.combined(), Discount: t.Discount.id(),
		Additional: t.Additional, Price: t.Price, PriceDiscount: t.PriceDiscount,
	}
	if t.Duration != 0 {
		d := decode.Duration(t.Duration.Duration())
		s.Duration = &d
	}
	return s
}
