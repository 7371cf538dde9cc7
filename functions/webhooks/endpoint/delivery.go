package endpoint

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// keep is how long deliveries are kept, so that each can be read for 30 days.
const keep = 31 * 24 * time.Hour

// Cause is why a delivery was tried.
type Cause string

// The causes.
const (
	Event  Cause = "event"
	Retry  Cause = "retry"
	Resend Cause = "resend"
	Test   Cause = "test"
)

// Values are the causes.
func (Cause) Values() []enum.Value { return enum.Named(Event, Retry, Resend, Test) }

// Delivery is one attempt to deliver an event, or a test.
type Delivery struct {
	Message string        `dynamo:"m"` // its webhook-id
	Event   int64         `dynamo:"e,omitempty"`
	Type    event.Name    `dynamo:"t"`
	Cause   Cause         `dynamo:"c"`
	Attempt int           `dynamo:"a"` // from 1
	At      moment.Micros `dynamo:"at"`
	Took    int64         `dynamo:"d"` // milliseconds
	Status  int           `dynamo:"s,omitempty"`
	Answer  string        `dynamo:"b,omitempty"` // the first 1 KB of it
	Problem say.Message   `dynamo:"p,omitempty"` // says why no answer came, or why it does not count
	Next    moment.Micros `dynamo:"n,omitempty"` // when it is tried again
}

// Succeeded tells whether the receiver has taken it.
func (d Delivery) Succeeded() bool { return d.Problem == "" && d.Status >= 200 && d.Status <= 299 }

// Message is the webhook-id of a delivery of a company that somebody asks for.
func (a Asked) Message(company tenant.ID) string {
	if a.Test != "" {
		return "test_" + a.Test
	}
	return EventMessage(company, a.Event)
}

// EventMessage is the webhook-id of an event.
func EventMessage(company tenant.ID, number int64) string {
	return "evt_" + company.String() + "_" + strconv.FormatInt(number, 10)
}

// Run is one item with deliveries, which have numbers in the order of their ends.
type Run struct {
	table.Item
	First      int64      `dynamo:"n"`
	TTL        int64      `dynamo:"ttl"`
	Deliveries []Delivery `dynamo:"d"`
}

const runVersion = 1

// NewRun makes the item of some deliveries, of one at least.
func NewRun(list []Delivery, now time.Time) *Run {
	return &Run{Deliveries: list, TTL: now.Add(keep).Unix()}
}

// end is the number after the last delivery of the run.
func (r *Run) end() int64 { return r.First + int64(len(r.Deliveries)) }

// put writes the run behind the deliveries of a state. If there is one already, its process died before it could say so in the state:
// those deliveries were made, so they stay.
func (r *Run) put(ctx context.Context, t *table.Tenant, s *State) error {
	if r == nil {
		return nil
	}
	for first := s.Next; ; {
		r.First, r.Item = first, table.At(t.HookRun(s.id(), first), runVersion)
		err := table.Retry(ctx, func() error { return t.Create(r).Run(ctx) })
		if !dynamo.IsCondCheckFailed(err) {
			return err
		}
		var there Run
		if err := t.Get(ctx, r.Key(), &there); err != nil {
			return err
		}
		if slices.Equal(there.Deliveries, r.Deliveries) {
			return nil // its answer was lost
		}
		first = there.end()
	}
}

// Numbered is a delivery with its number, which is one of its webhook.
type Numbered struct {
	Number int64
	Delivery
}

// Range returns deliveries of a webhook from one number down to another, the newest first.
func Range(ctx context.Context, t *table.Tenant, id, from, to int64) (list []Numbered, err error) {
	it := between(t, id, 1, from).Order(dynamo.Descending).Iter()
	for {
		var r Run
		if !it.Next(ctx, &r) {
			return list, it.Err()
		}
		for n := min(from, r.end()-1); n >= max(to, r.First); n-- {
			list = append(list, Numbered{n, r.Deliveries[n-r.First]})
		}
		if r.First <= to {
			return list, nil
		}
	}
}

// One returns a delivery of a webhook; ok is false if it is not kept.
func One(ctx context.Context, t *table.Tenant, id, number int64) (d Numbered, ok bool, err error) {
	var found []Run
	if number < 1 || number > table.MaxID {
		return d, false, nil
	}
	if err := between(t, id, 1, number).Order(dynamo.Descending).Limit(1).All(ctx, &found); err != nil {
		return d, false, err
	}
	if len(found) == 0 || found[0].end() <= number {
		return d, false, nil
	}
	return Numbered{number, found[0].Deliveries[number-found[0].First]}, true, nil
}

// Kept returns the numbers of the oldest delivery that is kept and of the newest one, which is the lower one if none is.
func Kept(ctx context.Context, t *table.Tenant, id int64) (oldest, newest int64, err error) {
	s, err := Read(ctx, t, id)
	if err != nil {
		return 0, 0, err
	}
	var r Run
	it := between(t, id, 1, table.MaxID).Order(dynamo.Ascending).Limit(1).Iter()
	if !it.Next(ctx, &r) {
		return 1, 0, it.Err()
	}
	return r.First, s.Next - 1, nil
}

// between asks for the runs that begin between two numbers.
func between(t *table.Tenant, id, from, to int64) *dynamo.Query {
	return t.Table().Get("pk", t.Hooks()).
		Range("sk", dynamo.Between, t.HookRun(id, from).SK, t.HookRun(id, to).SK).Consistent(true)
}
