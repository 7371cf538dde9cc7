package order

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// explained is an order with fees, and with late fees of its lines, by their ids.
func explained(fees, late map[int64]int64) Explained {
	e := Explained{Order: &Order{}}
	for id := range int64(5) {
		if amount, ok := fees[id]; ok {
			e.Order.Fees = append(e.Order.Fees, Fee{Element: record.Element{ID: id}, Amount: money.Whole(amount)})
		}
		if amount, ok := late[id]; ok {
			e.Lines = append(e.Lines, ExplainedLine{Line: lasting(id, id, 9, 12).costing(0, 0, amount)})
		}
	}
	return e
}

// What is told of fees is what becomes of them: those that stay as they are are left out.
func TestSupposedFees(t *testing.T) {
	type amounts = map[int64]int64
	for _, tt := range []struct {
		name                               string
		fees, feesAfter, lates, latesAfter amounts
		want                               []string
	}{
		{name: "nothing"},
		{name: "all stays", fees: amounts{1: 5}, feesAfter: amounts{1: 5}, lates: amounts{1: 7, 2: 0}, latesAfter: amounts{1: 7, 2: 0}},
		{name: "a new one", fees: amounts{1: 5}, feesAfter: amounts{1: 5, 2: 6}, want: []string{"fee 2: 0.00 6.00"}},
		{name: "another one", fees: amounts{1: 5}, feesAfter: amounts{1: 4}, want: []string{"fee 1: 5.00 4.00"}},
		{name: "gone", fees: amounts{1: 5, 2: 6}, feesAfter: amounts{2: 6}, want: []string{"fee 1: 5.00 0.00"}},
		{name: "late", lates: amounts{1: 0, 2: 3}, latesAfter: amounts{1: 8, 2: 3}, want: []string{"line 1: 0.00 8.00"}},
		{name: "late no more", lates: amounts{1: 8}, latesAfter: amounts{1: 0}, want: []string{"line 1: 8.00 0.00"}},
		{name: "a line goes", lates: amounts{1: 8, 2: 0}, want: []string{"line 1: 8.00 0.00"}},
		{name: "a line comes", latesAfter: amounts{1: 8, 2: 0}, want: []string{"line 1: 0.00 8.00"}},
		{
			name: "both", feesAfter: amounts{3: 1}, lates: amounts{1: 0}, latesAfter: amounts{1: 2},
			want: []string{"fee 3: 0.00 1.00", "line 1: 0.00 2.00"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, c := range (Supposed{Before: explained(tt.fees, tt.lates), After: explained(tt.feesAfter, tt.latesAfter)}).Fees() {
				of, id := "fee", c.ID
				if c.Line != 0 {
					of, id = "line", c.Line
				}
				got = append(got, fmt.Sprintf("%s %d: %s %s", of, id, c.Before, c.After))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// What is refunded at once and what is overpaid then are both to be given back.
func TestSupposedRefund(t *testing.T) {
	for _, tt := range []struct {
		name                             string
		paid, paidAfter, price, cancelOf int64
		status                           Status
		want                             string
	}{
		{"owed", 40, 40, 50, 0, InRent, "0.00"},
		{"overpaid", 60, 60, 50, 0, InRent, "10.00"},
		{"refunded", 60, 50, 50, 0, Completed, "10.00"},
		{"refunded in part", 60, 55, 50, 0, Completed, "10.00"},
		{"a payment more", 40, 60, 60, 0, InRent, "0.00"},
		{"cancelled for nothing", 40, 40, 50, 0, Cancelled, "40.00"},
		{"cancelled with a fee", 40, 40, 50, 15, Cancelled, "25.00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, after := &Order{Status: Reserved, PaidAmount: money.Whole(tt.paid)}, &Order{Status: tt.status}
			after.PaidAmount, after.Price = money.Whole(tt.paidAfter), money.Whole(tt.price)
			if tt.cancelOf > 0 {
				after.OwesFees, after.Fees = true, []Fee{{Amount: money.Whole(tt.cancelOf)}}
			}
			got := Supposed{Before: Explained{Order: before}, After: Explained{Order: after}}.Refund()
			if got.String() != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
