package sms

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/decode/kz"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// deliverKind is the message that has an SMS delivered.
const deliverKind outbox.Kind = "sms.deliver"

// deliverBody names the message; the company is in the key of the outbox's message.
type deliverBody struct {
	Message int64 `json:"message"`
}

// message is a message as it is stored. Its price is paid when it is made.
type message struct {
	record.Meta
	Text   string       `dynamo:"t"`
	Count  int64        `dynamo:"s"`            // segments
	Price  money.Amount `dynamo:"p"`            // for one telephone whose own price is not stored
	Status Status       `dynamo:"st"`           // follows from To
	To     []recipient  `dynamo:"to"`           // in the order in which they were sent
	User   int64        `dynamo:"us"`           // who sent it; 0: a program
	Key    int64        `dynamo:"ky,omitempty"` // the key of the program that sent it
	Claim  string       `dynamo:"cl,omitempty"` // of the worker that is sending it; see state Sending
}

// recipient is a telephone that a message goes to.
type recipient struct {
	Phone   string        `dynamo:"p"`           // E.164
	Price   *money.Amount `dynamo:"c,omitempty"` // nil in messages that cost the same everywhere: message.Price
	State   state         `dynamo:"s,omitempty"`
	Unknown bool          `dynamo:"u,omitempty"` // an attempt ended without telling whether the provider has taken it
}

// state is where a message to one telephone is. It only rises.
type state int

const (
	waiting state = iota
	// sending says that an attempt began, where a second one would send a second SMS. If the worker
	// dies, nobody knows whether the provider has taken it.
	sending
	taken     // by the provider, or perhaps by it; its report is awaited
	delivered // or what counts as it
	failed    // its price was given back
)

// Status is what became of a message, or of a message to one telephone, as callers see it.
type Status string

// The statuses of a message.
const (
	statusPending   Status = "PENDING"
	statusDelivered Status = "DELIVERED"
	statusFailed    Status = "FAILED"
)

// Values are the statuses of a message.
func (Status) Values() []enum.Value { return enum.Named(statusPending, statusDelivered, statusFailed) }

func (s state) isFinal() bool { return s == delivered || s == failed }

func (s state) status() Status {
	switch s {
	case delivered:
		return statusDelivered
	case failed:
		return statusFailed
	}
	return statusPending
}

// settle works out the status of the whole.
func (m *message) settle() {
	switch {
	case slices.ContainsFunc(m.To, func(r recipient) bool { return !r.State.isFinal() }):
		m.Status = statusPending
	case slices.ContainsFunc(m.To, func(r recipient) bool { return r.State == delivered }):
		m.Status = statusDelivered
	default:
		m.Status = statusFailed
	}
}

// cost is the price for those of the telephones that are chosen.
func (m *message) cost(chosen func(i int, r recipient) bool) (sum money.Amount) {
	for i, r := range m.To {
		if !chosen(i, r) {
			continue
		}
		if r.Price != nil {
			sum = sum.Add(*r.Price)
		} else {
			sum = sum.Add(m.Price)
		}
	}
	return sum
}

func everyOne(int, recipient) bool { return true }

// isLost tells whether a message can't be sent to a telephone.
func isLost(_ int, r recipient) bool { return r.State == failed }

// become says what became of a message whose status was another one before.
func (m *message) become(w *record.Work, was Status) {
	failures := 0
	for i, r := range m.To {
		if isLost(i, r) {
			failures++
		}
	}
	switch {
	case m.Status == was:
	case m.Status == statusDelivered:
		w.Happened(account.Delivered{On: event.Of(m.ID), Delivered: len(m.To) - failures, Failed: failures, Refunded: m.cost(isLost)})
	case m.Status == statusFailed:
		w.Happened(account.Failed{On: event.Of(m.ID), Failed: failures, Refunded: m.cost(isLost)})
	}
}

// mark stands around a telephone in the text that is searched: no message has it, because it can't
// be sent.
const mark = "\x1f"

func marked(phone string) string { return mark + phone + mark }

func messages() *record.Kind[*message] { return declaredMessages.Get(declareMessages) }

var declaredMessages record.Declared[*message]

func declareMessages() record.Kind[*message] {
	var statuses []column.Named
	for _, text := range enum.Texts(statusPending.Values()) {
		statuses = append(statuses, column.Named{Names: []string{text}, Stored: text})
	}
	return record.Kind[*message]{
		Kind: kinds.Of(kinds.SMSMessage), Unaudited: true,
		More: func(m *message) string {
			var text strings.Builder
			for _, r := range m.To {
				text.WriteString(marked(r.Phone))
			}
			return text.String() + " " + m.Text
		},
		Columns: []column.Column[*message]{
			column.Name("status", "s", func(m *message) *string { return (*string)(&m.Status) }, statuses...).
				Doc("What became of the message"),
			column.Digits("first_phone", firstPhone, (*message).first, kz.Phone, segment.Spelling{Width: 1, Trunk: true}).Hide(),
		},
	}
}

// firstPhone is the letter of the column by which a list is filtered by telephone: others than the first are in the text.
const firstPhone = "p"

// first is the first telephone.
func (m *message) first() *string {
	if len(m.To) == 0 {
		return nil
	}
	return &m.To[0].Phone
}

// byPhone is the filter by telephone.
func byPhone() resource.Filter {
	const name = "phone"
	return resource.Filter{
		Params: []web.Param{{Name: name, Doc: "A whole number, however it is written. What is no such number matches no message."}},
		Add: func(_ context.Context, r *web.Request, q *search.Query, _ fault.FieldErrors) error {
			sent := r.Param(name)
			if sent == "" {
				return nil
			}
			phone, ok := kz.Phone(sent)
			n, err := strconv.ParseInt(strings.TrimPrefix(phone, "+"), 10, 64)
			if ok && err == nil {
				q.Add(segment.AnyOf(segment.In(firstPhone, n), segment.Holding(marked(phone))))
			} else {
				q.Add(segment.In(segment.ID)) // which no message matches
			}
			return nil
		},
	}
}

type messageBody struct {
	Phones  decode.Optional[[]string] `json:"phones" required:"true" notEmpty:"true" maxItems:"100" format:"phone" example:"[\"+77011234567\"]" doc:"One that is there twice gets the message once."`
	Message decode.Optional[string]   `json:"message" required:"true" example:"Your car is ready." doc:"At most 10 segments: one holds 160 characters of the GSM alphabet, where € ^ { } \\ [ ~ ] | count twice, or 70 others; of several, each holds 153 or 67. Others are UTF-16 units: an emoji has two or more."`
}

// Message is a message as callers see it.
type Message struct {
	ID         int64        `json:"id"`
	CreatedAt  string       `json:"created_at" format:"date-time"`
	UpdatedAt  string       `json:"updated_at" format:"date-time"`
	CreatedBy  *int64       `json:"created_by" nullable:"true" doc:"The user who sent it; null: a program did"`
	Program    *int64       `json:"created_by_key" nullable:"true" doc:"Id of the key for programs with which it was sent"`
	Count      int64        `json:"count" doc:"Segments of the message; each is paid for each telephone"`
	Cost       money.Amount `json:"cost" doc:"What the message cost when it was sent"`
	Refunded   money.Amount `json:"refunded" doc:"What of it was given back, for the telephones that it could not be sent to"`
	Phones     []string     `json:"phones" doc:"In E.164"`
	Message    string       `json:"message"`
	Status     Status       `json:"status" doc:"PENDING while it is so for any telephone, FAILED if it is so for all"`
	Recipients []Recipient  `json:"recipients"`
	Tenant     int64        `json:"tenant"`
}

// Recipient is what became of a message to one telephone.
type Recipient struct {
	Phone  string `json:"phone"`
	Status Status `json:"status"`
}

func view(m *message, _ resource.Viewer) Message {
	v := Message{
		ID: m.ID, CreatedAt: m.CreatedAt(), UpdatedAt: m.UpdatedAt(), Count: m.Count, Cost: m.cost(everyOne),
		Refunded: m.cost(isLost), Message: m.Text, Status: m.Status, Tenant: int64(m.Tenant()),
		Phones: make([]string, len(m.To)), Recipients: make([]Recipient, len(m.To)),
	}
	if m.User != 0 {
		v.CreatedBy = &m.User
	}
	if m.Key != 0 {
		v.Program = &m.Key
	}
	for i, r := range m.To {
		v.Phones[i], v.Recipients[i] = r.Phone, Recipient{r.Phone, r.State.status()}
	}
	return v
}

func (g *group) messages() resource.Resource[*message, messageBody, Message] {
	return resource.Resource[*message, messageBody, Message]{
		Kind: messages(), Apply: g.apply, View: view, Made: g.made, Filters: []resource.Filter{byPhone()},
		Doc: "`search` finds messages by their text and their telephones.",
	}
}

func (g *group) apply(m *message, in *messageBody, errs fault.FieldErrors) {
	for _, phone := range in.Phones.Value {
		if !slices.ContainsFunc(m.To, func(r recipient) bool { return r.Phone == phone }) {
			m.To = append(m.To, recipient{Phone: phone})
		}
	}
	m.settle()
	if m.Text = lines(in.Message.Value); errs.Has("message") || m.Text == "" {
		return
	}
	if !canBeSent(m.Text) {
		errs.Add("message", say.SMSControlCharacters)
		return
	}
	if m.Count = segments(m.Text); m.Count > maxSegments {
		errs.Add("message", say.SMSTooLong(m.Count, maxSegments))
		return
	}
	for i := range m.To {
		to, _ := g.door.Place(m.To[i].Phone) // what has no place is refused
		price, err := to.Price.Times(m.Count)
		if err != nil {
			errs.Add("message", say.TooManyDigits)
		}
		m.To[i].Price = &price
	}
}

// abroad is the fault about telephones in countries that no SMS are sent to; nil if there are none.
func (g *group) abroad(phones []string) error {
	errs := fault.FieldErrors{}
	for i, phone := range phones {
		if _, ok := g.door.Place(phone); !ok {
			errs.Add(strconv.Itoa(i), say.SMSCountry)
		}
	}
	if !errs.Any() {
		return nil
	}
	return (&fault.Error{Code: fault.Invalid, Fields: fault.FieldErrors{"phones": errs}}).With("code", "country")
}

// made pays for a message and leaves it to be delivered.
func (g *group) made(ctx context.Context, w *record.Work, m *message, in *messageBody) error {
	if err := w.Errors("").Err(); err != nil {
		return err
	}
	if err := g.door.Open(); err != nil {
		return err
	}
	if err := g.abroad(in.Phones.Value); err != nil {
		return err
	}
	m.User, m.Key = w.Scope().Actor.User, w.Scope().Actor.Key
	phones := make([]string, len(m.To))
	for i, r := range m.To {
		phones[i] = r.Phone
	}
	if err := g.door.Pays(ctx, w, phones, m.Count, &account.Operation{Amount: m.cost(everyOne).Neg(), Message: &m.ID}); err != nil {
		return err
	}
	if err := w.Number(ctx); err != nil {
		return err
	}
	w.Happened(account.Sent{On: event.Of(m.ID), Recipients: len(m.To), Segments: m.Count, Cost: m.cost(everyOne)})
	return w.Send(deliverKind, deliverBody{m.ID})
}
