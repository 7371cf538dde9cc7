package deliver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tenantry/tenantry/functions/show/job"
	"github.com/tenantry/tenantry/functions/webhooks/endpoint"
	"github.com/tenantry/tenantry/functions/webhooks/signature"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/eventlog/view"
	"github.com/tenantry/tenantry/shared/remote/public"
	"github.com/tenantry/tenantry/shared/say"
)

// Message is what a receiver is sent.
type Message struct {
	ID        string     `json:"id" doc:"The same in each attempt to deliver the same thing: evt_<company>_<id of the event>."`
	Type      event.Name `json:"type" doc:"The type of the event, or webhook.test."`
	Timestamp string     `json:"timestamp" format:"date-time" doc:"When it happened."`
	Data      any        `json:"data"`
}

// ThinData is what a message says of an event.
type ThinData struct {
	Company int64          `json:"company" doc:"The company in which it happened."`
	Event   *view.LogEvent `json:"event" doc:"The event as GET /v1/events/ answers it; null in a test."`
}

// WholeData also has the record that the event is about, as it is when it is sent.
type WholeData struct {
	ThinData
	Record   json.RawMessage `json:"record" doc:"As GET of its path answers an owner; null if it is gone, or has no path of its own."`
	Revision *int64          `json:"record_revision" doc:"That of its ETag."`
	TooLarge bool            `json:"record_too_large,omitempty" doc:"The record is there, and too large to be sent: read it at its path."`
}

// testType is the type of a message by which an owner tries a webhook.
const testType event.Name = "webhook.test"

// errUnshown is why an attempt was not made whose record could not be read. The owner of the webhook reads it.
const errUnshown = say.WebhookRecordUnread

// made is an attempt that was made.
type made struct {
	answer public.Answer
	err    error
	begun  time.Time
	id     string
}

// round makes some calls at once, and records them in their order. With an error none of them is recorded.
func (r *run) round(ctx context.Context, calls []call) error {
	secrets, err := r.secrets.of(ctx, r.tenant.ID(), r.endpoint, r.env.Now())
	if err != nil {
		return err
	}
	records, err := r.records(ctx, calls)
	if err != nil {
		return err
	}
	done := make([]made, len(calls))
	var all sync.WaitGroup
	for i, c := range calls {
		if c.Outcome == endpoint.Lost {
			continue
		}
		m := r.message(c, records)
		if done[i].id = m.ID; records[c.entry.About().String()].Fails {
			done[i].begun, done[i].err = r.env.Now(), errUnshown
			continue
		}
		body, err := encode.JSON(m)
		if err != nil {
			all.Wait() // what was sent already uses what the run ends with
			return err
		}
		all.Go(func() {
			begun := r.env.Now()
			header := http.Header{"Content-Type": {"application/json"}}
			for name, value := range signature.Headers(secrets, m.ID, begun, body) {
				header.Set(name, value)
			}
			answer, err := r.receivers.Post(ctx, r.endpoint.URL, header, body)
			done[i] = made{answer, err, begun, m.ID}
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, c := range calls {
		r.record(c, done[i])
	}
	return nil
}

// record records a call that was made.
func (r *run) record(c call, m made) {
	c.At = moment.Of(r.env.Now())
	d := endpoint.Delivery{
		Message: m.id, Event: c.Open.Event, Type: c.entry.Name, Cause: c.cause, Attempt: c.Open.Attempts + 1,
		At: moment.Of(m.begun), Took: m.answer.Took.Milliseconds(), Status: m.answer.Status, Answer: m.answer.Body,
	}
	if c.cause == endpoint.Test {
		d.Type = testType
	}
	switch status := m.answer.Status; {
	case c.Outcome == endpoint.Lost:
	case errors.Is(m.err, errUnshown):
		c.Outcome, d.Problem = endpoint.Unshown, say.Of(m.err)
	case m.err != nil:
		c.Outcome, d.Problem = endpoint.Failed, say.Of(m.err)
	case status >= 200 && status <= 299:
		c.Outcome = endpoint.Succeeded
	case status == http.StatusGone:
		c.Outcome, d.Problem = endpoint.Refused, say.WebhookReceiverGone
	case status >= 300 && status <= 399:
		c.Outcome, d.Problem = endpoint.Failed, say.WebhookRedirected
	default:
		c.Outcome = endpoint.Failed
	}
	d.Next = r.now.Record(c.Tried)
	r.tried = append(r.tried, c.Tried)
	if c.Outcome != endpoint.Lost {
		r.told = append(r.told, d)
	}
}

// message makes what a call sends.
func (r *run) message(c call, records map[string]job.Shown) Message {
	company := r.tenant.ID()
	m := Message{Type: testType}
	data := ThinData{Company: int64(company)}
	object := ""
	if c.cause == endpoint.Test {
		m.ID, m.Timestamp = c.Asked.Message(company), encode.Instant(c.Asked.At.Time())
	} else {
		e := view.Of(c.entry)
		m.ID, m.Type, m.Timestamp = endpoint.EventMessage(company, e.ID), e.Type, e.CreatedAt
		data.Event, object = &e, e.Object
	}
	m.Data = data
	if r.endpoint.Payload == endpoint.Whole {
		of := records[object]
		m.Data = WholeData{data, of.Record, of.Revision, of.TooLarge}
	}
	return m
}

// records asks what the records look like that some calls are about, each once, if the webhook sends whole records.
func (r *run) records(ctx context.Context, calls []call) (map[string]job.Shown, error) {
	if r.endpoint.Payload != endpoint.Whole {
		return nil, nil
	}
	var objects []string
	for _, c := range calls {
		if c.Open.Event == 0 || c.Outcome == endpoint.Lost {
			continue
		}
		if object := c.entry.About().String(); !slices.Contains(objects, object) {
			objects = append(objects, object)
		}
	}
	if len(objects) == 0 {
		return nil, nil
	}
	list, err := job.Ask(ctx, r.env.Show, r.tenant.ID(), r.endpoint.Base, objects)
	if err != nil {
		return nil, err
	}
	records := map[string]job.Shown{}
	for i, object := range objects {
		records[object] = list[i]
	}
	return records, nil
}
