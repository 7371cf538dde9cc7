package order

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/event"
)

// EventKind is what an event is about.
type EventKind string

// Values are the kinds of events. Those of parts are made of what the part is called.
func (EventKind) Values() []enum.Value {
	return enum.Named[EventKind](
		"created", "changed", "reserved", "handed_out", "taken_back", "swapped", "cancelled", "completed", "debtor", "settled",
		"reopened", "line_added", "line_changed", "line_removed", "service_added", "service_changed", "service_removed", "paid",
		"refunded", "deposit", "deposit_changed", "deposit_returned", "deposit_withheld", "deposit_removed", "fee",
		"fee_changed", "fee_removed", "referral", "referral_changed", "referral_paid", "referral_taken_back",
		"referral_removed", "document", "sign", "penalty",
	)
}

// Event is one thing that happened to an order, for people and for programs.
type Event struct {
	Kind      EventKind     `json:"kind"`
	Type      *string       `json:"type" nullable:"true" doc:"Its name in the log of events; null for what has none there: lines that came with a new order, and what happened before there was a log"`
	Text      string        `json:"text" doc:"In words"`
	Object    *string       `json:"object" nullable:"true" doc:"What it happened to, where that is not the order itself: its kind and id, such as order_inventory:5"`
	Inventory *int64        `json:"inventory" nullable:"true" doc:"Id of the inventory item of a line that was added, removed, handed out, taken back or reopened, or of a traffic penalty"`
	Amount    *money.Amount `json:"amount" nullable:"true" doc:"Paid, refunded, left, returned or charged; the price of what was added or removed; the fee for coming back late"`
	Moment    *string       `json:"happened_at" nullable:"true" format:"date-time" doc:"When an item was handed out or taken back, which may have been told later; when a sign of a document changed last"`
	Fields    []string      `json:"fields" doc:"The fields that were changed, of changed, line_changed and the like; the history has their values"`
}

// telling is how a timeline tells an event.
type telling struct {
	kind EventKind
	text string
	part kinds.Code // of what it happened to, where that is not the order itself
}

// tellings are the events that a timeline tells, by their names. It knows those of documents and penalties by their names alone, because
// their domains are above this one.
var tellings = map[event.Name]telling{
	"order.created":   {kind: "created", text: "The order was made"},
	"order.updated":   {kind: "changed", text: "Changed"},
	"order.reserved":  {kind: "reserved", text: "The order was reserved"},
	"order.started":   {kind: "handed_out", text: "The order was handed out"},
	"order.completed": {kind: "completed", text: "The order was completed"},
	"order.cancelled": {kind: "cancelled", text: "The order was cancelled"},
	"order.paid":      {kind: "paid", text: "A payment"},
	"order.refunded":  {kind: "refunded", text: "A payment was refunded"},
	"order.indebted":  {kind: "debtor", text: "Something is owed"},
	"order.settled":   {kind: "settled", text: "Nothing is owed any more"},

	"order.line.added":      {"line_added", "The line was added", kinds.OrderInventory},
	"order.line.updated":    {"line_changed", "The line was changed", kinds.OrderInventory},
	"order.line.removed":    {"line_removed", "The line was removed", kinds.OrderInventory},
	"order.line.handed_out": {"handed_out", "The item was handed out", kinds.OrderInventory},
	"order.line.returned":   {"taken_back", "The item was taken back", kinds.OrderInventory},
	"order.line.swapped":    {"swapped", "The item was swapped for another one", kinds.OrderInventory},
	"order.line.reopened":   {"reopened", "The hand-out was undone", kinds.OrderInventory},

	"order.service.added":   {"service_added", "The service was added", kinds.OrderService},
	"order.service.updated": {"service_changed", "The service was changed", kinds.OrderService},
	"order.service.removed": {"service_removed", "The service was removed", kinds.OrderService},

	"order.fee.added":   {"fee", "The fee was added", kinds.Fee},
	"order.fee.updated": {"fee_changed", "The fee was changed", kinds.Fee},
	"order.fee.removed": {"fee_removed", "The fee was removed", kinds.Fee},

	"order.deposit.received": {"deposit", "The deposit was added", kinds.Deposit},
	"order.deposit.updated":  {"deposit_changed", "The deposit was changed", kinds.Deposit},
	"order.deposit.returned": {"deposit_returned", "The deposit was given back", kinds.Deposit},
	"order.deposit.withheld": {"deposit_withheld", "The deposit was kept, and became a payment", kinds.Deposit},
	"order.deposit.removed":  {"deposit_removed", "The deposit was removed", kinds.Deposit},

	"order.referral.created":  {"referral", "The referral was added", kinds.Referral},
	"order.referral.updated":  {"referral_changed", "The referral was changed", kinds.Referral},
	"order.referral.paid":     {"referral_paid", "The referral was paid", kinds.Referral},
	"order.referral.reversed": {"referral_taken_back", "The payout of the referral was taken back", kinds.Referral},
	"order.referral.removed":  {"referral_removed", "The referral was removed", kinds.Referral},

	"document.created": {kind: "document", text: title},
	"document.updated": {kind: "document", text: title + " was changed"},
	"document.deleted": {kind: "document", text: "A document was deleted"},
	"document.signed":  {kind: "document", text: title + " is signed by all"},
	"document.sealed":  {kind: "document", text: title + " was sealed"},

	"document.sign.requested": {kind: "sign", text: signer + " was asked to sign"},
	"document.sign.opened":    {kind: "sign", text: signer + " has opened the document"},
	"document.sign.signed":    {kind: "sign", text: signer + " has signed"},
	"document.sign.rejected":  {kind: "sign", text: signer + " refused to sign"},
	"document.sign.reopened":  {kind: "sign", text: signer + " may sign again"},

	"penalty.created":   {kind: "penalty", text: "A traffic penalty came in"},
	"penalty.updated":   {kind: "penalty", text: "The traffic penalty was changed"},
	"penalty.matched":   {kind: "penalty", text: "A traffic penalty belongs to the order"},
	"penalty.unmatched": {kind: "penalty", text: "A traffic penalty does not belong to the order any more"},
	"penalty.charged":   {kind: "penalty", text: "A traffic penalty was charged to the order"},
	"penalty.uncharged": {kind: "penalty", text: "The charge of a traffic penalty was taken back"},
	"penalty.deleted":   {kind: "penalty", text: "The traffic penalty was deleted"},
}

// facts are what a timeline tells of the data of an event.
type facts struct {
	Inventory *int64   `json:"inventory"`
	Service   string   `json:"service_name"`
	Start     string   `json:"start_at"`
	End       string   `json:"end_at"`
	HandedOut *string  `json:"fact_start_at"`
	Returned  *string  `json:"fact_end_at"`
	Price     *string  `json:"price"`
	Amount    *string  `json:"amount"`
	LateFee   *string  `json:"penalty_amount"`
	Signer    string   `json:"signer"`
	Expires   *string  `json:"expires_at"`
	Reason    string   `json:"reason"` // of a swap
	Undone    Undone   `json:"undone"`
	Fields    []string `json:"fields"`
}

// eventsIn returns what an entry of an order's history tells, which has the events that verbs said: at least one event.
func eventsIn(e audit.Entry) (events []Event) {
	switch {
	case e.Action == audit.Created:
		events = born(e.Changes)
	case len(e.Events) == 0: // the event that came by itself
		fields := make([]string, len(e.Changes))
		for i, c := range e.Changes {
			fields[i] = c.Field
		}
		events = append(events, tell("order.updated", nil, facts{Fields: fields}))
	}
	for _, s := range e.Events {
		if handedOut := s.Name == "order.started" && slices.ContainsFunc(e.Events, isHandOut); handedOut {
			continue // that is told of each item
		}
		if t, is := tellings[s.Name]; is {
			events = append(events, tell(s.Name, objectOf(t.part, s.Concerns), factsOf(s.Data)))
		}
	}
	if len(events) == 0 {
		events = append(events, tell("order.updated", nil, facts{}))
	}
	return events
}

func isHandOut(s event.Said) bool { return s.Name == "order.line.handed_out" }

// born are the event of a new order, and what it was born with, which has no events of its own.
func born(changes []audit.Change) (events []Event) {
	made, reserved := tell("order.created", nil, facts{}), false
	with := func(name event.Name, id int64, c audit.Change) {
		object := kinds.Of(tellings[name].part).Object(id)
		events = append(events, tell(name, &object, factsOf(c.To)))
	}
	for _, c := range changes {
		list, number, _ := strings.Cut(c.Field, ".")
		id, _ := strconv.ParseInt(number, 10, 64)
		switch {
		case c.Field == "price":
			made.Amount = amountOf(c.To)
		case c.Field == "status":
			reserved = string(c.To) == strconv.FormatInt(int64(Reserved), 10)
		case list == "inventories" && id > 0:
			with("order.line.added", id, c)
		case list == "services" && id > 0:
			with("order.service.added", id, c)
		}
	}
	if reserved {
		events = append(events, tell("order.reserved", nil, facts{}))
	}
	for i := range events {
		events[i].Type = nil
	}
	return append([]Event{made}, events...)
}

// objectOf returns the first record of a kind that an event concerns. It returns nil if the event concerns none of the kind.
func objectOf(part kinds.Code, concerns []string) *string {
	for _, object := range concerns {
		if k, _, ok := kinds.ParseObject(object); ok && k.Code == part {
			return &object
		}
	}
	return nil
}

// factsOf are what a timeline tells of data. What is too large for a history says nothing.
func factsOf(data json.RawMessage) (f facts) {
	if len(data) == 0 || json.Unmarshal(data, &f) != nil {
		return facts{}
	}
	return f
}

// amount is the amount that an event is about: the price of what was added or removed; the fee of what came back late, but not in time.
func (f facts) amount() *money.Amount {
	switch {
	case f.Amount != nil:
		return parsed(*f.Amount)
	case f.Price != nil:
		return parsed(*f.Price)
	case f.LateFee != nil:
		if fee := parsed(*f.LateFee); fee != nil && !fee.IsZero() {
			return fee
		}
	}
	return nil
}

// amountOf is a value that is an amount; nil for any other.
func amountOf(v json.RawMessage) *money.Amount {
	if s := textOf(v); s != nil {
		return parsed(*s)
	}
	return nil
}

func textOf(v json.RawMessage) *string {
	var s *string
	if json.Unmarshal(v, &s) != nil {
		return nil
	}
	return s
}

func parsed(s string) *money.Amount {
	a, err := money.ParseAmount(s)
	if err != nil {
		return nil
	}
	return &a
}

// tell is what a timeline tells of an event that it knows. Of what was changed it tells the fields alone.
func tell(name event.Name, object *string, f facts) Event {
	t, called := tellings[name], string(name)
	e := Event{Kind: t.kind, Type: &called, Text: t.text, Object: object, Fields: []string{}}
	if f.Fields != nil {
		if e.Fields = f.Fields; len(f.Fields) > 0 {
			e.Text += ": " + strings.Join(f.Fields, ", ")
		}
		return e
	}
	e.Inventory, e.Amount = f.Inventory, f.amount()
	switch {
	case name == "order.cancelled" && f.Expires != nil:
		e.Text += ": its hold had ended"
	case name == "order.line.swapped":
		e.Text += ": " + f.Reason
	case f.Undone == UndoneReturn:
		e.Text = "The return was undone"
	case f.HandedOut != nil:
		e.Moment = f.HandedOut
	case f.Returned != nil:
		if e.Moment = f.Returned; e.Amount != nil {
			e.Text += " late"
		}
	case f.Service != "":
		e.Text += ": " + f.Service
	case f.Start != "" && f.End != "":
		e.Text += fmt.Sprintf(": from %s to %s", f.Start, f.End)
	case f.Start != "":
		e.Text += ": sold from " + f.Start
	}
	return e
}
