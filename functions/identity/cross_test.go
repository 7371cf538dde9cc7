package identity

import (
	"testing"

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
		there := w.exchange(body(token)).Status(200).JSON(`{"token":"<string>"}`).Writes(2).Calls(3).Units(2, 2).Text("token")
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

func TestCrossLoginIsASignInOfItsOwn(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	here := w.login(anna)
	there := w.exchange(map[string]string{"token": w.cross(here.Access)}).Status(200).Text("token")
	further := w.exchange(map[string]string{"token": w.cross(there)}).Status(200).Text("token") // from there on
	w.anybody().Post("/v1/auth/logout/", map[string]string{"refresh": here.Refresh}).Status(200)
	w.holds(here.Access, false)
	w.holds(there, true)
	w.holds(further, true)
	w.Clock.Step(w.Env.Config.AccessLifetime)
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
