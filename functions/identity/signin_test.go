package identity

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

func bearer(token string) webtest.Caller { return webtest.Bearer(token) }

func TestLogin(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	form := webtest.Form("username", "Anna@Rent.test", "password", password)
	parts := webtest.Multipart(map[string]any{"username": anna, "password": password})
	for _, body := range []any{map[string]string{"username": " anna@rent.test ", "password": password}, form, parts} {
		a := w.anybody().Post("/v1/auth/login/", body).Status(200).
			JSON(`{"access":"<string>","refresh":"<string>"}`).Writes(6).Calls(8).Units(2, 6)
		w.holds(a.Text("access"), true)
	}
	w.anybody().Post("/v1/auth/login/", webtest.Payload{Type: "text/plain", Data: []byte("x")}).Status(415)
	w.anybody().Post("/v1/auth/login/", `{"username":""}`).Status(400).
		JSON(`{"username":["This field may not be blank."],"password":["This field is required."]}`)
}

func TestWhoCannotSignIn(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	const want = `{"detail":"No active account found with the given credentials"}`
	var cost []webtest.Cost
	for _, body := range []map[string]string{
		{"username": anna, "password": "wrong"},
		{"username": boris, "password": "wrong"},
		{"username": "no address at all", "password": "wrong"},
		{"username": strings.Repeat("x", 30_000), "password": strings.Repeat("x", 30_000)},
		{"username": "X#y", "password": "wrong"},
	} {
		a := w.anybody().Post("/v1/auth/login/", body).Writes(2).Status(401).JSON(want).Header("WWW-Authenticate", `Bearer realm="api"`)
		cost = append(cost, a.Cost())
	}
	for _, c := range cost[1:] {
		if c.Calls != cost[0].Calls || c.Read != cost[0].Read || c.Write != cost[0].Write {
			t.Errorf("an unknown account costs %+v, a known one %+v", c, cost[0])
		}
	}
}

func TestLoginThrottle(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	try := func(ip, with string) *webtest.Answer {
		return w.anybody().From(ip).Post("/v1/auth/login/", map[string]string{"username": anna, "password": with})
	}
	for range credential.PerCaller + 5 {
		try("203.0.113.1", password).Status(200) // whoever knows the password is not throttled
	}
	for range credential.PerCaller {
		try("203.0.113.1", "wrong").Writes(2).Status(401)
	}
	for range 3 { // the right password does not help, and the account is not charged
		a := try("203.0.113.1", password).Status(429)
		if a.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	try("203.0.113.2", password).Status(200)
	w.anybody().From("203.0.113.1").Post("/v1/auth/login/", map[string]string{"username": boris, "password": "x"}).Writes(2).Status(401)
	w.Clock.Step(credential.Window)
	try("203.0.113.1", password).Status(200)
}

// Behind CloudFront each caller is counted by their own address. Whoever goes around it, or writes its headers
// themselves, is counted by the address that the gateway sees, whatever they claim.
func TestClaimedAddressesDoNotCount(t *testing.T) {
	const edge, secret = "130.176.0.1", "what only the distribution sends"
	w := newWorld(t, func(e *app.Env) { e.Config.Viewers = web.Viewers{sha256.Sum256([]byte(secret))} })
	w.add(anna)
	try := func(from, claimed, proof string) *webtest.Answer {
		return w.anybody().From(from).With(web.OriginSecret, proof).With("CloudFront-Viewer-Address", claimed+":50000").
			With("X-Forwarded-For", claimed).With("Forwarded", "for="+claimed).With("X-Real-IP", claimed).
			Post("/v1/auth/login/", map[string]string{"username": anna, "password": "wrong"})
	}
	for i := range credential.PerCaller {
		try("203.0.113.1", fmt.Sprintf("198.51.100.%d", i), "a guess").Writes(2).Status(401)
	}
	try("203.0.113.1", "198.51.100.99", "a guess").Status(429)
	try("203.0.113.1", "198.51.100.99", "").Status(429)
	for range credential.PerCaller {
		try(edge, "192.0.2.1", secret).Writes(2).Status(401)
	}
	try(edge, "192.0.2.1", secret).Status(429)
	try(edge, "192.0.2.2", secret).Writes(2).Status(401) // another person behind the same edge
	if log := w.Log(); strings.Contains(log, secret) || strings.Contains(log, "a guess") {
		t.Error("the log tells secrets")
	}
}

// attack uses up the tries at signing in to an account, from some fifty callers.
func (w *world) attack(account string) {
	w.t.Helper()
	s := newService(w.Env)
	for i := range credential.PerAccount {
		if _, err := s.tries.Take(w.t.Context(), account, fmt.Sprintf("198.51.100.%d", i/credential.PerCaller)); err != nil {
			w.t.Fatalf("try %d: %v", i, err)
		}
	}
}

// Strangers who use an account's tries up keep its owner out of nothing but new
// addresses.
func TestNobodyLocksAnotherOut(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	w.add(boris)
	const home, phone, roaming, never = "203.0.113.1", "2001:db8:1:2::3", "2001:db8:1:2:ffff::4", "203.0.113.2"
	try := func(ip, account, with string) *webtest.Answer {
		return w.anybody().From(ip).Post("/v1/auth/login/", map[string]string{"username": account, "password": with})
	}
	try(home, anna, password).Status(200)
	try(phone, anna, password).Status(200)
	w.Clock.Step(credential.Known().Lasts - 2*time.Second)
	w.attack(anna)
	try(never, anna, password).Writes(1).Status(429)
	try(never, boris, password).Status(200)
	try(never, anna, password).Writes(1).Status(429) // known to another account only
	for _, ip := range []string{home, phone, roaming} {
		try(ip, anna, password).Status(200)
		try(ip, anna, password).Status(200) // what succeeded is given back
	}
	for range credential.PerCaller { // a known caller guesses no more than others
		try(home, anna, "wrong").Writes(1).Status(401)
	}
	try(home, anna, password).Status(429)
	try(roaming, anna, password).Status(200)

	w.Clock.Step(credential.Known().Lasts - time.Second) // remembered from the last time on
	w.attack(anna)
	try(home, anna, password).Status(200)
	w.Clock.Step(credential.Known().Lasts)
	w.attack(anna)
	try(home, anna, password).Writes(1).Status(429)
	w.Clock.Step(credential.Window)
	try(home, anna, password).Status(200)
}

// Whoever tries one password at many accounts is stopped after some of them, from wherever in a /64, also if all tries are made
// at once. People who have signed in from there before go on, and those who sign in don't count.
func TestSpraying(t *testing.T) {
	const office = "2001:db8:1:2::%x"
	for name, atOnce := range map[string]bool{"one after the other": false, "at once": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.add(anna)
			try := func(i int, account, with string) *webtest.Answer {
				return w.anybody().From(fmt.Sprintf(office, i)).Post("/v1/auth/login/", map[string]string{"username": account, "password": with})
			}
			try(1, anna, "wrong").Writes(2).Status(401)
			try(1, anna, password).Status(200) // takes the failure off the count
			for i := range credential.FailingAccounts + 5 {
				account := fmt.Sprintf("colleague%d@rent.test", i)
				w.add(account)
				try(i, account, password).Status(200)
			}
			w.add(boris)
			codes := make([]int, 405)
			var all sync.WaitGroup
			for i := range codes {
				do := func() { codes[i] = try(i, fmt.Sprintf("victim%d@rent.test", i), "Summer2026!").Code() }
				if !atOnce || i >= 2*credential.FailingAccounts {
					all.Wait()
					do()
					continue
				}
				all.Go(do)
			}
			counted := map[int]int{}
			for _, code := range codes {
				counted[code]++
			}
			answered := counted[401] == credential.FailingAccounts || atOnce && counted[401] < credential.FailingAccounts // what an engine that is busy refuses is tried too
			if !answered || counted[401]+counted[429]+counted[503] != len(codes) || !atOnce && counted[503] > 0 {
				t.Errorf("statuses %v", counted)
			}
			try(7, boris, password).Status(429).Header("Retry-After", "1800") // it is half past nine
			try(7, anna, password).Status(200)
			try(7, "colleague1@rent.test", password).Status(200)
			w.anybody().From("203.0.113.9").Post("/v1/auth/login/", map[string]string{"username": boris, "password": password}).Status(200)
			for range credential.PerCaller - 1 { // a known account is guessed at no more than any
				try(8, anna, "wrong").Writes(2).Status(401)
			}
			try(8, anna, password).Status(429).Header("Retry-After", "600")
			w.Clock.Step(30 * time.Minute)
			try(7, boris, password).Status(200)
		})
	}
}

// A new password makes the address a known one, so nobody is kept out by strangers behind the same address.
func TestAResetEndsWhatSprayingLeaves(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	try := func(account, with string) *webtest.Answer {
		return w.anybody().Post("/v1/auth/login/", map[string]string{"username": account, "password": with})
	}
	for i := range credential.FailingAccounts {
		try(fmt.Sprintf("victim%d@rent.test", i), "Summer2026!").Writes(2).Status(401)
	}
	try(anna, password).Status(429)
	w.anybody().Post("/v1/auth/reset/confirm/", map[string]string{
		"email": anna, "otp": w.mailed("/v1/auth/reset/init/", anna), "password": newPassword,
	}).Status(200)
	try(anna, newPassword).Status(200)
}

// Nor does it keep anybody out who registers there.
func TestARegistrationEndsWhatSprayingLeaves(t *testing.T) {
	w := newWorld(t)
	for i := range credential.FailingAccounts {
		w.anybody().Post("/v1/auth/login/", map[string]string{"username": fmt.Sprintf("victim%d@rent.test", i), "password": "Summer2026!"}).
			Writes(2).Status(401)
	}
	w.anybody().Post("/v1/tenant/register/confirm/", confirmation(anna, w.code(anna))).Status(201)
	w.login(anna)
	w.add(boris)
	w.anybody().Post("/v1/auth/login/", map[string]string{"username": boris, "password": password}).Status(429)
}

// A password that many people have is refused before anything is counted or written.
func TestCommonPasswords(t *testing.T) {
	w := newWorld(t)
	const refused = `{"password":["This password is too common."]}`
	code := w.code(anna)
	for _, common := range []string{"password1", "PassWord1", " qwertyuiop "} {
		body := confirmation(anna, code)
		body["password"] = common
		w.anybody().Post("/v1/tenant/register/confirm/", body).Status(400).JSON(refused).Calls(0)
	}
	w.anybody().Post("/v1/tenant/register/confirm/", confirmation(anna, code)).Status(201)
	code = w.mailed("/v1/auth/reset/init/", anna)
	again := map[string]string{"email": anna, "otp": code, "password": "iloveyou1"}
	w.anybody().Post("/v1/auth/reset/confirm/", again).Status(400).JSON(refused).Calls(0)
	again["password"] = newPassword
	w.anybody().Post("/v1/auth/reset/confirm/", again).Status(200)
}

// Whoever has an IPv6 address has the whole /64 of it, and is one caller.
func TestOneNetworkIsOneCaller(t *testing.T) {
	w := newWorld(t)
	try := func(ip string) *webtest.Answer {
		return w.anybody().From(ip).Post("/v1/auth/login/", map[string]string{"username": anna, "password": "wrong"})
	}
	for i := range credential.PerCaller {
		try(fmt.Sprintf("2001:db8:1:2::%x", i)).Writes(2).Status(401)
	}
	try("2001:db8:1:2:ffff::1").Status(429)
	try("2001:db8:1:3::1").Writes(2).Status(401)
	for range codesToOne {
		w.anybody().From("2001:db8:1:2::a").Post("/v1/tenant/register/init/", map[string]string{"email": anna}).Status(200)
		w.Clock.Step(codePause)
	}
	w.anybody().From("2001:db8:1:2::b").Post("/v1/tenant/register/init/", map[string]string{"email": anna}).Status(429)
}

func TestRefresh(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	first := w.login(anna)
	w.Clock.Step(time.Minute)
	a := w.renew(first.Refresh).Status(200).JSON(`{"access":"<string>","refresh":"<string>"}`).Writes(1).Calls(2).Units(2, 1)
	second := pair(a)
	if second.Refresh == first.Refresh || second.Access == first.Access {
		t.Error("a token was given again")
	}
	w.holds(first.Access, true)
	w.holds(second.Access, true)

	// The answer was lost: the same question gets the same successor.
	w.Clock.Step(lostAnswer)
	if again := pair(w.renew(first.Refresh).Writes(0).Status(200)); again.Refresh != second.Refresh {
		t.Error("another successor")
	}
	third := pair(w.anybody().Post("/v1/auth/refresh/", webtest.Form("refresh", second.Refresh)).Status(200))
	fourth := pair(w.anybody().Post("/v1/auth/refresh/", webtest.Multipart(map[string]any{"refresh": third.Refresh})).Status(200))

	// An older one is somebody else's: everything of this sign-in ends.
	other := w.login(anna)
	w.renew(second.Refresh).Writes(1).Status(401).JSON(badToken)
	for _, token := range []string{first.Refresh, second.Refresh, third.Refresh, fourth.Refresh} {
		w.renew(token).Status(401).JSON(badToken)
	}
	for _, token := range []string{first.Access, second.Access, fourth.Access} {
		w.holds(token, false)
	}
	w.holds(other.Access, true)
	w.renew(other.Refresh).Status(200)
}

// A sign-in of which no item is left, because the table swept it, is over like any other.
func TestASweptSignIn(t *testing.T) {
	w := newWorld(t)
	id := w.add(anna)
	signedIn := w.login(anna)
	token, ok := readRefresh(signedIn.Refresh)
	if !ok {
		t.Fatal(signedIn.Refresh)
	}
	if err := crosstenant.Open(w.Env.Table).Delete(crosstenant.Family(id, token.Family)).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.renew(signedIn.Refresh).Status(401).Field("code", `"token_not_valid"`)
	w.holds(signedIn.Access, false)
}

func TestLateRepetitionIsReuse(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	first := w.login(anna)
	second := pair(w.renew(first.Refresh).Status(200))
	w.Clock.Step(lostAnswer + time.Millisecond)
	w.renew(first.Refresh).Writes(1).Status(401)
	w.renew(second.Refresh).Status(401)
	w.holds(second.Access, false)
}

func TestLifetimes(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	first := w.login(anna)
	w.Clock.Step(w.Env.Config.AccessLifetime - time.Second)
	w.holds(first.Access, true)
	w.Clock.Step(time.Second)
	w.holds(first.Access, false)
	w.Clock.Step(w.Env.Config.RefreshLifetime - w.Env.Config.AccessLifetime - time.Second)
	second := pair(w.renew(first.Refresh).Status(200))
	w.Clock.Step(w.Env.Config.RefreshLifetime - time.Second) // counted from the last refresh
	third := pair(w.renew(second.Refresh).Status(200))
	w.Clock.Step(w.Env.Config.RefreshLifetime)
	w.renew(third.Refresh).Status(401).JSON(badToken)
}

// watchedKeys count what is asked of the key service for refresh tokens.
type watchedKeys struct {
	keys.Keys
	asked *atomic.Int64
}

func (k watchedKeys) MAC(ctx context.Context, use keys.Use, key keys.ID, message []byte) ([]byte, error) {
	k.asked.Add(1)
	return k.Keys.MAC(ctx, use, key, message)
}

// A token that is made up, or whose family has ended, costs no call to the key service.
func TestForgedRefreshTokens(t *testing.T) {
	asked := new(atomic.Int64)
	w := newWorld(t, func(e *app.Env) { e.Keys = watchedKeys{e.Keys, asked} })
	w.add(anna)
	w.add(boris)
	tokens := w.login(anna)
	parts := strings.Split(tokens.Refresh, ".")
	join := func(change func([]string)) string {
		p := append([]string(nil), parts...)
		change(p)
		return strings.Join(p, ".")
	}
	gone := w.login(anna)
	w.anybody().Post("/v1/auth/logout/", map[string]string{"refresh": gone.Refresh}).Status(200)
	for name, c := range map[string]struct {
		token       string
		calls, macs int // of the table at most, and of the key service, which has two secrets here
	}{
		"another user":       {join(func(p []string) { p[0] = "2" }), 1, 0},
		"another family":     {join(func(p []string) { p[1] = "0b0e8f5e-6a54-4c3c-9d0f-3a5b1c9d2e01" }), 1, 0},
		"the next one":       {join(func(p []string) { p[2] = "2" }), 1, 0},
		"one that has ended": {gone.Refresh, 1, 0},
		"no MAC":             {join(func(p []string) { p[3] = "" }), 0, 0},
		"half a MAC":         {join(func(p []string) { p[3] = p[3][:11] }), 0, 0},
		"another MAC":        {join(func(p []string) { p[3] = strings.Repeat("A", 22) }), 1, 1},
		"family in capitals": {join(func(p []string) { p[1] = strings.ToUpper(p[1]) }), 1, 0},
		"an access token":    {tokens.Access, 0, 0},
		"a word":             {"x", 0, 0},
		"very long":          {strings.Repeat("1", 60_000), 0, 0},
	} {
		for _, path := range []string{"/v1/auth/refresh/", "/v1/auth/logout/"} {
			asked.Store(0)
			a := w.anybody().Post(path, map[string]string{"refresh": c.token})
			if a.Code() != 401 || asked.Load() != int64(c.macs) {
				t.Errorf("%s at %s: %d %s, the key service was asked %d times", name, path, a.Code(), a.Body(), asked.Load())
			}
			a.Writes(0).Calls(c.calls).JSON(badToken)
		}
	}
	w.As(bearer(tokens.Refresh)).Get("/v1/auth/profile/").Status(401).JSON(badToken)
	w.renew(tokens.Refresh).Status(200)
	w.anybody().Post("/v1/auth/refresh/", `{}`).Status(400).JSON(`{"refresh":["This field is required."]}`)
}

func TestLogout(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	here, there := w.login(anna), w.login(anna)
	next := pair(w.renew(here.Refresh).Status(200))
	w.anybody().Post("/v1/auth/logout/", map[string]string{"refresh": here.Refresh}).Status(200).JSON(`{}`).Writes(1).Calls(2).Units(2, 1)
	for _, token := range []string{here.Access, next.Access} {
		w.holds(token, false)
	}
	w.renew(next.Refresh).Status(401)
	w.anybody().Post("/v1/auth/logout/", map[string]string{"refresh": next.Refresh}).Status(401).JSON(badToken)
	w.holds(there.Access, true)
	w.anybody().Post("/v1/auth/logout/", `{"refresh":null}`).Status(400).JSON(`{"refresh":["This field may not be null."]}`)
}

func TestProfile(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	me := w.As(bearer(w.login(anna).Access))
	const path = "/v1/auth/profile/"
	me.Get(path).Status(200).JSON(`{"id":1,"email":"anna@rent.test","first_name":"Anna","last_name":"","phone":"+77011234567","language":null}`)
	me.Patch(path, `{}`).Status(200).Writes(0).Field("first_name", `"Anna"`)
	me.Patch(path, `{"last_name":"Иванова","id":9,"email":"x@y.test"}`).Status(200).Writes(2).Calls(2).Units(1, 5).
		JSON(`{"id":1,"email":"anna@rent.test","first_name":"Anna","last_name":"Иванова","phone":"+77011234567","language":null}`)
	me.Put(path, `{"first_name":"Ann","phone":"77070000000"}`).Status(200).Writes(2).
		JSON(`{"id":1,"email":"anna@rent.test","first_name":"Ann","last_name":"Иванова","phone":"77070000000","language":null}`)
	me.Put(path, `{"first_name":"Ann","phone":"77070000000","last_name":""}`).Status(200).Field("last_name", `""`)
	me.Put(path, `{"last_name":"x"}`).Status(400).JSON(`{"first_name":["This field is required."],"phone":["This field is required."]}`)
	me.Patch(path, `{"phone":"1","first_name":null}`).Status(400).
		JSON(`{"first_name":["This field may not be null."],"phone":["This value does not match the required pattern."]}`)
	me.Get(path).Status(200).JSON(`{"id":1,"email":"anna@rent.test","first_name":"Ann","last_name":"","phone":"77070000000","language":null}`)
	w.anybody().Get(path).Status(401).JSON(`{"detail":"Authentication credentials were not provided."}`)
	w.anybody().Put(path, `{}`).Status(401)
	w.As(bearer("a.b.c")).Patch(path, `{}`).Status(401).JSON(badToken)
}

// A person is written to in the language that the person has chosen, which is the person's own: no company chooses it.
func TestTheLanguageOfAProfile(t *testing.T) {
	w := newWorld(t)
	w.add(anna)
	w.add(boris)
	me, other := w.As(bearer(w.login(anna).Access)), w.As(bearer(w.login(boris).Access))
	const path = "/v1/auth/profile/"
	for _, language := range []string{"ru", "kk", "en"} {
		me.Patch(path, `{"language":"`+language+`"}`).Status(200).Writes(2).Field("language", `"`+language+`"`)
	}
	me.Put(path, `{"first_name":"Ann","phone":"77070000000"}`).Status(200).Field("language", `"en"`) // what isn't sent stays
	for _, bad := range []string{"de", "RU", "ru-KZ"} {
		me.Patch(path, `{"language":"`+bad+`"}`).Status(400).JSON(`{"language":["\"` + bad + `\" is not a valid choice."]}`)
	}
	me.Patch(path, `{"language":""}`).Status(400)
	me.Get(path).Status(200).Field("language", `"en"`)
	me.Patch(path, `{"language":null}`).Status(200).Writes(2).Field("language", `null`)
	me.Patch(path, `{"language":null}`).Status(200).Writes(0)
	other.Get(path).Status(200).Field("language", `null`).Header("ETag", `"1"`)
}
