package sms

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/functions/tenants/usage"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/record"
)

const (
	// tries is how long a message is tried to be sent.
	tries = 30 * time.Minute
	// silence is how long a report is awaited. If none comes, what the provider has taken counts as
	// delivered.
	silence = 72 * time.Hour

	parallel = 25 // telephones to which a message is sent at once
	// spare is how much of a worker's time must be left for further telephones.
	spare = 5 * time.Second
)

// delivery is one attempt of the worker to deliver a message.
type delivery struct {
	group  *group
	scope  record.Scope
	id     int64
	claim  string
	traits notify.Traits

	tried   map[int]error // what became of the telephones that this attempt has tried, by their index
	problem error         // why the last telephone that waits could not be sent to
}

// deliver carries out the outbox's message of a message. It is called again until every telephone
// has its final state.
func (g *group) deliver(ctx context.Context, m outbox.Message) error {
	var b deliverBody
	scope, err := record.OpenMessage(g.env.Table, m, g.env.Now, &b)
	if err != nil {
		return err
	}
	d := delivery{
		group: g, id: b.Message, claim: m.Claim, traits: notify.TraitsOf(g.env.Notify, notify.SMS), tried: map[int]error{}, scope: scope,
	}
	further, cancel := outbox.Early(ctx, spare)
	defer cancel()
	for {
		msg, next, err := d.advance(ctx)
		switch {
		case errors.Is(err, fault.ErrNotFound):
			return fmt.Errorf("%w: the message is gone", outbox.ErrDrop)
		case err != nil:
			return err
		case len(next) == 0:
			return d.rest(msg)
		}
		d.send(ctx, msg, next)
		if further.Err() != nil {
			msg, err := d.conclude(ctx)
			if err != nil {
				return err
			}
			return d.rest(msg)
		}
	}
}

// rest says what is left to do.
func (d *delivery) rest(m *message) error {
	until := m.Created.Time().Add(tries)
	in := func(s state) bool {
		return slices.ContainsFunc(m.To, func(r recipient) bool { return r.State == s })
	}
	switch {
	case in(waiting) && d.problem != nil:
		return outbox.AtLatest{Until: until, Err: d.problem}
	case in(waiting), in(sending):
		return outbox.Later{Until: d.group.env.Now()}
	case in(taken):
		return outbox.Later{Until: m.Created.Time().Add(silence)}
	}
	return nil
}

// send sends the message to telephones, all at once.
func (d *delivery) send(ctx context.Context, m *message, next []int) {
	var (
		mu   sync.Mutex
		wait sync.WaitGroup
	)
	secret := d.group.env.Config.SMS.CallbackSecret
	for _, i := range next {
		wait.Go(func() {
			err := d.group.env.Notify.Send(ctx, notify.Message{
				ID: reference{d.scope.Table.ID(), m.ID, i, m.Created}.text(secret), Channel: notify.SMS, To: m.To[i].Phone, Text: m.Text,
			})
			mu.Lock()
			defer mu.Unlock()
			d.tried[i] = err
		})
	}
	wait.Wait()
}

// advance records what became of the telephones that were tried, and returns those to try next.
func (d *delivery) advance(ctx context.Context) (m *message, next []int, err error) {
	return d.write(ctx, parallel)
}

// conclude records what became of the telephones that were tried.
func (d *delivery) conclude(ctx context.Context) (*message, error) {
	m, _, err := d.write(ctx, 0)
	return m, err
}

// write brings the message up to date, and begins to send it to as many telephones. If the answer
// of the table is lost, it asks again: what this attempt has written, it finds by its claim.
func (d *delivery) write(ctx context.Context, most int) (m *message, next []int, err error) {
	for range 2 {
		err = d.scope.Do(ctx, nil, func(w *record.Work) (err error) {
			if m, err = messages().Edit(ctx, w, d.id); err != nil {
				return err
			}
			next, err = d.decide(ctx, w, m, most)
			return err
		})
		if f, ok := fault.As(err); !ok || f.Code != fault.Unavailable {
			return m, next, err
		}
	}
	return m, nil, err
}

// decide decides what becomes of each telephone.
func (d *delivery) decide(ctx context.Context, w *record.Work, m *message, most int) (next []int, err error) {
	now, created := d.group.env.Now(), m.Created.Time()
	over, silent := !now.Before(created.Add(tries)), !now.Before(created.Add(silence))
	own, status := m.Claim == d.claim, m.Status
	m.To = slices.Clone(m.To)
	lost := map[int]bool{}
	for i := range m.To {
		r := &m.To[i]
		was := r.State
		if problem, tried := d.tried[i]; tried && (was == waiting || was == sending) {
			d.conclusion(r, problem)
		} else if was == sending && !own {
			r.State = taken // by the provider, perhaps: the worker that began is dead
		}
		if r.State == waiting && over {
			r.State = failed
			if r.Unknown {
				r.State = taken
			}
		}
		if r.State == taken && (silent || !d.traits.Reports) {
			r.State = delivered
		}
		if r.State == failed && was != failed {
			lost[i] = true
		}
		if _, tried := d.tried[i]; !tried && len(next) < most && (r.State == waiting || r.State == sending) {
			next = append(next, i)
			if !d.traits.Once {
				r.State = sending
			}
		}
	}
	if m.Claim = ""; !d.traits.Once && len(next) > 0 {
		m.Claim = d.claim
	}
	m.settle()
	m.become(w, status)
	return next, refund(ctx, w, m, lost)
}

// conclusion is what the outcome of an attempt means for a telephone.
func (d *delivery) conclusion(r *recipient, problem error) {
	switch {
	case problem == nil:
		r.State = taken
	case errors.Is(problem, notify.ErrRefused):
		r.State = failed
	case errors.Is(problem, notify.ErrNotSent):
		r.State, d.problem = waiting, problem
	case d.traits.Once:
		r.State, r.Unknown, d.problem = waiting, true, problem
	default:
		r.State = taken // an unknown outcome counts as sent
	}
}

// refund gives back what the message cost for some of its telephones.
func refund(ctx context.Context, w *record.Work, m *message, lost map[int]bool) error {
	if len(lost) == 0 {
		return nil
	}
	amount := m.cost(func(i int, _ recipient) bool { return lost[i] })
	if err := usage.Spend(ctx, w, usage.Spent{SMS: -int64(len(lost)) * m.Count, Cost: amount.Neg()}); err != nil {
		return err
	}
	return account.Book(ctx, w, &account.Operation{Amount: amount, Message: &m.ID})
}
