package identity

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/keys/access"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const badCross = `{"token":["Token is invalid or expired."]}`

func (w *world) cross(access string) string {
	w.t.Helper()
	return w.As(bearer(access)).Post("/v1/auth/cross_login/token/", nil).Status(200).JSON(`{"token":"<uuid>"}`).Text("token")
}

func (w *world) exchange(body any) *webtest.Answer {
	w.t.Helper()
	return w.anybody().Post("/v1/auth/cross_login/", body)
}

// crossed is the access token of a cross login from a sign-in.
func (w *world) crossed(here tokens) string {
	w.t.Helper()
	return w.exchange(map[string]string{"token": w.cross(here.Access)}).Status(200).Text("token")
}

func TestCrossLogin(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	here := w.login(anna)
	a := w.As(bearer(here.Access)).Post("/v1/auth/cross_login/token/", `{}`).Status(200).Writes(3).Calls(3).Units(0, 3)
	a.NotContain(here.Access)
	for name, body := range map[string]func(token string) any{
		"JSON":      func(token string) any { return map[string]string{"token": token} },
		"form":      func(token string) any { return webtest.Form("token", token) },
		"multipart": func(token string) any { return webtest.Multipart(map[string]any{"token": token}) },
	} {
		token := w.cross(here.Access)
		there := w.exchange(body(token)).Status(200).JSON(`{"token":"<string>"}`).Writes(1).Calls(2).Units(2, 1).Text("token")
		w.As(bearer(there)).Get("/v1/auth/profile/").Status(200).Field("email", `"anna@rent.test"`)
		w.exchange(body(token)).Status(400).JSON(badCross)
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

func TestCrossLoginRefused(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	here := w.login(anna)
	for _, c := range []struct{ body, want string }{
		{`{}`, `{"token":["This field is required."]}`},
		{`{"token":""}`, `{"token":["This field may not be blank."]}`},
		{`{"token":null}`, `{"token":["This field may not be null."]}`},
		{`{"token":"x"}`, badCross},
		{`{"token":7}`, badCross},
		{`{"token":"0b0e8f5e-6a54-4c3c-9d0f-3a5b1c9d2e01"}`, badCross},
		{encode(t, map[string]string{"token": here.Access}), badCross},
		{encode(t, map[string]string{"token": here.Refresh}), badCross},
	} {
		w.exchange(c.body).Status(400).JSON(c.want)
	}
	w.anybody().Post("/v1/auth/cross_login/token/", nil).Status(401)

	late := w.cross(here.Access)
	w.Clock.Step(crossLifetime)
	w.exchange(map[string]string{"token": late}).Writes(1).Status(400).JSON(badCross)

	orphan := w.cross(here.Access)
	w.anybody().Post("/v1/auth/logout/", map[string]string{"refresh": here.Refresh}).Status(200)
	w.exchange(map[string]string{"token": orphan}).Writes(1).Status(400).JSON(badCross)
}

// Whoever holds a stolen access token can't renew it by cross logins.
func TestACrossLoginIssuesNoTokens(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	here := w.login(anna)
	there := w.crossed(here)
	w.As(bearer(there)).Post("/v1/auth/cross_login/token/", nil).Status(403).Writes(0).Calls(0).
		JSON(`{"detail":"A session that came of a cross login can't issue cross-login tokens. Sign in to issue one.","code":"cross_login"}`)
	w.holds(there, true)
	w.cross(here.Access)
}

// A session that came of a cross login ends with the sign-in that it came of.
func TestACrossLoginEndsWithItsSignIn(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(w *world, here tokens)
	}{
		{"sign-out", func(w *world, here tokens) {
			w.anybody().Post("/v1/auth/logout/", map[string]string{"refresh": here.Refresh}).Status(200)
		}},
		{"a refresh token used twice", func(w *world, here tokens) {
			next := pair(w.renew(here.Refresh).Status(200))
			w.renew(next.Refresh).Status(200)
			w.renew(here.Refresh).Writes(1).Status(401)
		}},
		{"a new password", func(w *world, _ tokens) {
			otp := w.mailed("/v1/auth/reset/init/", anna)
			w.anybody().Post("/v1/auth/reset/confirm/", map[string]string{"email": anna, "otp": otp, "password": "another horse 43"}).
				Status(200)
		}},
		{"its own expiry", func(w *world, _ tokens) { w.Clock.Step(w.Env.Config.AccessLifetime) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.add(anna)
			here, other := w.login(anna), w.login(anna)
			there, elsewhere := w.crossed(here), w.crossed(other)
			w.holds(there, true)
			c.end(w, here)
			w.holds(there, false)
			if strings.HasPrefix(c.name, "sign-out") {
				w.holds(elsewhere, true) // of another sign-in of the same person
			}
		})
	}
}

// The session lasts no longer than its sign-in would by itself.
func TestACrossLoginOutlivesNoSignIn(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	here := w.login(anna)
	refreshed := pair(w.renew(here.Refresh).Status(200))
	w.Clock.Step(w.Env.Config.RefreshLifetime - w.Env.Config.AccessLifetime/2)
	s := newService(w.Env)
	r, _ := readRefresh(refreshed.Refresh)
	late, err := s.accessToken(t.Context(), r.User, r.Family) // as one of a refresh that nobody used
	if err != nil {
		t.Fatal(err)
	}
	there := w.exchange(map[string]string{"token": w.cross(late)}).Status(200).Text("token")
	claims, err := access.Verify(t.Context(), w.Env.Keys, there, w.Clock.Now())
	if err != nil || claims.ExpiresAt.Sub(w.Clock.Now()) != w.Env.Config.AccessLifetime/2 {
		t.Errorf("it lasts until %s: %v", claims.ExpiresAt, err)
	}
	w.Clock.Step(w.Env.Config.AccessLifetime / 2)
	w.holds(there, false)
}

func TestCrossLoginThrottle(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	w.add(boris)
	me := w.As(bearer(w.login(anna).Access))
	for range limits[issueCross].pair {
		me.Post("/v1/auth/cross_login/token/", nil).Status(200)
	}
	me.Post("/v1/auth/cross_login/token/", nil).Status(429)
	me.From("203.0.113.99").Post("/v1/auth/cross_login/token/", nil).Status(200)
	w.As(bearer(w.login(boris).Access)).Post("/v1/auth/cross_login/token/", nil).Status(200)
	w.Clock.Step(limits[issueCross].window)
	me.Post("/v1/auth/cross_login/token/", nil).Status(200)
}
