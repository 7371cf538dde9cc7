package identity

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

func TestRegistration(t *testing.T) {
	w := newWorld(t)
	anyone := w.anybody()
	anyone.Post("/v1/tenant/register/init/", `{"email":" Anna@Rent.test "}`).Status(200).
		JSON(`{"email":"Anna@Rent.test"}`).Writes(5).Calls(2).Units(1, 11) // one of them counts for everybody together
	mails := w.deliver()
	if len(mails) != 1 || mails[0].To != anna || mails[0].Channel != "email" || mails[0].ID == "" {
		t.Fatalf("mails %+v", mails)
	}
	code := sixDigits.FindString(mails[0].Text)
	anyone.Post("/v1/tenant/register/confirm/", confirmation("anna@rent.TEST", code)).Status(201).
		JSON(`{"email":"anna@rent.TEST","password":"","otp":"","first_name":"Anna","phone":"+77011234567","last_name":"Petrova"}`).
		Writes(7).Calls(6).Units(1, 11).NotContain(password, code)
	tokens := w.login("ANNA@rent.test")
	w.As(bearer(tokens.Access)).Get("/v1/auth/profile/").Status(200).
		JSON(`{"id":1,"email":"anna@rent.test","first_name":"Anna","last_name":"Petrova","phone":"+77011234567","language":null}`).Calls(1).Units(1, 0)
	if mails := w.deliver(); len(mails) > 0 {
		t.Errorf("more was sent: %+v", mails)
	}
}

func TestRegistrationBodies(t *testing.T) {
	w := newWorld(t)
	const init, confirm = "/v1/tenant/register/init/", "/v1/tenant/register/confirm/"
	full := func(field string, value any) string {
		body := confirmation(anna, "123456")
		body[field] = value
		return encode(t, body)
	}
	without := confirmation(anna, "123456")
	delete(without, "otp")
	for _, c := range []struct{ path, body, want string }{
		{init, `{}`, `{"email":["This field is required."]}`},
		{init, `{"email":null}`, `{"email":["This field may not be null."]}`},
		{init, `{"email":" "}`, `{"email":["This field may not be blank."]}`},
		{init, `{"email":"anna"}`, `{"email":["Enter a valid email address."]}`},
		{init, `{"email":"Anna <anna@rent.test>"}`, `{"email":["Enter a valid email address."]}`},
		{init, `[]`, `{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}`},
		{init, `{"email":"` + strings.Repeat("a", 250) + `@b.test"}`, `{"email":["Ensure this field has no more than 254 characters."]}`},
		{confirm, `{}`, `{"email":["This field is required."],"password":["This field is required."],"otp":["This field is required."],` +
			`"first_name":["This field is required."],"phone":["This field is required."]}`},
		{confirm, encode(t, without), `{"otp":["This field is required."]}`},
		{confirm, full("otp", "12345"), `{"otp":["Ensure this field has at least 6 characters."]}`},
		{confirm, full("otp", "1234567"), `{"otp":["Ensure this field has no more than 6 characters."]}`},
		{confirm, full("otp", ""), `{"otp":["This field may not be blank."]}`},
		{confirm, full("otp", true), `{"otp":["Not a valid string."]}`},
		{confirm, full("password", "7 chars"), `{"password":["This password is too short. It must contain at least 8 characters."]}`},
		{confirm, full("password", strings.Repeat("x", 129)), `{"password":["Ensure this field has no more than 128 characters."]}`},
		{confirm, full("phone", "12345678"), `{"phone":["This value does not match the required pattern."]}`},
		{confirm, full("phone", "8 (701) 123"), `{"phone":["This value does not match the required pattern."]}`},
		{confirm, full("phone", "1234567890123456"), `{"phone":["This value does not match the required pattern."]}`},
		{confirm, full("first_name", strings.Repeat("ж", 151)), `{"first_name":["Ensure this field has no more than 150 characters."]}`},
		{confirm, full("last_name", nil), `{"last_name":["This field may not be null."]}`},
		{confirm, full("otp", "123456"), `{"otp":["The code is invalid or has expired."]}`},
	} {
		answer := w.anybody().Post(c.path, c.body).JSON(c.want)
		if strings.Contains(c.want, "code is invalid") {
			answer.Writes(1) // the try is counted
		}
		answer.Status(400)
	}
	if mails := w.deliver(); len(mails) > 0 {
		t.Errorf("sent %+v", mails)
	}
}

func TestNoLastName(t *testing.T) {
	w := newWorld(t)
	code := w.code(anna)
	body := fmt.Sprintf(`{"email":"anna@rent.test","password":"blue-tea","otp":%q,"first_name":"Anna","phone":"770112345"}`, code)
	w.anybody().Post("/v1/tenant/register/confirm/", body).Status(201).
		JSON(`{"email":"anna@rent.test","password":"","otp":"","first_name":"Anna","phone":"770112345","last_name":""}`)
}

const badCode = `{"otp":["The code is invalid or has expired."]}`

func TestCodes(t *testing.T) {
	const confirm = "/v1/tenant/register/confirm/"
	t.Run("five guesses", func(t *testing.T) {
		w := newWorld(t)
		code := w.code(anna)
		for i := range codeTries {
			w.anybody().Post(confirm, confirmation(anna, wrong(code, i+1))).Writes(2).Status(400).JSON(badCode)
		}
		w.anybody().Post(confirm, confirmation(anna, code)).Writes(1).Status(400).JSON(badCode)
		w.Clock.Step(codePause)
		w.anybody().Post(confirm, confirmation(anna, w.code(anna))).Status(201)
	})
	t.Run("five guesses of a stranger", func(t *testing.T) {
		w := newWorld(t)
		code := w.code(anna)
		for i := range codeTries {
			w.anybody().From(fmt.Sprintf("2001:db8::%x", i)).Post(confirm, confirmation(anna, wrong(code, i+1))).Writes(2).Status(400)
		}
		w.anybody().From("2001:db8::f").Post(confirm, confirmation(anna, code)).Writes(1).Status(400).JSON(badCode)
		w.anybody().Post(confirm, confirmation(anna, code)).Status(201)
	})
	t.Run("25 guesses in all", func(t *testing.T) {
		w := newWorld(t)
		code := w.code(anna)
		for i := range triesInAll(register) {
			w.anybody().From(fmt.Sprintf("198.51.100.%d", i/codeTries)).Post(confirm, confirmation(anna, wrong(code, i+1))).
				Writes(2).Status(400)
		}
		w.anybody().Post(confirm, confirmation(anna, code)).Writes(1).Status(400).JSON(badCode)
	})
	t.Run("one caller's throttle", func(t *testing.T) {
		w := newWorld(t)
		for range limits[tryConfirm].pair {
			w.anybody().Post(confirm, confirmation(anna, "123456")).Writes(1).Status(400)
		}
		w.anybody().Post(confirm, confirmation(anna, "123456")).Status(429)
		w.anybody().From("198.51.100.1").Post(confirm, confirmation(anna, w.code(anna))).Status(201)
	})
	t.Run("ten minutes", func(t *testing.T) {
		w := newWorld(t)
		code := w.code(anna)
		w.Clock.Step(codeLifetime)
		w.anybody().Post(confirm, confirmation(anna, code)).Writes(1).Status(400).JSON(badCode)
	})
	t.Run("once", func(t *testing.T) {
		w := newWorld(t)
		code := w.code(anna)
		w.anybody().Post(confirm, confirmation(anna, code)).Status(201)
		w.anybody().Post(confirm, confirmation(anna, code)).Writes(1).Status(400).JSON(badCode)
	})
	t.Run("of the last mail only", func(t *testing.T) {
		w := newWorld(t)
		first := w.code(anna)
		second := first
		for second == first { // once in a million they are alike
			w.Clock.Step(codePause)
			second = w.code(anna)
		}
		w.anybody().Post(confirm, confirmation(anna, first)).Writes(2).Status(400).JSON(badCode)
		w.anybody().Post(confirm, confirmation(anna, second)).Status(201)
	})
	t.Run("of one address only", func(t *testing.T) {
		w := newWorld(t)
		code := w.code(anna)
		w.anybody().Post(confirm, confirmation(boris, code)).Writes(1).Status(400).JSON(badCode)
	})
	t.Run("not after it was replaced, used or late", func(t *testing.T) {
		w := newWorld(t)
		for range 2 { // the first is replaced before it is delivered
			w.anybody().Post("/v1/tenant/register/init/", map[string]string{"email": anna}).Status(200)
			w.Clock.Step(codePause)
		}
		if mails := w.deliver(); len(mails) != 1 {
			t.Errorf("%d mails, want that of the last code alone", len(mails))
		}
		w.anybody().Post("/v1/tenant/register/init/", map[string]string{"email": boris}).Status(200)
		w.Clock.Step(codeLifetime)
		if mails := w.deliver(); len(mails) > 0 {
			t.Errorf("a code that has expired was sent: %+v", mails)
		}
	})
}

func TestHowOftenACodeIsSent(t *testing.T) {
	w := newWorld(t)
	init := func(ip string) *webtest.Answer {
		return w.anybody().From(ip).Post("/v1/tenant/register/init/", map[string]string{"email": anna})
	}
	init("203.0.113.1").Status(200)
	init("203.0.113.2").Status(429).Header("Retry-After", "60").
		JSON(`{"detail":"Request was throttled. Expected available in 60 seconds."}`)
	w.Clock.Step(codePause - time.Second)
	init("203.0.113.1").Status(429).Header("Retry-After", "1")
	w.Clock.Step(time.Second)
	for i := range codesADay - 1 {
		init(fmt.Sprintf("203.0.113.%d", 1+(i+1)/codesToOne)).Status(200)
		w.Clock.Step(codePause)
	}
	init("203.0.113.3").Status(429)
	w.anybody().Post("/v1/tenant/register/init/", map[string]string{"email": boris}).Status(200)
	w.Clock.Step(24 * time.Hour)
	init("203.0.113.1").Status(200)
}

// Whoever asks learns nothing about an account; its owner does.
func TestRegisteringAgain(t *testing.T) {
	w := newWorld(t)
	id := w.add(anna)
	known := w.anybody().Post("/v1/tenant/register/init/", map[string]string{"email": anna}).Status(200)
	unknown := w.anybody().Post("/v1/tenant/register/init/", map[string]string{"email": boris}).Status(200)
	if encode(t, known.Cost().Calls) != encode(t, unknown.Cost().Calls) || known.Cost().Read != unknown.Cost().Read ||
		known.Cost().Write != unknown.Cost().Write {
		t.Errorf("it costs %+v with an account, %+v without", known.Cost(), unknown.Cost())
	}
	w.anybody().Post("/v1/tenant/register/init/", map[string]string{"email": anna}).Status(429)
	for _, m := range w.deliver() {
		if has := sixDigits.MatchString(m.Text); has != (m.To == boris) {
			t.Errorf("mail to %s: %s", m.To, m.Text)
		}
	}
	s := newService(w.Env)
	c, err := s.challenges.get(t.Context(), register, anna)
	if err != nil {
		t.Fatal(err)
	}
	code, err := s.code(t.Context(), register, c.ID) // guessed
	if err != nil {
		t.Fatal(err)
	}
	body := confirmation(anna, code)
	body["password"] = "taken over!"
	w.anybody().Post("/v1/tenant/register/confirm/", body).Writes(3).Status(400).JSON(badCode)
	w.anybody().Post("/v1/auth/login/", map[string]string{"username": anna, "password": "taken over!"}).Writes(2).Status(401)
	if u, err := s.users.byID(t.Context(), id); err != nil || u.FirstName != "Anna" || u.LastName != "" {
		t.Errorf("the account is %+v, %v", u, err)
	}
	w.login(anna)
}
