package order

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/event"
)

// What may be undone, and for how long.
func TestCheckReopen(t *testing.T) {
	at := hour(20)
	for _, tt := range []struct {
		name   string
		change func(l *Line)
		now    moment.Micros
		want   error // nil: it may
		is     moment.Micros
	}{
		{"planned", func(l *Line) { l.FactStart = nil }, at, nil, 0},
		{"a hand-out", nil, at, nil, at},
		{"24 hours later", nil, at.Add(24 * time.Hour), nil, at},
		{"later than that", nil, at.Add(24*time.Hour + time.Microsecond), errTooLate, 0},
		{"a hand-out from before it was remembered", func(l *Line) { l.HandOut = nil }, at, errTooLate, 0},
		{"a return", func(l *Line) { l.FactEnd, l.Return = &at, &Done{At: hour(30)} }, hour(54), nil, hour(30)},
		{"a return from before it was remembered", func(l *Line) { l.FactEnd = &at }, at, errTooLate, 0},
		{"the hand-out is recent, the return is not", func(l *Line) { l.FactEnd, l.Return = &at, &Done{At: hour(-10)} }, at, errTooLate, 0},
		{"of a part that a swap ended", func(l *Line) { l.FactEnd, l.Return, l.ContinuedBy = &at, &Done{At: at}, 2 }, at, errSwapped, 0},
		{"of a part that a swap began", func(l *Line) { l.Continues = 2 }, at, errSwapped, 0},
		{"the return of a part that a swap began", func(l *Line) { l.FactEnd, l.Return, l.Continues = &at, &Done{At: at}, 2 }, at, nil, at},
		{"what was swapped and returned long ago", func(l *Line) { l.FactEnd, l.ContinuedBy = &at, 2 }, at, errSwapped, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := lasting(5, 1, 10, 178)
			l.FactStart, l.HandOut = &at, &Done{At: at}
			if tt.change != nil {
				tt.change(l)
			}
			done, err := (&Order{Status: InRent}).checkReopen(l, tt.now.Time())
			f, _ := fault.As(err)
			switch {
			case tt.is != 0 && (err != nil || done.At != tt.is):
				t.Errorf("%v, %v", done, err)
			case tt.is == 0 && tt.want == nil && (f == nil || f.Members["code"] != "status"):
				t.Errorf("%v", err)
			case tt.want != nil && !errors.Is(err, tt.want):
				t.Errorf("%v", err)
			}
		})
	}
}

// An agent who was paid is in the way of undoing a hand-out, or what completed the order.
func TestReferralsOfWhatIsUndone(t *testing.T) {
	at := hour(20)
	out, back := &Line{FactStart: &at}, &Line{FactStart: &at, FactEnd: &at}
	for _, tt := range []struct {
		status Status
		line   *Line
		want   bool
	}{{InRent, out, true}, {Completed, out, true}, {InRent, back, false}, {Completed, back, true}, {Debtor, back, true}} {
		if got := (&Order{Status: tt.status}).rewarded(tt.line); got != tt.want {
			t.Errorf("%d, %v: %t", tt.status, tt.line.state(), got)
		}
	}
	pending, paid := &Referral{Status: ReferralPending}, &Referral{Status: ReferralPaid}
	if err := checkUnpaid([]*Referral{pending}); err != nil {
		t.Error(err)
	}
	if err := checkUnpaid([]*Referral{pending, paid}); !errors.Is(err, errAgent) {
		t.Error(err)
	}
}

// A step that is undone gives a line its price, its time and the tariff that it showed, and the order its sums.
func TestUndone(t *testing.T) {
	for _, tt := range []struct {
		name      string
		early     company.Early
		start     company.EarlyStart
		out, back int64
		since     func(l *Line) // while it is out
		price     string        // once its hand-out is undone too
		plan      string
	}{
		{"in time", company.EarlyKeep, company.EarlyStartFree, 10, 178, nil, "91000.00", "10-178"},
		{"late", company.EarlyKeep, company.EarlyStartFree, 12, 190, nil, "91000.00", "10-178"},
		{"early, kept", company.EarlyKeep, company.EarlyStartFree, 10, 84, nil, "91000.00", "10-178"},
		{"early, repriced", company.EarlyReprice, company.EarlyStartFree, 10, 84, nil, "91000.00", "10-178"},
		{"handed out early, charged", company.EarlyReprice, company.EarlyStartCharged, -14, 84, nil, "91000.00", "10-178"},
		{"handed out early for free, repriced", company.EarlyReprice, company.EarlyStartFree, -14, 84, nil, "91000.00", "10-178"},
		{"a discount since", company.EarlyReprice, company.EarlyStartCharged, -14, 84, func(l *Line) { l.Additional = money.Whole(10) }, "91000.00", "10-178"},
		{
			"a shorter end since", company.EarlyKeep, company.EarlyStartFree, 10, 34,
			func(l *Line) { l.End, l.PricedUntil = hour(58), hour(178) }, "30000.00", "10-58",
		},
		{
			"an end before the start", company.EarlyKeep, company.EarlyStartFree, -14, 9,
			func(l *Line) { l.End, l.Start, l.PricedFrom, l.PricedUntil = hour(10), hour(-14), hour(10), hour(178) }, "15000.00", "-14-10",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := early(tt.early, 0, 0)
			p.settings.EarlyStart = tt.start
			l := combinedLine(t, p, 10, 178)
			o := &Order{Status: InRent, Lines: []Held{l.held()}}
			o.count(l, money.Amount.Add)
			step := func(do func(), keep **Done) (before Line) {
				t.Helper()
				before = *l
				do()
				*keep = l.done(&before, 1, hour(200).Time())
				return before
			}
			planned := step(func() {
				at := hour(tt.out)
				l.FactStart = &at
				if _, err := o.startLine(l, p); err != nil {
					t.Fatal(err)
				}
			}, &l.HandOut)
			if tt.since != nil {
				o.count(l, money.Amount.Sub)
				tt.since(l)
				price, err := p.priceOf(l, true)
				if err != nil {
					t.Fatal(err)
				}
				l.worth(price, true)
				o.count(l, money.Amount.Add)
				*o.Line(l.ID) = l.held()
			}
			sums := o.GrossInventory.Sub(o.LineDiscounts)
			out := step(func() {
				back := hour(tt.back)
				if _, err := o.returnLine(l, nil, Action{At: &back}, back, p); err != nil {
					t.Fatal(err)
				}
			}, &l.Return)
			if err := o.bringOut([]*Line{l}, l.Return.At, p); err != nil {
				t.Fatal(err)
			}
			same(t, "the return", &out, l)
			if got := o.GrossInventory.Sub(o.LineDiscounts); got.Cmp(sums) != 0 || !o.LateFees.IsZero() || !o.Holds(l) {
				t.Errorf("the order comes to %s, and not to %s, with fees of %s: %+v", got, sums, o.LateFees, o.Lines)
			}
			if err := o.takeIn(l, l.HandOut, p, offer{item: &item.Item{}}); err != nil {
				t.Fatal(err)
			}
			if tt.since == nil {
				same(t, "the hand-out", &planned, l)
			}
			if got := hoursOf(l); l.Price.String() != tt.price || got != tt.plan || l.PricedFrom != 0 || l.PricedUntil != 0 {
				t.Errorf("%s for %s, want %s for %s", l.Price, got, tt.price, tt.plan)
			}
			if o.GrossInventory.Cmp(l.Price) != 0 || !o.Holds(l) {
				t.Errorf("the order has %s of %s: %+v", o.GrossInventory, l.Price, o.Lines)
			}
			o.turnBack([]*Line{l})
			if o.Status != Reserved || o.FactStart != nil || o.FactEnd != nil {
				t.Errorf("%+v", o)
			}
		})
	}
}

// same checks that a line is what it was.
func same(t *testing.T, what string, was, is *Line) {
	t.Helper()
	a, err := json.Marshal(was)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := json.Marshal(is); err != nil || string(a) != string(b) {
		t.Errorf("%s is undone: %v\n%s\nwant\n%s", what, err, b, a)
	}
}

// An order has the times of the lines that are out or back.
func TestTurnBack(t *testing.T) {
	line := func(start, end int64) *Line {
		l := &Line{}
		if start != 0 {
			at := hour(start)
			l.FactStart = &at
		}
		if end != 0 {
			at := hour(end)
			l.FactEnd = &at
		}
		return l
	}
	for _, tt := range []struct {
		lines      []*Line
		status     Status
		start, end moment.Micros
	}{
		{[]*Line{line(0, 0), line(0, 0)}, Reserved, 0, 0},
		{[]*Line{line(0, 0), line(5, 0), line(3, 0)}, InRent, hour(3), 0},
		{[]*Line{line(4, 8), line(5, 7), line(3, 0)}, InRent, hour(3), hour(8)},
	} {
		o := &Order{Status: Debtor, FactStart: to(hour(1)), FactEnd: to(hour(9))}
		o.turnBack(tt.lines)
		or := func(at *moment.Micros) moment.Micros {
			if at == nil {
				return 0
			}
			return *at
		}
		if o.Status != tt.status || or(o.FactStart) != tt.start || or(o.FactEnd) != tt.end {
			t.Errorf("%d from %d to %d, want %+v", o.Status, or(o.FactStart), or(o.FactEnd), tt)
		}
	}
}

// Refunds and what became of deposits stay; all else goes with what is undone, or is a new fact.
func TestStaysOf(t *testing.T) {
	said := func(name, object, data string) event.Said {
		return event.Said{Name: event.Name(name), Concerns: []string{"client:3", object}, Data: json.RawMessage(data)}
	}
	got := staysOf([]audit.Entry{
		{At: "2026-03-02T12:00:00Z", Events: []event.Said{
			said("order.deposit.returned", "deposit:8", `{"deposit":8,"amount":"60.00"}`),
			said("order.deposit.withheld", "deposit:8", `{"deposit":8,"amount":"40.00"}`), said("order.paid", "transaction:9", `{"amount":"40.00"}`),
		}},
		{At: "2026-03-02T11:00:00Z", Events: []event.Said{said("order.refunded", "transaction:4", `{"amount":"900.00"}`)}},
		{At: "2026-03-02T10:00:00Z", Events: []event.Said{said("order.refunded", "account:1", `{"amount":"1.00"}`)}}, // before it was said
		{At: "2026-03-02T09:00:00Z"},
	})
	text := ""
	for _, s := range got {
		text += fmt.Sprintln(s.Kind, s.ID, s.Amount, s.At)
	}
	if want := "deposit_returned 8 60.00 2026-03-02T12:00:00Z\ndeposit_withheld 8 40.00 2026-03-02T12:00:00Z\n" +
		"refund 4 900.00 2026-03-02T11:00:00Z\n"; text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
}
