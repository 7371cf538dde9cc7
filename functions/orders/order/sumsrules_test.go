package order

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// costing gives a line a price, a discount and a late fee.
func (l *Line) costing(price, discount, late int64) *Line {
	l.Price, l.PriceDiscount, l.LateFee = money.Whole(price), money.Whole(discount), money.Whole(late)
	return l
}

// serviceAt is a service line with its price and its discount.
func serviceAt(id, price, discount int64) *ServiceLine {
	return &ServiceLine{Meta: record.Meta{ID: id}, Terms: Terms{Price: money.Whole(price), PriceDiscount: money.Whole(discount)}}
}

// sums are the sums of an order's lines, and the ids of these.
func sums(o *Order) string {
	var ids []int64
	for _, l := range o.Lines {
		ids = append(ids, l.ID)
	}
	return fmt.Sprintf("%s %s %s %s %v %v", o.GrossInventory, o.GrossService, o.LineDiscounts, o.LateFees, ids, o.Services)
}

// An order's sums follow its lines by the difference that each makes: what comes in goes out again.
func TestInclude(t *testing.T) {
	first, second := lasting(1, 1, 9, 12).costing(100, 10, 0), sold(2, 2, 9).costing(50, 0, 0)
	c := Changes{
		Lines: []*Draft{added(first), added(second)}, Services: []*ServiceDraft{{Line: serviceAt(3, 20, 5)}},
	}
	o := &Order{}
	before := slices.Clip(o.Lines)
	if o.include(c); sums(o) != "150.00 20.00 15.00 0.00 [1 2] [3]" || len(before) != 0 {
		t.Errorf("new lines: %s", sums(o))
	}
	was := slices.Clone(o.Lines)
	dearer := lasting(1, 4, 10, 12).handedOut(10).costing(130, 0, 7)
	held := o.Lines
	o.include(Changes{
		Lines: []*Draft{changed(first, dearer)}, Services: []*ServiceDraft{{Line: serviceAt(3, 30, 0), before: serviceAt(3, 20, 5)}},
	})
	if sums(o) != "180.00 30.00 0.00 7.00 [1 2] [3]" || *o.Line(1) != dearer.held() || *o.Line(2) != second.held() {
		t.Errorf("changed lines: %s, %+v", sums(o), o.Lines)
	}
	if !slices.Equal(held, was) {
		t.Errorf("the order as it was before holds %+v", held)
	}
	o.exclude([]*Line{second}, []*ServiceLine{serviceAt(3, 30, 0)})
	if sums(o) != "130.00 0.00 0.00 7.00 [1] []" {
		t.Errorf("lines that went: %s", sums(o))
	}
	if o.exclude([]*Line{dearer}, nil); sums(o) != "0.00 0.00 0.00 0.00 [] []" {
		t.Errorf("the last one: %s", sums(o))
	}
}

func TestSumUp(t *testing.T) {
	most, err := money.ParseAmount("99999999999999.99")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		order Order
		want  string // discounts, tax and price
		err   error
	}{
		{"nothing", Order{}, "0.00 0.00 0.00", nil},
		{"lines", Order{GrossInventory: money.Whole(100), GrossService: money.Whole(50), LineDiscounts: money.Whole(30)}, "30.00 0.00 120.00", nil},
		{"a discount", Order{GrossInventory: money.Whole(100), Discount: &Reduction{ID: 1, Percent: to(money.Whole(10))}, Additional: money.Whole(5)}, "15.00 0.00 85.00", nil},
		{"a tax that is added", Order{GrossInventory: money.Whole(100), TaxPercent: money.Whole(12)}, "0.00 12.00 112.00", nil},
		{"a tax inside", Order{GrossInventory: money.Whole(112), TaxPercent: money.Whole(12), TaxIncluded: true}, "0.00 12.00 112.00", nil},
		{"fees are no part of it", Order{GrossInventory: money.Whole(100), LateFees: money.Whole(7), Fees: []Fee{{Amount: money.Whole(3)}}}, "0.00 0.00 100.00", nil},
		{"too much", Order{GrossInventory: most, GrossService: most}, "", errTooMuch},
		{"too much with fees", Order{GrossInventory: most, LateFees: most}, "", errTooMuch},
		{"too much with what was paid", Order{GrossInventory: most, PaidAmount: most}, "", errTooMuch},
	} {
		totals, err := tt.order.sumUp()
		got := fmt.Sprintf("%s %s %s", tt.order.PriceDiscount, tt.order.Tax, tt.order.Price)
		if !errors.Is(err, tt.err) || err == nil && (got != tt.want || totals.Price.Cmp(tt.order.Price) != 0) {
			t.Errorf("%s: %s, %v; want %s", tt.name, got, err, tt.want)
		}
	}
}

// An order whose items are all back is completed, and a debtor's exactly while something is owed.
func TestConclude(t *testing.T) {
	out, back := lasting(1, 1, 9, 12).handedOut(9), lasting(2, 2, 9, 12).handedOut(9).takenBack(12)
	planned, left, unsold := lasting(3, 3, 9, 12), sold(4, 4, 9).handedOut(9), sold(5, 5, 9)
	for _, tt := range []struct {
		name      string
		order     *Order
		owed      int64
		ended     *moment.Micros
		want      Status
		wantEnded *moment.Micros
	}{
		{"one is out", orderOf(InRent, out, back), 0, to(hour(12)), InRent, to(hour(12))},
		{"one was not handed out", orderOf(InRent, planned, back), 0, to(hour(12)), InRent, to(hour(12))},
		{"a sale was not handed out", orderOf(InRent, unsold, back), 0, to(hour(12)), InRent, to(hour(12))},
		{"all are back", orderOf(InRent, back, left), 0, to(hour(12)), Completed, to(hour(12))},
		{"all are back, and something is owed", orderOf(InRent, back), 5, to(hour(12)), Debtor, to(hour(12))},
		{"too much was paid", orderOf(InRent, back), -5, to(hour(12)), Completed, to(hour(12))},
		{"it only sold", orderOf(InRent, left), 0, nil, Completed, to(hour(20))},
		{"in rent, without items", orderOf(InRent), 5, nil, InRent, nil},
		{"a debtor's that was paid", orderOf(Debtor, back), 0, to(hour(12)), Completed, to(hour(12))},
		{"a completed one with another fee", orderOf(Completed, back), 5, to(hour(12)), Debtor, to(hour(12))},
		{"a request", orderOf(Request, planned), 5, nil, Request, nil},
		{"a cancelled one", orderOf(Cancelled, planned), 5, nil, Cancelled, nil},
	} {
		tt.order.FactEnd, tt.order.Price = tt.ended, money.Whole(10)
		tt.order.PaidAmount = money.Whole(10 - tt.owed)
		tt.order.conclude(at(20))
		ends := tt.order.FactEnd == nil && tt.wantEnded == nil || tt.order.FactEnd != nil && tt.wantEnded != nil && *tt.order.FactEnd == *tt.wantEnded
		if tt.order.Status != tt.want || !ends {
			t.Errorf("%s: %d, ended %v", tt.name, tt.order.Status, tt.order.FactEnd)
		}
	}
}

func TestPaymentStatus(t *testing.T) {
	for _, tt := range []struct {
		price, late, fee, paid int64
		want                   PaymentStatus
	}{
		{0, 0, 0, 0, Paid},
		{10, 0, 0, 0, Unpaid},
		{10, 0, 0, 4, PartlyPaid},
		{10, 0, 0, 10, Paid},
		{10, 0, 0, 12, Paid},
		{10, 2, 0, 10, PartlyPaid},
		{10, 0, 2, 11, PartlyPaid},
		{10, 2, 2, 14, Paid},
	} {
		o := Order{
			Price: money.Whole(tt.price), LateFees: money.Whole(tt.late), Fees: []Fee{{Amount: money.Whole(tt.fee)}},
			PaidAmount: money.Whole(tt.paid),
		}
		if got := o.PaymentStatus(); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
}

// What an order adds to the sums of its client.
func TestStanding(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status Status
		paid   int64
		want   string
	}{
		{"a request owes nothing yet", Request, 4, "amount 15.00 count 1.00 paid 4.00"},
		{"one in rent", InRent, 4, "amount 15.00 count 1.00 debt 11.00 paid 4.00"},
		{"a debtor's", Debtor, 4, "amount 15.00 count 1.00 debt 11.00 paid 4.00"},
		{"one that was overpaid", Completed, 20, "amount 15.00 count 1.00 paid 20.00"},
		{"a cancelled one", Cancelled, 4, ""},
	} {
		o := &Order{Status: tt.status, Price: money.Whole(10), LateFees: money.Whole(5), PaidAmount: money.Whole(tt.paid)}
		names := map[string]string{
			client.OrdersCount: "count", client.OrdersAmount: "amount", client.OrdersPaid: "paid", client.OrdersDebt: "debt",
		}
		list := map[string]string{}
		for name, by := range o.standing() {
			list[names[name]] = by.String()
		}
		got := ""
		for i, name := range slices.Sorted(maps.Keys(list)) {
			if i > 0 {
				got += " "
			}
			got += name + " " + list[name]
		}
		if got != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
	if got := (*Order)(nil).standing(); len(got) != 0 {
		t.Errorf("no order: %v", got)
	}
}

// What a cancelled order owes: its fees, if it has owed them since it was cancelled, and nothing besides.
func TestCancelledOrdersOweTheirFees(t *testing.T) {
	for _, tt := range []struct {
		name      string
		owes      bool
		fee, paid int64
		want      string // debt, overpaid, payment status, debt of the client
		holds     bool
	}{
		{"not paid", true, 6, 0, "6.00 0.00 0 6.00", true},
		{"paid in part", true, 6, 4, "2.00 0.00 1 2.00", true},
		{"paid", true, 6, 6, "0.00 0.00 2 0.00", false},
		{"more was paid", true, 6, 8, "0.00 2.00 2 0.00", false},
		{"its fees were taken out of it", true, 0, 8, "0.00 8.00 2 0.00", false},
		{"from before fees were owed", false, 6, 0, "0.00 0.00 0 none", false},
		{"from before fees were owed, and paid in part", false, 6, 8, "0.00 8.00 1 none", false},
	} {
		of := int64(3)
		o := &Order{
			Client: &of, Status: Cancelled, OwesFees: tt.owes, Price: money.Whole(10), Fees: []Fee{{Amount: money.Whole(tt.fee)}},
			PaidAmount: money.Whole(tt.paid),
		}
		standing, debt := o.standing(), "none"
		if by, is := standing[client.OrdersDebt]; is {
			debt = by.String()
		}
		s := o.Shown()
		if got := fmt.Sprintf("%s %s %d %s", s.Debt, s.Overpaid, s.PaymentStatus, debt); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		for _, name := range []string{client.OrdersCount, client.OrdersAmount, client.OrdersPaid} {
			if by, is := standing[name]; is {
				t.Errorf("%s: %s counts %s", tt.name, name, by)
			}
		}
		if o.holdsClient() != tt.holds {
			t.Errorf("%s: holds its client: %v", tt.name, o.holdsClient())
		}
		o.conclude(at(20))
		if o.Status != Cancelled {
			t.Errorf("%s: becomes %d", tt.name, o.Status)
		}
	}
}
