package order

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// orderOf is an order in a status that holds lines.
func orderOf(status Status, lines ...*Line) *Order {
	o := &Order{Meta: record.Meta{ID: 7}, Status: status}
	for _, l := range lines {
		o.Lines = append(o.Lines, l.held())
	}
	return o
}

// refusal is what a fault is told apart by: the code that callers see, its fields, or its text.
func refusal(err error) string {
	f, ok := fault.As(err)
	switch {
	case err == nil:
		return ""
	case errors.Is(err, table.ErrRevision):
		return "revision"
	case ok && len(f.Fields) > 0:
		return fmt.Sprint(f.Fields)
	case ok && f.Members["code"] != nil:
		return fmt.Sprint(f.Members["code"])
	}
	return err.Error()
}

func TestOrderAdmits(t *testing.T) {
	planned, out, back := lasting(5, 1, 9, 12), lasting(6, 2, 9, 12).handedOut(9), lasting(8, 3, 9, 12).handedOut(9).takenBack(11)
	full := orderOf(Request, slices.Repeat([]*Line{planned}, MaxLines)...)
	many := &Order{Services: make([]int64, MaxServices)}
	for i := range many.Services {
		many.Services[i] = int64(i + 1)
	}
	newService := &ServiceDraft{Line: new(ServiceLine)}
	for _, tt := range []struct {
		name    string
		order   *Order
		changes Changes
		want    string
	}{
		{"a new line", orderOf(Request), Changes{Lines: []*Draft{added(lasting(0, 1, 9, 12))}}, ""},
		{"a line of an order in rent", orderOf(InRent, planned, out), Changes{Lines: []*Draft{changed(planned, lasting(5, 4, 10, 12))}}, ""},
		{"a completed order", orderOf(Completed), Changes{}, "status"},
		{"a cancelled order", orderOf(Cancelled), Changes{}, "status"},
		{"a debtor's", orderOf(Debtor), Changes{}, "status"},
		{"a line of another order", orderOf(Request), Changes{Lines: []*Draft{changed(planned, planned)}}, "revision"},
		{"a line that was another one since", orderOf(Request, lasting(5, 1, 9, 13)), Changes{Lines: []*Draft{changed(planned, planned)}}, "revision"},
		{"out, with another item", orderOf(InRent, out), Changes{Lines: []*Draft{changed(out, lasting(6, 4, 9, 12).handedOut(9))}}, "out"},
		{"back, with another end", orderOf(InRent, back), Changes{Lines: []*Draft{changed(back, lasting(8, 3, 9, 13).handedOut(9).takenBack(11))}}, "returned"},
		{"a new service", &Order{}, Changes{Services: []*ServiceDraft{newService}}, ""},
		{"a service", many, Changes{Services: []*ServiceDraft{{Line: &ServiceLine{Meta: record.Meta{ID: 50}}}}}, ""},
		{"a service of another order", many, Changes{Services: []*ServiceDraft{{Line: &ServiceLine{Meta: record.Meta{ID: 51}}}}}, "revision"},
		{"as many lines as it holds", full, Changes{Lines: []*Draft{changed(planned, planned)}}, ""},
		{"more lines", full, Changes{Lines: []*Draft{added(lasting(0, 1, 9, 12))}}, "map[non_field_errors:[An order has at most 80 item lines.]]"},
		{"more services", many, Changes{Services: []*ServiceDraft{newService}}, "map[non_field_errors:[An order has at most 50 service lines.]]"},
	} {
		if got := refusal(tt.order.checkChanges(tt.changes)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Once an item was handed out its line can't begin at another time, and once it is back nor end.
func TestLineAdmits(t *testing.T) {
	was := lasting(5, 1, 9, 12)
	was.Tariff = to[int64](3)
	alike := func(change func(l *Line)) *Line {
		l := *was
		change(&l)
		return &l
	}
	out := alike(func(l *Line) { l.handedOut(9) })
	back := alike(func(l *Line) { l.handedOut(9).takenBack(12) })
	for _, tt := range []struct {
		name               string
		to                 *Line
		planned, out, back string // what is refused of a line in this state
	}{
		{"nothing", alike(func(*Line) {}), "", "", ""},
		{"start", alike(func(l *Line) { l.Start = hour(8) }), "", "out", "returned"},
		{"item", alike(func(l *Line) { l.Item = 2 }), "", "out", "returned"},
		{"type", alike(func(l *Line) { l.Type = Sale }), "", "out", "returned"},
		{"end", alike(func(l *Line) { l.End = hour(14) }), "", "", "returned"},
		{"tariff", alike(func(l *Line) { l.Tariff = to[int64](4) }), "", "", "returned"},
		{"no tariff", alike(func(l *Line) { l.Tariff = nil }), "", "", "returned"},
		{"discount", alike(func(l *Line) { l.Discount = &Reduction{ID: 1} }), "", "", ""},
	} {
		got := [3]string{refusal(was.checkChange(tt.to)), refusal(out.checkChange(tt.to)), refusal(back.checkChange(tt.to))}
		if want := [3]string{tt.planned, tt.out, tt.back}; got != want {
			t.Errorf("%s: %q, want %q", tt.name, got, want)
		}
	}
}

func TestLetsGo(t *testing.T) {
	planned, out := lasting(5, 1, 9, 12), lasting(6, 2, 9, 12).handedOut(9)
	service := &ServiceLine{Meta: record.Meta{ID: 3}}
	withService := orderOf(Request)
	withService.Services = []int64{3}
	for _, tt := range []struct {
		name     string
		order    *Order
		lines    []*Line
		services []*ServiceLine
		want     string
	}{
		{"planned", orderOf(InRent, planned, out), []*Line{planned}, nil, ""},
		{"of a cancelled order", orderOf(Cancelled, planned), []*Line{planned}, nil, ""},
		{"of a completed order", orderOf(Completed, planned), []*Line{planned}, nil, "status"},
		{"of a debtor's", orderOf(Debtor, planned), []*Line{planned}, nil, "status"},
		{"out", orderOf(InRent, planned, out), []*Line{planned, out}, nil, "out"},
		{"of another order", orderOf(Request, planned), []*Line{lasting(8, 1, 9, 12)}, nil, "revision"},
		{"a service", withService, nil, []*ServiceLine{service}, ""},
		{"a service of another order", orderOf(Request), nil, []*ServiceLine{service}, "revision"},
	} {
		if got := refusal(tt.order.checkRemoval(tt.lines, tt.services)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestRefusesErasure(t *testing.T) {
	with := func(o *Order, change func(o *Order)) *Order {
		change(o)
		return o
	}
	lines := func(n int) []*Line { return slices.Repeat([]*Line{lasting(5, 1, 9, 12)}, n) }
	deposit := Deposit{Amount: money.Whole(10), Returned: money.Whole(6)}
	gone := deposit
	gone.Withheld = money.Whole(4)
	for _, tt := range []struct {
		name  string
		order *Order
		want  string
	}{
		{"a request", orderOf(Request), ""},
		{"a cancelled one", orderOf(Cancelled), ""},
		{"a reserved one", orderOf(Reserved), "status"},
		{"one in rent", orderOf(InRent), "status"},
		{"paid", with(orderOf(Cancelled), func(o *Order) { o.PaidAmount = money.Whole(1) }), "paid"},
		{"a traffic penalty", with(orderOf(Cancelled), func(o *Order) { o.Fees = []Fee{{}, {Penalty: to[int64](1)}} }), "owned"},
		{"a fee", with(orderOf(Cancelled), func(o *Order) { o.Fees = []Fee{{}} }), ""},
		{"a deposit", with(orderOf(Request), func(o *Order) { o.Deposits = []Deposit{gone, deposit} }), "deposit"},
		{"a deposit that is gone", with(orderOf(Request), func(o *Order) { o.Deposits = []Deposit{gone} }), ""},
		{"as many lines as one transaction removes", orderOf(Request, lines(28)...), ""},
		{"more", with(orderOf(Request, lines(28)...), func(o *Order) { o.Services = []int64{1, 2} }), "too_many_lines"},
		{"a cancelled one, which is in no calendar", orderOf(Cancelled, lines(43)...), ""},
		{"more of a cancelled one", with(orderOf(Cancelled, lines(43)...), func(o *Order) { o.Referrals = []int64{1} }), "too_many_lines"},
	} {
		if got := refusal(tt.order.checkErasure(tenant.Employee)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Whoever is refused by the status is told it, and what may follow.
func TestRefuses(t *testing.T) {
	f, _ := fault.As(orderOf(Reserved).statusFault("No."))
	if f.Code != fault.Conflict || f.Members["status"] != Reserved || fmt.Sprint(f.Members["allowed"]) != "[2 3]" {
		t.Errorf("%+v", f)
	}
	for status := range statuses {
		err := orderOf(status).checkTakesMoney()
		if cancelled := status == Cancelled; (err != nil) != cancelled || cancelled && !strings.Contains(err.Error(), "The order is cancelled.") {
			t.Errorf("%d: %v", status, err)
		}
	}
}
