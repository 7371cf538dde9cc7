package identity

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	resetInit    = "/v1/auth/reset/init/"
	resetVerify  = "/v1/auth/reset/verify/"
	resetConfirm = "/v1/auth/reset/confirm/"

	newPassword = "incorrect horse 43"
)

func renewal(email, otp, password string) map[string]string {
	return map[string]string{"email": email, "otp": otp, "password": password}
}

func guess(email, otp string) map[string]string { return map[string]string{"email": email, "otp": otp} }

// secretly asks for a code and makes it, whether it is sent or not.
func (w *world) secretly(email string) string {
	w.t.Helper()
	w.anybody().Post(resetInit, map[string]string{"email": email}).Status(200)
	s := newService(w.Env)
	c, err := s.challenges.get(w.t.Context(), reset, email)
	if err != nil {
		w.t.Fatal(err)
	}
	code, err := s.code(w.t.Context(), reset, c.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return code
}

func (w *world) signs(email, with string, status int) {
	w.t.Helper()
	a := w.anybody().Post("/v1/auth/login/", map[string]string{"username": email, "password": with})
	if status != 200 {
		a.Writes(2)
	}
	a.Status(status)
}

func TestReset(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	w.anybody().Post(resetInit, `{"email":" Anna@Rent.test "}`).Status(200).
		JSON(`{"email":"Anna@Rent.test"}`).Writes(5).Calls(2).Units(1, 11) // one of them counts for everybody together
	mails := w.deliver()
	if len(mails) != 1 || mails[0].To != anna || mails[0].Subject != "Your code for a new password" {
		t.Fatalf("mails %+v", mails)
	}
	code := sixDigits.FindString(mails[0].Text)
	w.anybody().Post(resetVerify, guess("anna@rent.TEST", code)).Status(200).
		JSON(`{"email":"anna@rent.TEST"}`).Writes(3).Calls(5).Units(2, 4).NotContain(code)
	w.anybody().Post(resetConfirm, renewal("anna@rent.TEST", code, newPassword)).Status(200).
		JSON(`{"email":"anna@rent.TEST","otp":"","password":""}`).Writes(8).Calls(6).Units(2, 15).NotContain(newPassword, code)
	w.signs(anna, password, 401)
	w.signs(anna, newPassword, 200)
	mails = w.deliver()
	if len(mails) != 1 || mails[0].To != anna || mails[0].Subject != "Your password was changed" || sixDigits.MatchString(mails[0].Text) {
		t.Errorf("mails %+v", mails)
	}
	w.anybody().Post(resetConfirm, renewal(anna, code, password)).Writes(1).Status(400).JSON(badCode)
	w.anybody().Post(resetVerify, guess(anna, code)).Writes(1).Status(400).JSON(badCode)
}

func TestResetTakesJSONAlone(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	for _, path := range []string{resetInit, resetVerify, resetConfirm} {
		for name, body := range map[string]webtest.Payload{
			"form":      webtest.Form("email", anna, "otp", "123456", "password", newPassword),
			"multipart": webtest.Multipart(map[string]any{"email": anna, "otp": "123456", "password": newPassword}),
			"text":      {Type: "text/plain", Data: []byte("x")},
		} {
			t.Run(path+" "+name, func(t *testing.T) { w.anybody().In(t).Post(path, body).Status(415).Writes(0) })
		}
	}
}

func TestResetBodies(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	full := func(field string, value any) string {
		body := map[string]any{"email": anna, "otp": "123456", "password": newPassword}
		body[field] = value
		return encode(t, body)
	}
	for _, c := range []struct{ path, body, want string }{
		{resetInit, `{}`, `{"email":["This field is required."]}`},
		{resetInit, `{"email":"anna"}`, `{"email":["Enter a valid email address."]}`},
		{resetVerify, `{}`, `{"email":["This field is required."],"otp":["This field is required."]}`},
		{resetVerify, full("otp", "12345"), `{"otp":["Ensure this field has at least 6 characters."]}`},
		{resetVerify, full("otp", nil), `{"otp":["This field may not be null."]}`},
		{resetConfirm, `{}`, `{"email":["This field is required."],"otp":["This field is required."],"password":["This field is required."]}`},
		{resetConfirm, full("otp", "1234567"), `{"otp":["Ensure this field has no more than 6 characters."]}`},
		{resetConfirm, full("password", "7 chars"), `{"password":["This password is too short. It must contain at least 8 characters."]}`},
		{resetConfirm, full("password", strings.Repeat("x", 129)), `{"password":["Ensure this field has no more than 128 characters."]}`},
		{resetConfirm, full("email", ""), `{"email":["This field may not be blank."]}`},
		{resetConfirm, `[]`, `{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}`},
	} {
		w.anybody().Post(c.path, c.body).Status(400).JSON(c.want)
	}
	for _, path := range []string{resetInit, resetVerify, resetConfirm} {
		w.anybody().Get(path).Status(405)
	}
	w.signs(anna, password, 200)
}

// Whoever has no account learns it, at that address and nowhere else, and a code
// that was never sent is wrong even when it is right.
func TestResetWithoutAnAccount(t *testing.T) {
	w := newWorld(t)
	code := w.secretly(anna)
	mails := w.deliver()
	if len(mails) != 1 || mails[0].To != anna || mails[0].Subject != "You have no account" || sixDigits.MatchString(mails[0].Text) {
		t.Fatalf("mails %+v", mails)
	}
	w.anybody().Post(resetVerify, guess(anna, code)).Writes(2).Status(400).JSON(badCode)
	w.anybody().Post(resetConfirm, renewal(anna, code, newPassword)).Writes(2).Status(400).JSON(badCode)
	w.signs(anna, newPassword, 401)
}

// A code for one thing is none for another.
func TestCodesAreBoundToTheirPurpose(t *testing.T) {
	w := newWorld(t)
	registration, renewing := w.code(boris), w.secretly(boris)
	w.deliver()
	w.anybody().Post("/v1/tenant/register/confirm/", confirmation(boris, renewing)).Writes(2).Status(400).JSON(badCode)
	w.anybody().Post(resetConfirm, renewal(boris, registration, newPassword)).Writes(2).Status(400).JSON(badCode)
	w.anybody().Post("/v1/tenant/register/confirm/", confirmation(boris, registration)).Status(201)
}

func TestResetTries(t *testing.T) {
	setup := func(t *testing.T) (*world, string) {
		w := newWorld(t)
		w.add(anna)
		return w, w.mailed(resetInit, anna)
	}
	t.Run("of one caller, at both", func(t *testing.T) {
		w, code := setup(t)
		for i := range codeTries {
			path := []string{resetVerify, resetConfirm}[i%2]
			w.anybody().Post(path, renewal(anna, wrong(code, i+1), newPassword)).Writes(2).Status(400).JSON(badCode)
		}
		for _, path := range []string{resetVerify, resetConfirm} {
			w.anybody().Post(path, renewal(anna, code, newPassword)).Writes(1).Status(400).JSON(badCode)
		}
		w.Clock.Step(codePause)
		w.anybody().Post(resetConfirm, renewal(anna, w.mailed(resetInit, anna), newPassword)).Status(200)
	})
	t.Run("in all", func(t *testing.T) {
		w, code := setup(t)
		for i := range 5 {
			w.anybody().From(fmt.Sprintf("198.51.100.%d", i)).Post(resetVerify, guess(anna, wrong(code, i+1))).Writes(2).Status(400)
		}
		w.anybody().From("198.51.100.9").Post(resetVerify, guess(anna, code)).Writes(1).Status(400).JSON(badCode)
		w.anybody().Post(resetConfirm, renewal(anna, code, newPassword)).Writes(1).Status(400).JSON(badCode)
		w.signs(anna, password, 200)
	})
	t.Run("a right one is no try lost", func(t *testing.T) {
		w, code := setup(t)
		for i := range codeTries - 1 {
			w.anybody().Post(resetVerify, guess(anna, wrong(code, i+1))).Writes(2).Status(400)
		}
		for range 3 {
			w.anybody().Post(resetVerify, guess(anna, code)).Status(200)
		}
		w.anybody().Post(resetConfirm, renewal(anna, code, newPassword)).Status(200)
	})
	t.Run("one caller's throttle", func(t *testing.T) {
		w, code := setup(t)
		for range limits[tryReset].pair {
			w.anybody().Post(resetVerify, guess(anna, code)).Status(200)
		}
		w.anybody().Post(resetConfirm, renewal(anna, code, newPassword)).Status(429)
		w.anybody().From("198.51.100.1").Post(resetConfirm, renewal(anna, code, newPassword)).Status(200)
	})
	t.Run("ten minutes", func(t *testing.T) {
		w, code := setup(t)
		w.Clock.Step(codeLifetime - time.Second)
		w.anybody().Post(resetVerify, guess(anna, code)).Status(200)
		w.Clock.Step(time.Second)
		for _, path := range []string{resetVerify, resetConfirm} {
			w.anybody().Post(path, renewal(anna, code, newPassword)).Writes(1).Status(400).JSON(badCode)
		}
	})
}

func TestHowOftenAResetCodeIsSent(t *testing.T) {
	w := newWorld(t)
	init := func(ip string) *webtest.Answer {
		return w.anybody().From(ip).Post(resetInit, map[string]string{"email": anna})
	}
	init("203.0.113.1").Status(200)
	init("203.0.113.2").Status(429).Header("Retry-After", "60")
	w.anybody().Post("/v1/tenant/register/init/", map[string]string{"email": anna}).Status(200) // another purpose
	for i := range codesADay - 1 {
		w.Clock.Step(codePause)
		init(fmt.Sprintf("203.0.113.%d", 1+(i+1)/codesToOne)).Status(200)
		if i == codesToOne-2 {
			w.Clock.Step(codePause)
			init("203.0.113.1").Status(429).Writes(0)
		}
	}
	w.Clock.Step(codePause)
	init("203.0.113.3").Status(429).Writes(0)
	w.Clock.Step(24 * time.Hour)
	init("203.0.113.1").Status(200)
}

// A new password ends all that was begun with the old one.
func TestResetEndsEverySignIn(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	w.add(boris)
	s := newService(w.Env)
	laptop, thief := w.login(anna), pair(w.anybody().From("198.51.100.66").
		Post("/v1/auth/login/", map[string]string{"username": anna, "password": password}).Status(200))
	there := w.exchange(map[string]string{"token": w.cross(thief.Access)}).Status(200).Text("token")
	waiting, used := w.cross(thief.Access), laptop.Refresh
	laptop = pair(w.renew(laptop.Refresh).Status(200))
	other := w.login(boris)
	racing, err := s.users.byID(t.Context(), 1) // a sign-in that has seen the old password
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second one ends those after the first
		w.anybody().Post(resetConfirm, renewal(anna, w.mailed(resetInit, anna), newPassword)).Status(200)
		late, err := s.signIn(t.Context(), racing, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range []string{laptop.Access, thief.Access, there, late.Access} {
			w.holds(token, false)
		}
		for _, token := range []string{laptop.Refresh, thief.Refresh, late.Refresh, used} {
			w.renew(token).Writes(0).Status(401).JSON(badToken)
		}
		w.exchange(map[string]string{"token": waiting}).Writes(1).Status(400).JSON(badCross)
		w.holds(other.Access, true)

		now := pair(w.anybody().Post("/v1/auth/login/", map[string]string{"username": anna, "password": newPassword}).Status(200))
		w.holds(now.Access, true)
		next := pair(w.renew(now.Refresh).Status(200))
		w.holds(next.Access, true)
		w.holds(w.exchange(map[string]string{"token": w.cross(next.Access)}).Status(200).Text("token"), true)
		laptop, thief, waiting = now, next, w.cross(next.Access)
		w.Clock.Step(codePause)
	}
	w.renew(other.Refresh).Status(200)
}

// Whoever proved by a code that the account is theirs gets in during an attack,
// as with the password.
func TestResetDuringAnAttack(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	w.attack(anna)
	w.anybody().Post(resetConfirm, renewal(anna, w.mailed(resetInit, anna), newPassword)).Status(200)
	w.signs(anna, newPassword, 200)
}

func TestProfileRevisions(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	me := w.As(bearer(w.login(anna).Access))
	const path = "/v1/auth/profile/"
	me.Get(path).Status(200).Header("ETag", `"1"`)
	me.With("If-None-Match", `"1"`).Get(path).Status(304).Empty().Header("ETag", `"1"`)
	me.With("If-Match", `"1"`).Patch(path, `{"first_name":"Ann"}`).Status(200).Header("ETag", `"2"`)
	me.With("If-None-Match", `"1"`).Get(path).Status(200).Field("first_name", `"Ann"`)
	for _, do := range []func(string, any) *webtest.Answer{me.With("If-Match", `"1"`).Patch, me.With("If-Match", `"1"`).Put} {
		do(path, `{"first_name":"Annie","phone":"+77011234567"}`).Status(412).
			JSON(`{"detail":"The record has changed since it was read.","etag":"\"2\""}`)
	}
	me.With("If-Match", `"1"`).Patch(path, `{}`).Status(412)
	me.With("If-Match", `*`).Patch(path, `{"first_name":"Ann"}`).Writes(0).Status(200).Header("ETag", `"2"`) // as it was
	me.Get(path).Status(200).Header("ETag", `"2"`).Field("first_name", `"Ann"`)
}
