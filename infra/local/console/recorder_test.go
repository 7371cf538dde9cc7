package console

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/shared/outbox/notify"
)

func open(t *testing.T, path string) *Recorder {
	t.Helper()
	o, err := NewRecorder(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	return o
}

func send(t *testing.T, o *Recorder, ids ...string) {
	t.Helper()
	for _, id := range ids {
		m := notify.Message{ID: id, Channel: notify.Email, To: id + "@example.com", Subject: "S " + id, Text: "line one\nцифры " + id}
		if err := o.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
}

func ids(o *Recorder) string {
	var all []string
	for _, m := range o.List() {
		all = append(all, m.ID)
	}
	return strings.Join(all, " ")
}

func TestRecorderDeliversOnce(t *testing.T) {
	for name, path := range map[string]string{"in memory": "", "in a file": filepath.Join(t.TempDir(), "outbox.jsonl")} {
		t.Run(name, func(t *testing.T) {
			o := open(t, path)
			send(t, o, "a", "b", "a", "c", "b")
			if got := ids(o); got != "c b a" {
				t.Errorf("%s", got)
			}
		})
	}
}

func TestRecorderOutlivesItsProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox.jsonl")
	first := open(t, path)
	send(t, first, "a", "b")
	before := first.List()

	second := open(t, path) // the first was never closed, as after a kill
	after := second.List()
	if fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("%v, want %v", after, before)
	}
	send(t, second, "b", "c")
	if got := ids(open(t, path)); got != "c b a" {
		t.Errorf("%s", got)
	}
}

func TestRecorderDropsATornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox.jsonl")
	o := open(t, path)
	send(t, o, "a", "b", "c")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second := strings.LastIndex(strings.TrimSuffix(string(whole), "\n"), "\n") + 1
	for cut := second; cut < len(whole); cut++ {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		torn := open(t, path)
		if got := ids(torn); got != "b a" {
			t.Fatalf("cut at %d: %s", cut, got)
		}
		send(t, torn, "d")
		if got := ids(open(t, path)); got != "d b a" {
			t.Fatalf("cut at %d, then one more: %s", cut, got)
		}
	}
}

func TestRecorderRefusesABrokenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox.jsonl")
	if err := os.WriteFile(path, []byte("{\"id\":\"a\"}\nnonsense\n{\"id\":\"b\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewRecorder(path); err == nil || !strings.Contains(err.Error(), "line 2 is not a message") {
		t.Errorf("%v", err)
	}
	if _, err := NewRecorder(filepath.Join(t.TempDir(), "nowhere", "outbox.jsonl")); err == nil {
		t.Error("opened in a folder that does not exist")
	}
}

func TestRecorderTakesManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox.jsonl")
	o := open(t, path)
	var senders sync.WaitGroup
	for range 8 {
		senders.Go(func() {
			for i := range 50 {
				if err := o.Send(t.Context(), notify.Message{ID: fmt.Sprint(i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	senders.Wait()
	if n := open(t, path).Len(); n != 50 {
		t.Errorf("%d messages, want 50", n)
	}
}
