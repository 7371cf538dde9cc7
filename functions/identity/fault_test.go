package identity

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web"
)

// stored is one item of the table, whatever it is.
type stored struct {
	PK, SK, Text string
}

// dump reads a whole table.
func dump(t *testing.T, name string) (items []stored) {
	t.Helper()
	client := enginetest.Client(t)
	in := &dynamodb.ScanInput{TableName: aws.String(name), ConsistentRead: aws.Bool(true)}
	for {
		out, err := client.Scan(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range out.Items {
			a := table.Attributes(raw)
			var all map[string]any
			if err := dynamo.UnmarshalItem(raw, &all); err != nil {
				t.Fatal(err)
			}
			items = append(items, stored{a.Text("pk"), a.Text("sk"), fmt.Sprint(all)})
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			return items
		}
	}
}

// Whatever was done, nothing that opens a door lies in the table, the outbox or
// the log.
func TestSecretsAreNowhere(t *testing.T) {
	name := enginetest.Table(t)
	w := newWorld(t, func(e *app.Env) { e.Table = table.Open(enginetest.Client(t), name) })
	code := w.code(anna)
	w.anybody().Post("/v1/tenant/register/confirm/", confirmation(anna, wrong(code, 1))).Status(400)
	w.anybody().Post("/v1/tenant/register/confirm/", confirmation(anna, code)).Status(201)
	w.Clock.Step(codePause)
	second := w.code(boris)
	first := w.login(anna)
	next := pair(w.renew(first.Refresh).Status(200))
	crossed, waiting := w.cross(next.Access), w.cross(next.Access)
	there := w.exchange(map[string]string{"token": crossed}).Status(200).Text("token")
	w.anybody().Post("/v1/auth/login/", map[string]string{"username": anna, "password": "almost " + password}).Status(401)
	w.renew(first.Refresh + "x").Status(401)
	third := w.mailed(resetInit, anna)
	w.anybody().Post(resetVerify, guess(anna, third)).Status(200)
	w.anybody().Post(resetConfirm, renewal(anna, wrong(third, 1), newPassword)).Status(400)
	w.anybody().Post(resetConfirm, renewal(anna, third, newPassword)).Status(200)
	for _, m := range w.deliver() {
		if strings.Contains(m.Text, third) || strings.Contains(m.Text, newPassword) {
			t.Errorf("a secret is in a mail: %s", m.Text)
		}
	}

	last := func(token string) string { return token[strings.LastIndex(token, ".")+1:] }
	secrets := []string{
		password, newPassword, code, second, third, crossed, waiting,
		first.Access, next.Access, there, last(first.Access), last(next.Access), last(there),
		first.Refresh, next.Refresh, last(first.Refresh), last(next.Refresh),
	}
	items := dump(t, name)
	if len(items) < 8 {
		t.Fatalf("%d items: the test looks in the wrong place", len(items))
	}
	kinds := map[string]bool{}
	for _, item := range items {
		kinds[item.PK[:2]] = true
		for _, secret := range secrets {
			if word(secret).MatchString(item.Text) {
				t.Errorf("%q lies in %s %s: %s", secret, item.PK, item.SK, item.Text)
			}
		}
	}
	for _, prefix := range []string{"U#", "E#", "C#", "X#", "R#", "G#"} {
		if !kinds[prefix] {
			t.Errorf("no item under %s: the test looks in the wrong place", prefix)
		}
	}
	log := w.Log()
	if !strings.Contains(log, "auth-login") {
		t.Errorf("the log holds no requests:\n%s", log)
	}
	for _, secret := range append(secrets, anna, boris) {
		if word(secret).MatchString(log) {
			t.Errorf("%q is in the log", secret)
		}
	}
}

// word finds a text that stands alone, so that six digits of a time are no code.
func word(text string) *regexp.Regexp {
	return regexp.MustCompile(`(^|[^0-9A-Za-z])` + regexp.QuoteMeta(text) + `($|[^0-9A-Za-z])`)
}

// No rule is decided on a read that may lag.
func TestStaleReads(t *testing.T) {
	name := enginetest.Table(t)
	w := newWorld(t, func(e *app.Env) {
		e.Table = table.Open(tabletest.Wrap(enginetest.Client(t), tabletest.Faults{Stale: time.Hour}, 1), name)
	})
	w.add(anna)
	first := w.login(anna)
	next := pair(w.renew(first.Refresh).Status(200))
	w.As(bearer(next.Access)).Patch("/v1/auth/profile/", `{"first_name":"Ann"}`).Status(200)
	w.As(bearer(next.Access)).Get("/v1/auth/profile/").Status(200).Field("first_name", `"Ann"`)
	w.exchange(map[string]string{"token": w.cross(next.Access)}).Status(200)
	w.anybody().Post("/v1/tenant/register/init/", map[string]string{"email": boris}).Status(200)
	w.anybody().Post("/v1/tenant/register/init/", map[string]string{"email": boris}).Status(429)
	w.anybody().Post("/v1/auth/logout/", map[string]string{"refresh": next.Refresh}).Status(200)
	w.holds(next.Access, false)
}

// A registration that dies anywhere, or whose answers are lost, leaves a whole
// account or none.
func TestRegistrationIsWholeOrNotThere(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range uint64(64) {
		w := newWorld(t)
		name := enginetest.Table(t)
		w.Env.Table = table.Open(enginetest.Client(t), name)
		calm := newService(w.Env)
		var c initIn
		c.Body.Email = decode.Some(anna)
		if _, err := calm.initRegistration(t.Context(), &web.Request{}, &c); err != nil {
			t.Fatal(err)
		}
		last, err := calm.challenges.get(t.Context(), register, anna)
		if err != nil {
			t.Fatal(err)
		}
		code, err := calm.code(t.Context(), register, last.ID)
		if err != nil {
			t.Fatal(err)
		}
		var in confirmIn
		in.Body.Email, in.Body.OTP, in.Body.Password = decode.Some(anna), decode.Some(code), decode.Some(password)
		in.Body.FirstName, in.Body.Phone = decode.Some("Anna"), decode.Some("+77011234567")

		faulty := w.Env
		faulty.Table = table.Open(tabletest.Wrap(enginetest.Client(t), tabletest.Faults{Crash: 0.15, Lost: 0.2}, seed), name)
		_, err = newService(faulty).confirmRegistration(t.Context(), &web.Request{IP: "203.0.113.1"}, &in)
		u, known, lookErr := calm.users.byEmail(t.Context(), anna)
		if lookErr != nil {
			t.Fatal(lookErr)
		}
		after, lookErr := calm.challenges.get(t.Context(), register, anna)
		if lookErr != nil {
			t.Fatal(lookErr)
		}
		if after.Used != known {
			t.Errorf("seed %d: the code is used: %v, there is an account: %v", seed, after.Used, known)
		}
		if err == nil && !known {
			t.Errorf("seed %d: it was said to be done and is not", seed)
		}
		people, addresses := 0, 0
		for _, item := range dump(t, name) {
			switch {
			case item.SK == "user":
				people++
			case item.SK == "email":
				addresses++
			}
		}
		if people != addresses || people > 1 || known != (people == 1) {
			t.Errorf("seed %d: %d people, %d addresses, known %v (%+v)", seed, people, addresses, known, u)
		}
		// The person tries again.
		_, again := calm.confirmRegistration(t.Context(), &web.Request{IP: "203.0.113.1"}, &in)
		if known != errors.Is(again, errCode) || !known && again != nil {
			t.Errorf("seed %d: known %v, and the next try gets %v", seed, known, again)
		}
		outcomes[fmt.Sprintf("known %v, told %v", known, err == nil)]++
	}
	for _, want := range []string{"known true, told true", "known true, told false", "known false, told false"} {
		if outcomes[want] == 0 {
			t.Errorf("outcomes %v: never %s", outcomes, want)
		}
	}
}

// A client whose answers are lost and who asks again is never signed out.
func TestLostAnswersSignNobodyOut(t *testing.T) {
	name := enginetest.Table(t)
	w := newWorld(t, func(e *app.Env) {
		e.Table = table.Open(tabletest.Wrap(enginetest.Client(t), tabletest.Faults{}, 1), name)
	})
	w.add(anna)
	token := w.login(anna).Refresh
	faulty := w.Env
	faulty.Table = table.Open(tabletest.Wrap(enginetest.Client(t), tabletest.Faults{Lost: 0.5, Throttled: 0.1}, 1), name)
	s, lost := newService(faulty), 0
	for range 40 {
		var in refreshIn
		in.Body.Refresh = decode.Some(token)
		for {
			next, err := s.refresh(context.Background(), &web.Request{}, &in)
			if err == nil {
				token = next.Refresh
				break
			}
			if lost++; !table.Unavailable(err) {
				t.Fatalf("after %d lost answers: %v", lost, err)
			}
			w.Clock.Step(time.Second / 2)
		}
		w.Clock.Step(time.Minute)
	}
	if lost < 10 {
		t.Errorf("only %d answers were lost", lost)
	}
	w.renew(token).Status(200)
}

// The engine or the keys gone: 503, and nothing about accounts.
func TestEngineGone(t *testing.T) {
	name := enginetest.Table(t)
	w := newWorld(t, func(e *app.Env) {
		e.Table = table.Open(tabletest.Wrap(enginetest.Client(t), tabletest.Faults{Throttled: 1}, 1), name)
	})
	const id = "0b0e8f5e-6a54-4c3c-9d0f-3a5b1c9d2e01"
	s := newService(w.Env)
	secret, err := s.familySecret(t.Context(), refreshToken{User: 1, Family: id, Generation: 1})
	if err != nil {
		t.Fatal(err)
	}
	refresh := refreshToken{User: 1, Family: id, Generation: 1}.text(secret)
	access, err := s.accessToken(t.Context(), 1, id)
	if err != nil {
		t.Fatal(err)
	}
	const gone = `{"detail":"Service temporarily unavailable."}`
	for path, body := range map[string]any{
		"/v1/auth/login/":              map[string]string{"username": anna, "password": password},
		"/v1/auth/refresh/":            map[string]string{"refresh": refresh},
		"/v1/auth/logout/":             map[string]string{"refresh": refresh},
		"/v1/auth/cross_login/":        map[string]string{"token": id},
		"/v1/tenant/register/init/":    map[string]string{"email": anna},
		"/v1/tenant/register/confirm/": confirmation(anna, "123456"),
	} {
		w.anybody().Post(path, body).Status(503).JSON(gone).Header("Retry-After", "1")
	}
	w.As(bearer(access)).Get("/v1/auth/profile/").Status(503).JSON(gone)
	w.As(bearer(access)).Post("/v1/auth/cross_login/token/", nil).Status(503).JSON(gone)
}
