package identity

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/issuer/issuertest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	authURL   = "/v1/auth/google/auth-url/"
	callback  = "/v1/auth/google/callback/"
	loginInit = "/v1/auth/google/login/init/"
	idLogin   = "/v1/auth/google/login/"

	badState    = `{"state":["State is invalid or expired."]}`
	badReturn   = `{"code":["The code is invalid or has expired."]}`
	noIdentity  = `{"detail":"This identity is linked to no account. Sign in and link it first.","code":"identity_unknown"}`
	takenByThem = `{"detail":"This identity is linked to another account.","code":"identity_taken"}`

	annsGoogle  = "ann@gmail.example"
	otherGoogle = "other@gmail.example"
	verifier    = "a-verifier-of-the-clients-that-nobody-can-guess"
)

// withIssuer makes a world with an issuer of identities.
func withIssuer(t *testing.T, change ...func(*app.Env)) *world {
	t.Helper()
	return newWorld(t, append(change, func(e *app.Env) { e.Config.OIDC = issuertest.New(t, e.Now) })...)
}

// back is a person who came back from the issuer.
type back struct{ code, state string }

func (b back) body() map[string]string { return map[string]string{"code": b.code, "state": b.state} }

func (b back) with(verifier string) map[string]string {
	return map[string]string{"code": b.code, "state": b.state, "code_verifier": verifier}
}

// sent sends a signed-in person to the issuer, who comes back as an identity.
func (w *world) sent(me *webtest.Client, as string) back {
	w.t.Helper()
	code, state := issuertest.Approve(w.t, me.Get(authURL).Status(200).Get("Location"), as)
	return back{code, state}
}

// links links an identity to an account.
func (w *world) links(me *webtest.Client, as string) *webtest.Answer {
	w.t.Helper()
	return me.Post(callback, w.sent(me, as).body())
}

// begun sends somebody to the issuer to sign in, who comes back as an identity.
func (w *world) begun(as string) back {
	w.t.Helper()
	to := w.anybody().Post(loginInit, map[string]string{"code_challenge": challengeOf(verifier)}).Status(200).Text("url")
	code, state := issuertest.Approve(w.t, to, as)
	return back{code, state}
}

// signsInAs signs in with an identity.
func (w *world) signsInAs(as string) *webtest.Answer {
	w.t.Helper()
	return w.anybody().Post(idLogin, w.begun(as).with(verifier))
}

// person makes an account and signs in to it.
func (w *world) person(email string) *webtest.Client {
	w.t.Helper()
	w.add(email)
	return w.As(bearer(w.login(email).Access))
}

func TestTheWholeWayOfAnIdentity(t *testing.T) {
	w := withIssuer(t)
	me := w.person(anna)

	a := me.Get(authURL).Status(200).Empty().Header("Cache-Control", "private, no-store").Writes(3).Calls(3).Units(0, 3)
	to, err := url.Parse(a.Get("Location"))
	if err != nil || !strings.HasPrefix(a.Get("Location"), w.Env.Config.OIDC.Issuer+"/authorize?") {
		t.Fatalf("%s: %v", to, err)
	}
	for name, length := range map[string]int{"state": 43, "nonce": 43, "code_challenge": 43} {
		if got := to.Query().Get(name); len(got) != length {
			t.Errorf("%s is %q", name, got)
		}
	}
	if to.Query().Get("code_challenge_method") != "S256" {
		t.Errorf("%s", to)
	}

	w.signsInAs(annsGoogle).Writes(1).Status(400).JSON(noIdentity)
	me.Post(callback, w.sent(me, annsGoogle).body()).Status(200).
		JSON(`{"email":"ann@gmail.example","linked_at":"2026-03-02T09:30:00Z"}`).Writes(6).Calls(4).Units(5, 14)
	mails := w.deliver()
	if len(mails) != 1 || mails[0].To != anna || !strings.Contains(mails[0].Text, annsGoogle+" of "+w.Env.Config.OIDC.Issuer) {
		t.Errorf("%+v", mails)
	}

	w.Clock.Step(lostAnswer)
	there := w.signsInAs(annsGoogle).Status(200).JSON(`{"access":"<string>","refresh":"<string>"}`).
		Header("Cache-Control", "no-store").Writes(3).Calls(6).Units(3, 6)
	w.As(bearer(there.Text("access"))).Get("/v1/auth/profile/").Status(200).Field("email", `"anna@rent.test"`)
	next := pair(w.renew(there.Text("refresh")).Status(200))
	w.holds(next.Access, true)

	w.links(me, annsGoogle).Status(200).JSON(`{"email":"ann@gmail.example","linked_at":"2026-03-02T09:30:00Z"}`).Writes(1)
	if mails := w.deliver(); len(mails) != 0 {
		t.Errorf("linking the same again is told: %+v", mails)
	}

	me.Delete(callback).Status(204).Empty().Writes(2).Calls(2).Units(2, 4)
	w.signsInAs(annsGoogle).Writes(1).Status(400).JSON(noIdentity)
	w.holds(next.Access, true)
	me.Delete(callback).Status(404).Writes(0)
	w.links(me, annsGoogle).Status(200).JSON(`{"email":"ann@gmail.example","linked_at":"2026-03-02T09:30:10Z"}`)
}

// It needs no company, but one that is named has to be the caller's.
func TestACompanyThatIsNamed(t *testing.T) {
	w := withIssuer(t)
	me := w.person(anna)
	me.With("X-Tenant-Id", "x").Get(authURL).Status(400).JSON(`{"X-Tenant-Id":["A valid integer is required."]}`)
	me.With("X-Tenant-Id", "7").Get(authURL).Status(403).NoHeader("Location").
		JSON(`{"detail":"You do not have permission to perform this action."}`)
	w.anybody().With("X-Tenant-Id", "x").Post(loginInit, map[string]string{"code_challenge": challengeOf(verifier)}).Status(200)
}

func TestNoIssuerIsConfigured(t *testing.T) {
	w := newWorld(t)
	me := w.person(anna)
	const notFound = `{"detail":"Not found."}`
	me.Get(authURL).Status(404).JSON(notFound).Writes(0)
	me.Post(callback, back{"c", "s"}.body()).Status(404).JSON(notFound).Writes(0)
	me.Delete(callback).Status(404).JSON(notFound)
	w.anybody().Post(loginInit, map[string]string{"code_challenge": challengeOf(verifier)}).Status(404).JSON(notFound).Calls(0)
	w.anybody().Post(idLogin, back{"c", "s"}.with(verifier)).Status(404).JSON(notFound).Calls(0)
	w.anybody().Get(authURL).Status(401)
}

// A state that does not fit is not spent: whose it is can still use it. Whoever presents it is
// told the same, whatever is wrong.
func TestStatesThatDoNotFit(t *testing.T) {
	w := withIssuer(t)
	me, they := w.person(anna), w.person(boris)
	for name, c := range map[string]struct {
		present func(link, begun back) *webtest.Answer
		spent   bool
	}{
		"an unknown one": {func(link, _ back) *webtest.Answer {
			return me.Post(callback, back{link.code, secret()}.body())
		}, false},
		"not one":               {func(link, _ back) *webtest.Answer { return me.Post(callback, back{link.code, "x"}.body()) }, false},
		"another user's":        {func(link, _ back) *webtest.Answer { return they.Post(callback, link.body()) }, false},
		"of a sign-in, to link": {func(_, begun back) *webtest.Answer { return me.Post(callback, begun.body()) }, false},
		"to link, of a sign-in": {func(link, _ back) *webtest.Answer { return w.anybody().Post(idLogin, link.with(verifier)) }, false},
		"another client's": {func(_, begun back) *webtest.Answer {
			return w.anybody().Post(idLogin, begun.with(verifier+"x"))
		}, false},
		"another client's, who knows the challenge": {func(_, begun back) *webtest.Answer {
			return w.anybody().Post(idLogin, begun.with(challengeOf(verifier)))
		}, false},
		"spent": {func(link, begun back) *webtest.Answer {
			me.Post(callback, link.body()).Status(200)
			w.anybody().Post(idLogin, begun.with(verifier)).Status(200)
			w.anybody().Post(idLogin, begun.with(verifier)).Status(400).JSON(badState).Writes(0)
			return me.Post(callback, link.body())
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			link, begun := w.sent(me, annsGoogle), w.begun(annsGoogle)
			c.present(link, begun).Status(400).JSON(badState).Writes(0)
			if c.spent {
				return
			}
			me.In(t).Post(callback, link.body()).Status(200)
			w.anybody().In(t).Post(idLogin, begun.with(verifier)).Status(200)
		})
	}
}

func TestStatesExpire(t *testing.T) {
	w := withIssuer(t)
	me := w.person(anna)
	link, begun := w.sent(me, annsGoogle), w.begun(annsGoogle)
	w.Clock.Step(stateLifetime)
	me.Post(callback, link.body()).Status(400).JSON(badState).Writes(0)
	w.anybody().Post(idLogin, begun.with(verifier)).Status(400).JSON(badState).Writes(0)
}

// A code that the issuer does not take spends the state, and nothing else.
func TestCodesThatDoNotFit(t *testing.T) {
	w := withIssuer(t)
	me, they := w.person(anna), w.person(boris)
	w.links(me, annsGoogle).Status(200)
	for name, present := range map[string]func() *webtest.Answer{
		"not one": func() *webtest.Answer { return me.Post(callback, back{"x", w.sent(me, annsGoogle).state}.body()) },
		"of another attempt": func() *webtest.Answer {
			return me.Post(callback, back{w.sent(me, annsGoogle).code, w.sent(me, annsGoogle).state}.body())
		},
		"stolen, to sign in": func() *webtest.Answer {
			return w.anybody().Post(idLogin, back{w.begun(annsGoogle).code, w.begun(otherGoogle).state}.with(verifier))
		},
		"stolen, to link": func() *webtest.Answer {
			return they.Post(callback, back{w.sent(me, annsGoogle).code, w.sent(they, otherGoogle).state}.body())
		},
		"late": func() *webtest.Answer {
			late := w.sent(me, annsGoogle)
			w.Clock.Step(stateLifetime / 2) // which is longer than a code lives
			return me.Post(callback, late.body())
		},
	} {
		t.Run(name, func(t *testing.T) { present().Writes(1).Status(400).JSON(badReturn) })
	}
	me.Post(callback, back{w.sent(me, "unverified@gmail.example").code, ""}.body()).Status(400).
		JSON(`{"state":["This field may not be blank."]}`).Calls(1)
}

func TestWhichIdentitiesAreLinked(t *testing.T) {
	w := withIssuer(t)
	me, they := w.person(anna), w.person(boris)
	w.links(me, "unverified@gmail.example").Writes(1).Status(400).
		JSON(`{"detail":"The identity has no verified e-mail address.","code":"email_unverified"}`)
	w.links(me, annsGoogle).Status(200)
	w.links(they, annsGoogle).Writes(1).Status(400).JSON(takenByThem)
	w.links(me, otherGoogle).Writes(1).Status(400).
		JSON(`{"detail":"Another identity is linked to this account. Unlink it first.","code":"identity_linked"}`)
	w.links(they, otherGoogle).Status(200)
	w.links(me, otherGoogle).Writes(1).Status(400) // its own is in the way first
	w.deliver()

	me.Delete(callback).Status(204)
	w.links(me, otherGoogle).Writes(1).Status(400).JSON(takenByThem)
	they.Delete(callback).Status(204)
	w.links(they, annsGoogle).Status(200)
	w.links(me, otherGoogle).Status(200)
	boriss := w.signsInAs(annsGoogle).Status(200).Text("access")
	w.As(bearer(boriss)).Get("/v1/auth/profile/").Status(200).Field("email", `"boris@rent.test"`)
}

// An identity is no address: whoever has the same one at the issuer finds no account by it.
func TestAnAddressIsNoLink(t *testing.T) {
	w := withIssuer(t)
	w.person(anna)
	w.signsInAs(anna).Writes(1).Status(400).JSON(noIdentity)
}

// renewed signs in with the new password.
func (w *world) renewed() *webtest.Client {
	w.t.Helper()
	a := w.anybody().Post("/v1/auth/login/", map[string]string{"username": anna, "password": newPassword}).Status(200)
	return w.As(bearer(a.Text("access")))
}

// A new password unlinks: what was linked by somebody else is no way in any more.
func TestAResetUnlinks(t *testing.T) {
	w := withIssuer(t)
	me, they := w.person(anna), w.person(boris)
	w.links(me, annsGoogle).Status(200)
	inside := pair(w.signsInAs(annsGoogle).Status(200))
	begun := w.begun(annsGoogle)
	reset := func() {
		t.Helper()
		code := w.mailed(resetInit, anna)
		w.anybody().Post(resetConfirm, renewal(anna, code, newPassword)).Status(200)
		const said = "no account of Google or another provider is linked any more"
		if mails := w.deliver(); len(mails) != 1 || !strings.Contains(mails[0].Text, said) {
			t.Errorf("%+v", mails)
		}
		w.Clock.Step(codePause)
	}
	link := w.sent(me, annsGoogle)
	reset()
	w.holds(inside.Access, false)
	w.renew(inside.Refresh).Status(401)
	w.anybody().Post(idLogin, begun.with(verifier)).Writes(1).Status(400) // its code is late
	w.signsInAs(annsGoogle).Writes(1).Status(400).JSON(noIdentity)
	me.Post(callback, link.body()).Status(401)

	again := w.renewed()
	again.Delete(callback).Status(404)
	w.links(again, annsGoogle).Status(200)
	w.signsInAs(annsGoogle).Status(200)
	reset()
	w.links(they, annsGoogle).Status(200) // what ended is free
	boriss := w.signsInAs(annsGoogle).Status(200).Text("access")
	w.As(bearer(boriss)).Get("/v1/auth/profile/").Status(200).Field("email", `"boris@rent.test"`)
	again = w.renewed()
	w.links(again, annsGoogle).Writes(1).Status(400).JSON(takenByThem)
}

// Whoever stole an access token can't make a way to sign in of it by a cross login.
func TestACrossLoginLinksNothing(t *testing.T) {
	w := withIssuer(t)
	w.add(anna)
	here := w.login(anna)
	there := w.As(bearer(w.crossed(here)))
	const crossed = `{"detail":"A session that came of a cross login can't link an identity. Sign in to link one.","code":"cross_login"}`
	there.Get(authURL).Status(403).JSON(crossed).Writes(0)
	link := w.sent(w.As(bearer(here.Access)), annsGoogle)
	there.Post(callback, link.body()).Status(403).JSON(crossed).Writes(0)
	w.As(bearer(here.Access)).Post(callback, link.body()).Status(200)
}

func TestBodiesOfIdentities(t *testing.T) {
	w := withIssuer(t)
	me := w.person(anna)
	const required = `["This field is required."]`
	me.Post(callback, `{}`).Status(400).JSON(`{"code":` + required + `,"state":` + required + `}`)
	me.Post(callback, back{strings.Repeat("x", 2049), strings.Repeat("x", 129)}.body()).Status(400).
		JSON(`{"code":["Ensure this field has no more than 2048 characters."],` +
			`"state":["Ensure this field has no more than 128 characters."]}`)
	w.anybody().Post(idLogin, `{}`).Status(400).JSON(`{"code":` + required + `,"state":` + required + `,"code_verifier":` + required + `}`)
	const short = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" // 42 letters
	for _, challenge := range []string{"", "short", short, short + "aa", short + "=", short + "+"} {
		w.anybody().Post(loginInit, map[string]string{"code_challenge": challenge}).Status(400).Calls(0)
	}
	for _, bad := range []string{"", short, strings.Repeat("a", 129), short + "+", short + "é"} {
		w.anybody().Post(idLogin, back{"c", "s"}.with(bad)).Status(400).Calls(0)
	}
}

func TestHowOftenSomebodyIsSent(t *testing.T) {
	w := withIssuer(t)
	me, they := w.person(anna), w.person(boris)
	for range limits[beginLink].pair {
		me.Get(authURL).Status(200)
	}
	me.Get(authURL).Status(429).NoHeader("Location")
	me.From("203.0.113.99").Get(authURL).Status(200)
	they.Get(authURL).Status(200)

	begin := map[string]string{"code_challenge": challengeOf(verifier)}
	for range beginsFromIP {
		w.anybody().Post(loginInit, begin).Status(200)
	}
	w.anybody().Post(loginInit, begin).Status(429)
	w.anybody().From("203.0.113.99").Post(loginInit, begin).Status(200)
	w.Clock.Step(limits[beginLink].window)
	me.Get(authURL).Status(200)
	w.anybody().Post(loginInit, begin).Status(200)
}

// During an attack on its password, an account can be signed in to from where its identity was
// used.
func TestAnIdentityProvesItsCaller(t *testing.T) {
	w := withIssuer(t)
	w.links(w.person(anna), annsGoogle).Status(200)
	const here = "203.0.113.77"
	w.anybody().From(here).Post(idLogin, w.begun(annsGoogle).with(verifier)).Status(200)
	w.attack(anna)
	try := func(ip string) *webtest.Answer {
		return w.anybody().From(ip).Post("/v1/auth/login/", map[string]string{"username": anna, "password": password})
	}
	try("203.0.113.78").Writes(1).Status(429)
	try(here).Status(200)
}

// While the issuer is down nothing is written, and no state is spent.
func TestAnIssuerThatIsDown(t *testing.T) {
	w := withIssuer(t)
	me := w.person(anna)
	w.links(me, annsGoogle).Status(200)
	begun, link := w.begun(annsGoogle), w.sent(me, annsGoogle)
	down := newWorld(t, func(e *app.Env) {
		e.Table, e.Keys, e.Config.OIDC = w.Env.Table, w.Env.Keys, w.Env.Config.OIDC
		e.Config.OIDC.Issuer = "http://127.0.0.1:1"
	})
	there := down.As(bearer(w.login(anna).Access))
	for name, do := range map[string]func() *webtest.Answer{
		"auth-url": func() *webtest.Answer { return there.Get(authURL).Writes(2) }, // its throttles
		"callback": func() *webtest.Answer { return there.Post(callback, link.body()) },
		"init": func() *webtest.Answer {
			return down.anybody().Post(loginInit, map[string]string{"code_challenge": challengeOf(verifier)}).Writes(1) // its throttle
		},
		"login": func() *webtest.Answer { return down.anybody().Post(idLogin, begun.with(verifier)) },
	} {
		t.Run(name, func(t *testing.T) {
			do().Status(503).JSON(`{"detail":"Service temporarily unavailable."}`).Header("Retry-After", "5")
		})
	}
	w.anybody().Post(idLogin, begun.with(verifier)).Status(200)
	me.Post(callback, link.body()).Status(200)
}

// Each identity that is linked is told by e-mail, so an account that unlinks it again and again is stopped for the day.
func TestLinkingADay(t *testing.T) {
	w := withIssuer(t)
	me := w.person(anna)
	for range linksADay {
		w.links(me, annsGoogle).Status(200)
		w.links(me, annsGoogle).Status(200) // stands, and is not told
		me.Delete(callback).Status(204)
	}
	w.links(me, annsGoogle).Writes(1).Status(429).Header("Retry-After", "52200") // the state is spent
	if mails := w.deliver(); len(mails) != linksADay {
		t.Errorf("%d mails", len(mails))
	}
	w.links(w.person(boris), annsGoogle).Status(200)
	w.Clock.Step(24 * time.Hour)
	w.links(w.As(bearer(w.login(anna).Access)), otherGoogle).Status(200)
}

// What tells of a new password or of a new way to sign in counts among all that people cause who are of no company.
func TestWhatIsToldIsCountedForAll(t *testing.T) {
	w := withIssuer(t, func(e *app.Env) { e.Config.MailDaily = 3 })
	me := w.person(anna)
	w.links(me, annsGoogle).Status(200)
	me.Delete(callback).Status(204)
	code := w.mailed("/v1/auth/reset/init/", anna)
	w.anybody().Post("/v1/auth/reset/confirm/", map[string]string{"email": anna, "otp": code, "password": newPassword}).Status(200)
	w.anybody().Post("/v1/tenant/register/init/", map[string]string{"email": boris}).Status(429)

	w.Clock.Step(24 * time.Hour)
	w.mailed("/v1/tenant/register/init/", "third@rent.test")
	w.mailed("/v1/tenant/register/init/", boris)
	code = w.mailed("/v1/auth/reset/init/", anna)
	again := map[string]string{"email": anna, "otp": code, "password": password}
	w.anybody().Post("/v1/auth/reset/confirm/", again).Writes(2).Status(429) // the guess
	w.links(w.person("fourth@rent.test"), annsGoogle).Writes(1).Status(429)
	if mails := w.deliver(); len(mails) != 0 {
		t.Errorf("sent %+v", mails)
	}
}
