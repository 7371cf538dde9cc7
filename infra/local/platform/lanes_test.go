package platform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/invocations"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
)

func keyOf(company, n int) table.Key {
	return table.Key{PK: fmt.Sprintf("T#%d#outbox", company), SK: fmt.Sprintf("outbox#%03d", n)}
}

// Companies take turns, whatever each has: the one message of another comes second. A company's own come as they were added.
func TestCompaniesTakeTurns(t *testing.T) {
	q := newQueue()
	for n := range 100 {
		q.add(keyOf(1, n))
		q.add(keyOf(1, n)) // as the index tells it each second
	}
	take := func() string {
		t.Helper()
		k, ok := q.take(t.Context())
		if !ok {
			t.Fatal("nothing waits")
		}
		return k.PK + " " + strings.TrimPrefix(k.SK, "outbox#")
	}
	var got []string
	got = append(got, take())
	q.add(keyOf(2, 0))
	q.add(keyOf(3, 0))
	q.add(keyOf(3, 1))
	q.add(table.Key{PK: "G#outbox", SK: "outbox#000"})
	for range 7 {
		got = append(got, take())
	}
	want := []string{
		"T#1#outbox 000", "T#1#outbox 001", "T#2#outbox 000", "T#3#outbox 000", "G#outbox 000", "T#1#outbox 002", "T#3#outbox 001", "T#1#outbox 003",
	}
	if !slices.Equal(got, want) {
		t.Errorf("turns:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What is being carried out isn't given to somebody else, and may come again when it has ended.
func TestAMessageIsInOneHand(t *testing.T) {
	q := newQueue()
	q.add(keyOf(1, 0))
	k, _ := q.take(t.Context())
	q.add(k)
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if again, ok := q.take(short); ok {
		t.Fatalf("%v is taken twice", again)
	}
	q.ended(k)
	q.add(k)
	if again, ok := q.take(t.Context()); !ok || again != k {
		t.Errorf("%v %t", again, ok)
	}
}

func TestComplaints(t *testing.T) {
	var out bytes.Buffer
	c, one, two := &complaint{out: &out}, errors.New("one"), errors.New("two")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range []error{one, one, two, nil, two} {
		c.of(t.Context(), err)
	}
	c.of(over, one)
	const said = "the outbox is not carried out: "
	if want := said + "one\n" + said + "two\n" + said + "two\n"; out.String() != want {
		t.Errorf("%q", out.String())
	}
}

// slow merges nothing, for a tenth of a second.
type slow struct{}

func (slow) Invoke(ctx context.Context, _ []byte) ([]byte, error) {
	return []byte("{}"), sleep(ctx, 100*time.Millisecond)
}

// A code waits behind no bulk message of another company.
func TestACodeBehindBulk(t *testing.T) {
	p := start(t, Options{})
	p.Calls.Add("pack", invocations.Function{Handler: slow{}, Timeout: time.Minute})
	env, err := p.unjudged("worker", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	const messages = 2000
	other, left := table.Of(env.Table, 4711), 0
	for n := range messages {
		m := outbox.NewKeyed(other.Message, search.MergeMessage, string(kinds.Document), time.Now())
		m.SK += fmt.Sprint(n)
		if err := other.Put(m).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c := &client{base: p.URL}
	asked, err := c.askForCode(t.Context(), "eve@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := awaitCode(t.Context(), p.Outbox, "eve@example.com", asked); err != nil {
		t.Fatal(err)
	}
	took := time.Since(asked)
	if err := outbox.EachStanding(t.Context(), p.messages, outbox.Bulk, time.Now().Add(time.Hour), func(outbox.Standing) error {
		left++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	t.Logf("the code came after %s, when %d of %d bulk messages were left", took, left, messages)
	if left < messages/2 { // infra/bench measures the time
		t.Errorf("the code came after %s, when %d of %d bulk messages were left", took, left, messages)
	}
}
