package order

import (
	"testing"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/money"
)

// When an item can be swapped.
func TestCheckSwap(t *testing.T) {
	ended := lasting(1, 1, 10, 15).handedOut(10).takenBack(15)
	ended.ContinuedBy = 2
	for _, tt := range []struct {
		name string
		o    *Order
		l    *Line
		at   int64
		want string
	}{
		{"one that is out", orderOf(InRent), lasting(1, 1, 10, 20).handedOut(10), 15, ""},
		{"one that is planned", orderOf(Reserved), lasting(1, 1, 10, 20), 15, ""},
		{"a sale that is planned", orderOf(Reserved), sold(1, 1, 10), 15, ""},
		{"a moment after the hand-out", orderOf(InRent), lasting(1, 1, 10, 20).handedOut(14), 15, ""},
		{"at the hand-out", orderOf(InRent), lasting(1, 1, 10, 20).handedOut(15), 15, "map[datetime:[The item was handed out after this, or just then.]]"},
		{"before it", orderOf(InRent), lasting(1, 1, 10, 20).handedOut(16), 15, "map[datetime:[The item was handed out after this, or just then.]]"},
		{"at its end", orderOf(InRent), lasting(1, 1, 10, 20).handedOut(10), 20, "overdue"},
		{"what is sold", orderOf(InRent), sold(1, 1, 10).handedOut(10), 15, "out"},
		{"what is back", orderOf(InRent), lasting(1, 1, 10, 20).handedOut(10).takenBack(14), 15, "returned"},
		{"what a swap has ended", orderOf(InRent), ended, 15, "swapped"},
		{"of a cancelled order", orderOf(Cancelled), lasting(1, 1, 10, 20), 15, "status"},
		{"of a completed one", orderOf(Completed), lasting(1, 1, 10, 20).handedOut(10).takenBack(14), 15, "status"},
	} {
		if got := refusal(tt.o.checkSwap(tt.l, hour(tt.at))); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// swappedAt is a rental of 7 days by the tariffs of the golden rows, from hour 10 on, whose item was swapped.
func swappedAt(t *testing.T, p pricer, at int64) (first, last *Line) {
	t.Helper()
	first = combinedLine(t, p, 10, 178).handedOut(10)
	before := *first
	last = first.goOn(2, hour(at))
	last.ID, first.ContinuedBy = 2, 2
	if err := p.divide(&before, first, last); err != nil {
		t.Fatal(err)
	}
	return first, last
}

// Both lines of a swap have the time of the whole rental, and their own share of its price.
func TestParts(t *testing.T) {
	p := early(company.EarlyReprice, 0, 7)
	first, last := swappedAt(t, p, 34)
	if first.Price.String() != "13000.00" || last.Price.String() != "78000.00" {
		t.Errorf("%s and %s, want a seventh and six of 91,000", first.Price, last.Price)
	}
	if hoursOf(first) != "10-178" || hoursOf(last) != "10-178" || last.began() != hour(10) || last.out() != hour(10) {
		t.Errorf("priced for %s and %s, since %v", hoursOf(first), hoursOf(last), last.First)
	}
	if !first.isFixed() || last.isFixed() || first.state() != Returned || last.state() != Out || last.Continues != first.ID {
		t.Errorf("%+v, %+v", first, last)
	}
	o := orderOf(InRent, first, last)
	if got := o.span(); got.start != hour(10) || got.end != hour(178) {
		t.Errorf("the time of the order is %v", got)
	}
	if got := o.moving(Times{End: to(hour(200))}); len(got) != 1 || got[0] != last.ID {
		t.Errorf("with the order, %v move", got)
	}
}

// What can't be priced anew, because settings have changed, is divided as it was priced.
func TestDividedAsPriced(t *testing.T) {
	p := early(company.EarlyReprice, 0, 7)
	first := combinedLine(t, p, 10, 178).handedOut(10)
	first.Price, first.PriceDiscount, first.List = money.Whole(70_000), money.Whole(700), to(money.Whole(77_000))
	before := *first
	last := first.goOn(2, hour(34))
	first.ContinuedBy = 2
	if err := p.divide(&before, first, last); err != nil {
		t.Fatal(err)
	}
	if err := divideList(&before, first, last); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ got, want money.Amount }{
		{first.Price, money.Whole(10_000)},
		{last.Price, money.Whole(60_000)},
		{first.PriceDiscount, money.Whole(100)},
		{last.PriceDiscount, money.Whole(600)},
		{*first.List, money.Whole(11_000)},
		{*last.List, money.Whole(66_000)},
	} {
		if tt.got.Cmp(tt.want) != 0 {
			t.Errorf("%s, want %s", tt.got, tt.want)
		}
	}
	again := *last // and what was divided so can be divided again
	next := last.goOn(3, hour(106))
	last.ContinuedBy = 3
	if err := p.divide(&again, last, next); err != nil {
		t.Fatal(err)
	}
	if last.Price.String() != "30000.00" || next.Price.String() != "30000.00" {
		t.Errorf("%s and %s of 60,000", last.Price, next.Price)
	}
}

// The bound of a shorter time is one of all parts together: one of them may get dearer.
func TestBoundOfParts(t *testing.T) {
	for _, tt := range []struct {
		name        string
		percent     int64 // from 7 days on
		end         int64
		first, last string
	}{
		{"half of the time", 0, 82, "15000.00", "30000.00"},
		{"where less would cost more", -20, 154, "10400.00", "62400.00"},
	} {
		p := early(company.EarlyReprice, tt.percent, 7)
		first, last := swappedAt(t, p, 34)
		was, wasFirst := *last, *first
		last.End = hour(tt.end)
		d, other := changed(&was, last), changed(&wasFirst, first)
		d.others, other.last = []*Draft{other}, d
		for _, d := range []*Draft{d, other} {
			kept, err := d.cost(p, false, false)
			if err != nil {
				t.Fatal(err)
			}
			d.Line.worth(d.Price, kept)
		}
		if err := keepParts([]*Draft{d, other}, p); err != nil {
			t.Fatal(err)
		}
		if first.Price.String() != tt.first || last.Price.String() != tt.last {
			t.Errorf("%s: %s and %s, want %s and %s", tt.name, first.Price, last.Price, tt.first, tt.last)
		}
	}
}
