// Package endpoint provides the webhooks of a company: where programs of others are told what happens in it, and how far each has been
// told.
//
// An Endpoint is the record that its owner sees. Its State is beside it: a cursor in the company's log of events
// (shared/record/eventlog), and the deliveries that are to be tried again. While an endpoint is enabled it follows the log: new events
// arm its message (outbox.Deliver), and the function deliver goes on from the cursor. Deliveries are kept for 30 days, an item for each
// run.
//
// What never goes in here: HTTP, in either direction. functions/webhooks serves the API, functions/deliver calls the receivers.
package endpoint

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	// Most is how many webhooks a company may have.
	Most = 20
)

// Payload says what a receiver is sent of an event.
type Payload string

// The payloads.
const (
	Thin  Payload = "thin"
	Whole Payload = "whole"
)

// Values are the payloads.
func (Payload) Values() []enum.Value { return enum.Named(Thin, Whole) }

// Version is the form of what is sent.
type Version int64

// Latest is the form that new webhooks have.
const Latest Version = 1

// Values are the versions.
func (Version) Values() []enum.Value {
	return enum.Numbers(map[Version]string{Latest: "Standard Webhooks"})
}

// Reason is why the platform has disabled a webhook.
type Reason string

// The reasons.
const (
	Gone    Reason = "gone"
	Failing Reason = "failing"
)

// Values are the reasons.
func (Reason) Values() []enum.Value { return enum.Named(Gone, Failing) }

// Endpoint is a webhook as its company sees it.
type Endpoint struct {
	record.Meta
	URL         string         `dynamo:"u"`
	Types       []string       `dynamo:"ty"` // as eventlog.Matches takes them
	Description string         `dynamo:"ds,omitempty"`
	Enabled     bool           `dynamo:"on"`
	Payload     Payload        `dynamo:"pl"`
	Version     Version        `dynamo:"ve"`
	CreatedBy   int64          `dynamo:"cb"`
	Base        string         `dynamo:"ba"` // scheme and host of the API, with which addresses in whole records begin
	Secret      Generation     `dynamo:"sg"`
	Before      *Generation    `dynamo:"sb,omitempty"` // the secret that was replaced, while its signatures are made too
	Followed    moment.Micros  `dynamo:"fl,omitempty"` // since when it follows these types
	Disabled    Reason         `dynamo:"dr,omitempty"` // empty unless the platform has disabled it
	DisabledAt  *moment.Micros `dynamo:"da,omitempty"`
}

// Shown is what a history tells of a webhook.
type Shown struct {
	URL            string   `json:"url"`
	Types          []string `json:"types"`
	Description    string   `json:"description"`
	Enabled        bool     `json:"enabled"`
	Payload        Payload  `json:"payload"`
	Version        Version  `json:"version"`
	CreatedBy      int64    `json:"created_by"`
	Secret         int      `json:"secret_generation"`
	DisabledReason *Reason  `json:"disabled_reason"`
	DisabledAt     *string  `json:"disabled_at"`
}

// Kind declares the kind of webhooks.
func Kind() *record.Kind[*Endpoint] { return declared.Get(declare) }

var declared record.Declared[*Endpoint]

func declare() record.Kind[*Endpoint] {
	return record.Kind[*Endpoint]{
		Kind: kinds.Of(kinds.Webhook), Most: Most,
		Shown: func(e *Endpoint) any {
			return Shown{
				e.URL, e.Types, e.Description, e.Enabled, e.Payload, e.Version, e.CreatedBy, e.Secret.Number, e.Why(),
				encode.Moment(e.DisabledAt),
			}
		},
	}
}

// Why is why the platform has disabled the webhook; nil if it hasn't.
func (e *Endpoint) Why() *Reason {
	if e.Disabled == "" {
		return nil
	}
	return &e.Disabled
}

// MessageKey is the key of the message that new events arm for a webhook.
func MessageKey(id int64) string { return strconv.FormatInt(id, 10) }

// Arm adds to a transaction that deliver looks at a webhook.
func Arm(tx *table.Tx, t *table.Tenant, id int64, now time.Time) {
	outbox.Arm(tx, t, outbox.NewKeyed(t.Message, outbox.Deliver, MessageKey(id), now))
}

// Give gives a new webhook its first secret, its state, and its place among those that follow the log. From then on it is told what
// happens.
func Give(ctx context.Context, w *record.Work, e *Endpoint, first Generation) error {
	t, now := w.Scope().Table, w.Scope().Now()
	end, err := eventlog.Of(t, w.Scope().Now).End(ctx)
	if err != nil {
		return err
	}
	e.Secret = first
	if e.Enabled {
		e.Followed = moment.Of(now)
	}
	w.Also(func(tx *table.Tx) error {
		id := record.ID(e)
		tx.Put(t.Create(fresh(t, id, end)), table.ErrRevision)
		if e.Enabled {
			eventlog.Follow(tx, t, MessageKey(id), e.Types)
			Arm(tx, t, id, now)
		}
		return nil
	})
	return nil
}

// Change brings the state and the following of a webhook in step with a change of it. before is what it was.
//
// Who is enabled goes on with what happens from then on. What has failed so far is forgotten then; where a webhook has another URL, it is
// tried there at once.
func Change(ctx context.Context, w *record.Work, e, before *Endpoint) error {
	t, id, now := w.Scope().Table, record.ID(e), w.Scope().Now()
	begins, ends, moved := e.Enabled && !before.Enabled, !e.Enabled && before.Enabled, e.URL != before.URL
	if begins {
		e.Disabled, e.DisabledAt = "", nil
	}
	follows := e.Enabled && (begins || !slices.Equal(e.Types, before.Types))
	if follows {
		e.Followed = moment.Of(now)
	}
	if !follows && !ends && !moved { // deliveries go on as before
		return nil
	}
	s, err := StateOf(ctx, w, id)
	if err != nil {
		return err
	}
	next := s
	switch {
	case begins:
		end, err := eventlog.Of(t, w.Scope().Now).End(ctx)
		if err != nil {
			return err
		}
		next.restart(end)
	case moved:
		next.Forgive(moment.Of(now))
	case follows:
		next.Turn++
	}
	item, err := dynamo.MarshalItem(next) // for the answer
	if err != nil {
		return err
	}
	w.Know(map[table.Key]table.Attributes{next.Key(): item}, next.Key())
	w.Also(func(tx *table.Tx) error {
		if follows || moved {
			tx.Update(next.Update(t).If(AsRead, s.Revision), table.ErrRevision)
		}
		switch {
		case follows:
			eventlog.Follow(tx, t, MessageKey(id), e.Types)
		case ends:
			eventlog.Unfollow(tx, t, MessageKey(id))
		}
		if e.Enabled && (follows || moved) {
			Arm(tx, t, id, now)
		}
		return nil
	})
	return nil
}

// Forget removes the state of a webhook that is removed. Its deliveries end by themselves.
func Forget(w *record.Work, e *Endpoint) {
	t, id := w.Scope().Table, record.ID(e)
	w.Also(func(tx *table.Tx) error {
		tx.Delete(t.Delete(t.Hook(id)), nil)
		eventlog.Unfollow(tx, t, MessageKey(id))
		return nil
	})
}

// Stopped disables a webhook because of what deliveries have found. is is false if they go on by now, or its owner has disabled it.
func Stopped(ctx context.Context, w *record.Work, e *Endpoint, stop Stop) (is bool, err error) {
	s, err := StateOf(ctx, w, record.ID(e))
	if err != nil || !e.Enabled || s.Stopped != stop.Reason {
		return false, err
	}
	t, id, at := w.Scope().Table, record.ID(e), moment.Of(w.Scope().Now())
	e.Enabled, e.Disabled, e.DisabledAt = false, stop.Reason, &at
	w.Happened(WasDisabled{event.Of(id), stop.Reason})
	w.Also(func(tx *table.Tx) error {
		tx.Update(s.Update(t).If(AsRead, s.Revision), table.ErrRevision)
		eventlog.Unfollow(tx, t, MessageKey(id))
		return nil
	})
	return true, nil
}
