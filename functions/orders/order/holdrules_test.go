package order

import (
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
)

// For how long a new order is held, and which orders may be.
func TestWhatIsHeld(t *testing.T) {
	settings := company.Rental{Hold: 600}
	paid := &Order{PaidAmount: money.Whole(1)}
	left := &Order{Deposits: []Deposit{{Amount: money.Whole(1)}}}
	old := &Order{Meta: record.Meta{ID: 1}, Status: Completed}
	for _, tt := range []struct {
		name   string
		o      *Order
		sent   *moment.Seconds
		want   moment.Seconds
		wrong  string
		status bool
	}{
		{"as the settings say", &Order{}, nil, 600, "[]", false},
		{"as its caller says", &Order{}, to(moment.Seconds(5)), 5, "[]", false},
		{"without end", &Order{}, to(moment.Seconds(0)), 0, "[]", false},
		{"reserved, as the settings say", &Order{Status: Reserved}, nil, 0, "[]", false},
		{"reserved, without end", &Order{Status: Reserved}, to(moment.Seconds(0)), 0, "[]", false},
		{"reserved", &Order{Status: Reserved}, to(moment.Seconds(5)), 5, "[hold: Only a request (status 0) is held for a time.]", false},
		{"completed", old, to(moment.Seconds(5)), 5, "[]", true},
		{"paid", paid, nil, 0, "[]", false},
		{"with a deposit", left, nil, 0, "[]", false},
	} {
		errs := fault.FieldErrors{}
		got := tt.o.holdOf(Changes{Hold: tt.sent}, settings)
		err := tt.o.checkHold(got, errs)
		if got != tt.want || wrong(errs) != tt.wrong || (err != nil) != tt.status {
			t.Errorf("%s: %d s, %s, %v", tt.name, got, wrong(errs), err)
		}
	}
}

// When a hold has ended, and what lifts it.
func TestWhenAHoldEnds(t *testing.T) {
	o := &Order{}
	o.holdFor(60, at(1))
	for _, tt := range []struct {
		after time.Duration
		want  bool
	}{{0, false}, {time.Minute - time.Microsecond, false}, {time.Minute, true}, {time.Hour, true}} {
		if got := o.hasLapsed(at(1).Add(tt.after)); got != tt.want {
			t.Errorf("after %s it has lapsed: %t", tt.after, got)
		}
	}
	for name, change := range map[string]func(o *Order){
		"":          func(*Order) {},
		"reserved":  func(o *Order) { o.Status = Reserved },
		"cancelled": func(o *Order) { o.Status = Cancelled },
		"paid":      func(o *Order) { o.PaidAmount = money.FromCents(1) },
		"a deposit": func(o *Order) { o.Deposits = []Deposit{{}} },
	} {
		of := *o
		change(&of)
		if of.liftHold(); (of.Expires == nil) != (name != "") {
			t.Errorf("%q: the hold ends at %s", name, fmt.Sprint(of.Expires))
		}
	}
	if o.holdFor(0, at(1)); o.Expires != nil || o.hasLapsed(at(100)) {
		t.Error("a hold without end ends")
	}
}
