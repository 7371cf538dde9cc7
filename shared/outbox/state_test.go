package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

const lease = time.Minute

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// open makes a table and the platform's view of it.
func open(t *testing.T) (*table.Conn, crosstenant.Table) {
	t.Helper()
	conn := table.Open(enginetest.Client(t), enginetest.Table(t))
	return conn, crosstenant.Open(conn)
}

// send writes a message of company 7 that is due at the given time.
func send(t *testing.T, conn *table.Conn, due time.Time) outbox.Message {
	t.Helper()
	company := table.Of(conn, 7)
	m, err := outbox.New(company.Message, "test.kind", map[string]int{"n": 1}, noon, due)
	if err != nil {
		t.Fatal(err)
	}
	if err := company.Write(t.Context(), func(tx *table.Tx, _ int) error {
		outbox.Send(tx, company, m)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return m
}

func stored(t *testing.T, all crosstenant.Table, k table.Key) outbox.Message {
	t.Helper()
	var m outbox.Message
	if err := all.Get(t.Context(), k, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func claim(t *testing.T, all crosstenant.Table, k table.Key, now time.Time) (outbox.Message, bool) {
	t.Helper()
	m, ok, err := outbox.Claim(t.Context(), all, k, now, lease)
	if err != nil {
		t.Fatal(err)
	}
	return m, ok
}

func due(t *testing.T, all crosstenant.Table, now time.Time) []table.Key {
	t.Helper()
	var keys []table.Key
	if err := outbox.EachDue(t.Context(), all, now, func(k table.Key) error {
		keys = append(keys, k)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestAMessageCarriesItsCause(t *testing.T) {
	conn, all := open(t)
	m := stored(t, all, send(t, conn, noon).Key())
	var body struct{ N int }
	if err := m.Decode(&body); err != nil || body.N != 1 {
		t.Fatalf("body %+v, %v", body, err)
	}
	if id, ok := m.Tenant(); !ok || id != 7 {
		t.Fatalf("tenant %d %t", id, ok)
	}
	if !strings.HasPrefix(m.SK, "outbox#") {
		t.Fatalf("sort key %q does not pass the stream's filter", m.SK)
	}
	if !m.At.Equal(noon) || m.Kind != "test.kind" || m.ID == "" {
		t.Fatalf("%+v", m)
	}
}

func TestAMessageOfNoCompany(t *testing.T) {
	m, err := outbox.New(crosstenant.Message, "test.kind", nil, noon, noon)
	if err != nil {
		t.Fatal(err)
	}
	if id, ok := m.Tenant(); ok {
		t.Fatalf("tenant %d", id)
	}
	if _, err := outbox.New(crosstenant.Message, "test.kind", make(chan int), noon, noon); err == nil {
		t.Fatal("a body that is no JSON was taken")
	}
}

// Each lane has partitions of its own, and its messages are spread evenly over them.
func TestMessagesSpreadOverTheShards(t *testing.T) {
	for kind, lane := range map[outbox.Kind]outbox.Lane{
		"identity.code": outbox.Urgent, "test.kind": outbox.Normal, "listing.fold": outbox.Normal, "clients.import": outbox.Bulk,
	} {
		seen := map[string]int{}
		for i := range 800 {
			m, err := outbox.New(crosstenant.Message, kind, nil, noon, noon)
			if err != nil {
				t.Fatal(err)
			}
			seen[m.Pending]++
			seen[outbox.NewKeyed(crosstenant.Message, kind, fmt.Sprint(i), noon).Pending]++
		}
		for i := range lane.Shards() {
			if n := seen[lane.Shard(i)]; n < 1600/lane.Shards()/2 {
				t.Errorf("%d of 1600 messages of %s in %s", n, kind, lane.Shard(i))
			}
			delete(seen, lane.Shard(i))
		}
		if len(seen) > 0 {
			t.Errorf("messages of %s in %v", kind, seen)
		}
	}
}

// The sort key of a message tells its lane, because the stream tells nothing else of it. The stream's filters rely on the prefixes.
func TestLanesOfKeys(t *testing.T) {
	for kind, want := range map[outbox.Kind]outbox.Lane{
		"identity.code": outbox.Urgent, "listing.fold": outbox.Normal, "test.kind": outbox.Normal, "clients.import": outbox.Bulk,
	} {
		m, err := outbox.New(crosstenant.Message, kind, nil, noon, noon)
		prefix := map[outbox.Lane]string{outbox.Urgent: "outbox#u#0", outbox.Normal: "outbox#0", outbox.Bulk: "outbox#b#0"}[want]
		if err != nil || outbox.LaneOf(m.SK) != want || !strings.HasPrefix(m.SK, prefix) || !strings.HasSuffix(m.SK, m.ID) {
			t.Errorf("%s of %s: %s, %v", m.SK, kind, outbox.LaneOf(m.SK), err)
		}
		if m := outbox.NewKeyed(crosstenant.Message, kind, "7#8", noon); outbox.LaneOf(m.SK) != want || !strings.HasPrefix(m.SK, "outbox#k#") {
			t.Errorf("%s of %s: %s", m.SK, kind, outbox.LaneOf(m.SK))
		}
	}
	if lane := outbox.LaneOf("outbox#01KJMMA2G0SBZFRNB6N62MM9T4"); lane != outbox.Normal {
		t.Errorf("one of version 1 is %s", lane)
	}
}

func TestClaim(t *testing.T) {
	for _, c := range []struct {
		name     string
		due, now time.Time
		want     bool
	}{
		{"due at once", noon, noon, true},
		{"long due", noon, noon.Add(48 * time.Hour), true},
		{"due at once, and a worker whose clock is behind", noon, noon.Add(-time.Minute), true},
		{"its time has come", noon.Add(time.Second), noon.Add(time.Second), true},
		{"its time has come for who wrote it, and a worker's clock is behind", noon.Add(2 * time.Second), noon, true},
		{"not due", noon.Add(3 * time.Second), noon.Add(999 * time.Millisecond), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, all := open(t)
			sent := send(t, conn, c.due)
			m, ok := claim(t, all, sent.Key(), c.now)
			if ok != c.want {
				t.Fatalf("claimed: %t", ok)
			}
			if !ok {
				return
			}
			if m.Attempts != 1 || m != stored(t, all, sent.Key()) {
				t.Fatalf("claimed %+v, stored %+v", m, stored(t, all, sent.Key()))
			}
			if _, again := claim(t, all, sent.Key(), c.now.Add(lease-time.Millisecond)); again {
				t.Fatal("claimed twice within a lease")
			}
			if n := due(t, all, c.now.Add(lease/2)); len(n) != 0 {
				t.Fatalf("a claimed message is due: %v", n)
			}
			after, ok := claim(t, all, sent.Key(), c.now.Add(lease))
			if !ok || after.Attempts != 2 || after != stored(t, all, sent.Key()) {
				t.Fatalf("after the lease: %t %+v", ok, after)
			}
		})
	}
}

func TestClaimOfNothing(t *testing.T) {
	conn, all := open(t)
	if _, ok := claim(t, all, table.Of(conn, 7).Message("none"), noon); ok {
		t.Fatal("claimed a message that does not exist")
	}
}

func TestOneOfManyClaims(t *testing.T) {
	conn, all := open(t)
	sent := send(t, conn, noon)
	var won atomic.Int32
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			if _, ok, err := outbox.Claim(context.Background(), all, sent.Key(), noon, lease); err != nil {
				t.Error(err)
			} else if ok {
				won.Add(1)
			}
		})
	}
	wait.Wait()
	if won.Load() != 1 {
		t.Fatalf("%d claims of one message", won.Load())
	}
}

func TestEnds(t *testing.T) {
	later := noon.Add(3 * time.Second)
	broken := errors.New("the provider is away")
	for _, c := range []struct {
		name     string
		end      func(all crosstenant.Table, m outbox.Message) (bool, error)
		from, to time.Time // when the message is found again; zero: never
		attempts int
		problem  string
		pending  string // "" is a message that is no more in the index
		ttl      bool
	}{
		{
			name: "done",
			end: func(all crosstenant.Table, m outbox.Message) (bool, error) {
				return outbox.Done(t.Context(), all, m, later, nil)
			},
			attempts: 1, ttl: true,
		},
		{
			name: "dropped",
			end: func(all crosstenant.Table, m outbox.Message) (bool, error) {
				return outbox.Done(t.Context(), all, m, later, broken)
			},
			attempts: 1, ttl: true, problem: "the provider is away",
		},
		{
			name: "again",
			end: func(all crosstenant.Table, m outbox.Message) (bool, error) {
				return outbox.Again(t.Context(), all, m, later, broken)
			},
			from: later.Add(4 * time.Second), to: later.Add(6 * time.Second),
			attempts: 1, pending: "normal#", problem: "the provider is away",
		},
		{
			name: "again, at the latest in a second",
			end: func(all crosstenant.Table, m outbox.Message) (bool, error) {
				return outbox.Again(t.Context(), all, m, later, fmt.Errorf("no: %w", outbox.AtLatest{Until: later.Add(time.Second), Err: broken}))
			},
			from: later.Add(2 * time.Second), to: later.Add(3 * time.Second),
			attempts: 1, pending: "normal#", problem: "no: the provider is away",
		},
		{
			name: "again, at the latest in an hour",
			end: func(all crosstenant.Table, m outbox.Message) (bool, error) {
				return outbox.Again(t.Context(), all, m, later, outbox.AtLatest{Until: later.Add(time.Hour), Err: broken})
			},
			from: later.Add(4 * time.Second), to: later.Add(6 * time.Second),
			attempts: 1, pending: "normal#", problem: "the provider is away",
		},
		{
			name: "put off",
			end: func(all crosstenant.Table, m outbox.Message) (bool, error) {
				return outbox.PutOff(t.Context(), all, m, later, outbox.Later{Until: noon.Add(time.Hour)})
			},
			from: noon.Add(time.Hour - time.Second), to: noon.Add(time.Hour), pending: "normal#",
		},
		{
			name: "put off into the past",
			end: func(all crosstenant.Table, m outbox.Message) (bool, error) {
				return outbox.PutOff(t.Context(), all, m, later, outbox.Later{})
			},
			from: later.Add(2 * time.Second), to: later.Add(3 * time.Second), pending: "normal#",
		},
		{
			name: "given up",
			end: func(all crosstenant.Table, m outbox.Message) (bool, error) {
				return outbox.GiveUp(t.Context(), all, m, later, errors.New(""))
			},
			attempts: 1, pending: outbox.Failed, problem: "unknown",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, all := open(t)
			m, _ := claim(t, all, send(t, conn, noon).Key(), noon)
			if held, err := c.end(all, m); err != nil || !held {
				t.Fatalf("held %t, %v", held, err)
			}
			got := stored(t, all, m.Key())
			if got.Attempts != c.attempts || got.Problem != c.problem || !strings.HasPrefix(got.Pending, c.pending) ||
				(c.pending == "") != (got.Pending == "") {
				t.Fatalf("%+v", got)
			}
			if want := later.Add(7 * 24 * time.Hour).Unix(); (got.TTL == want) != c.ttl || !c.ttl && got.TTL != 0 {
				t.Fatalf("ttl %d", got.TTL)
			}
			if held, err := c.end(all, m); err != nil || held {
				t.Fatalf("the claim ended twice: %t, %v", held, err)
			}
			if c.to.IsZero() {
				if keys := due(t, all, noon.Add(1000*time.Hour)); len(keys) != 0 {
					t.Fatalf("still due: %v", keys)
				}
				return
			}
			if keys := due(t, all, c.from); len(keys) != 0 {
				t.Fatalf("due at %s already", c.from)
			}
			if keys := due(t, all, c.to); len(keys) != 1 || keys[0] != m.Key() {
				t.Fatalf("due at %s: %v", c.to, keys)
			}
		})
	}
}

func TestALostClaimWritesNothing(t *testing.T) {
	conn, all := open(t)
	slow, _ := claim(t, all, send(t, conn, noon).Key(), noon)
	quick, ok := claim(t, all, slow.Key(), noon.Add(lease+time.Second))
	if !ok {
		t.Fatal("not claimed after the lease")
	}
	if held, err := outbox.Done(t.Context(), all, slow, noon, nil); err != nil || held {
		t.Fatalf("the lost claim ended the message: %t, %v", held, err)
	}
	quick.Unended = 0 // it came back
	if got := stored(t, all, slow.Key()); got != quick {
		t.Fatalf("%+v, want %+v", got, quick)
	}
}

func TestPausesGrowToAnHour(t *testing.T) {
	conn, all := open(t)
	now, k := noon, send(t, conn, noon).Key()
	var last, whole time.Duration
	for range outbox.MaxAttempts - 1 {
		m, ok := claim(t, all, k, now)
		if !ok {
			t.Fatalf("not claimed at attempt %d", m.Attempts+1)
		}
		if _, err := outbox.Again(t.Context(), all, m, now, errors.New("no")); err != nil {
			t.Fatal(err)
		}
		until, err := time.Parse("20060102T150405.000Z", stored(t, all, k).Due)
		if err != nil {
			t.Fatal(err)
		}
		wait := until.Sub(now)
		if last < 50*time.Minute && wait <= last || wait > 66*time.Minute {
			t.Fatalf("pause %s after one of %s", wait, last)
		}
		last, whole, now = wait, whole+wait, until
	}
	if last < 54*time.Minute || whole < 4*time.Hour || whole > 7*time.Hour {
		t.Fatalf("the last pause is %s, all are %s", last, whole)
	}
}

func TestAProblemIsKeptShort(t *testing.T) {
	conn, all := open(t)
	m, _ := claim(t, all, send(t, conn, noon).Key(), noon)
	if _, err := outbox.Again(t.Context(), all, m, noon, errors.New("a"+strings.Repeat("ң", 1000)+"\xff")); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, all, m.Key()).Problem; len(got) > 500 || len(got) < 490 || !utf8.ValidString(got) {
		t.Fatalf("%d bytes: %q", len(got), got)
	}
}

func TestTheSweepPagesThroughAllShards(t *testing.T) {
	conn, all := open(t)
	company := table.Of(conn, 7)
	want := map[table.Key]bool{}
	pad := strings.Repeat("x", 300) // long keys, so that a page of 1 MB does not hold them all
	for i := range 1200 {
		m, err := outbox.New(func(id string) table.Key { return company.Message(pad + pad + pad + id) }, "test.kind", nil, noon, noon)
		if err != nil {
			t.Fatal(err)
		}
		m.Pending = outbox.Normal.Shard(i % 2) // two full shards, and empty ones
		if err := company.Put(m).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		want[m.Key()] = true
	}
	for _, k := range due(t, all, noon) {
		if !want[k] {
			t.Fatalf("unknown or repeated: %v", k)
		}
		delete(want, k)
	}
	if len(want) != 0 {
		t.Fatalf("%d messages were not found", len(want))
	}
}

// However many messages wait in one shard, the next visits are the others'.
func TestNoShardStarves(t *testing.T) {
	conn, all := open(t)
	company, shards := table.Of(conn, 7), outbox.Normal.Shards()
	shardOf := map[table.Key]string{}
	for i := range 20 + shards - 1 {
		m, err := outbox.New(company.Message, "test.kind", nil, noon, noon)
		if err != nil {
			t.Fatal(err)
		}
		m.Pending = outbox.Normal.Shard(max(0, i-19)) // twenty in the first shard, one in each other
		if err := company.Put(m).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		shardOf[m.Key()] = m.Pending
	}
	keys := due(t, all, noon)
	if len(keys) != len(shardOf) {
		t.Fatalf("%d messages, want %d", len(keys), len(shardOf))
	}
	first := map[string]bool{}
	for _, k := range keys[:shards] {
		first[shardOf[k]] = true
	}
	if len(first) != shards {
		t.Fatalf("the first visits are of %v", first)
	}
}

func TestAVisitorEndsTheSweep(t *testing.T) {
	conn, all := open(t)
	for range 3 {
		send(t, conn, noon)
	}
	enough := errors.New("enough")
	visits := 0
	err := outbox.EachDue(t.Context(), all, noon, func(table.Key) error { visits++; return enough })
	if !errors.Is(err, enough) || visits != 1 {
		t.Fatalf("%d visits, %v", visits, err)
	}
}

func TestErrorsOfTheTableAreTold(t *testing.T) {
	conn, _ := open(t)
	stranger := table.Of(conn, 8) // may not touch company 7's messages
	k := table.Of(conn, 7).Message("x")
	if _, _, err := outbox.Claim(t.Context(), stranger, k, noon, lease); !errors.Is(err, table.ErrKey) {
		t.Errorf("claim: %v", err)
	}
	if _, err := outbox.Done(t.Context(), stranger, outbox.Message{Item: table.At(k, 1)}, noon, nil); !errors.Is(err, table.ErrKey) {
		t.Errorf("done: %v", err)
	}
	if err := outbox.EachDue(t.Context(), stranger, noon, nil); !errors.Is(err, table.ErrKey) {
		t.Errorf("sweep: %v", err)
	}
	if err := (outbox.Message{Body: "{"}).Decode(new(int)); err == nil {
		t.Error("a broken body was decoded")
	}
	if text := fmt.Sprint(outbox.Later{Until: noon}); !strings.Contains(text, "2026-03-01T12:00:00Z") {
		t.Errorf("later: %s", text)
	}
}

// Whoever has left a message may carry it out itself, as long as no worker has begun to.
func TestFinish(t *testing.T) {
	conn, all := open(t)
	m := send(t, conn, noon.Add(time.Minute))
	if ok, err := outbox.Finish(t.Context(), table.Of(conn, 7), m, noon); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if s := stored(t, all, m.Key()); s.Pending != "" || s.Due != "" || s.TTL != noon.Add(7*24*time.Hour).Unix() {
		t.Errorf("%+v", s)
	}
	if keys := due(t, all, noon.Add(time.Hour)); len(keys) != 0 {
		t.Errorf("it is still due: %v", keys)
	}
	m = send(t, conn, noon)
	if _, ok := claim(t, all, m.Key(), noon); !ok {
		t.Fatal("not claimed")
	}
	if ok, err := outbox.Finish(t.Context(), table.Of(conn, 7), m, noon); err != nil || ok {
		t.Errorf("a worker has it, and it was ended: %v, %v", ok, err)
	}
	if s := stored(t, all, m.Key()); s.Pending == "" {
		t.Errorf("%+v", s)
	}
}
