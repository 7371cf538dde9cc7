package endpoint

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	// MostOpen is how many events may wait to be tried again. While there are so many, the others wait in the log.
	MostOpen = 100
	// MostAsked is how many deliveries may wait that somebody has asked for.
	MostAsked = 20
	// probesAfter is how many failures in a row it takes until only the oldest event is tried.
	probesAfter = 10
	// gaveUpAfter is how long a webhook fails until it is disabled.
	gaveUpAfter = 5 * 24 * time.Hour
)

// pauses are how long an event waits after each attempt that failed. One that has failed once more is given up.
func pauses() []time.Duration {
	return []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour,
		24 * time.Hour,
	}
}

// pause is one of the pauses, the last one from there on, and up to a tenth more or less: what failed together doesn't come back
// together. It follows from the attempt, because each is recorded twice: to tell when it comes again, and in the state that is saved.
func pause(i int, t Tried) time.Duration {
	all := pauses()
	d := all[min(i, len(all)-1)]
	luck := rand.New(rand.NewPCG(uint64(t.At), uint64(t.Open.Event))) //nolint:gosec // jitter, not a secret
	return d*9/10 + time.Duration(luck.Int64N(int64(d/5)))
}

// State is how far a webhook has been told what happens, and what is to be tried again.
type State struct {
	table.Item
	Cursor   int64         `dynamo:"c"`            // the event of the log up to which each was delivered once at least, or waits in Open
	Open     []Open        `dynamo:"o,omitempty"`  // by their events
	Asked    []Asked       `dynamo:"a,omitempty"`  // the oldest first
	Failures int           `dynamo:"f,omitempty"`  // in a row
	Since    moment.Micros `dynamo:"fs,omitempty"` // when the first of them was
	Probes   int           `dynamo:"p,omitempty"`  // of them, since only the oldest event is tried
	Probe    moment.Micros `dynamo:"pa,omitempty"` // when it is tried next
	Success  moment.Micros `dynamo:"s,omitempty"`  // the last one
	Next     int64         `dynamo:"n"`            // the number of the next delivery
	Turn     int64         `dynamo:"t,omitempty"`  // counts how often its owner has changed what it is told, where, or from where on
	Revision int64         `dynamo:"r"`            // counts the changes of the fields above
	Stopped  Reason        `dynamo:"x,omitempty"`  // why it is being disabled

	Holder string `dynamo:"h,omitempty"` // who delivers now
	Held   string `dynamo:"l,omitempty"` // until when nobody else does: outbox.DueKey
}

const stateVersion = 1

// Open is an event that is to be tried again.
type Open struct {
	Event    int64         `dynamo:"n"` // its number in the log
	Attempts int           `dynamo:"a"`
	Due      moment.Micros `dynamo:"d"`
}

// Asked is a delivery that somebody has asked for, which is tried once.
type Asked struct {
	Test  string        `dynamo:"t,omitempty"`  // the id of a test
	At    moment.Micros `dynamo:"at,omitempty"` // when a test was asked for
	Event int64         `dynamo:"n,omitempty"`  // the event that is to be delivered once more
}

// fresh is the state of a webhook that is told what comes after an event.
func fresh(t *table.Tenant, id, cursor int64) State {
	return State{Item: table.At(t.Hook(id), stateVersion), Cursor: cursor, Next: 1}
}

// restart begins behind an event, as if nothing had been before.
func (s *State) restart(cursor int64) {
	*s = State{Item: s.Item, Cursor: cursor, Asked: s.Asked, Success: s.Success, Next: s.Next, Turn: s.Turn + 1, Revision: s.Revision}
}

// Recover goes back to an event, if the webhook is behind it already, and tries at once what has failed.
func (s *State) Recover(cursor int64, now moment.Micros) {
	s.Cursor = min(s.Cursor, cursor)
	s.Open = slices.DeleteFunc(slices.Clone(s.Open), func(o Open) bool { return o.Event > s.Cursor })
	s.Forgive(now)
}

// Forgive forgets how often deliveries have failed in a row, and tries at once what waits.
func (s *State) Forgive(now moment.Micros) {
	s.Failures, s.Since, s.Probes, s.Probe, s.Stopped = 0, 0, 0, 0, ""
	s.Turn++
	s.Open = slices.Clone(s.Open)
	for i := range s.Open {
		s.Open[i].Due = min(s.Open[i].Due, now)
	}
}

// Ask adds a delivery that somebody asks for, unless it waits already; ok is false if too many wait.
func (s *State) Ask(a Asked) (ok bool) {
	if slices.Contains(s.Asked, a) {
		return true
	}
	if len(s.Asked) >= MostAsked {
		return false
	}
	s.Asked = append(slices.Clone(s.Asked), a)
	return true
}

// IsProbing tells whether so much has failed in a row that only the oldest event is tried.
func (s *State) IsProbing() bool { return s.Failures >= probesAfter }

// Due are the events that are to be tried again now, the oldest first. While the webhook is probing it is the oldest, if that is due.
func (s *State) Due(now moment.Micros) (due []Open) {
	if s.IsProbing() {
		if s.Probe <= now && len(s.Open) > 0 {
			return s.Open[:1]
		}
		return nil
	}
	for _, o := range s.Open {
		if o.Due <= now {
			due = append(due, o)
		}
	}
	return due
}

// Room is how many events of the log may be tried now. While the webhook is probing it is one, if none waits to be tried again.
func (s *State) Room(now moment.Micros) int {
	switch {
	case !s.IsProbing():
		return MostOpen - len(s.Open)
	case len(s.Open) == 0 && s.Probe <= now:
		return 1
	}
	return 0
}

// Wakes is when something is to be tried again; ok is false if nothing is. waits says that events wait in the log.
func (s *State) Wakes(waits bool) (at moment.Micros, ok bool) {
	if s.IsProbing() {
		return s.Probe, len(s.Open) > 0 || waits
	}
	for _, o := range s.Open {
		if !ok || o.Due < at {
			at, ok = o.Due, true
		}
	}
	return at, ok
}

// Outcome is what became of an attempt.
type Outcome int

// The outcomes.
const (
	Succeeded Outcome = iota
	Failed
	Refused // for ever: 410
	Lost    // not made, because the event is not kept any more
	Unshown // not made, because the record could not be read: that is our fault, and not held against the receiver
)

// Tried is an attempt that was made.
type Tried struct {
	Open  Open   // of an event; one of the log has had no attempts
	Asked *Asked // or what somebody has asked for
	Probe bool   // it was the one attempt of a webhook that is probing
	Outcome
	At moment.Micros // its end
}

// Record records an attempt, and returns when its event is to be tried again; 0 is never. The cursor is moved by whoever reads the log.
func (s *State) Record(t Tried) (next moment.Micros) {
	if t.Asked != nil {
		s.Asked = without(s.Asked, func(a Asked) bool { return a == *t.Asked })
	}
	switch t.Outcome {
	case Succeeded:
		s.Failures, s.Since, s.Probes, s.Probe, s.Success = 0, 0, 0, 0, t.At
		s.close(t.Open.Event)
		return 0
	case Lost:
		s.close(t.Open.Event)
		return 0
	case Unshown:
		return s.putOff(t)
	case Refused:
		s.Stopped = Gone
	case Failed:
	}
	if t.Asked != nil { // it tells of an attempt that a person has made, and is not made again
		return 0
	}
	if s.Failures++; s.Since == 0 {
		s.Since = t.At
	}
	if s.Stopped == "" && t.At.Time().Sub(s.Since.Time()) >= gaveUpAfter {
		s.Stopped = Failing
	}
	if next = s.retry(t); s.Stopped != "" {
		return 0 // what is put off then is tried if the owner takes that back
	}
	return next
}

// retry puts off an event that has failed, by its own times or, where so much has failed, by those of the webhook.
func (s *State) retry(t Tried) (next moment.Micros) {
	if !s.IsProbing() {
		return s.again(t)
	}
	// That nothing arrives is no fault of the event: it keeps its attempts.
	if t.Probe {
		s.Probes++
	}
	if t.Probe || s.Probe == 0 {
		s.Probe = t.At.Add(pause(s.Probes, t))
	}
	s.keep(Open{t.Open.Event, t.Open.Attempts, s.Probe})
	return s.Probe
}

// putOff puts off an event whose record could not be read, or gives it up.
func (s *State) putOff(t Tried) (next moment.Micros) {
	if t.Asked != nil {
		return 0
	}
	if t.Probe { // else it would be the probe at once, again and again
		s.Probe = t.At.Add(pause(s.Probes, t))
	}
	return s.again(t)
}

// again puts off an event that has failed, or gives it up.
func (s *State) again(t Tried) (next moment.Micros) {
	if t.Open.Attempts >= len(pauses()) {
		s.close(t.Open.Event)
		return 0
	}
	o := Open{t.Open.Event, t.Open.Attempts + 1, t.At.Add(pause(t.Open.Attempts, t))}
	s.keep(o)
	return o.Due
}

// keep puts an event among those that are to be tried again.
func (s *State) keep(o Open) {
	i, there := slices.BinarySearchFunc(s.Open, o.Event, byEvent)
	s.Open = slices.Clone(s.Open)
	if there {
		s.Open[i] = o
	} else {
		s.Open = slices.Insert(s.Open, i, o)
	}
}

// close takes an event from those that are to be tried again.
func (s *State) close(event int64) {
	s.Open = without(s.Open, func(o Open) bool { return o.Event == event })
}

func byEvent(o Open, event int64) int { return int(o.Event - event) }

// without is a copy of a list without some of it.
func without[T any](list []T, gone func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), gone)
}

// AsRead is the condition that the fields have not changed since they were read, with the revision that was read.
const AsRead = "r = ?"

// Update writes the fields, but for who holds the state.
func (s *State) Update(t *table.Tenant) *dynamo.Update {
	u := t.Update(s.Key()).Set("v", stateVersion).Set("c", s.Cursor).Set("n", s.Next).Set("r", s.Revision+1)
	set(u, "o", s.Open, len(s.Open) > 0)
	set(u, "a", s.Asked, len(s.Asked) > 0)
	set(u, "f", s.Failures, s.Failures > 0)
	set(u, "fs", s.Since, s.Since > 0)
	set(u, "p", s.Probes, s.Probes > 0)
	set(u, "pa", s.Probe, s.Probe > 0)
	set(u, "s", s.Success, s.Success > 0)
	set(u, "t", s.Turn, s.Turn > 0)
	set(u, "x", s.Stopped, s.Stopped != "")
	return u
}

// set sets an attribute, or removes it.
func set(u *dynamo.Update, name string, value any, is bool) {
	if is {
		u.Set(name, value)
	} else {
		u.Remove(name)
	}
}
