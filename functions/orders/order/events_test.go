package order

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/event/eventtest"
	"github.com/tenantry/tenantry/shared/say"
)

// Each event is of an order, and a timeline tells it by what it says, and not only that something was changed.
func TestEvents(t *testing.T) {
	eventtest.Check(t, Events(),
		"order.reserved", "order.started", "order.completed", "order.cancelled", "order.paid", "order.refunded", "order.indebted", "order.settled",
		"order.line.added", "order.line.updated", "order.line.removed", "order.line.handed_out", "order.line.returned", "order.line.swapped", "order.line.reopened",
		"order.service.added", "order.service.updated", "order.service.removed", "order.fee.added", "order.fee.updated", "order.fee.removed",
		"order.deposit.received", "order.deposit.updated", "order.deposit.returned", "order.deposit.withheld", "order.deposit.removed",
		"order.referral.created", "order.referral.updated", "order.referral.paid", "order.referral.reversed", "order.referral.removed",
	)
	seen := map[event.Name]bool{}
	for _, s := range Events() {
		said, err := event.Say(s.Event)
		if err != nil {
			t.Fatal(err)
		}
		name := said.Name
		switch {
		case name.Kind().Code != kinds.Order || said.ID != 7:
			t.Errorf("%s is about %s", name, said.About())
		case !slices.Contains(said.Concerns, "client:3"):
			t.Errorf("%s concerns %v", name, said.Concerns)
		}
		seen[name] = true
		events := eventsIn(audit.Entry{Action: audit.Changed, Events: []event.Said{said}})
		if len(events) != 1 || *events[0].Type != string(name) || events[0].Kind == "changed" || events[0].Text == "" {
			t.Errorf("%s is told as %v", name, events)
			continue
		}
		if part := tellings[name].part; (events[0].Object != nil) != (part != "") {
			t.Errorf("%s happened to %v of the kind %q", name, events[0].Object, part)
		}
		if events[0].Fields == nil {
			t.Errorf("%s has no list of fields", name)
		}
	}
	for name, as := range tellings {
		if name.Kind().Code == kinds.Order && !seen[name] && name != "order.created" && name != Amended.Name(Amended{}) {
			t.Errorf("%s (%s) is no event", name, as.text)
		}
		if !slices.ContainsFunc(EventKind("").Values(), func(v enum.Value) bool { return v.Text == string(as.kind) }) {
			t.Errorf("%s is told as %s, which is no kind", name, as.kind)
		}
	}
}

// What verbs say is told in the words in which it always was.
func TestTelling(t *testing.T) {
	told := func(name event.Name) Event {
		t.Helper()
		i := slices.IndexFunc(Events(), func(s event.Sample) bool { return s.Event.Name() == name })
		if i < 0 {
			t.Fatalf("there is no %s", name)
		}
		said, err := event.Say(Events()[i].Event)
		if err != nil {
			t.Fatal(err)
		}
		return eventsIn(audit.Entry{Events: []event.Said{said}})[0]
	}
	for name, want := range map[event.Name]string{
		"order.line.added": `{"kind":"line_added","type":"order.line.added","text":"The line was added: from 2027-03-05T09:00:00Z to ` +
			`2027-03-07T09:00:00Z","object":"order_inventory:5","inventory":12,"amount":"6000.00","happened_at":null,"fields":[]}`,
		"order.line.updated": `{"kind":"line_changed","type":"order.line.updated","text":"The line was changed: end_at, price",` +
			`"object":"order_inventory:5","inventory":null,"amount":null,"happened_at":null,"fields":["end_at","price"]}`,
		"order.line.returned": `{"kind":"taken_back","type":"order.line.returned","text":"The item was taken back late",` +
			`"object":"order_inventory:5","inventory":12,"amount":"500.00","happened_at":"2027-03-07T12:00:00Z","fields":[]}`,
		"order.line.reopened": `{"kind":"reopened","type":"order.line.reopened","text":"The return was undone",` +
			`"object":"order_inventory:5","inventory":12,"amount":null,"happened_at":null,"fields":[]}`,
		"order.service.removed": `{"kind":"service_removed","type":"order.service.removed","text":"The service was removed: Delivery",` +
			`"object":"order_service:4","inventory":null,"amount":"3000.00","happened_at":null,"fields":[]}`,
		"order.deposit.withheld": `{"kind":"deposit_withheld","type":"order.deposit.withheld","text":"The deposit was kept, and became a payment",` +
			`"object":"deposit:8","inventory":null,"amount":"10000.00","happened_at":null,"fields":[]}`,
		"order.started": `{"kind":"handed_out","type":"order.started","text":"The order was handed out",` +
			`"object":null,"inventory":null,"amount":null,"happened_at":null,"fields":[]}`,
	} {
		got, err := json.Marshal(told(name))
		got = say.Spoken(got, say.English, nil)
		if err != nil || string(got) != want {
			t.Errorf("%s: %s\nwant %s: %v", name, got, want, err)
		}
	}
}

// An entry in which no verb said anything tells what was changed, and one whose events nobody knows any more that something was.
func TestTellingOfNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		entry audit.Entry
		want  string
	}{
		"by itself": {audit.Entry{Action: audit.Changed, Events: []event.Said{}, Changes: []audit.Change{{Field: "extra.note"}}}, "Changed: extra.note"},
		"nothing":   {audit.Entry{Action: audit.Changed, Events: []event.Said{}}, "Changed"},
		"unknown":   {audit.Entry{Action: audit.Changed, Events: []event.Said{{Name: "order.melted"}}}, "Changed"},
	} {
		if events := eventsIn(tt.entry); len(events) != 1 || events[0].Text.Error() != tt.want || *events[0].Type != "order.updated" {
			t.Errorf("%s: %v", name, events)
		}
	}
}
