package outbox_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
)

// A message that was given up waits as a new one when it is put back, once; one that has moved meanwhile is left alone.
func TestPutBack(t *testing.T) {
	conn, all := open(t)
	k := send(t, conn, noon).Key()
	m, _ := claim(t, all, k, noon)
	if ok, err := outbox.PutBack(t.Context(), all, m, noon); ok || err != nil {
		t.Errorf("a claimed message is put back: %t, %v", ok, err)
	}
	if ok, err := outbox.GiveUp(t.Context(), all, m, noon, errors.New("broken")); !ok || err != nil {
		t.Fatal(ok, err)
	}
	var failed []outbox.Message
	if err := outbox.EachFailed(t.Context(), all, func(m outbox.Message) error {
		failed = append(failed, m)
		return nil
	}); err != nil || len(failed) != 1 || failed[0].Problem != "broken" {
		t.Fatalf("failed: %+v, %v", failed, err)
	}
	later := noon.Add(time.Hour)
	for n := range 2 {
		if ok, err := outbox.PutBack(t.Context(), all, failed[0], later); ok != (n == 0) || err != nil {
			t.Errorf("%d: %t, %v", n, ok, err)
		}
	}
	if got := due(t, all, later); len(got) != 1 || got[0] != k {
		t.Errorf("due: %v", got)
	}
	if m, ok := claim(t, all, k, later); !ok || m.Attempts != 1 {
		t.Errorf("%+v, %t", m, ok)
	}
	if err := outbox.EachFailed(t.Context(), all, func(m outbox.Message) error { return errors.New(m.ID) }); err != nil {
		t.Errorf("still failed: %v", err)
	}
}

// The sweep looks at once at a message that waits; whoever holds it keeps it, and what is done stays so.
func TestHasten(t *testing.T) {
	conn, all := open(t)
	k := send(t, conn, noon).Key()
	hasten := func() {
		t.Helper()
		if err := outbox.Hasten(t.Context(), all, k, noon); err != nil {
			t.Fatal(err)
		}
	}
	hasten()
	if m := stored(t, all, k); m.Swept != outbox.DueKey(noon) {
		t.Errorf("%+v", m)
	}
	m, _ := claim(t, all, k, noon)
	hasten()
	if ok, err := outbox.Done(t.Context(), all, m, noon, nil); !ok || err != nil {
		t.Errorf("whoever holds it can't end it: %t, %v", ok, err)
	}
	hasten()
	if m := stored(t, all, k); m.Pending != "" || m.Swept != "" {
		t.Errorf("what is done waits: %+v", m)
	}
	if err := outbox.Hasten(t.Context(), all, table.Of(conn, 7).Message("none"), noon); err != nil {
		t.Error(err)
	}
}
