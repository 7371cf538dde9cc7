package endpoint

import (
	"context"
	crand "crypto/rand"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// Read returns the state of a webhook. It fails with fault.ErrNotFound if the webhook does not exist.
func Read(ctx context.Context, t *table.Tenant, id int64) (s State, err error) {
	err = t.Get(ctx, t.Hook(id), &s)
	if errors.Is(err, table.ErrNotFound) {
		return s, fault.ErrNotFound
	}
	return s, err
}

// StateOf is the state of a webhook as a unit of work has read it; the zero State of one that is being made.
func StateOf(ctx context.Context, w *record.Work, id int64) (s State, err error) {
	item, err := w.Item(ctx, w.Scope().Table.Hook(id))
	if err != nil || item == nil {
		return s, err
	}
	err = item.Decode(&s)
	return s, err
}

// Load returns a webhook with its state; fault.ErrNotFound if it is no more. The state is read first: what its owner changes in between
// is in the webhook then, and its turn is not in the state, which can't be written any more.
func Load(ctx context.Context, t *table.Tenant, id int64) (e Endpoint, s State, err error) {
	if id < 1 || id > table.MaxID {
		return e, s, fault.ErrNotFound
	}
	if s, err = Read(ctx, t, id); err != nil {
		return e, s, err
	}
	if err = t.Get(ctx, t.Record(kinds.Webhook, id), &e); errors.Is(err, table.ErrNotFound) {
		err = fault.ErrNotFound
	}
	return e, s, err
}

// ErrHeld says that somebody else delivers now.
type ErrHeld struct{ Until time.Time }

// Error is for logs.
func (e ErrHeld) Error() string { return "endpoint: held until " + e.Until.Format(time.RFC3339) }

// Hold takes the state for some time, in which nobody else delivers: the message of a webhook is armed while it is carried out, and then
// comes to another worker. It is ErrHeld if somebody has it already, and table.ErrRevision if it has changed since it was read: it and its
// webhook have to be read anew.
func (s *State) Hold(ctx context.Context, t *table.Tenant, now time.Time, d time.Duration) error {
	if s.Holder != "" && s.Held > outbox.DueKey(now) {
		return ErrHeld{now.Add(d)}
	}
	before, holder, held := s.Holder, crand.Text(), outbox.DueKey(now.Add(d))
	err := table.Retry(ctx, func() error {
		u := t.Update(s.Key()).Set("h", holder).Set("l", held).If(AsRead, s.Revision)
		if before == "" {
			return u.If("attribute_not_exists(h) OR h = ?", holder).Run(ctx)
		}
		return u.If("h = ? OR h = ?", before, holder).Run(ctx)
	})
	if dynamo.IsCondCheckFailed(err) {
		return table.ErrRevision
	}
	s.Holder, s.Held = holder, held
	return err
}

// ErrLost says that a state is not held any more, so nothing is written to it.
var ErrLost = errors.New("endpoint: the webhook is somebody else's now")

// Attempts are what a run has tried, in the order of their ends.
type Attempts struct {
	Tried  []Tried
	Turn   int64 // the turn that it began with
	Cursor int64 // the cursor that it has come to
	Run    *Run  // how they are told
}

// Save writes what a run has tried, and lets go of the state. What was asked for meanwhile, or changed by the owner, is kept. What stops
// the webhook leaves a message, which disables it.
func (s *State) Save(ctx context.Context, t *table.Tenant, a Attempts, now time.Time) error {
	if err := a.Run.put(ctx, t, s); err != nil {
		return err
	}
	for {
		next := s.after(a)
		err := s.write(ctx, t, &next, now)
		if !errors.Is(err, table.ErrRevision) {
			next.Revision, next.Holder, next.Held = s.Revision+1, "", ""
			*s = next
			return err
		}
		meanwhile, err := Read(ctx, t, s.id())
		switch {
		case errors.Is(err, fault.ErrNotFound) || err == nil && meanwhile.Holder != s.Holder:
			return ErrLost
		case err != nil:
			return err
		}
		*s = meanwhile
	}
}

// write writes the state that is next and lets go of it, with the message that stops the webhook if it is to stop.
func (s *State) write(ctx context.Context, t *table.Tenant, next *State, now time.Time) error {
	update := func() *dynamo.Update {
		return next.Update(t).Remove("h", "l").If(AsRead, s.Revision).If("h = ?", s.Holder)
	}
	if next.Stopped == s.Stopped {
		err := table.Retry(ctx, func() error { return update().Run(ctx) })
		if dynamo.IsCondCheckFailed(err) {
			return table.ErrRevision
		}
		return err
	}
	return t.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Update(update(), table.ErrRevision)
		m, err := outbox.New(t.Message, StoppedKind, Stop{ID: s.id(), Reason: next.Stopped, Since: next.Since}, now, now)
		if err == nil {
			outbox.Send(tx, t, m)
		}
		return err
	})
}

// after is the state after what a run has tried. If the owner has changed something meanwhile (Turn), the run has read the log by what was
// before, so its events are told once more, and what has failed is no fault of what is now.
func (s *State) after(a Attempts) State {
	next := *s
	for _, tried := range a.Tried {
		switch {
		case next.Turn == a.Turn || tried.Outcome == Succeeded || tried.Outcome == Lost:
		case tried.Asked == nil:
			continue
		default:
			tried.Outcome = Failed
		}
		next.Record(tried)
	}
	if a.Run != nil {
		next.Next = a.Run.end()
	}
	if next.Turn == a.Turn {
		next.Cursor = a.Cursor
	}
	next.Open = without(next.Open, func(o Open) bool { return o.Event > next.Cursor })
	return next
}

// id is the webhook's.
func (s *State) id() int64 {
	id, _ := table.ParseSortID(s.SK) // its key was made of one
	return id
}

// StoppedKind is the message that disables a webhook.
const StoppedKind outbox.Kind = "webhooks.stopped"

// Stop is the body of that message.
type Stop struct {
	ID     int64         `json:"id"`
	Reason Reason        `json:"reason"`
	Since  moment.Micros `json:"since"`
}
