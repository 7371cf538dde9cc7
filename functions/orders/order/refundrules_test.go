package order

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/tenant"
)

// payment is a posting that paid an amount at an hour, of which some was refunded, into account 1.
func payment(id, amount, refunded, at int64) *ledger.Posting {
	return &ledger.Posting{
		Meta: record.Meta{ID: id}, Account: 1, Amount: money.Whole(amount), Refunded: money.Whole(refunded), Date: hour(at), Sort: ledger.SortPayment,
	}
}

// What is overpaid is taken from the newest payments, and from none more than is left of it.
func TestRefundsOf(t *testing.T) {
	many := func(n int64) (list []*ledger.Posting) {
		for id := range n {
			list = append(list, payment(id+1, 10, 0, 9))
		}
		return list
	}
	for _, tt := range []struct {
		name     string
		amount   int64
		payments []*ledger.Posting
		want     string
		err      error
	}{
		{"one payment, a part", 30, []*ledger.Posting{payment(1, 100, 0, 9)}, "[1:30.00]", nil},
		{"one payment, all", 100, []*ledger.Posting{payment(1, 100, 0, 9)}, "[1:100.00]", nil},
		{"the newest suffices", 30, []*ledger.Posting{payment(1, 100, 0, 9), payment(2, 50, 0, 10)}, "[2:30.00]", nil},
		{"by the moment", 60, []*ledger.Posting{payment(1, 100, 0, 11), payment(2, 50, 0, 10)}, "[1:60.00]", nil},
		{"of one moment, the last that was posted", 60, []*ledger.Posting{payment(1, 100, 0, 9), payment(2, 50, 0, 9)}, "[2:50.00 1:10.00]", nil},
		{"what is left of each", 60, []*ledger.Posting{payment(1, 100, 0, 9), payment(2, 50, 20, 10)}, "[2:30.00 1:30.00]", nil},
		{"one that was refunded is left out", 60, []*ledger.Posting{payment(1, 100, 0, 9), payment(2, 50, 50, 10)}, "[1:60.00]", nil},
		{"nothing", 0, []*ledger.Posting{payment(1, 100, 0, 9)}, "[]", nil},
		{"ten payments", 100, many(12), "[12:10.00 11:10.00 10:10.00 9:10.00 8:10.00 7:10.00 6:10.00 5:10.00 4:10.00 3:10.00]", nil},
		{"eleven", 101, many(12), "[]", errManyPayments},
	} {
		t.Run(tt.name, func(t *testing.T) {
			was := slices.Clone(tt.payments)
			list, err := refundsOf(money.Whole(tt.amount), tt.payments)
			var got []string
			for _, part := range list {
				got = append(got, fmt.Sprintf("%d:%s", part.payment, part.amount))
			}
			if fmt.Sprint(got) != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("%v, %v; want %s, %v", got, err, tt.want, tt.err)
			}
			if !slices.Equal(was, tt.payments) {
				t.Error("the payments were put into another order")
			}
		})
	}
}

// Payments are all of an order where what is left of them is what it was paid.
func TestAccountsFor(t *testing.T) {
	for _, tt := range []struct {
		name     string
		paid     int64
		payments []*ledger.Posting
		want     bool
	}{
		{"none", 0, nil, true},
		{"one is missing", 50, nil, false},
		{"all", 150, []*ledger.Posting{payment(1, 100, 0, 9), payment(2, 50, 0, 9)}, true},
		{"all, some refunded", 70, []*ledger.Posting{payment(1, 100, 30, 9), payment(2, 50, 50, 9)}, true},
		{"another one is missing", 150, []*ledger.Posting{payment(1, 100, 0, 9)}, false},
		{"one was refunded since", 150, []*ledger.Posting{payment(1, 100, 0, 9), payment(2, 50, 10, 9)}, false},
		{"one came since", 100, []*ledger.Posting{payment(1, 100, 0, 9), payment(2, 50, 0, 9)}, false},
	} {
		if got := (&Order{PaidAmount: money.Whole(tt.paid)}).accountsFor(tt.payments); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}

// An order keeps the newest of its payments, and the order before keeps those that it had.
func TestKeepPayment(t *testing.T) {
	o := &Order{}
	for id := range int64(MostPayments) {
		o.keepPayment(id + 1)
	}
	was := *o
	o.keepPayment(MostPayments + 1)
	if len(o.Payments) != MostPayments || o.Payments[0] != 2 || o.Payments[MostPayments-1] != MostPayments+1 {
		t.Errorf("kept %v", o.Payments)
	}
	if len(was.Payments) != MostPayments || was.Payments[0] != 1 || was.Payments[MostPayments-1] != MostPayments {
		t.Errorf("before: %v", was.Payments)
	}
}

// Refunds and what else a return does fit into one transaction together, or are refused.
func TestCheckFits(t *testing.T) {
	for _, tt := range []struct {
		name               string
		accounts, of, done int64
		want               error
	}{
		{"ten of as many accounts", 10, 10, 16, nil},
		{"one operation more", 10, 10, 17, errManyReturned},
		{"ten of one account", 1, 10, 43, nil},
		{"one operation more, of one account", 1, 10, 44, errManyReturned},
		{"thirty lines", 1, 5, 60, nil},
		{"thirty lines and too much", 1, 6, 60, errManyReturned},
		{"accounts of other payments", 10, 1, 79, nil},
	} {
		var list []refundPart
		var payments []*ledger.Posting
		for n := range int64(10) {
			p := payment(n+1, 10, 0, 9)
			p.Account = 1 + n%tt.accounts
			payments = append(payments, p)
			if n < tt.of {
				list = append(list, refundPart{p.ID, p.Amount})
			}
		}
		if err := checkFits(list, payments, int(tt.done)); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestMayRefund(t *testing.T) {
	for role, want := range map[tenant.Role]bool{"": true, tenant.Owner: true, tenant.Manager: true, tenant.Employee: false, tenant.ReadOnly: false} {
		if got := mayRefund(role); got != want {
			t.Errorf("%q: %t", role, got)
		}
	}
}
