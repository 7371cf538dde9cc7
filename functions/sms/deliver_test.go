package sms_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

var (
	errRefused = fmt.Errorf("provider: %w", notify.ErrRefused)
	errDown    = fmt.Errorf("provider: %w", notify.ErrNotSent)
	errUnknown = errors.New("provider: no answer")
)

// pass lets time pass, with a sweep every ten seconds.
func (o *office) pass(d time.Duration) {
	o.t.Helper()
	const step = 10 * time.Second
	for ; d > 0; d -= step {
		o.sweep()
		o.Clock.Step(step)
	}
	o.sweep()
}

// is checks what became of a message.
func (o *office) is(path, status, refunded string) *webtest.Answer {
	o.t.Helper()
	return o.employee.Get(path).Status(200).Field("status", `"`+status+`"`).Field("refunded", `"`+refunded+`"`)
}

// A message to one telephone, and what a provider answers each time.
func TestOutcomes(t *testing.T) {
	always := func(err error) func(notify.Message, int) error { return func(notify.Message, int) error { return err } }
	until := func(n int, before, after error) func(notify.Message, int) error {
		return func(_ notify.Message, try int) error {
			if try < n {
				return before
			}
			return after
		}
	}
	once, never, reports := notify.Traits{Once: true}, notify.Traits{}, notify.Traits{Once: true, Reports: true}
	for _, c := range []struct {
		name            string
		traits          notify.Traits
		answer          func(notify.Message, int) error
		after           time.Duration
		status, balance string
		most            int // attempts; 0 means any number above one
	}{
		{"taken", once, nil, 0, "DELIVERED", "85.00", 1},
		{"taken, and nothing recognises it", never, nil, 0, "DELIVERED", "85.00", 1},
		{"taken, and a report is to come", reports, nil, time.Hour, "PENDING", "85.00", 1},
		{"refused", once, always(errRefused), 0, "FAILED", "100.00", 1},
		{"refused, and nothing recognises it", never, always(errRefused), 0, "FAILED", "100.00", 1},
		{"refused, and a report might come", reports, always(errRefused), 0, "FAILED", "100.00", 1},
		{"down for a minute", once, until(4, errDown, nil), 2 * time.Minute, "DELIVERED", "85.00", 4},
		{"down for a minute, and nothing recognises it", never, until(4, errDown, nil), 2 * time.Minute, "DELIVERED", "85.00", 4},
		{"down for an hour, within the half of it", once, always(errDown), 29 * time.Minute, "PENDING", "85.00", 0},
		{"down for an hour", once, always(errDown), time.Hour, "FAILED", "100.00", 0},
		{"down for an hour, given up after the half of it", never, always(errDown), 30*time.Minute + 10*time.Second, "FAILED", "100.00", 0},
		{"an answer is lost", once, until(2, errUnknown, nil), time.Minute, "DELIVERED", "85.00", 2},
		{"an answer is lost, and nothing recognises a second", never, until(2, errUnknown, nil), time.Minute, "DELIVERED", "85.00", 1},
		{"all answers are lost, within half an hour", once, always(errUnknown), 29 * time.Minute, "PENDING", "85.00", 0},
		{"all answers are lost", once, always(errUnknown), time.Hour, "DELIVERED", "85.00", 0},
		{"all answers are lost, and a report is to come", reports, always(errUnknown), time.Hour, "PENDING", "85.00", 0},
		{"one is lost, then it is down", once, until(2, errUnknown, errDown), time.Hour, "DELIVERED", "85.00", 0},
		{"one is lost, then it is refused", once, until(2, errUnknown, errRefused), time.Hour, "FAILED", "100.00", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := open(t, c.traits, "100")
			o.provider.answer = c.answer
			path := o.send("Hello", "+77011234567")
			o.pass(c.after)
			refunded := "0.00"
			if c.status == "FAILED" {
				refunded = "15.00"
			}
			o.is(path, c.status, refunded)
			o.balance(c.balance)
			want := []string{`sms_message.sent {"recipients":1,"segments":1,"cost":"15.00"}`}
			switch c.status {
			case "DELIVERED":
				want = append(want, `sms_message.delivered {"delivered":1,"failed":0,"refunded":"0.00"}`)
			case "FAILED":
				want = append(want, `sms_message.failed {"failed":1,"refunded":"15.00"}`)
			}
			if got := o.happened(); !slices.Equal(got, want) {
				t.Errorf("%q happened, want %q", got, want)
			}
			if n := len(o.provider.sent); n != c.most && (c.most > 0 || n < 2) {
				t.Errorf("%d attempts", n)
			}
			if ids := o.provider.ids("+77011234567"); len(ids) != 1 {
				t.Errorf("ids %q", ids)
			}
		})
	}
}

// The first telephone takes it, the second is refused, the third is reached only later.
func TestTelephonesFailOneByOne(t *testing.T) {
	o := open(t, notify.Traits{}, "100")
	o.provider.answer = func(m notify.Message, try int) error {
		switch {
		case m.To == phone(2):
			return errRefused
		case m.To == phone(3) && try < 3:
			return errDown
		}
		return nil
	}
	path := o.send("Hello", phone(1), phone(2), phone(3))
	o.sweep()
	o.is(path, "PENDING", "15.00").Field("cost", `"45.00"`).
		Field("recipients.0.status", `"DELIVERED"`).Field("recipients.1.status", `"FAILED"`).Field("recipients.2.status", `"PENDING"`)
	o.balance("70.00")
	o.pass(time.Minute)
	o.is(path, "DELIVERED", "15.00")
	o.balance("70.00")
	for i, want := range []int{1, 1, 3} {
		if got := o.provider.tries(phone(i + 1)); got != want {
			t.Errorf("%d attempts with the telephone %d, want %d", got, i+1, want)
		}
	}
}

func TestAHundredTelephones(t *testing.T) {
	for _, c := range []struct {
		name            string
		answer          error
		status, balance string
		operations      int64
	}{
		{"all take it", nil, "DELIVERED", "3500.00", 2},
		{"all refuse it", errRefused, "FAILED", "5000.00", 6}, // one for each part that is sent at once
	} {
		t.Run(c.name, func(t *testing.T) {
			o := open(t, notify.Traits{}, "5000")
			o.provider.answer = func(notify.Message, int) error { return c.answer }
			phones := make([]string, 100)
			for i := range phones {
				phones[i] = phone(i)
			}
			path := o.send("Hello", phones...)
			o.pass(20 * time.Second)
			o.employee.Get(path).Field("status", `"`+c.status+`"`)
			o.balance(c.balance)
			if n := o.owner.Get("/v1/sms/account/history/").Int("count"); n != c.operations {
				t.Errorf("%d operations", n)
			}
			for _, p := range phones {
				if o.provider.tries(p) != 1 {
					t.Errorf("%d attempts with %s", o.provider.tries(p), p)
				}
			}
		})
	}
}

// However the worker dies, each telephone gets at most one SMS, what failed is given back once, and
// the message comes to its end.
func TestTheWorkerDies(t *testing.T) {
	for name, traits := range map[string]notify.Traits{"once": {Once: true}, "not once": {}} {
		for call := 1; call <= 16; call++ { // an attempt makes fewer
			for _, after := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, call %d, after %t", name, call, after), func(t *testing.T) {
					t.Parallel()
					o, process, world := mortal(t, traits, "100")
					o.provider.answer = func(m notify.Message, _ int) error {
						if m.To == phone(2) {
							return errRefused
						}
						return nil
					}
					path := o.send("Hello", phone(1), phone(2))
					client := world.Client(uint64(call))
					client.DieAt(call, after)
					process.DynamoDBAPI = client
					_, err := o.worker.Sweep(t.Context())
					if process.DynamoDBAPI = world.Client(0); err == nil && client.Crashed() {
						t.Error("the worker has not noticed that it is dead")
					}
					o.pass(2 * time.Minute)
					a := o.employee.Get(path).Status(200)
					o.audit()
					// Where an attempt with the second may have been made, and nobody knows, it counts as sent.
					paid, refunded := cents(t, a.Text("cost")), cents(t, a.Text("refunded"))
					if left := cents(t, o.owner.Get("/v1/sms/account/").Text("balance")); left != 10000-paid+refunded || a.Text("status") != "DELIVERED" {
						t.Errorf("%d left of 10000, %d paid, %d given back: %s", left, paid, refunded, a.Text("status"))
					}
					if traits.Once && refunded != 1500 {
						t.Errorf("%d given back", refunded)
					}
					for i := 1; i <= 2; i++ {
						if n := o.provider.tries(phone(i)); n > 1 && !traits.Once || len(o.provider.ids(phone(i))) > 1 {
							t.Errorf("%d attempts with the telephone %d, ids %q", n, i, o.provider.ids(phone(i)))
						}
					}
				})
			}
		}
	}
}

// An attempt whose notes get no answer from the table finds them, and goes on; one whose notes are
// lost sends nothing that it has not noted.
func TestAnswersOfTheTableAreLost(t *testing.T) {
	for _, c := range []struct {
		name   string
		happen bool
		first  int // SMS of the first attempt
	}{{"the notes are there", true, 2}, {"the notes are lost", false, 0}} {
		t.Run(c.name, func(t *testing.T) {
			o, process, world := mortal(t, notify.Traits{}, "100")
			o.provider.answer = func(m notify.Message, _ int) error {
				if m.To == phone(2) {
					return errRefused
				}
				return nil
			}
			path := o.send("Hello", phone(1), phone(2))
			client := world.Client(1)
			client.Deafen(c.happen)
			process.DynamoDBAPI = client
			o.sweep()
			if process.DynamoDBAPI = world.Client(0); len(o.provider.sent) != c.first {
				t.Errorf("%d SMS", len(o.provider.sent))
			}
			o.pass(time.Minute)
			o.is(path, "DELIVERED", "15.00")
			o.balance("85.00")
			if len(o.provider.sent) != 2 {
				t.Errorf("sent %+v", o.provider.sent)
			}
		})
	}
}

// process is the engine as the functions see it: a process that can die, and is replaced by another one.
type process struct{ dynamodbiface.DynamoDBAPI }

// mortal makes an office that has topped up, and whose processes can be killed.
func mortal(t *testing.T, traits notify.Traits, amount string) (*office, *process, *tabletest.World) {
	t.Helper()
	p, world := &process{}, (*tabletest.World)(nil)
	o := openWith(t, webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		world = tabletest.NewWorld(engine, tabletest.Faults{})
		p.DynamoDBAPI = world.Client(0)
		return p
	}}, traits, amount)
	return o, p, world
}
