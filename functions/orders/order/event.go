package order

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/say"
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
	Text      say.Message   `json:"text" doc:"In words"`
	Object    *string       `json:"object" nullable:"true" doc:"What it happened to, where that is not the order itself: its kind and id, such as order_inventory:5"`
	Inventory *int64        `json:"inventory" nullable:"true" doc:"Id of the inventory item of a line that was added, removed, handed out, taken back or reopened, or of a traffic penalty"`
	Amount    *money.Amount `json:"amount" nullable:"true" doc:"Paid, refunded, left, returned or charged; the price of what was added or removed; the fee for coming back late"`
	Moment    *string       `json:"happened_at" nullable:"true" format:"date-time" doc:"When an item was handed out or taken back, which may have been told later; when a sign of a document changed last"`
	Fields    []string      `json:"fields" doc:"The fields that were changed, of changed, line_changed and the like; the history has their values"`
}

// telling is how a timeline tells an event.
type telling struct {
	kind EventKind
	text say.Message
	of   func(whom say.Message) say.Message // instead of text: what is told of a document by what it is called, and of a signer by the name
	part kinds.Code                         // of what it happened to, where that is not the order itself
}

// itself is what is told of a document that came to be.
func itself(document say.Message) say.Message { return document }

// tellings are the events that a timeline tells, by their names. It knows those of documents and penalties by their names alone, because
// their domains are above this one.
var tellings = map[event.Name]telling{
	"order.created":   {kind: "created", text: say.EventOrderCreated},
	"order.updated":   {kind: "changed", text: say.EventOrderChanged},
	"order.reserved":  {kind: "reserved", text: say.EventOrderReserved},
	"order.started":   {kind: "handed_out", text: say.EventOrderHandedOut},
	"order.completed": {kind: "completed", text: say.EventOrderCompleted},
	"order.cancelled": {kind: "cancelled", text: say.EventOrderCancelled},
	"order.paid":      {kind: "paid", text: say.EventPayment},
	"order.refunded":  {kind: "refunded", text: say.EventPaymentRefunded},
	"order.indebted":  {kind: "debtor", text: say.EventOrderIndebted},
	"order.settled":   {kind: "settled", text: say.EventOrderSettled},

	"order.line.added":      {kind: "line_added", text: say.EventLineAdded, part: kinds.OrderInventory},
	"order.line.updated":    {kind: "line_changed", text: say.EventLineChanged, part: kinds.OrderInventory},
	"order.line.removed":    {kind: "line_removed", text: say.EventLineRemoved, part: kinds.OrderInventory},
	"order.line.handed_out": {kind: "handed_out", text: say.EventItemHandedOut, part: kinds.OrderInventory},
	"order.line.returned":   {kind: "taken_back", text: say.EventItemTakenBack, part: kinds.OrderInventory},
	"order.line.swapped":    {kind: "swapped", text: say.EventItemSwapped, part: kinds.OrderInventory},
	"order.line.reopened":   {kind: "reopened", text: say.EventHandOutUndone, part: kinds.OrderInventory},

	"order.service.added":   {kind: "service_added", text: say.EventServiceAdded, part: kinds.OrderService},
	"order.service.updated": {kind: "service_changed", text: say.EventServiceChanged, part: kinds.OrderService},
	"order.service.removed": {kind: "service_removed", text: say.EventServiceRemoved, part: kinds.OrderService},

	"order.fee.added":   {kind: "fee", text: say.EventFeeAdded, part: kinds.Fee},
	"order.fee.updated": {kind: "fee_changed", text: say.EventFeeChanged, part: kinds.Fee},
	"order.fee.removed": {kind: "fee_removed", text: say.EventFeeRemoved, part: kinds.Fee},

	"order.deposit.received": {kind: "deposit", text: say.EventDepositAdded, part: kinds.Deposit},
	"order.deposit.updated":  {kind: "deposit_changed", text: say.EventDepositChanged, part: kinds.Deposit},
	"order.deposit.returned": {kind: "deposit_returned", text: say.EventDepositReturned, part: kinds.Deposit},
	"order.deposit.withheld": {kind: "deposit_withheld", text: say.EventDepositWithheld, part: kinds.Deposit},
	"order.deposit.removed":  {kind: "deposit_removed", text: say.EventDepositRemoved, part: kinds.Deposit},

	"order.referral.created":  {kind: "referral", text: say.EventReferralAdded, part: kinds.Referral},
	"order.referral.updated":  {kind: "referral_changed", text: say.EventReferralChanged, part: kinds.Referral},
	"order.referral.paid":     {kind: "referral_paid", text: say.EventReferralPaid, part: kinds.Referral},
	"order.referral.reversed": {kind: "referral_taken_back", text: say.EventReferralReversed, part: kinds.Referral},
	"order.referral.removed":  {kind: "referral_removed", text: say.EventReferralRemoved, part: kinds.Referral},

	"document.created": {kind: "document", of: itself},
	"document.updated": {kind: "document", of: say.EventDocumentChanged},
	"document.deleted": {kind: "document", text: say.EventDocumentDeleted},
	"document.signed":  {kind: "document", of: say.EventDocumentSigned},
	"document.sealed":  {kind: "document", of: say.EventDocumentSealed},

	"document.sign.requested": {kind: "sign", of: say.EventSignRequested},
	"document.sign.opened":    {kind: "sign", of: say.EventSignOpened},
	"document.sign.signed":    {kind: "sign", of: say.EventSignSigned},
	"document.sign.rejected":  {kind: "sign", of: say.EventSignRejected},
	"document.sign.reopened":  {kind: "sign", of: say.EventSignReopened},

	"penalty.created":   {kind: "penalty", text: say.EventPenaltyCreated},
	"penalty.updated":   {kind: "penalty", text: say.EventPenaltyChanged},
	"penalty.matched":   {kind: "penalty", text: say.EventPenaltyMatched},
	"penalty.unmatched": {kind: "penalty", text: say.EventPenaltyUnmatched},
	"penalty.charged":   {kind: "penalty", text: say.EventPenaltyCharged},
	"penalty.uncharged": {kind: "penalty", text: say.EventPenaltyUncharged},
	"penalty.deleted":   {kind: "penalty", text: say.EventPenaltyDeleted},
}

// facts are what a timeline tells of the data of an event.
type facts struct {
	Inventory *int64     `json:"inventory"`
	Service   string     `json:"service_name"`
	Start     *time.Time `json:"start_at"`
	End       *time.Time `json:"end_at"`
	HandedOut *string    `json:"fact_start_at"`
	Returned  *string    `json:"fact_end_at"`
	Price     *string    `json:"price"`
	Amount    *string    `json:"amount"`
	LateFee   *string    `json:"penalty_amount"`
	Signer    string     `json:"signer"`
	Expires   *string    `json:"expires_at"`
	Reason    string     `json:"reason"` // of a swap
	Undone    Undone     `json:"undone"`
	Fields    []string   `json:"fields"`

	whom say.Message // see telling.of
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
	if t.of != nil {
		e.Text = t.of(f.whom)
	}
	if f.Fields != nil {
		if e.Fields = f.Fields; len(f.Fields) > 0 {
			e.Text = say.EventWithFields(e.Text, strings.Join(f.Fields, ", "))
		}
		return e
	}
	e.Inventory, e.Amount = f.Inventory, f.amount()
	switch {
	case name == "order.cancelled" && f.Expires != nil:
		e.Text = say.EventOrderLapsed
	case name == "order.line.swapped":
		e.Text = say.EventOf(e.Text, f.Reason)
	case f.Undone == UndoneReturn:
		e.Text = say.EventReturnUndone
	case f.HandedOut != nil:
		e.Moment = f.HandedOut
	case f.Returned != nil:
		if e.Moment = f.Returned; e.Amount != nil {
			e.Text = say.EventItemTakenBackLate
		}
	case f.Service != "":
		e.Text = say.EventOf(e.Text, f.Service)
	case f.Start != nil && f.End != nil:
		e.Text = say.EventInTime(e.Text, *f.Start, *f.End)
	case f.Start != nil:
		e.Text = say.EventSoldFrom(e.Text, *f.Start)
	}
	return e
}
