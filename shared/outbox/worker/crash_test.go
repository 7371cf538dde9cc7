package worker

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/queue"
	"github.com/tenantry/tenantry/shared/table"
)

// TestProcess is a process of its own, which carries out one event at the time that the environment says. It dies of a message
// "test.kill".
func TestProcess(t *testing.T) {
	payload := os.Getenv("WORKER_EVENT")
	if payload == "" {
		t.Skip("it is a part of the test of crashes")
	}
	now, err := time.Parse(time.RFC3339, os.Getenv("WORKER_NOW"))
	if err != nil {
		t.Fatal(err)
	}
	w := New(
		"worker", app.Env{Table: table.Open(enginetest.Client(t), os.Getenv("WORKER_TABLE")), Now: func() time.Time { return now }, Log: os.Stderr},
		outbox.Work{"test.kill": func(context.Context, outbox.Message) error { os.Exit(3); return nil }},
	)
	if _, err := w.Invoke(t.Context(), []byte(payload)); err != nil {
		t.Fatal(err)
	}
}

// process runs an event in another process, and tells whether that died of a message.
func (o *office) process(event []byte) (died bool) {
	o.t.Helper()
	command := exec.CommandContext(o.t.Context(), os.Args[0], "-test.run=^TestProcess$")
	command.Env = append(os.Environ(), "DYNAMODB_ENDPOINT="+enginetest.Endpoint(o.t), "WORKER_EVENT="+string(event),
		"WORKER_TABLE="+o.name, "WORKER_NOW="+o.Now().Format(time.RFC3339))
	output, err := command.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 3 {
		return true
	}
	if err != nil {
		o.t.Fatalf("%v: %s", err, output)
	}
	return false
}

// A message that ends its process is given up after three tries, as its queue or the net brings it again, and that is counted.
func TestAMessageThatKillsItsProcess(t *testing.T) {
	o := newOffice(t)
	m := o.send("test.kill")
	event := batch(queued(queue.Encode(m.Key()), 1))
	for try := 1; try <= outbox.MaxCrashes; try++ {
		if !o.process(event) {
			t.Fatalf("try %d: the process lives", try)
		}
		if o.process(event) {
			t.Fatalf("it is tried again after try %d, before its lease is over", try)
		}
		o.step(Lease)
	}
	w := o.worker(o.conn, outbox.Work{"test.kill": func(context.Context, outbox.Message) error {
		t.Error("it is tried once more")
		return nil
	}})
	if answer := invoke(t, w, event); answer != `{"batchItemFailures":[]}` {
		t.Error(answer)
	}
	if s := o.stored(m); s.Pending != outbox.Failed || s.Problem != errCrashed.Error() || s.TTL != 0 {
		t.Errorf("%+v", s)
	}
	if l := o.lines(); len(l) != 1 || l[0]["result"] != "gave up" {
		t.Errorf("log: %v", l)
	} else {
		o.counts(l[0], "OutboxGaveUp")
	}
}
