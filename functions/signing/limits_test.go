package signing_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/documents/clerk"
	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What a company may have sent doesn't begin anew with a sign that is removed and added again.
func TestMessagesADay(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.upload("Lease")
	used := func(rule string, n int, subject ...string) {
		key := crosstenant.Throttle(rule, throttle.Subject(subject...), strconv.FormatInt(w.Clock.Now().Truncate(24*time.Hour).Unix(), 10))
		if err := crosstenant.Open(w.Env.Table).Update(key).Add("c", n).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	used("link-company", 999, companyID.String())
	used("code-pair", 49, companyID.String(), "+77011234567")
	for day := range 2 {
		for i, want := range []int{200, 429} {
			if day == 1 {
				want = 200
			}
			sign := w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201)
			one := all + "1/signs/" + strconv.Itoa(2*day+i+1) + "/"
			w.staff().Post(one+"sms/", `{"channel":"email"}`).Status(want)
			public := all + sign.Text("uuid") + "/"
			w.public().Post(public+"open/", `{}`).Status(200)
			w.ask(public).Status(want)
			w.staff().Delete(one).Status(204)
		}
		w.Clock.Step(24 * time.Hour)
	}
}

// What a company has sealed beyond the day's limit is sealed on the next day.
func TestSealsADay(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	limit, kind := clerk.Seals(), document.Kind()
	key := crosstenant.Throttle(limit.Name, throttle.Subject(companyID.String()), strconv.FormatInt(w.Clock.Now().Truncate(limit.Window).Unix(), 10))
	if err := crosstenant.Open(w.Env.Table).Update(key).Add("c", limit.Limit-1).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	sealed := func(document int64) bool {
		w.Deliver()
		d, err := kind.Get(t.Context(), w.scope(), document)
		if err != nil || !d.IsSigned() {
			t.Fatal(err)
		}
		return d.Seal != nil
	}
	for range 2 {
		w.byHand(w.upload("Lease").Int("id"), 1)
	}
	if first, second := sealed(1), sealed(2); !first || second {
		t.Errorf("one more than before is sealed: %t; and another one: %t", first, second)
	}
	w.Clock.Step(limit.Window)
	if !sealed(2) {
		t.Error("it is not sealed on the next day")
	}
}

// Each CMS that is verified counts, whatever becomes of it; what is refused before that does not.
func TestCMSsAnHour(t *testing.T) {
	w := newWorld(t, func(s *webtest.Setup) {
		change := s.Change
		s.Change = func(e *app.Env) {
			change(e)
			e.Config.NCA.Roots = "somebody"
		}
	})
	w.client("A", "+77011234567")
	w.upload("Lease")
	public := all + w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	w.public().Post(public+"eds/", `{"cms":"AAAA"}`).Status(409) // not opened yet
	w.public().Post(public+"open/", `{}`).Status(200)
	for range 30 {
		w.public().Post(public+"eds/", `{"cms":"AAAA"}`).Writes(1).Status(400)
	}
	w.staff().Post(all+"1/eds_sign/1/", `{"cms":"AAAA"}`).Status(429) // which is counted likewise
	w.public().Post(public+"eds/", `{"cms":"AAAA"}`).Status(429).
		JSON(`{"detail":"Request was throttled. Expected available in 1800 seconds."}`).Header("Retry-After", "1800")
	w.Clock.Step(30 * time.Minute)
	w.public().Post(public+"eds/", `{"cms":"AAAA"}`).Writes(1).Status(400)
}
