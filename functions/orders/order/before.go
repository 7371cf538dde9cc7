package order

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/say"
)

// Everything in this file reads what was written before verbs said what they did: it guesses what happened from the differences that
// a history has, and shows documents of which no events were told. It is frozen. What is written now never needs it, and what was
// written before never changes; testdata/before.json has what it made of each kind of change.

// part is a list of an order whose elements its history tells by their ids.
type part struct {
	list, one               string // "inventories", "line"
	added, changed, removed say.Message
	kind                    kinds.Code
}

func parts() []part {
	return []part{
		{"inventories", "line", say.EventLineAdded, say.EventLineChanged, say.EventLineRemoved, kinds.OrderInventory},
		{"services", "service", say.EventServiceAdded, say.EventServiceChanged, say.EventServiceRemoved, kinds.OrderService},
		{"deposits", "deposit", say.EventDepositAdded, say.EventDepositChanged, say.EventDepositRemoved, kinds.Deposit},
		{"penalties", "fee", say.EventFeeAdded, say.EventFeeChanged, say.EventFeeRemoved, kinds.Fee},
		{"referrals", "referral", say.EventReferralAdded, say.EventReferralChanged, say.EventReferralRemoved, kinds.Referral},
	}
}

// follows tells whether a field of an order follows from others, so that its change says nothing
// by itself.
func follows(field string) bool {
	return slices.Contains([]string{
		"status", "paid_amount", "price", "price_inventory", "price_service", "price_discount", "tax", "penalty_amount", "debt", "overpaid",
		"payment_status", "rent_fact_start", "rent_fact_end",
	}, field)
}

// element is what a revision changed of one element of a list.
type element struct {
	part
	id      int64
	whole   *audit.Change           // it is new, or removed
	changes map[string]audit.Change // by field
	fields  []string
}

// eventsOf returns what an entry of an order's history tells: at least one event.
func eventsOf(e audit.Entry, o *Order) (events []Event) {
	own, elements := split(e.Changes)
	timed := slices.ContainsFunc(elements, func(el *element) bool { return el.kind == kinds.OrderInventory })
	var fields []string
	for _, c := range e.Changes {
		moved := timed && (c.Field == "rent_start" || c.Field == "rent_end") // they follow from the lines, which have events
		if _, is := own[c.Field]; is && !follows(c.Field) && !moved {
			fields = append(fields, c.Field)
		}
	}
	switch {
	case e.Action == audit.Created:
		events = append(events, Event{Kind: "created", Text: say.EventOrderCreated, Amount: amountOf(own["price"].To)})
	case len(fields) > 0:
		text := say.EventWithFields(say.EventOrderChanged, strings.Join(fields, ", "))
		events = append(events, Event{Kind: "changed", Text: text, Fields: fields})
	}
	for _, el := range elements {
		events = append(events, el.told(o)...)
	}
	events = append(append(events, paid(own["paid_amount"])...), stepped(own["status"], events)...)
	if len(events) == 0 {
		events = []Event{{Kind: "changed", Text: say.EventOrderChanged}}
	}
	for i := range events {
		if events[i].Fields == nil {
			events[i].Fields = []string{}
		}
	}
	return events
}

// split sorts changes into those of the order itself, by field, and those of elements of its lists.
func split(changes []audit.Change) (own map[string]audit.Change, elements []*element) {
	own = map[string]audit.Change{}
	for _, c := range changes {
		list, rest, nested := strings.Cut(c.Field, ".")
		number, field, _ := strings.Cut(rest, ".")
		id, err := strconv.ParseInt(number, 10, 64)
		i := slices.IndexFunc(parts(), func(p part) bool { return p.list == list })
		if !nested || err != nil || i < 0 {
			own[c.Field] = c
			continue
		}
		if n := len(elements); n == 0 || elements[n-1].list != list || elements[n-1].id != id {
			elements = append(elements, &element{part: parts()[i], id: id, changes: map[string]audit.Change{}})
		}
		el := elements[len(elements)-1]
		if field == "" {
			el.whole = &c
			continue
		}
		el.changes[field] = c
		el.fields = append(el.fields, field)
	}
	return own, elements
}

// told is what happened to an element.
func (el *element) told(o *Order) []Event {
	object := kinds.Of(el.kind).Object(el.id)
	event := func(kind string, text say.Message) Event {
		return Event{Kind: EventKind(kind), Text: text, Object: &object}
	}
	switch {
	case el.whole != nil && isNull(el.whole.From):
		e := event(el.one+"_added", el.added)
		if el.kind != kinds.OrderInventory && el.kind != kinds.OrderService {
			e.Kind = EventKind(el.one) // "deposit"
		}
		e.describe(el.whole.To)
		return []Event{e}
	case el.whole != nil:
		e := event(el.one+"_removed", el.removed)
		e.describe(el.whole.From)
		return []Event{e}
	case el.kind == kinds.OrderInventory:
		return el.line(event, o)
	case el.kind == kinds.Deposit:
		return el.deposit(event)
	case el.kind == kinds.Referral && string(el.changes["status"].To) == strconv.FormatInt(int64(ReferralPaid), 10):
		e := event("referral_paid", say.EventReferralPaid)
		e.Amount = amountOf(el.changes["paid"].To)
		return []Event{e}
	case el.kind == kinds.Referral && string(el.changes["status"].From) == strconv.FormatInt(int64(ReferralPaid), 10):
		e := event("referral_taken_back", say.EventReferralReversed)
		e.Amount = amountOf(el.changes["paid"].From)
		return []Event{e}
	}
	return el.changed(event, el.fields)
}

// changed is the event of fields that were changed; none, if only the client was, which is that of
// the order.
func (el *element) changed(event func(kind string, text say.Message) Event, fields []string) []Event {
	fields = slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return f == "client" })
	if len(fields) == 0 {
		return nil
	}
	e := event(el.one+"_changed", say.EventWithFields(el.part.changed, strings.Join(fields, ", ")))
	e.Fields = fields
	return []Event{e}
}

// line is what happened to an item line: its item was handed out or taken back, or it was changed.
func (el *element) line(event func(kind string, text say.Message) Event, o *Order) (events []Event) {
	var fields []string
	for _, f := range el.fields {
		if f != "fact_start_at" && f != "fact_end_at" && f != "penalty_amount" {
			fields = append(fields, f)
		}
	}
	events = el.changed(event, fields)
	for _, step := range []struct {
		field, kind string
		text        say.Message
	}{
		{"fact_start_at", "handed_out", say.EventItemHandedOut}, {"fact_end_at", "taken_back", say.EventItemTakenBack},
	} {
		c, is := el.changes[step.field]
		if !is || isNull(c.To) {
			continue
		}
		e := event(step.kind, step.text)
		e.Moment = textOf(c.To)
		if held := o.Line(el.id); held != nil { // it is the same as then: what was out keeps its item
			item := held.Item
			e.Inventory = &item
		}
		if fee, late := el.changes["penalty_amount"]; late && step.kind == "taken_back" {
			e.Amount = amountOf(fee.To)
			e.Text = say.EventItemTakenBackLate
		}
		events = append(events, e)
	}
	return events
}

// deposit is what happened to a deposit.
func (el *element) deposit(event func(kind string, text say.Message) Event) (events []Event) {
	var fields []string
	for _, f := range el.fields {
		by := difference(el.changes[f])
		switch f {
		case "returned":
			e := event("deposit_returned", say.EventDepositReturned)
			e.Amount = by
			events = append(events, e)
		case "withheld":
			e := event("deposit_withheld", say.EventDepositWithheld)
			e.Amount = by
			events = append(events, e)
		default:
			fields = append(fields, f)
		}
	}
	return append(events, el.changed(event, fields)...)
}

// describe adds what a new or removed element says of itself. One that is too large is not kept in
// the history as a whole.
func (e *Event) describe(whole json.RawMessage) {
	var of struct {
		Inventory *int64     `json:"inventory"`
		Service   *string    `json:"service_name"`
		StartAt   *time.Time `json:"start_at"`
		EndAt     *time.Time `json:"end_at"`
		Price     *string    `json:"price"`
		Amount    *string    `json:"amount"`
	}
	if json.Unmarshal(whole, &of) != nil {
		return
	}
	e.Inventory = of.Inventory
	switch {
	case of.Price != nil:
		e.Amount = parsed(*of.Price)
	case of.Amount != nil:
		e.Amount = parsed(*of.Amount)
	}
	switch {
	case of.Service != nil:
		e.Text = say.EventOf(e.Text, *of.Service)
	case of.StartAt != nil && of.EndAt != nil:
		e.Text = say.EventInTime(e.Text, *of.StartAt, *of.EndAt)
	case of.StartAt != nil:
		e.Text = say.EventSoldFrom(e.Text, *of.StartAt)
	}
}

// paid is the event of a change of what was paid.
func paid(c audit.Change) []Event {
	by := difference(c)
	switch {
	case by == nil || by.IsZero():
		return nil
	case by.IsNegative():
		back := by.Neg()
		return []Event{{Kind: "refunded", Text: say.EventPaymentRefunded, Amount: &back}}
	}
	return []Event{{Kind: "paid", Text: say.EventPayment, Amount: by}}
}

// stepped is what a change of the status means. That items were handed out is told of each.
func stepped(c audit.Change, others []Event) (events []Event) {
	to, err := strconv.ParseInt(string(c.To), 10, 64)
	if err != nil {
		return nil
	}
	was, _ := strconv.ParseInt(string(c.From), 10, 64)
	switch Status(to) {
	case Request:
	case Reserved:
		events = []Event{{Kind: "reserved", Text: say.EventOrderReserved}}
	case Cancelled:
		events = []Event{{Kind: "cancelled", Text: say.EventOrderCancelled}}
	case InRent:
		if !slices.ContainsFunc(others, func(e Event) bool { return e.Kind == "handed_out" }) {
			events = []Event{{Kind: "handed_out", Text: say.EventOrderHandedOut}}
		}
	case Completed, Debtor:
		if !Status(was).is(traitOver) {
			events = []Event{{Kind: "completed", Text: say.EventOrderCompleted}}
		}
		if Status(to) == Debtor {
			events = append(events, owes())
		} else if Status(was).is(traitOver) {
			events = []Event{{Kind: "settled", Text: say.EventOrderSettled}}
		}
	}
	return events
}

// owes is the event of an order that is a debtor's from now on, until it is settled.
func owes() Event { return Event{Kind: "debtor", Text: say.EventOrderIndebted} }

func isNull(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }

// difference is by how much an amount grew; nil if it is not one.
func difference(c audit.Change) *money.Amount {
	from, to := amountOf(c.From), amountOf(c.To)
	if to == nil {
		return nil
	}
	by := *to
	if from != nil {
		by = by.Sub(*from)
	}
	return &by
}

// named is a document as far as this package knows it: what it is called, and who signs it. Its domain,
// functions/documents/document, is above this one; a test there reads a document as this does.
type named struct {
	record.Meta
	Name  string   `dynamo:"n"` // kinds.Name
	Signs []signed `dynamo:"g"`
}

// signed is a sign of a document.
type signed struct {
	ID     int64         `dynamo:"i"`
	Status int64         `dynamo:"s"`
	At     moment.Micros `dynamo:"e"` // of the last change
	Signer struct {
		Name string `dynamo:"n"`
	} `dynamo:"p"`
}

// event says where a signature is.
func (s signed) event() Event {
	text := say.EventSignNotRequested
	switch s.Status {
	case 1:
		text = say.EventSignRequested
	case 2:
		text = say.EventSignOpened
	case 3:
		text = say.EventSignGoingOn
	case 4:
		text = say.EventSignRejected
	case 5:
		text = say.EventSignSigned
	}
	at := encode.Instant(s.At.Time())
	return Event{Kind: "sign", Text: text(say.Message(s.Signer.Name)), Moment: &at, Fields: []string{}}
}

// tell is what a document, which may be nil, tells: what it is called, and where each signature is.
func (n *named) tell(e Event) []Event {
	if e.Text = say.DocumentThatWasDeleted; n == nil {
		return []Event{e}
	}
	e.Text = documentCalled(n.Name)
	events := []Event{e}
	for _, sign := range n.Signs {
		events = append(events, sign.event())
	}
	return events
}

func documents() *record.Kind[*named] { return declaredDocuments.Get(declareDocuments) }

var declaredDocuments record.Declared[*named]

func declareDocuments() record.Kind[*named] {
	return record.Kind[*named]{Kind: kinds.Of(kinds.Document)}
}
