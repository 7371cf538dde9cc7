package outbox_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// arm leaves the message of a key in company 7.
func arm(t *testing.T, conn *table.Conn, key string, now time.Time) outbox.Message {
	t.Helper()
	company := table.Of(conn, 7)
	m := outbox.NewKeyed(company.Message, "test.kind", key, now)
	if err := company.Write(t.Context(), func(tx *table.Tx, _ int) error {
		outbox.Arm(tx, company, m)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return m
}

func gone(t *testing.T, all crosstenant.Table, k table.Key) bool {
	t.Helper()
	return errors.Is(all.Get(t.Context(), k, &outbox.Message{}), table.ErrNotFound)
}

// However often a key is armed, one message waits; and when it is done, none is
// left.
func TestOneMessageWaitsForAKey(t *testing.T) {
	conn, all := open(t)
	m := arm(t, conn, "15", noon)
	arm(t, conn, "15", noon.Add(time.Second))
	other := arm(t, conn, "16", noon)
	now := noon.Add(time.Minute)
	if keys := due(t, all, now); len(keys) != 2 {
		t.Fatalf("%d messages wait: %v", len(keys), keys)
	}
	claimed, ok := claim(t, all, m.Key(), now)
	if !ok || claimed.Body != "15" || claimed.Kind != "test.kind" || claimed.Attempts != 1 {
		t.Fatalf("claimed %+v, %t", claimed, ok)
	}
	if held, err := outbox.Done(t.Context(), all, claimed, now, nil); !held || err != nil || !gone(t, all, m.Key()) {
		t.Errorf("done: %t, %v", held, err)
	}
	dropped, _ := claim(t, all, other.Key(), now)
	if held, err := outbox.Done(t.Context(), all, dropped, now, outbox.ErrDrop); !held || err != nil || !gone(t, all, other.Key()) {
		t.Errorf("dropped: %t, %v", held, err)
	}
}

// What is armed while it is carried out is carried out once more, however the
// first attempt ends.
func TestArmedWhileItIsCarriedOut(t *testing.T) {
	for name, end := range map[string]func(all crosstenant.Table, m outbox.Message, now time.Time) (bool, error){
		"done": func(all crosstenant.Table, m outbox.Message, now time.Time) (bool, error) {
			return outbox.Done(t.Context(), all, m, now, nil)
		},
		"again": func(all crosstenant.Table, m outbox.Message, now time.Time) (bool, error) {
			return outbox.Again(t.Context(), all, m, now, errors.New("no"))
		},
		"given up": func(all crosstenant.Table, m outbox.Message, now time.Time) (bool, error) {
			return outbox.GiveUp(t.Context(), all, m, now, errors.New("no"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			conn, all := open(t)
			m := arm(t, conn, "15", noon)
			claimed, _ := claim(t, all, m.Key(), noon)
			arm(t, conn, "15", noon.Add(time.Second))
			if held, err := end(all, claimed, noon.Add(2*time.Second)); held || err != nil {
				t.Fatalf("the first attempt ended the second: %t, %v", held, err)
			}
			again, ok := claim(t, all, m.Key(), noon.Add(3*time.Second))
			if !ok || again.Attempts != 1 || again.Problem != "" {
				t.Errorf("claimed %+v, %t", again, ok)
			}
		})
	}
}

// Two claims at the same moment, with an arming in between, have different signatures:
// otherwise the end of the first would also end the second.
func TestClaimsOfOneMoment(t *testing.T) {
	conn, all := open(t)
	m := arm(t, conn, "15", noon)
	first, _ := claim(t, all, m.Key(), noon)
	arm(t, conn, "15", noon)
	second, ok := claim(t, all, m.Key(), noon)
	if !ok {
		t.Fatal("not claimed")
	}
	if held, err := outbox.Done(t.Context(), all, first, noon, nil); held || err != nil {
		t.Errorf("the first attempt ended the second: %t, %v", held, err)
	}
	if held, err := outbox.Again(t.Context(), all, second, noon, errors.New("no")); !held || err != nil {
		t.Errorf("the second can't be put off: %t, %v", held, err)
	}
	if held, err := outbox.Done(t.Context(), all, second, noon, nil); held || err != nil {
		t.Errorf("an attempt that was put off was ended: %t, %v", held, err)
	}
}

// A claim, or its end, that meets a transaction which arms the message waits for it.
func TestClaimsMeetArming(t *testing.T) {
	world, name := tabletest.NewFaulty(t, tabletest.Faults{Lock: 50 * time.Millisecond, Transaction: 60 * time.Millisecond})
	a, b := table.Open(world.Client(1), name), table.Open(world.Client(2), name)
	all := crosstenant.Open(b)
	m := arm(t, a, "15", noon)
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() { arm(t, a, "15", noon) })
		time.Sleep(20 * time.Millisecond)
		if _, _, err := outbox.Claim(t.Context(), all, m.Key(), noon, time.Minute); err != nil {
			t.Errorf("claim: %v", err)
		}
		wait.Wait()
		arm(t, a, "15", noon)
		claimed, _ := claim(t, all, m.Key(), noon)
		wait.Go(func() { arm(t, a, "15", noon) })
		time.Sleep(20 * time.Millisecond)
		if _, err := outbox.Done(t.Context(), all, claimed, noon, nil); err != nil {
			t.Errorf("done: %v", err)
		}
		wait.Wait()
	}
	if keys := due(t, all, noon.Add(time.Hour)); len(keys) != 1 {
		t.Errorf("what was armed last does not wait: %v", keys)
	}
}

// A message that was given up comes back when its key is armed.
func TestArmedAfterItWasGivenUp(t *testing.T) {
	conn, all := open(t)
	m := arm(t, conn, "15", noon)
	claimed, _ := claim(t, all, m.Key(), noon)
	if held, err := outbox.GiveUp(t.Context(), all, claimed, noon, errors.New("no")); !held || err != nil {
		t.Fatal(held, err)
	}
	if keys := due(t, all, noon.Add(time.Hour)); len(keys) != 0 {
		t.Fatalf("it waits: %v", keys)
	}
	arm(t, conn, "15", noon.Add(time.Hour))
	if keys := due(t, all, noon.Add(time.Hour)); len(keys) != 1 {
		t.Fatalf("it does not wait: %v", keys)
	}
}

// A message that is armed for later waits until then, unless it waits for an earlier time already.
func TestArmedForLater(t *testing.T) {
	later, latest := noon.Add(time.Minute), noon.Add(time.Hour)
	for name, row := range map[string]struct {
		before func(conn *table.Conn, all crosstenant.Table, m outbox.Message)
		due    time.Time
	}{
		"none":  {func(*table.Conn, crosstenant.Table, outbox.Message) {}, later},
		"armed": {func(conn *table.Conn, _ crosstenant.Table, _ outbox.Message) { arm(t, conn, "15", noon) }, noon},
		"claimed": {func(conn *table.Conn, all crosstenant.Table, m outbox.Message) {
			arm(t, conn, "15", noon)
			claim(t, all, m.Key(), noon)
		}, later},
		"put off": {func(conn *table.Conn, all crosstenant.Table, m outbox.Message) {
			arm(t, conn, "15", noon)
			claimed, _ := claim(t, all, m.Key(), noon)
			_, _ = outbox.PutOff(t.Context(), all, claimed, noon, outbox.Later{Until: latest})
		}, later},
		"given up": {func(conn *table.Conn, all crosstenant.Table, m outbox.Message) {
			arm(t, conn, "15", noon)
			claimed, _ := claim(t, all, m.Key(), noon)
			_, _ = outbox.GiveUp(t.Context(), all, claimed, noon, errors.New("no"))
		}, later},
	} {
		t.Run(name, func(t *testing.T) {
			conn, all := open(t)
			company := table.Of(conn, 7)
			m := outbox.NewKeyed(company.Message, "test.kind", "15", noon)
			row.before(conn, all, m)
			if err := outbox.ArmedAt(company, m, later).Run(t.Context()); err != nil && !dynamo.IsCondCheckFailed(err) {
				t.Fatal(err)
			}
			if early, err := outbox.Waits(t.Context(), all, m.Key(), row.due.Add(-time.Millisecond)); err != nil || early && row.due != noon {
				t.Errorf("it is due before: %t, %v", early, err)
			}
			if waits, err := outbox.Waits(t.Context(), all, m.Key(), row.due); err != nil || !waits {
				t.Errorf("it is not due: %t, %v", waits, err)
			}
		})
	}
}
