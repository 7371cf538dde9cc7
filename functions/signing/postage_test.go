package signing_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/notify/smsrates"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// withFree is a platform that pays so many links and codes of a company in a day.
func withFree(free int64) func(*webtest.Setup) {
	return func(s *webtest.Setup) {
		change := s.Change
		s.Change = func(e *app.Env) {
			change(e)
			e.Config.SMS.Free = free
			e.Config.SMS.Rates = smsrates.Rates{
				{Code: "KZ", Price: money.Whole(15), Share: 1}, {Code: "UZ", Price: money.Whole(120), Share: 8},
			}
		}
	}
}

// account is a member of what the company has for SMS.
func (w *world) account(name, want string) {
	w.t.Helper()
	w.staff().Get("/v1/sms/account/").Status(200).Field(name, want)
}

// signOf makes a signer of a document, and returns the paths of staff and of the signer.
func (w *world) signOf(document string, client int64) (staff, public string) {
	w.t.Helper()
	sign := w.staff().Post(all+document+"/signs/", `{"client":`+strconv.FormatInt(client, 10)+`}`).Status(201)
	return all + document + "/signs/" + strconv.FormatInt(sign.Int("id"), 10) + "/", all + sign.Text("uuid") + "/"
}

// The first links and codes of a day are free; then the account pays, and when it is empty, nothing is sent and nothing changed.
func TestLinksAndCodesArePaid(t *testing.T) {
	w := newWorld(t, withFree(2))
	w.upload("Lease")
	staff, public := w.signOf("1", w.client("A", "+77011234567"))
	other, _ := w.signOf("1", w.staff().Post("/v1/crm/clients/", `{"name":"B","type":0,"phone":"+77017654321"}`).Status(201).Int("id"))
	w.staff().Post(staff+"sms/", `{"channel":"email"}`).Status(200) // costs nothing
	w.account("free_left", "2")
	w.staff().Post(staff+"sms/", `{}`).Status(200)
	w.account("free_left", "1")
	w.public().Post(public+"open/", `{}`).Status(200)
	w.public().Post(public+"sign/", `{"sha256":"`+w.shown(public)+`"}`).Status(200)
	w.account("free_left", "0")
	w.account("balance", `"0.00"`)

	before := w.staff().Get(all + "1/signs/").Status(200).Body()
	w.Clock.Step(time.Minute)
	w.staff().Post(other+"sms/", `{}`).Status(400).
		JSON(`{"detail":"The balance for SMS does not cover this message.","code":"sms_balance","needed":"15.00","available":"0.00"}`)
	w.account("refused_at", "null")
	w.public().Post(public+"sign/", `{"sha256":"`+w.shown(public)+`"}`).Writes(1).Status(409). // the note for the company
													JSON(`{"detail":"The company can't send a code at the moment.","code":"sms_unavailable"}`)
	w.account("refused_at", `"<datetime>"`)
	if after := w.staff().Get(all + "1/signs/").Status(200).Body(); string(after) != string(before) {
		t.Errorf("the sign changed from %s to %s", before, after)
	}

	w.As(webtest.Owner(companyID)).In(t).Post("/v1/sms/account/top_up/", `{"amount":"40"}`).Status(201)
	w.staff().Post(other+"sms/", `{}`).Status(200)
	w.account("balance", `"25.00"`)
	w.public().Post(public+"sign/", `{"sha256":"`+w.shown(public)+`"}`).Status(200)
	w.account("balance", `"10.00"`)
	w.Clock.Step(24 * time.Hour)
	w.account("free_left", "2")
	w.staff().Post(other+"sms/", `{}`).Status(200)
	w.account("balance", `"10.00"`)
	w.account("free_left", "1")
}

// A country takes of the free share as many times as it costs more, and one without a price is not sent to.
func TestCountries(t *testing.T) {
	w := newWorld(t, withFree(9))
	w.upload("Lease")
	staff, _ := w.signOf("1", w.client("A", "+998901234567"))
	w.staff().Post(staff+"sms/", `{}`).Status(200)
	w.account("free_left", "1")
	w.staff().Post(staff+"sms/", `{}`).Status(400).Field("needed", `"120.00"`)
	w.account("free_left", "1")

	client := w.staff().Post("/v1/crm/clients/", `{"name":"B","type":0,"phone":"+12025550123","email":"b@example.com"}`).Status(201).Int("id")
	abroad, public := w.signOf("1", client)
	w.staff().Post(abroad+"sms/", `{}`).Status(400).
		JSON(`{"channel":["No SMS are sent to this number: not to its country, or it is no mobile one."],"code":"country"}`)
	w.staff().Post(abroad+"sms/", `{"channel":"email"}`).Status(200)
	w.public().Post(public+"open/", `{}`).Status(200)
	w.public().Post(public+"sign/", `{"sha256":"`+w.shown(public)+`"}`).Status(409).Field("code", `"sms_unavailable"`)
	w.account("refused_at", "null")
}

// What was not sent is given back, once; what may have been sent is not.
func TestWhatFailedIsGivenBack(t *testing.T) {
	for name, c := range map[string]struct {
		fail  error
		share string // that is left after the day's two
		money string // that is left of 15 after the third
	}{
		"refused":      {notify.ErrRefused, "2", `"15.00"`},
		"not taken":    {notify.ErrNotSent, "2", `"15.00"`},
		"nobody knows": {errors.New("the answer was lost"), "0", `"0.00"`},
		"sent":         {nil, "0", `"0.00"`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, withFree(2))
			w.t = t
			w.upload("Lease")
			w.As(webtest.Owner(companyID)).In(t).Post("/v1/sms/account/top_up/", `{"amount":"15"}`).Status(201)
			staff, public := w.signOf("1", w.client("A", "+77011234567"))
			w.post.fail = c.fail
			w.staff().Post(staff+"sms/", `{}`).Status(200)
			w.staff().Post(staff+"sms/", `{}`).Status(200)
			w.public().Post(public+"open/", `{}`).Status(200)
			w.public().Post(public+"sign/", `{"sha256":"`+w.shown(public)+`"}`).Status(200)
			w.account("free_left", "0")
			w.account("balance", `"0.00"`)
			for i := range 18 { // what fails is tried again, after pauses that double up to an hour
				_, _ = groups.Worker(w.Env).Sweep(t.Context())
				w.Clock.Step(min(5*time.Second<<i, time.Hour) * 11 / 10)
			}
			w.account("balance", c.money)
			w.account("free_left", c.share)
		})
	}
}

// A link leaves for whom it was paid and counted: if the signer has another address by the time that it would leave, it doesn't, and its
// price is given back.
func TestALinkGoesWhereItWasPaidFor(t *testing.T) {
	for channel, changed := range map[string]string{"sms": `{"phone":"+12025550123"}`, "email": `{"email":"other@client.test"}`} {
		t.Run(channel, func(t *testing.T) {
			w := newWorld(t, withFree(2))
			w.t = t
			w.upload("Lease")
			client := w.client("A", "+77011234567")
			w.staff().Patch(fmt.Sprintf("/v1/crm/clients/%d/", client), `{"email":"a@client.test"}`).Status(200)
			staff, _ := w.signOf("1", client)
			w.staff().Post(staff+"sms/", `{"channel":"`+channel+`"}`).Status(200)
			w.staff().Patch(fmt.Sprintf("/v1/crm/clients/%d/", client), changed).Status(200)
			w.staff().Put(staff, fmt.Sprintf(`{"client":%d}`, client)).Status(200)
			w.Deliver()
			if len(w.post.sent) != 0 {
				t.Errorf("it left for %s", w.post.last().To)
			}
			w.account("free_left", "2")
		})
	}
}

// keyless are keys that make no MACs, as where the key service is away.
type keyless struct{ keys.Keys }

func (keyless) MAC(context.Context, keys.Use, keys.ID, []byte) ([]byte, error) {
	return nil, errors.New("the key service is away")
}

// A code that could never be made was not sent, whatever kept it from being made.
func TestWhatWasNeverMadeIsGivenBack(t *testing.T) {
	w := newWorld(t, withFree(1))
	w.upload("Lease")
	_, public := w.signOf("1", w.client("A", "+77011234567"))
	w.public().Post(public+"open/", `{}`).Status(200)
	w.public().Post(public+"sign/", `{"sha256":"`+w.shown(public)+`"}`).Status(200)
	w.account("free_left", "0")
	broken := w.Env
	broken.Keys = keyless{w.Env.Keys}
	for range 4 {
		_, _ = groups.Worker(broken).Sweep(t.Context()) // what fails is tried again, until the code is over
		w.Clock.Step(10 * time.Minute)
	}
	w.account("free_left", "1")
}

// One company can't have a telephone flooded, nor can all together.
func TestOneTelephoneADay(t *testing.T) {
	w := newWorld(t)
	w.upload("Lease")
	client := w.client("A", "+77011234567")
	used := func(rule string, n int, subject ...string) {
		key := crosstenant.Throttle(rule, throttle.Subject(subject...), strconv.FormatInt(w.Clock.Now().Truncate(24*time.Hour).Unix(), 10))
		if err := crosstenant.Open(w.Env.Table).Update(key).Set("c", n).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	staff, public := w.signOf("1", client)
	for rule, limit := range map[string]int{"link-pair": 20, "link-to": 50, "link-user": 500} {
		subject := map[string][]string{
			"link-pair": {companyID.String(), "+77011234567"}, "link-to": {"+77011234567"}, "link-user": {"62"},
		}[rule]
		used(rule, limit-1, subject...)
		w.staff().Post(staff+"sms/", `{}`).Status(200)
		w.staff().Post(staff+"sms/", `{}`).Status(429)
		used(rule, 0, subject...)
	}
	w.public().Post(public+"open/", `{}`).Status(200)
	for rule, subject := range map[string][]string{ // the signer asks for a code, and who has added the signer answers for it
		"code-to": {"+77011234567"}, "code-company": {companyID.String()}, "code-user": {"62"},
	} {
		limit := map[string]int{"code-to": 100, "code-company": 2000, "code-user": 2000}[rule]
		used(rule, limit, subject...)
		w.public().Post(public+"sign/", `{"sha256":"`+w.shown(public)+`"}`).Status(429)
		used(rule, 0, subject...)
	}
	w.public().Post(public+"sign/", `{"sha256":"`+w.shown(public)+`"}`).Status(200)
}

// An e-mail address is one recipient, however it is written.
func TestOneAddressADay(t *testing.T) {
	w := newWorld(t)
	w.upload("Lease")
	signer := func(email string) (staff string) {
		client := w.staff().Post("/v1/crm/clients/", `{"name":"B","type":0,"email":"`+email+`"}`).Status(201).Int("id")
		staff, _ = w.signOf("1", client)
		return staff
	}
	one, same := signer("b@example.com"), signer("B@Example.COM")
	for range 20 {
		w.staff().Post(one+"sms/", `{"channel":"email"}`).Status(200)
	}
	w.staff().Post(same+"sms/", `{"channel":"email"}`).Status(429)
}

// withDaily is a platform on which so many SMS and e-mails leave in a day.
func withDaily(sms, mails int64) func(*webtest.Setup) {
	return func(s *webtest.Setup) {
		change := s.Change
		s.Change = func(e *app.Env) {
			change(e)
			e.Config.SMS.Daily, e.Config.MailDaily = sms, mails
		}
	}
}

// All companies together send no more than the platform says, and half of it at the host's cost: then those go on that pay.
func TestThePlatformADay(t *testing.T) {
	w := newWorld(t, withDaily(4, 1))
	w.upload("Lease")
	staff, public := w.signOf("1", w.client("A", "+77011234567"))
	w.staff().Post(staff+"sms/", `{}`).Status(200)
	w.staff().Post(staff+"sms/", `{}`).Status(200)
	w.staff().Post(staff+"sms/", `{}`).Status(429).Header("Retry-After", "52200")
	w.As(webtest.Owner(companyID)).In(t).Post("/v1/sms/account/top_up/", `{"amount":"45"}`).Status(201)
	w.staff().Post(staff+"sms/", `{}`).Status(200)
	w.public().Post(public+"open/", `{}`).Status(200)
	w.public().Post(public+"sign/", `{"sha256":"`+w.shown(public)+`"}`).Status(200)
	w.account("balance", `"15.00"`)
	w.staff().Post(staff+"sms/", `{}`).Writes(1).Status(429) // the number of an operation that is not made
	w.Clock.Step(time.Minute)
	w.public().Post(public+"sign/", `{"sha256":"`+w.shown(public)+`"}`).Writes(1).Status(429)
	w.account("balance", `"15.00"`)
	w.staff().Post(staff+"sms/", `{"channel":"email"}`).Status(200)
	w.staff().Post(staff+"sms/", `{"channel":"email"}`).Status(429)
	w.Clock.Step(24 * time.Hour)
	w.public().Post(public+"sign/", `{"sha256":"`+w.shown(public)+`"}`).Status(200)
	w.account("balance", `"15.00"`)
}

// What a company is called makes no link in an SMS.
func TestNamesInSMS(t *testing.T) {
	w := newWorld(t)
	of := table.Of(w.Env.Table, companyID)
	if err := of.Update(of.Company()).Set("n", "Приз на evil.kz/win и www.выигрыш.рф, торопитесь").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.upload("Lease")
	staff, _ := w.signOf("1", w.client("A", "+77011234567"))
	w.staff().Post(staff+"sms/", `{}`).Status(200)
	w.Deliver()
	if text := w.post.last().Text; !strings.HasPrefix(text, "Приз на evil kz win и выигрыш просит") || strings.Count(text, "://") != 1 {
		t.Errorf("the SMS says %q", text)
	}
}

// Nor are the names in an e-mail: those of the company, the signer and the document.
func TestNamesInMail(t *testing.T) {
	w := newWorld(t)
	of := table.Of(w.Env.Table, companyID)
	if err := of.Update(of.Company()).Set("n", "https://evil.kz/pay Bank").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.upload("Lease")
	w.staff().Patch(all+"1/", `{"name":"https://evil.kz/doc\r\nBcc: all"}`).Status(200)
	client := w.staff().Post("/v1/crm/clients/", `{"name":"https://evil.kz/me Вася","type":0,"email":"b@client.test"}`).Status(201).Int("id")
	staff, _ := w.signOf("1", client)
	w.staff().Post(staff+"sms/", `{"channel":"email"}`).Status(200)
	w.Deliver()
	m := w.post.last()
	if strings.Contains(m.Subject+m.Text, "evil.kz") || strings.Count(m.Text, "://") != 1 || strings.Contains(m.Subject, "\n") ||
		!strings.Contains(m.Text, "Вася") || !strings.Contains(m.Subject, "Bank") {
		t.Errorf("the mail says %q: %q", m.Subject, m.Text)
	}
}
