package clerks

import (
	"strings"
	"testing"
	"time"
)

func hour(n int) time.Time { return time.Date(2026, 3, 2, n, 0, 0, 0, time.UTC) }

func at[T any](value T) *T { return &value }

// whole are the books of a company in which everything is as it should be: an order in rent, of which one line was late, a cancelled one
// that owes a fee, and a request that is held.
func whole() *books {
	return &books{
		orders: []*order{
			{
				ID: 1, Client: at(int64(1)), Status: inRent, Start: at(hour(8)), End: at(hour(20)),
				Price: 1120_00, Gross: 900_00, GrossService: 200_00, Discount: 100_00, Additional: 50_00, Tax: 120_00, TaxPercent: 12_00,
				Penalty: 35_00, Paid: 155_00, PaymentStatus: 1, Debt: 1000_00,
				Inventories: []line{
					{ID: 1, Start: hour(8), End: at(hour(12)), FactStart: at(hour(8)), FactEnd: at(hour(14)), Price: 400_00, Discount: 30_00, Penalty: 25_00},
					{ID: 2, Start: hour(9), End: at(hour(20)), FactStart: at(hour(9)), Price: 500_00},
				},
				Services: []service{{ID: 1, Price: 200_00, PriceDiscount: 20_00}}, Penalties: []fee{{ID: 1, Amount: 10_00}},
				Deposits: []deposit{{ID: 1, Account: 2, Transaction: 3, Amount: 300_00, Returned: 100_00, Withheld: 5_00}},
			},
			{
				ID: 2, Client: at(int64(1)), Status: cancelled, Price: 80_00, Gross: 80_00, Penalty: 40_00, Paid: 10_00, PaymentStatus: 1, Debt: 30_00,
				Start: at(hour(8)), End: at(hour(9)), Inventories: []line{{ID: 3, Start: hour(8), End: at(hour(9)), Price: 80_00}},
				Penalties: []fee{{ID: 2, Amount: 40_00}},
			},
			{
				ID: 3, Client: at(int64(1)), Expires: at(hour(10)), PaymentStatus: 0, Price: 80_00, Gross: 80_00, Debt: 80_00,
				Start: at(hour(8)), End: at(hour(9)), Inventories: []line{{ID: 4, Start: hour(8), End: at(hour(9)), Price: 80_00}},
			},
		},
		postings: []posting{
			{ID: 1, Account: 1, Request: at(int64(1)), Amount: 170_00, Kind: ofPayment, Refunded: 20_00},
			{ID: 2, Account: 1, Request: at(int64(1)), Amount: -20_00, Kind: ofRefund, RefundOf: at(int64(1))},
			{ID: 3, Account: 2, Request: at(int64(1)), Amount: 300_00, Kind: ofDeposit},
			{ID: 4, Account: 2, Request: at(int64(1)), Amount: -100_00, Kind: ofDeposit},
			{ID: 5, Account: 2, Request: at(int64(1)), Amount: -5_00, Kind: ofDeposit},
			{ID: 6, Account: 2, Request: at(int64(1)), Amount: 5_00, Kind: ofPayment},
			{ID: 7, Account: 1, Request: at(int64(1)), Amount: -7_00, Kind: ofReferral},
			{ID: 8, Account: 1, Request: at(int64(2)), Amount: 10_00, Kind: ofPayment},
		},
		referrals: []referral{
			{ID: 1, Request: 1, Status: referralPaid, Amount: 7_00},
			{ID: 2, Request: 1, Status: referralPending, Amount: 9_00},
		},
		accounts: []account{{ID: 1, Initial: 1000_00, Balance: 1153_00}, {ID: 2, Balance: 200_00}},
		clients:  []client{{ID: 1, Count: 2, Amount: 1235_00, Paid: 155_00, Debt: 1030_00}},
	}
}

func TestBooks(t *testing.T) {
	for _, tt := range []struct {
		name  string
		plant func(b *books)
		says  string // one fault; empty: none
	}{
		{"nothing", func(*books) {}, ""},
		{"the price of a line", func(b *books) { b.orders[0].Inventories[0].Price++ }, "order 1: its totals"},
		{"its discount", func(b *books) { b.orders[0].Inventories[0].Discount++ }, "order 1: its totals"},
		{"its late fee", func(b *books) { b.orders[0].Inventories[0].Penalty++ }, "order 1: its totals"},
		{"the price of a service", func(b *books) { b.orders[0].Services[0].Price++ }, "order 1: its totals"},
		{"a fee", func(b *books) { b.orders[0].Penalties[0].Amount++ }, "order 1: its totals"},
		{"the tax, and the price with it", func(b *books) {
			b.orders[0].Tax, b.orders[0].Price, b.orders[0].Debt = 120_01, 1120_01, 1000_01
			b.clients[0].Amount, b.clients[0].Debt = 1235_01, 1030_01
		}, "order 1: its taxes"},
		{"a payment that is not posted", func(b *books) { b.postings[0].Amount -= 2; b.accounts[0].Balance -= 2 }, "order 1: its payments"},
		{"a payment for a cancelled order", func(b *books) { b.postings[7].Amount++; b.accounts[0].Balance++ }, "order 2: its payments"},
		{"a debt", func(b *books) { b.orders[0].Debt++ }, "order 1: its debts"},
		{"what a cancelled order owes", func(b *books) { b.orders[1].Debt += 80_00 }, "order 2: its debts"},
		{"what is overpaid", func(b *books) { b.orders[0].Overpaid++ }, "order 1: its debts"},
		{"a payment status", func(b *books) { b.orders[0].PaymentStatus = 2 }, "order 1: its payment statuses"},
		{"completed, and owed", func(b *books) { b.orders[0].Status = completed }, "order 1: it has the status 4"},
		{"the start of an order", func(b *books) { b.orders[0].Start = at(hour(7)) }, "order 1: its times"},
		{"the end of a line", func(b *books) { b.orders[0].Inventories[1].End = at(hour(21)) }, "order 1: its times"},
		{"a hold that nobody ended", func(b *books) { b.orders[2].Expires = at(hour(9).Add(57 * time.Minute)) }, "order 3: its hold has ended"},
		{"a hold that ended a minute ago", func(b *books) { b.orders[2].Expires = at(hour(9).Add(58 * time.Minute)) }, ""},
		{"a hold of what was paid", func(b *books) { b.orders[0].Expires = at(hour(20)) }, "order 1: its hold was not lifted"},
		{"what of a deposit was returned", func(b *books) { b.orders[0].Deposits[0].Returned++ }, "order 1: its deposits"},
		{"more of it than there was", func(b *books) { b.orders[0].Deposits[0].Withheld = 201_00 }, "order 1: more is taken"},
		{"a deposit that is not posted", func(b *books) { b.orders[0].Deposits[0].Transaction = 4 }, "order 1: its deposit 1 is not posted"},
		{"a referral that was not paid", func(b *books) { b.referrals[1].Status = referralPaid }, "order 1: its referrals"},
		{"the payout of one that is pending", func(b *books) { b.referrals[0].Status = referralPending }, "order 1: its referrals"},
		{"a referral of an order that is deleted", func(b *books) { b.referrals[1].Request = 4 }, "referral 2 is of order 4"},
		{"money of an order that is deleted", func(b *books) {
			b.postings = append(b.postings, posting{ID: 9, Account: 3, Request: at(int64(4)), Amount: 1, Kind: ofPayment})
		}, "order 4 is deleted, and 0.01 is left"},
		{"what was refunded of a payment", func(b *books) { b.postings[0].Refunded++ }, "posting 1 of 170.00: 20.01 of it"},
		{"more than there was", func(b *books) {
			b.postings = append(b.postings,
				posting{ID: 9, Account: 3, Amount: 1, Kind: ofPayment, Refunded: 2},
				posting{ID: 10, Account: 3, Amount: -2, Kind: ofRefund, RefundOf: at(int64(9))})
		}, "posting 9 of 0.01: 0.02 of it"},
		{"a balance", func(b *books) { b.accounts[1].Balance-- }, "account 2 has 199.99, and its postings come to 200.00"},
		{"how many orders a client has", func(b *books) { b.clients[0].Count++ }, "client 1: its sums"},
		{"the debt of a client", func(b *books) { b.clients[0].Debt -= 30_00 }, "client 1: its sums"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := whole()
			tt.plant(b)
			checkFaults(t, b.faults(hour(10)), tt.says)
		})
	}
}

// checkFaults compares what was found with the one fault that is planted; says is empty if there is none.
func checkFaults(t *testing.T, found []string, says string) {
	t.Helper()
	if all := strings.Join(found, "\n"); len(found) > 1 || (says == "") != (len(found) == 0) || !strings.Contains(all, says) {
		t.Errorf("found %q, want %q", found, says)
	}
}

// What is half a cent of tax is rounded up, added or inside.
func TestTaxes(t *testing.T) {
	for _, tt := range []struct {
		name         string
		net, percent amount
		included     bool
		want         amount
	}{
		{"none", 100_00, 0, false, 0},
		{"added", 150_00, 12_00, false, 18_00},
		{"half a cent", 1_25, 10_00, false, 13},
		{"less than half", 1_24, 10_00, false, 12},
		{"inside", 15000_00, 12_00, true, 1607_14},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := order{Gross: tt.net, TaxPercent: tt.percent, TaxIncluded: tt.included, Tax: tt.want}
			if fault := o.taxes(); fault != "" {
				t.Error(fault)
			}
			if o.Tax++; o.taxes() == "" {
				t.Error("a cent more was not found")
			}
		})
	}
}

// swapped are the books of a company in which one line had three items.
func swapped() *books {
	part := func(id, item, exchange int64, from, until int) line {
		return line{
			ID: id, Request: 1, Start: hour(from), End: at(hour(until)), FactStart: at(hour(from)), FactEnd: at(hour(until)),
			Inventory: &record{item}, Exchange: &exchange,
		}
	}
	return &books{
		orders: []*order{{ID: 1, Inventories: []line{part(1, 1, 1, 8, 10), part(2, 2, 2, 10, 12), part(3, 1, 2, 12, 15)}}},
		exchanges: []exchange{
			{ID: 1, Request: 1, From: 1, To: 2, Gave: 1, Got: 2, At: hour(10)}, {ID: 2, Request: 1, From: 2, To: 3, Gave: 2, Got: 1, At: hour(12)},
		},
	}
}

func TestSwaps(t *testing.T) {
	for _, tt := range []struct {
		name  string
		plant func(b *books, lines []line)
		says  string
	}{
		{"nothing", func(*books, []line) {}, ""},
		{"an item that is deleted", func(_ *books, lines []line) { lines[1].Inventory = nil }, ""},
		{"another item", func(_ *books, lines []line) { lines[2].Inventory = &record{3} }, "not of the items 2 and 1"},
		{"the same item", func(b *books, lines []line) { b.exchanges[1].Got, lines[2].Inventory = 2, &record{2} }, "not of the items 2 and 2"},
		{"a line that is not there", func(b *books, lines []line) { b.orders[0].Inventories = lines[:2] }, "one of them is not there"},
		{"a line of another order", func(_ *books, lines []line) { lines[0].Request = 2 }, "not of order 1"},
		{"a time between them", func(_ *books, lines []line) { lines[2].FactStart = at(hour(13)) }, "does not go on"},
		{"one that is out yet", func(_ *books, lines []line) { lines[0].FactEnd = nil }, "does not go on"},
		{"one that goes on twice", func(b *books, _ []line) {
			b.exchanges = append(b.exchanges, b.exchanges[1])
		}, "another one is of the same"},
		{"no exchange of a line", func(_ *books, lines []line) { lines[0].Exchange = nil }, "line 1 does not name"},
		{"the first exchange of a line that was in two", func(_ *books, lines []line) { lines[1].Exchange = at(int64(1)) }, "line 2 does not name"},
		{"an exchange that is not there", func(_ *books, lines []line) {
			lines[0].Exchange = at(int64(3))
		}, "line 1 does not name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := swapped()
			tt.plant(b, b.orders[0].Inventories)
			checkFaults(t, b.swaps(), tt.says)
		})
	}
}
