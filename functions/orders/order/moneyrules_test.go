package order

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/tenant"
)

// posted is what a posting says: its kind, its account, its amount, and whose it is.
func posted(list ...*ledger.Posting) (text string) {
	for _, p := range list {
		client := "nobody"
		if p.Client != nil {
			client = fmt.Sprint(*p.Client)
		}
		text += fmt.Sprintf("%s %d %s of %s at %d; ", p.Sort, p.Account, p.Amount, client, (p.Date-hour(0))/(hour(1)-hour(0)))
	}
	return text
}

// paying is an order with a client.
func paying(status Status) *Order {
	o := orderOf(status)
	o.Client = to[int64](3)
	return o
}

func TestReceipt(t *testing.T) {
	gone := paying(Completed)
	gone.ClientGone = true
	for _, tt := range []struct {
		name  string
		order *Order
		p     Payment
		wrong bool // the decoder has refused the amount
		want  string
		errs  string
	}{
		{"a payment", paying(Request), Payment{Amount: money.Whole(10), Date: to(hour(8))}, false, "pay 4 10.00 of 3 at 8; ", "[]"},
		{"now", paying(Request), Payment{Amount: money.Whole(10)}, false, "pay 4 10.00 of 3 at 9; ", "[]"},
		{"nothing", paying(Request), Payment{}, false, "pay 4 0.00 of 3 at 9; ", "[amount: Ensure this value is greater than 0.]"},
		{"less than nothing", paying(Request), Payment{Amount: money.Whole(-1)}, false, "pay 4 -1.00 of 3 at 9; ", "[amount: Ensure this value is greater than 0.]"},
		{"no amount", paying(Request), Payment{}, true, "pay 4 0.00 of 3 at 9; ", "[amount: no number]"},
		{"to come", paying(Request), Payment{Amount: money.Whole(10), Date: to(hour(10))}, false, "pay 4 10.00 of 3 at 9; ", "[date: Ensure this value is not after now, 2026-03-02T09:00:00Z.]"},
		{"of a client that was deleted", gone, Payment{Amount: money.Whole(10)}, false, "pay 4 10.00 of nobody at 9; ", "[]"},
		{"of no client", orderOf(Request), Payment{Amount: money.Whole(10)}, false, "pay 4 10.00 of nobody at 9; ", "[]"},
	} {
		errs := fault.FieldErrors{}
		if tt.wrong {
			errs.Add("amount", "no number")
		}
		p := tt.order.receipt(ledger.SortPayment, 4, tt.p, at(9), errs)
		if got := posted(p); got != tt.want || wrong(errs) != tt.errs || *p.Request != 7 || !p.Owned {
			t.Errorf("%s: %s, %s; want %s", tt.name, got, wrong(errs), tt.want)
		}
	}
	if got := posted(paying(Completed).payout(4, money.Whole(-5), hour(9))); got != "rfl 4 -5.00 of nobody at 9; " {
		t.Errorf("what an agent gets: %s", got)
	}
}

// How much of a deposit is given back, and by which postings.
func TestReturns(t *testing.T) {
	left := func(amount int64) *Deposit {
		return &Deposit{Amount: money.Whole(100), Returned: money.Whole(100 - amount), Account: 4, Type: to[int64](6)}
	}
	amount := func(n int64) *money.Amount { return to(money.Whole(n)) }
	for _, tt := range []struct {
		name    string
		deposit *Deposit
		r       Return
		want    string
		errs    string
	}{
		{"all that is left", left(80), Return{}, "dep 4 -80.00 of 3 at 9; ", "[]"},
		{"a part", left(80), Return{Amount: amount(30)}, "dep 4 -30.00 of 3 at 9; ", "[]"},
		{"a part is kept", left(80), Return{Withhold: money.Whole(30)}, "dep 4 -50.00 of 3 at 9; dep 4 -30.00 of 3 at 9; pay 4 30.00 of 3 at 9; ", "[]"},
		{"all is kept", left(80), Return{Withhold: money.Whole(80)}, "dep 4 -80.00 of 3 at 9; pay 4 80.00 of 3 at 9; ", "[]"},
		{"a part of each", left(80), Return{Amount: amount(10), Withhold: money.Whole(20)}, "dep 4 -10.00 of 3 at 9; dep 4 -20.00 of 3 at 9; pay 4 20.00 of 3 at 9; ", "[]"},
		{"more than is left", left(80), Return{Amount: amount(81)}, "", "[amount: At most 80.00 is left of the deposit.]"},
		{"more than is left beside what is kept", left(80), Return{Amount: amount(61), Withhold: money.Whole(20)}, "", "[amount: At most 60.00 is left of the deposit.]"},
		{"more is kept than is left", left(80), Return{Withhold: money.Whole(81)}, "", "[withhold: At most 80.00 is left of the deposit.]"},
		{"nothing is left", left(0), Return{}, "", "[amount: Nothing is left of the deposit.]"},
		{"nothing is asked for", left(80), Return{Amount: amount(0)}, "", "[amount: Ensure this value is greater than 0, or withhold is.]"},
	} {
		errs := fault.FieldErrors{}
		back := tt.r.split(tt.deposit, errs)
		if wrong(errs) != tt.errs {
			t.Errorf("%s: %s", tt.name, wrong(errs))
		}
		if errs.Any() {
			continue
		}
		postings := paying(InRent).returnPostings(tt.deposit, back, tt.r, hour(9))
		if got := posted(postings...); got != tt.want || *postings[0].Type != 6 {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	for _, field := range []string{"amount", "withhold"} {
		errs := fault.FieldErrors{}
		errs.Add(field, "no number")
		if got := (Return{Withhold: money.Whole(500)}).split(left(80), errs); !got.IsZero() || len(errs) != 1 {
			t.Errorf("the decoder has refused %s: %s, %s", field, got, wrong(errs))
		}
	}
}

// What is refused of the money of an order, by its status and by what is there.
func TestMoneyIsRefused(t *testing.T) {
	most, err := money.ParseAmount("99999999999999.99")
	if err != nil {
		t.Fatal(err)
	}
	full := orderOf(Request)
	full.Price = most
	referred := orderOf(Request)
	referred.Referrals = make([]int64, MaxReferrals)
	fewer := orderOf(Request)
	fewer.Referrals = make([]int64, MaxReferrals-1)
	penalty := &Fee{Penalty: to[int64](1)}
	five := &Fee{Amount: money.Whole(5)}
	owing, settled := orderOf(Cancelled), orderOf(Cancelled)
	for _, o := range []*Order{owing, settled} {
		o.Price, o.OwesFees, o.Fees = money.Whole(10), true, []Fee{*five}
	}
	settled.PaidAmount = money.Whole(5)
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"a fee", orderOf(Request).checkFee(Fee{Amount: money.Whole(1)}), ""},
		{"a fee of a cancelled order", orderOf(Cancelled).checkFee(Fee{Amount: money.Whole(1)}), "status"},
		{"a fee with which the totals have too many digits", full.checkFee(Fee{Amount: money.Whole(1)}), refusal(errTooMuch)},
		{"a change of a fee", orderOf(Completed).checkFeeChange(new(Fee), nil, tenant.Employee), ""},
		{"a change of a fee of a cancelled order", orderOf(Cancelled).checkFeeChange(new(Fee), nil, tenant.Owner), "status"},
		{"a change of a traffic penalty", orderOf(Completed).checkFeeChange(penalty, nil, tenant.Owner), "owned"},
		{"a change of a traffic penalty of a cancelled order", orderOf(Cancelled).checkFeeChange(penalty, nil, tenant.Owner), "owned"},
		{"a fee of a cancelled order that owes some", owing.checkFee(Fee{Amount: money.Whole(1)}), ""},
		{"a traffic penalty of one", owing.checkFee(Fee{Amount: money.Whole(1), Penalty: to[int64](1)}), "status"},
		{"a fee of one is taken out by an employee", owing.checkFeeChange(five, nil, tenant.Employee), refusal(fault.ErrForbidden)},
		{"a fee of one is lowered by an employee", owing.checkFeeChange(five, &Fee{Amount: money.Whole(4)}, tenant.Employee), refusal(fault.ErrForbidden)},
		{"a fee of one is raised by an employee", owing.checkFeeChange(five, &Fee{Amount: money.Whole(6)}, tenant.Employee), ""},
		{"a fee of one gets a comment by an employee", owing.checkFeeChange(five, five, tenant.Employee), ""},
		{"a fee of one is taken out by a manager", owing.checkFeeChange(five, nil, tenant.Manager), ""},
		{"a payment for one", owing.checkTakesMoney(), ""},
		{"a deposit of one", owing.checkCounts(), "status"},
		{"a referral of one", owing.checkReferral(), "status"},
		{"what is kept for one", owing.checkWithhold(Return{Withhold: money.Whole(5)}), ""},
		{
			"what is kept for one, and more than it owes", owing.checkWithhold(Return{Withhold: money.Whole(6)}),
			"map[withhold:[At most 5.00 is owed for the cancelled order.]]",
		},
		{"what is kept for one that was paid", settled.checkWithhold(Return{Withhold: money.Whole(1)}), "status"},
		{"what one gives back", settled.checkWithhold(Return{}), ""},
		{"the end of one that owes, by an employee", owing.checkErasure(tenant.Employee), refusal(fault.ErrForbidden)},
		{"the end of one that owes, by a manager", owing.checkErasure(tenant.Manager), ""},
		{"the end of one that was paid", settled.checkErasure(tenant.Manager), "paid"},
		{"the last referral", fewer.checkReferral(), ""},
		{"one more", referred.checkReferral(), "map[non_field_errors:[An order has at most 50 referrals.]]"},
		{"a referral of a cancelled order", orderOf(Cancelled).checkReferral(), "status"},
		{"what is kept of a deposit", orderOf(InRent).checkWithhold(Return{Withhold: money.Whole(1)}), ""},
		{"what is kept for a cancelled order", orderOf(Cancelled).checkWithhold(Return{Withhold: money.Whole(1)}), "status"},
		{"what a cancelled order gives back", orderOf(Cancelled).checkWithhold(Return{}), ""},
		{"the end of a deposit", (&Deposit{Amount: money.Whole(1)}).checkWhole(), ""},
		{"the end of one that was given back", (&Deposit{Amount: money.Whole(1), Returned: money.Whole(1)}).checkWhole(), "returned"},
		{"the end of one that was kept", (&Deposit{Amount: money.Whole(1), Withheld: money.Whole(1)}).checkWhole(), "returned"},
	} {
		if got := refusal(tt.err); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestRefund(t *testing.T) {
	for _, tt := range []struct {
		by   int64
		want int64
		err  error
	}{
		{4, 6, nil}, {10, 0, nil}, {-5, 15, nil}, {11, -1, errUnpaid},
	} {
		o := &Order{Meta: record.Meta{ID: 7}, PaidAmount: money.Whole(10)}
		if err := o.refund(money.Whole(tt.by), "2026-03-02"); !errors.Is(err, tt.err) || o.PaidAmount.Cmp(money.Whole(tt.want)) != 0 {
			t.Errorf("%d: %s, %v", tt.by, o.PaidAmount, err)
		}
	}
}
