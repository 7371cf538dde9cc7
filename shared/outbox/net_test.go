package outbox_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// swept are the messages that the sweep finds at a time.
func swept(t *testing.T, all crosstenant.Table, now time.Time) (found []outbox.Standing) {
	t.Helper()
	for _, lane := range outbox.Lanes() {
		if err := outbox.EachStanding(t.Context(), all, lane, now, func(s outbox.Standing) error {
			found = append(found, s)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// What is due at once is the stream's for as long as the net says, in whatever state, and what waits for a time is the sweep's
// at that time.
func TestWhenTheSweepLooks(t *testing.T) {
	conn, all := open(t)
	net := outbox.Normal.Net()
	at := func(what string, from time.Time) {
		t.Helper()
		if n := len(swept(t, all, from.Add(-time.Millisecond))); n != 0 {
			t.Errorf("%s: it is found before %s", what, from)
		}
		if n := len(swept(t, all, from)); n != 1 {
			t.Errorf("%s: it is not found at %s", what, from)
		}
		if found := swept(t, all, from.Add(90*time.Second)); len(found) != 1 || found[0].Late != 90*time.Second {
			t.Errorf("%s: after 90 seconds it is %v", what, found)
		}
	}
	m := send(t, conn, noon)
	at("due at once", noon.Add(net))
	claimed, _ := claim(t, all, m.Key(), noon)
	at("claimed", noon.Add(net))
	later := noon.Add(time.Hour)
	if _, err := outbox.PutOff(t.Context(), all, claimed, noon, outbox.Later{Until: later}); err != nil {
		t.Fatal(err)
	}
	at("put off", later)
	claimed, ok := claim(t, all, m.Key(), later)
	if !ok {
		t.Fatal("not claimed at its time")
	}
	at("claimed, having been put off", later)
	if _, err := outbox.Done(t.Context(), all, claimed, later, nil); err != nil {
		t.Fatal(err)
	}
	if n := len(swept(t, all, later.Add(net))); n != 0 {
		t.Error("a message that is done is found")
	}
	k := send(t, conn, later).Key()
	at("for a time", later)
	if _, err := outbox.Finish(t.Context(), all, stored(t, all, k), noon); err != nil {
		t.Fatal(err)
	}
	armed := arm(t, conn, "15", noon)
	at("armed", noon.Add(net))
	claimed, _ = claim(t, all, armed.Key(), noon)
	if _, err := outbox.Again(t.Context(), all, claimed, noon, errors.New("no")); err != nil {
		t.Fatal(err)
	}
	arm(t, conn, "15", noon.Add(time.Second))
	at("armed again", noon.Add(time.Second+net))
	if _, ok := claim(t, all, armed.Key(), noon.Add(time.Second)); !ok {
		t.Error("what was put off and armed again is not due at once")
	}
}

// A code whose process has died is sent while it lives: the sweep looks at it as soon as the claim is over.
func TestTheSweepLooksAtACodeInTime(t *testing.T) {
	_, all := open(t)
	m, err := outbox.New(crosstenant.Message, "identity.code", nil, noon, noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := all.Create(m).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(swept(t, all, noon.Add(39*time.Second))); n != 0 {
		t.Error("it is left to the stream for less than a lease")
	}
	if n := len(swept(t, all, noon.Add(40*time.Second))); n != 1 {
		t.Error("the sweep comes too late")
	}
}

// What was sent to a queue is left alone for a while, and can be claimed meanwhile. What has moved since it was found stays as it is.
func TestWhatWasSentToAQueue(t *testing.T) {
	conn, all := open(t)
	send(t, conn, noon)
	now := noon.Add(outbox.Normal.Net())
	found := swept(t, all, now)
	if len(found) != 1 {
		t.Fatalf("found %v", found)
	}
	if err := outbox.Sent(t.Context(), all, found[0], now); err != nil {
		t.Fatal(err)
	}
	if n := len(swept(t, all, now.Add(outbox.Normal.Hold()-time.Millisecond))); n != 0 {
		t.Error("it is found while it may wait in its queue")
	}
	if n := len(swept(t, all, now.Add(outbox.Normal.Hold()))); n != 1 {
		t.Error("it is not found if its queue has lost it")
	}
	m, ok := claim(t, all, found[0].Key, now)
	if !ok {
		t.Fatal("it can't be claimed meanwhile")
	}
	if _, err := outbox.PutOff(t.Context(), all, m, now, outbox.Later{Until: now.Add(5 * time.Minute)}); err != nil {
		t.Fatal(err)
	}
	if err := outbox.Sent(t.Context(), all, found[0], now); err != nil {
		t.Fatal(err)
	}
	if n := len(swept(t, all, now.Add(5*time.Minute))); n != 1 {
		t.Error("what was put off meanwhile is left alone for longer than that")
	}
}

// An index is written where an item comes into it or leaves it, and twice where its key there changes.
func TestWritesOfTheIndex(t *testing.T) {
	conn, all := open(t)
	for name, c := range map[string]struct {
		send func() outbox.Message
		want int
		ends func(m outbox.Message) (bool, error)
	}{
		"a message": {
			func() outbox.Message { return send(t, conn, noon) }, 2,
			func(m outbox.Message) (bool, error) { return outbox.Done(t.Context(), all, m, noon, nil) },
		},
		"a message with a key": {
			func() outbox.Message { return arm(t, conn, "15", noon) }, 2,
			func(m outbox.Message) (bool, error) { return outbox.Done(t.Context(), all, m, noon, nil) },
		},
		"a message that is put off": {
			func() outbox.Message { return send(t, conn, noon) }, 3,
			func(m outbox.Message) (bool, error) {
				return outbox.PutOff(t.Context(), all, m, noon, outbox.Later{Until: noon.Add(time.Hour)})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := c.send()
			var before [2]string
			writes := 0
			look := func() {
				t.Helper()
				var s outbox.Message
				if err := all.Get(t.Context(), m.Key(), &s); err != nil && !errors.Is(err, table.ErrNotFound) {
					t.Fatal(err)
				}
				after := [2]string{s.Pending, s.Swept}
				if before != after && before[0] != "" {
					writes++
				}
				if before != after && after[0] != "" {
					writes++
				}
				before = after
			}
			look()
			claimed, ok := claim(t, all, m.Key(), noon)
			look()
			if held, err := c.ends(claimed); !ok || !held || err != nil {
				t.Fatal(ok, held, err)
			}
			look()
			if writes != c.want {
				t.Errorf("%d writes of the index, want %d", writes, c.want)
			}
		})
	}
}

// Claims in a row that nobody ends are counted, until one is ended in whatever way.
func TestUnendedClaims(t *testing.T) {
	ends := map[string]func(all crosstenant.Table, m outbox.Message, now time.Time) (bool, error){
		"failed": func(all crosstenant.Table, m outbox.Message, now time.Time) (bool, error) {
			return outbox.Again(t.Context(), all, m, now, errors.New("no"))
		},
		"put off": func(all crosstenant.Table, m outbox.Message, now time.Time) (bool, error) {
			return outbox.PutOff(t.Context(), all, m, now, outbox.Later{})
		},
		"given up, and tried again by hand": func(all crosstenant.Table, m outbox.Message, now time.Time) (bool, error) {
			if ok, err := outbox.GiveUp(t.Context(), all, m, now, errors.New("it died")); !ok || err != nil {
				return ok, err
			}
			return true, all.Update(m.Key()).Set("pq", outbox.Normal.Shard(0)).Set("n", 0).Run(t.Context()) // as docs/operations.md has it
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			conn, all := open(t)
			k, now := send(t, conn, noon).Key(), noon
			var m outbox.Message
			for unended := range outbox.MaxCrashes + 1 {
				var ok bool
				if m, ok = claim(t, all, k, now); !ok || m.Unended != unended+1 {
					t.Fatalf("claimed with %d unended: %t %+v", unended, ok, m)
				}
				now = now.Add(lease)
			}
			if held, err := end(all, m, now); !held || err != nil {
				t.Fatal(held, err)
			}
			left := 0
			if strings.HasPrefix(name, "given up") { // it has one try
				left = outbox.MaxCrashes - 1
			}
			if s := stored(t, all, k); s.Unended != left || s.Claim != "" || s.Leased != "" {
				t.Errorf("%+v", s)
			}
			if m, ok := claim(t, all, k, now.Add(time.Hour)); !ok || m.Unended != left+1 {
				t.Errorf("after that: %t %+v", ok, m)
			}
		})
	}
}

// What is armed while it is carried out, again and again, has not crashed, because its workers come back, in whatever way they ended.
// Arming forgets nothing of workers that did not.
func TestUnendedClaimsOfWhatIsArmed(t *testing.T) {
	conn, all := open(t)
	k, now := arm(t, conn, "15", noon).Key(), noon
	for _, end := range []func(context.Context, outbox.Table, outbox.Message, time.Time, error) (bool, error){
		outbox.Done, outbox.Again, outbox.Done, outbox.Again,
	} {
		m, ok := claim(t, all, k, now)
		if !ok || m.Unended != 1 {
			t.Fatalf("armed while it was carried out: %t %+v", ok, m)
		}
		arm(t, conn, "15", now)
		if held, err := end(t.Context(), all, m, now, errors.New("no")); held || err != nil {
			t.Fatal(held, err)
		}
	}
	var last outbox.Message
	for unended := range outbox.MaxCrashes {
		var ok bool
		if last, ok = claim(t, all, k, now); !ok || last.Unended != unended+1 {
			t.Errorf("armed after %d crashes: %t %+v", unended, ok, last)
		}
		arm(t, conn, "15", now)
	}
	// They may be at work all at the same time. So nobody gives it up before the last one's lease is over, and one that comes back is enough.
	if m, ok := claim(t, all, k, now.Add(lease-time.Millisecond)); ok {
		t.Errorf("claimed to be given up while workers may come back: %+v", m)
	}
	if held, err := outbox.Done(t.Context(), all, last, now, nil); held || err != nil {
		t.Fatal(held, err)
	}
	if m, ok := claim(t, all, k, now.Add(lease-time.Millisecond)); !ok || m.Unended != 1 {
		t.Errorf("after one came back: %t %+v", ok, m)
	}
}

// Between the reading and the writing of a claim, another worker may claim the message and put it off.
func TestAClaimOfWhatWasPutOffMeanwhile(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{})
	conn := table.Open(enginetest.Client(t), name)
	all := crosstenant.Open(conn)
	m := send(t, conn, noon)
	meddled := false
	slow := meddling{crosstenant.Open(table.Open(world.Client(1), name)), func() {
		if meddled {
			return
		}
		meddled = true
		claimed, _ := claim(t, all, m.Key(), noon)
		if _, err := outbox.PutOff(t.Context(), all, claimed, noon, outbox.Later{Until: noon.Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}}
	if claimed, ok, err := outbox.Claim(t.Context(), slow, m.Key(), noon, lease); ok || err != nil {
		t.Errorf("claimed before its time: %+v, %v", claimed, err)
	}
}

// allOf gives the embedded table another name, because a field Table would hide its method Table.
type allOf = crosstenant.Table

// meddling is a table in which something happens after each read.
type meddling struct {
	allOf

	then func()
}

func (m meddling) Get(ctx context.Context, k table.Key, out any) error {
	err := m.allOf.Get(ctx, k, out)
	m.then()
	return err
}

// A claim whose answer was lost is the claimant's, whose repetition finds that somebody has claimed the message.
func TestAClaimWhoseAnswerWasLost(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{Lost: 0.3})
	unreliable, conn := crosstenant.Open(table.Open(world.Client(1), name)), table.Open(enginetest.Client(t), name)
	for range 40 {
		m := send(t, conn, noon)
		switch claimed, ok, err := outbox.Claim(t.Context(), unreliable, m.Key(), noon, lease); {
		case err != nil: // its claim may stand, and comes back after the lease
		case !ok:
			t.Errorf("nobody has it: %+v", stored(t, crosstenant.Open(conn), m.Key()))
		case claimed != stored(t, crosstenant.Open(conn), m.Key()):
			t.Errorf("claimed %+v, stored %+v", claimed, stored(t, crosstenant.Open(conn), m.Key()))
		}
	}
}

// A message of version 1 has one time, which a claim moved; a claim makes it one of version 2, which workers of that release leave alone.
func TestMessagesOfTheReleaseBefore(t *testing.T) {
	conn, all := open(t)
	for name, change := range map[string]func(*outbox.Message){
		"waiting": func(*outbox.Message) {},
		"claimed": func(m *outbox.Message) { m.Claim, m.Attempts = "somebody", 1 },
	} {
		m := send(t, conn, noon)
		m.V, m.Pending, m.Swept, m.Due = 1, "pending#3", outbox.DueKey(noon.Add(time.Minute)), ""
		change(&m)
		if err := all.Put(m).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, ok := claim(t, all, m.Key(), noon.Add(57*time.Second)); ok {
			t.Errorf("%s: claimed before its time", name)
		}
		for range 2 { // that it was sent to a queue puts nothing off
			found := swept(t, all, noon.Add(time.Minute))
			if len(found) != 1 || found[0].Key != m.Key() {
				t.Fatalf("%s: the sweep finds %v", name, found)
			}
			if err := outbox.Sent(t.Context(), all, found[0], noon.Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
		claimed, ok := claim(t, all, m.Key(), noon.Add(time.Minute))
		if !ok || claimed.Attempts != m.Attempts+1 || claimed != stored(t, all, m.Key()) {
			t.Errorf("%s: %t %+v, stored %+v", name, ok, claimed, stored(t, all, m.Key()))
		}
		if strings.HasPrefix(claimed.Pending, "pending#") {
			t.Errorf("%s: workers of its release find it in %s", name, claimed.Pending)
		}
		if _, ok := claim(t, all, m.Key(), noon.Add(time.Minute)); ok {
			t.Errorf("%s: claimed twice", name)
		}
		if held, err := outbox.Done(t.Context(), all, claimed, noon, nil); !held || err != nil {
			t.Errorf("%s: %t %v", name, held, err)
		}
	}
}
