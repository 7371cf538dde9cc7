package order

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
)

// costing are terms that cost a price less discounts; list is what tariffs would have cost, where a price was agreed on.
func costing(list, price, discount int64) *Terms {
	t := &Terms{Price: money.Whole(price), PriceDiscount: money.Whole(discount)}
	if list != 0 {
		t.List = to(money.Whole(list))
	}
	return t
}

// What is taken off the price by tariffs counts, as long as it is more than before.
func TestDiscountsOfLines(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before *Terms
		terms  *Terms
		limit  int64
		want   string // the field
	}{
		{"none", nil, costing(0, 1000, 0), 20, ""},
		{"as much", nil, costing(0, 1000, 200), 20, ""},
		{"more", nil, costing(0, 1000, 201), 20, "additional_discount"},
		{"more, where nothing is allowed", nil, costing(0, 1000, 1), 0, "additional_discount"},
		{"all of it, without a bound", nil, costing(0, 1000, 1000), 100, ""},
		{"of nothing", nil, costing(0, 0, 0), 20, ""},
		{"an agreed price", nil, costing(1000, 800, 0), 20, ""},
		{"a lower one", nil, costing(1000, 799, 0), 20, "tarif_price"},
		{"a higher one, and a discount back to the tariffs", nil, costing(1000, 2000, 1000), 20, ""},
		{"a higher one, and more", nil, costing(1000, 2000, 1201), 20, "additional_discount"},
		{"as before", costing(0, 1000, 500), costing(0, 1000, 500), 20, ""},
		{"as before, of a longer time", costing(0, 1000, 500), costing(0, 2000, 1000), 20, ""},
		{"less than before", costing(0, 1000, 500), costing(0, 1000, 400), 20, ""},
		{"more than before", costing(0, 1000, 500), costing(0, 1000, 501), 20, "additional_discount"},
		{"it was nothing before", costing(0, 0, 0), costing(0, 1000, 501), 20, "additional_discount"},
	} {
		errs := fault.FieldErrors{}
		checkDiscount(tt.before, tt.terms, tt.limit, errs)
		if got := len(errs); tt.want == "" && got != 0 || tt.want != "" && (got != 1 || !errs.Has(tt.want)) {
			t.Errorf("%s: %s, want %q", tt.name, wrong(errs), tt.want)
		}
	}
	errs, given := fault.FieldErrors{}, costing(0, 1000, 500)
	given.Discount = &Reduction{ID: 1}
	if checkDiscount(nil, given, 20, errs); !errs.Has("discount") {
		t.Errorf("a discount of the company's: %s", wrong(errs))
	}
}

// An order's own discount counts with those of its lines, and with prices that were agreed on.
func TestDiscountsOfOrders(t *testing.T) {
	order := func(gross, below, discounts int64) *Order {
		return &Order{
			GrossInventory: money.Whole(gross), AgreedBelow: money.Whole(below), PriceDiscount: money.Whole(discounts),
			Additional: money.Whole(discounts),
		}
	}
	for _, tt := range []struct {
		name          string
		before, order *Order
		want          string
	}{
		{"as much", nil, order(1000, 0, 200), ""},
		{"more", nil, order(1000, 0, 201), "additional_discount"},
		{"with agreed prices", nil, order(900, 100, 100), ""},
		{"and more", nil, order(900, 100, 101), "additional_discount"},
		{"with agreed prices above", nil, order(2000, -1000, 1200), ""},
		{"as before", order(1000, 0, 500), order(2000, 0, 1000), ""},
		{"more than before", order(1000, 0, 500), order(1000, 0, 501), "additional_discount"},
		{"the same, of less", order(1000, 0, 500), order(900, 0, 500), "code discount"},
	} {
		got := refusal(tt.order.checkDiscount(tt.before, 20))
		if (got == "") != (tt.want == "") || !strings.Contains(got, strings.TrimPrefix(tt.want, "code ")) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
	// Its lines are asked by themselves.
	lines := order(1000, 0, 500)
	lines.Additional = money.Amount{}
	if err := lines.checkDiscount(nil, 20); err != nil {
		t.Errorf("discounts of lines alone: %v", err)
	}
}
