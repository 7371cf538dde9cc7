package identity

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// seen is all that a caller can see of an answer but the moment and the
// request's id, and what the request cost.
func (w *world) seen(path string, body any) string {
	w.t.Helper()
	c := w.anybody()
	cost := c.Post(path, body).Cost()
	w.Clock.Step(codePause) // the same again, as it came off the wire
	event, err := json.Marshal(c.Event("POST", path, body))
	if err != nil {
		w.t.Fatal(err)
	}
	raw, err := w.Env.Server(w.Group("identity")).Invoke(w.t.Context(), event)
	if err != nil {
		w.t.Fatal(err)
	}
	var answer events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(raw, &answer); err != nil {
		w.t.Fatal(err)
	}
	for name := range maps.Clone(answer.Headers) {
		if name == "X-Request-Id" || name == "Server-Timing" {
			answer.Headers[name] = "<any>"
		}
	}
	return fmt.Sprintf("%d %v %v %s, %d calls, %v read, %v written",
		answer.StatusCode, answer.Headers, answer.Cookies, answer.Body, cost.Calls, cost.Read, cost.Write)
}

// Neither an answer nor what it takes tells whether an account exists.
func TestNothingTellsAnAccount(t *testing.T) {
	const path = "/v1/tenant/register/confirm/"
	for name, ask := range map[string]func(w *world) string{
		"login": func(w *world) string {
			return w.seen("/v1/auth/login/", map[string]string{"username": anna, "password": "wrong"})
		},
		"login during an attack": func(w *world) string {
			w.attack(anna)
			seen := w.seen("/v1/auth/login/", map[string]string{"username": anna, "password": password})
			if !strings.HasPrefix(seen, "429 ") {
				w.t.Errorf("there is no attack: %s", seen)
			}
			return seen
		},
		"a code": func(w *world) string {
			return w.seen("/v1/tenant/register/init/", map[string]string{"email": anna})
		},
		"a code too soon": func(w *world) string {
			w.anybody().Post("/v1/tenant/register/init/", map[string]string{"email": anna}).Status(200)
			w.Clock.Step(-codePause / 2)
			return w.seen("/v1/tenant/register/init/", map[string]string{"email": anna})
		},
		"a guess without a code": func(w *world) string { return w.seen(path, confirmation(anna, "123456")) },
		"a guess": func(w *world) string {
			w.anybody().Post("/v1/tenant/register/init/", map[string]string{"email": anna}).Status(200)
			c, err := newService(w.Env).challenges.get(t.Context(), register, anna)
			if err != nil {
				t.Fatal(err)
			}
			code, err := newService(w.Env).code(t.Context(), register, c.ID)
			if err != nil {
				t.Fatal(err)
			}
			return w.seen(path, confirmation(anna, wrong(code, 1)))
		},
		"a code for a password": func(w *world) string { return w.seen(resetInit, map[string]string{"email": anna}) },
		"a code for a password too soon": func(w *world) string {
			w.anybody().Post(resetInit, map[string]string{"email": anna}).Status(200)
			w.Clock.Step(-codePause / 2)
			return w.seen(resetInit, map[string]string{"email": anna})
		},
		"a new password without a code": func(w *world) string { return w.seen(resetConfirm, renewal(anna, "123456", password)) },
		"a new password by a guess": func(w *world) string {
			return w.seen(resetConfirm, renewal(anna, wrong(w.secretly(anna), 1), password))
		},
		"a guess at a code":              func(w *world) string { return w.seen(resetVerify, guess(anna, wrong(w.secretly(anna), 1))) },
		"a guess at a code that is none": func(w *world) string { return w.seen(resetVerify, guess(anna, "123456")) },
	} {
		t.Run(name, func(t *testing.T) {
			known, unknown := newWorld(t), newWorld(t)
			known.add(anna) // who has signed in, from elsewhere
			known.anybody().From("203.0.113.77").Post("/v1/auth/login/", map[string]string{"username": anna, "password": password}).
				Status(200)
			if a, b := ask(known), ask(unknown); a != b {
				t.Errorf("with an account\n%s\nwithout\n%s", a, b)
			}
		})
	}
}

// The password of an unknown account is compared as any other: it takes a slot
// too, and one as costly.
func TestAnUnknownAccountTakesAHashToo(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	s := newService(w.Env)
	u, _, err := s.users.byEmail(t.Context(), anna)
	if err != nil {
		t.Fatal(err)
	}
	const cost = len("$argon2id$v=19$m=19456,t=2,p=1$")
	if u.Password[:cost] != credential.Nobody[:cost] || len(u.Password) != len(credential.Nobody) {
		t.Errorf("nobody's hash %s is not like %s", credential.Nobody, u.Password)
	}
	for range cap(s.passwords.Slots) {
		s.passwords.Slots <- struct{}{}
	}
	for _, address := range []string{anna, boris} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		var in loginIn
		in.Body.Username, in.Body.Password = decode.Some(address), decode.Some("wrong")
		_, err := s.login(ctx, &web.Request{IP: "203.0.113.1"}, &in)
		cancel()
		if f, ok := fault.As(err); !ok || f.Code != fault.Unavailable {
			t.Errorf("%s: %v, want that it waits for a slot", address, err)
		}
	}
}

func TestHowManyCodesACallerCanHaveSent(t *testing.T) {
	w := newWorld(t)
	init := func(ip, address string) *webtest.Answer {
		return w.anybody().From(ip).Post("/v1/tenant/register/init/", map[string]string{"email": address})
	}
	for range codesToOne {
		init("203.0.113.1", anna).Status(200)
		for range 10 { // who is told to wait loses nothing
			init("203.0.113.1", anna).Status(429).Writes(0)
		}
		w.Clock.Step(codePause)
	}
	init("203.0.113.1", anna).Status(429).Writes(0)
	init("203.0.113.2", anna).Status(200) // its owner
	init("203.0.113.1", boris).Status(200)

	for i := range codesFromIP {
		init("203.0.113.9", fmt.Sprintf("p%d@rent.test", i)).Status(200)
	}
	init("203.0.113.9", "one.more@rent.test").Status(429).Writes(0)
	init("203.0.113.8", "one.more@rent.test").Status(200)
	w.Clock.Step(time.Hour)
	init("203.0.113.9", "another@rent.test").Status(200)
}
