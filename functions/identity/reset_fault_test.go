package identity

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Of many who confirm with one code, one sets the password.
func TestManyResetsAtOnce(t *testing.T) {
	w, _ := asOnAWS(t)
	w.add(anna)
	code := w.mailed(resetInit, anna)
	var n atomic.Int64
	var won atomic.Value
	answers := atOnce(5, func() *webtest.Answer { // as many tries as a caller has
		own := fmt.Sprintf("password no. %d", n.Add(1))
		a := w.anybody().Post(resetConfirm, renewal(anna, code, own))
		if a.Code() == 200 {
			won.Store(own)
		}
		return a
	})
	if got := statuses(answers); got[200] != 1 || got[400] != 4 {
		t.Fatalf("statuses %v, want one 200 and 400 for the others", got)
	}
	w.signs(anna, won.Load().(string), 200)
	if mails := w.deliver(); len(mails) != 1 {
		t.Errorf("%d mails, want 1", len(mails))
	}
}

// A sign-in that meets the new password either came with it or does not hold.
func TestSignInsDuringAReset(t *testing.T) {
	w, _ := asOnAWS(t)
	w.add(anna)
	code := w.mailed(resetInit, anna)
	var n atomic.Int64
	answers := atOnce(9, func() *webtest.Answer {
		if n.Add(1) == 5 {
			return w.anybody().Post(resetConfirm, renewal(anna, code, newPassword))
		}
		return w.anybody().Post("/v1/auth/login/", map[string]string{"username": anna, "password": password})
	})
	for _, a := range answers {
		if a.Code() == 200 && strings.Contains(string(a.Body()), "access") {
			w.holds(a.Text("access"), false)
			w.renew(a.Text("refresh")).Status(401)
		}
	}
	w.signs(anna, newPassword, 200)
}

// A reset that dies anywhere, or whose answers are lost, has happened as a whole
// or not at all: password, sign-ins, code and the word to the owner.
func TestAResetIsWholeOrDidNotHappen(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range uint64(48) {
		w := newWorld(t)
		name := enginetest.Table(t)
		w.Env.Table = table.Open(enginetest.Client(t), name)
		const id = 1
		was := user{ID: id, Password: credential.Nobody, Person: crosstenant.Person{Email: anna}} // no time is spent on a hash
		if err := newService(w.Env).users.add(t.Context(), was, func(*table.Tx) {}); err != nil {
			t.Fatal(err)
		}
		code := w.secretlyBy(newService(w.Env))
		var in resetIn
		in.Body.Email, in.Body.OTP, in.Body.Password = decode.Some(anna), decode.Some(code), decode.Some(newPassword)
		faulty := w.Env
		faulty.Table = table.Open(tabletest.Wrap(enginetest.Client(t), tabletest.Faults{Crash: 0.15, Lost: 0.2}, seed), name)
		_, err := newService(faulty).confirmReset(t.Context(), &web.Request{IP: "203.0.113.1"}, &in)

		calm := newService(w.Env)
		u, lookErr := calm.users.byID(t.Context(), id)
		if lookErr != nil {
			t.Fatal(lookErr)
		}
		renewed := u.Password != credential.Nobody
		c, lookErr := calm.challenges.get(t.Context(), reset, anna)
		if lookErr != nil {
			t.Fatal(lookErr)
		}
		var m crosstenant.MembershipsItem
		lookErr = calm.families.table.Get(t.Context(), crosstenant.Memberships(id), &m)
		if lookErr != nil && !errors.Is(lookErr, table.ErrNotFound) {
			t.Fatal(lookErr)
		}
		epoch := m.Epoch
		words := 0
		for _, item := range dump(t, name) {
			if strings.Contains(item.Text, string(passwordMessage)) {
				words++
			}
		}
		if c.Used != renewed || (epoch == 1) != renewed || u.Epoch != epoch || (words == 1) != renewed {
			t.Errorf("seed %d: renewed %v, code used %v, epochs %d and %d, %d messages", seed, renewed, c.Used, u.Epoch, epoch, words)
		}
		if err == nil && !renewed {
			t.Errorf("seed %d: it was said to be done and is not", seed)
		}
		outcomes[fmt.Sprintf("renewed %v, told %v", renewed, err == nil)]++
	}
	for _, want := range []string{"renewed true, told true", "renewed true, told false", "renewed false, told false"} {
		if outcomes[want] == 0 {
			t.Errorf("outcomes %v: never %s", outcomes, want)
		}
	}
}

// secretlyBy asks for a code through a service of its own.
func (w *world) secretlyBy(s *service) string {
	w.t.Helper()
	var in initIn
	in.Body.Email = decode.Some(anna)
	if _, err := s.initReset(w.t.Context(), &web.Request{}, &in); err != nil {
		w.t.Fatal(err)
	}
	c, err := s.challenges.get(w.t.Context(), reset, anna)
	if err != nil {
		w.t.Fatal(err)
	}
	code, err := s.code(w.t.Context(), reset, c.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return code
}

func TestResetOnStaleReads(t *testing.T) {
	name := enginetest.Table(t)
	w := newWorld(t, func(e *app.Env) {
		e.Table = table.Open(tabletest.Wrap(enginetest.Client(t), tabletest.Faults{Stale: time.Hour}, 1), name)
	})
	w.add(anna)
	first := w.login(anna)
	code := w.secretly(anna)
	w.anybody().Post(resetVerify, guess(anna, code)).Status(200)
	w.anybody().Post(resetConfirm, renewal(anna, code, newPassword)).Status(200)
	w.holds(first.Access, false)
	w.renew(first.Refresh).Writes(0).Status(401)
	w.signs(anna, newPassword, 200)
}

// Two who change a profile at once lose nothing: who named a revision is told,
// who named none comes after.
func TestProfileChangesAtOnce(t *testing.T) {
	w, _ := asOnAWS(t)
	w.add(anna)
	me := w.As(bearer(w.login(anna).Access))
	var n atomic.Int64
	answers := atOnce(6, func() *webtest.Answer {
		return me.With("If-Match", `"1"`).Patch("/v1/auth/profile/", fmt.Sprintf(`{"first_name":"Ann %d"}`, n.Add(1)))
	})
	if got := statuses(answers); got[200] != 1 || got[412] != 5 {
		t.Errorf("statuses %v, want one 200 and 412 for the others", got)
	}
	answers = atOnce(2, func() *webtest.Answer {
		body := `{"last_name":"Petrova"}`
		if n.Add(1)%2 == 0 {
			body = `{"phone":"+77070000000"}`
		}
		return me.Patch("/v1/auth/profile/", body)
	})
	if got := statuses(answers); got[200] != 2 {
		t.Errorf("statuses %v, want 200", got)
	}
	me.Get("/v1/auth/profile/").Status(200).Header("ETag", `"4"`).
		Field("last_name", `"Petrova"`).Field("phone", `"+77070000000"`)
}

func TestDeliveriesThatCannotBe(t *testing.T) {
	w := newWorld(t)
	s := newService(w.Env)
	c, err := issue(challenge{}, "id", w.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	c.Item = table.At(crosstenant.Challenge("riddle", anna), challengeVersion)
	if err := s.challenges.table.Put(c).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]error{
		"for no purpose":     s.deliverCode(t.Context(), outbox.Message{Kind: codeMessage, Body: `{"purpose":"riddle","address":"` + anna + `","challenge":"id"}`}),
		"of no form":         s.deliverCode(t.Context(), outbox.Message{Kind: codeMessage, Body: `[`}),
		"a password, broken": s.deliverPassword(t.Context(), outbox.Message{Kind: passwordMessage, Body: `[`}),
	} {
		if !errors.Is(do, outbox.ErrDrop) {
			t.Errorf("%s: %v, want that it is dropped", name, do)
		}
	}
	if len(w.mails.list) > 0 {
		t.Errorf("sent %+v", w.mails.list)
	}
}
