package pricing

import (
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
)

// Sums are sums over the lines of an order. The totals follow from them alone, so that an order
// can be priced again when one line changes, without reading the others.
type Sums struct {
	Inventory, Services money.Amount // gross
	LineDiscounts       money.Amount
	Net                 money.Amount // of all lines: their gross less their discounts
	Fees                money.Amount // fees
}

// Conditions are what an order itself says about its price. No amount is negative.
type Conditions struct {
	Discount    Discount
	Additional  money.Amount // a further discount
	TaxPercent  money.Amount
	TaxIncluded bool // the prices of the lines include the tax
}

// Totals are what an order costs. Fees are owed besides.
type Totals struct {
	Discount      money.Amount // all discounts, those of the lines too
	OrderDiscount money.Amount // the order's own part of them
	Net           money.Amount // the lines' net less the order's own discount
	Tax           money.Amount // added to the net, or included in it
	Price         money.Amount // the net and the added tax
	Steps         []Step       // they add up to the price, apart from TaxIncluded and Fees
}

// Order prices an order. It fails with one of the messages of ParseAmount if an amount, or the price and the fees
// together, would have more than 14 digits before the point.
func Order(s Sums, c Conditions) (t Totals, err error) {
	for _, step := range []Step{
		{Kind: Inventory, Text: say.PricingItems, Amount: s.Inventory},
		{Kind: Services, Text: say.PricingServices, Amount: s.Services},
		{Kind: LineDiscounts, Text: say.PricingLineDiscounts, Amount: s.LineDiscounts.Neg()},
	} {
		if !step.Amount.IsZero() {
			t.Steps = append(t.Steps, step)
		}
	}
	taken, steps, err := c.Discount.from(s.Net, c.Additional)
	if err != nil {
		return Totals{}, err
	}
	t.OrderDiscount, t.Net, t.Steps = taken, s.Net.Sub(taken), append(t.Steps, steps...)
	if t.Discount, err = money.Total(s.LineDiscounts, taken); err != nil {
		return Totals{}, err
	}
	if err := t.tax(c.TaxPercent, c.TaxIncluded); err != nil {
		return Totals{}, err
	}
	if !s.Fees.IsZero() {
		t.Steps = append(t.Steps, Step{Kind: Fees, Text: say.PricingFees, Amount: s.Fees})
	}
	for _, all := range [][]money.Amount{{s.Inventory, s.Services}, {t.Price, s.Fees}} {
		if _, err := money.Total(all...); err != nil {
			return Totals{}, err
		}
	}
	return t, nil
}

// tax computes the tax and the price from the net.
func (t *Totals) tax(percent money.Amount, included bool) (err error) {
	if percent.IsZero() {
		t.Price = t.Net
		return nil
	}
	step := Step{Percent: &percent}
	if included {
		t.Tax, err = t.Net.PercentWithin(percent)
		t.Price = t.Net
		step.Kind, step.Text = TaxIncluded, say.PricingTaxIncluded(percentText(percent), t.Net.String())
	} else {
		if t.Tax, err = t.Net.Percent(percent); err != nil {
			return err
		}
		t.Price, err = money.Total(t.Net, t.Tax)
		step.Kind, step.Text = Tax, say.PricingTaxAdded(percentText(percent), t.Net.String())
	}
	step.Amount = t.Tax
	t.Steps = append(t.Steps, step)
	return err
}

// Shares returns what each line is worth within an order: the nets of all its lines with their
// parts of the order's own discount and of the added tax. They add up to the price.
func Shares(nets []money.Amount, t Totals) []money.Amount { return t.Price.Spread(nets...) }
