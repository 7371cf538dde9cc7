package redrive_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/infra/local/sqs"
	"github.com/tenantry/tenantry/infra/operator/redrive"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/infra/operator/stagetest"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/queue"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// send writes a message of a company, or of none, and has it given up for a reason unless that is empty.
func send(t *testing.T, s *stagetest.Stage, company tenant.ID, kind outbox.Kind, reason string) table.Key {
	t.Helper()
	all, key := crosstenant.Open(s.Conn), crosstenant.Message
	if company != 0 {
		key = table.Of(s.Conn, company).Message
	}
	m, err := outbox.New(key, kind, 1, s.Now(), s.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := all.Create(m).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if reason == "" {
		return m.Key()
	}
	m, ok, err := outbox.Claim(t.Context(), all, m.Key(), s.Now(), time.Minute)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if ok, err := outbox.GiveUp(t.Context(), all, m, s.Now(), errors.New(reason)); err != nil || !ok {
		t.Fatal(ok, err)
	}
	return m.Key()
}

// waits are the keys of the messages that wait.
func waits(t *testing.T, s *stagetest.Stage) map[table.Key]bool {
	t.Helper()
	found := map[table.Key]bool{}
	if err := outbox.EachDue(t.Context(), crosstenant.Open(s.Conn), s.Now(), func(k table.Key) error {
		found[k] = true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// stack is one with these queues.
type stack map[string]string

func (s stack) Resource(_ context.Context, id string) (string, error) { return s[id], nil }

func (stack) Parameters(context.Context) (map[string]string, error) {
	return nil, errors.ErrUnsupported
}

var addresses = stack{
	"OutboxDeadLetters": "https://sqs.invalid/123456789012/local-OutboxDeadLetters-1A",
	"OutboxFailures":    "https://sqs.invalid/123456789012/local-OutboxFailures-2B",
}

// with gives a stage a server of queues, which the program finds by its stack.
func with(t *testing.T, s *stagetest.Stage) *sqs.Server {
	t.Helper()
	e, _ := s.Env()
	key, err := e.AWS.Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server, err := sqs.Start(t.Context(), sqs.Options{Options: awsapi.Options{Keys: map[string]string{key.AccessKeyID: key.SecretAccessKey}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	s.Endpoints["SQS_ENDPOINT"] = server.URL
	return server
}

func run(ctx context.Context, e *stage.Env, args []string) error {
	e.Stack = addresses
	return redrive.Run(ctx, e, args)
}

// Messages that were given up are told by kind and company with the reason, and those wait again that are chosen.
func TestFailedMessages(t *testing.T) {
	for args, back := range map[string][]int{
		"":                               nil,
		"-kind documents.seal":           {0, 1, 2},
		"-tenant 7":                      {0, 1, 3},
		"-kind documents.seal -tenant 8": {2},
		"-all":                           {0, 1, 2, 3},
		"-kind documents.sealed":         nil,
	} {
		t.Run(args, func(t *testing.T) {
			s := stagetest.New(t)
			keys := []table.Key{
				send(t, s, 7, "documents.seal", "no stamp"), send(t, s, 7, "documents.seal", "no chain"),
				send(t, s, 8, "documents.seal", "no stamp"), send(t, s, 7, "sms.deliver", "no provider"),
			}
			said, err := s.Run(t.Context(), redrive.Run, strings.Fields(args)...)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range []string{"company 7          2 given up", "no chain", "company 8", "sms.deliver", "no provider"} {
				if !strings.Contains(said, line) {
					t.Errorf("%q isn't told in:\n%s", line, said)
				}
			}
			again := waits(t, s)
			if len(again) != len(back) {
				t.Errorf("%d wait", len(again))
			}
			for _, i := range back {
				if !again[keys[i]] {
					t.Errorf("%d doesn't wait", i)
				}
				if m, ok, err := outbox.Claim(t.Context(), crosstenant.Open(s.Conn), keys[i], s.Now(), time.Minute); err != nil || !ok ||
					m.Attempts != 1 {
					t.Errorf("%d: %+v, %t, %v", i, m, ok, err)
				}
			}
		})
	}
}

func TestNobodyConfirms(t *testing.T) {
	s := stagetest.New(t)
	send(t, s, 7, "documents.seal", "no stamp")
	e, out := s.Env()
	e.Yes = false
	if err := redrive.Run(t.Context(), e, []string{"-all"}); !errors.Is(err, stage.ErrUnconfirmed) {
		t.Errorf("%v\n%s", err, out)
	}
	if n := len(waits(t, s)); n != 0 {
		t.Errorf("%d wait", n)
	}
	for _, args := range []string{"-all -kind x", "-all -tenant 7", "-tenant -7", "7"} {
		if _, err := s.Run(t.Context(), redrive.Run, strings.Fields(args)...); err == nil {
			t.Errorf("%s is taken", args)
		}
	}
}

// Letters tell what became of their messages. Those that are chosen leave their queue, and what still waits is looked at by the next sweep.
func TestLetters(t *testing.T) {
	s := stagetest.New(t)
	server := with(t, s)
	dead, failures := addresses["OutboxDeadLetters"], addresses["OutboxFailures"]
	waiting, failed := send(t, s, 7, "documents.seal", ""), send(t, s, 8, "documents.seal", "no stamp")
	done := table.Of(s.Conn, 7).Message("k#listing.fold#x")
	for _, k := range []table.Key{waiting, failed, done} {
		server.Put(dead, queue.Encode(k))
	}
	send(t, s, 0, "identity.code", "no mail")
	server.Put(failures, `{"DDBStreamBatchInfo":{"shardId":"1"}}`)
	e := s.Judged(t, "redrive", map[string]string{"sqs": server.URL})
	out := new(strings.Builder)
	e.Out = out
	if err := run(t.Context(), e, []string{"-all"}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"company 7          1 letters in OutboxDeadLetters: waits", "company 8          1 letters in OutboxDeadLetters: was given up",
		"OutboxDeadLetters: is done", "OutboxFailures: a note about a batch", "of no company      1 given up", "2 messages were put back, 4 letters removed.",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("%q isn't told in:\n%s", line, out)
		}
	}
	if left := append(server.Left(dead), server.Left(failures)...); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	var swept []table.Key
	if err := outbox.EachStanding(t.Context(), crosstenant.Open(s.Conn), outbox.Bulk, s.Now(), func(at outbox.Standing) error {
		swept = append(swept, at.Key)
		return nil
	}); err != nil || len(swept) != 2 {
		t.Errorf("the next sweep finds %v, %v", swept, err)
	}
}

// Letters of a kind are chosen like messages, and the others stay.
func TestChosenLetters(t *testing.T) {
	s := stagetest.New(t)
	server := with(t, s)
	dead := addresses["OutboxDeadLetters"]
	seal, sms := send(t, s, 7, "documents.seal", ""), send(t, s, 7, "sms.deliver", "")
	for i := range 12 { // more than one receipt
		server.Put(dead, queue.Encode(table.Of(s.Conn, 7).Message(fmt.Sprint("b#", i))))
	}
	server.Put(dead, queue.Encode(seal))
	server.Put(dead, queue.Encode(sms))
	if said, err := s.Run(t.Context(), run, "-kind", "documents.seal"); err != nil || !strings.Contains(said, "1 letters removed") {
		t.Fatal(said, err)
	}
	if left := server.Left(dead); len(left) != 13 || strings.Contains(strings.Join(left, " "), seal.SK) {
		t.Errorf("left: %v", left)
	}
}

func TestKilled(t *testing.T) {
	servers := map[*stagetest.Stage]*sqs.Server{}
	stagetest.Killed(t, func(t *testing.T) *stagetest.Stage {
		s := stagetest.New(t)
		servers[s] = with(t, s)
		for range 3 {
			send(t, s, 7, "documents.seal", "no stamp")
		}
		return s
	}, run, []string{"-all"}, func(t *testing.T, s *stagetest.Stage, _ string) {
		if n := len(waits(t, s)); n != 3 {
			t.Errorf("%d of 3 wait", n)
		}
	})
}
