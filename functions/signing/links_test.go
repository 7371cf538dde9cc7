package signing_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const expired = `{"detail":"The link has expired: ask the company to send it again or, if you have signed, to send the document.","code":"link_expired"}`

// A link lives as long as the setting says, whatever its signer has done since; sending it again gives it the same life anew.
func TestLinksExpire(t *testing.T) {
	w := newWorld(t)
	w.client("Айгүл", "+77011234567")
	file := strconv.FormatInt(w.upload("Lease").Int("files.0.id"), 10)
	sign := w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid")
	one, page := all+sign+"/", "/sign/"+sign+"/"
	works := func(status int) {
		t.Helper()
		w.public().Get(one).Status(status).Writes(0)
		w.public().With("Accept", "application/json").Get(one + "documents/" + file + "/").Status(status)
		w.public().Get(page).Status(status).Writes(0)
	}
	w.Clock.Step(89 * 24 * time.Hour)
	w.public().Post(one+"open/", `{}`).Status(200)
	w.Clock.Step(24*time.Hour - time.Second)
	works(200)
	read := w.shown(one)
	w.Clock.Step(time.Second)
	works(404)
	w.public().Get(one).Status(404).JSON(expired)
	for path, body := range map[string]string{
		"open/": `{}`, "sign/": `{"sha256":"` + read + `"}`, "eds/": `{"cms":"AAAA"}`, "reject/": `{"reason":"No."}`,
		"sign/confirm/": `{"confirm_id":"x","code":"123456"}`,
	} {
		w.public().Post(one+path, body).Status(404).Writes(0).JSON(expired)
	}
	for language, says := range map[string]string{
		"ru": "Срок действия ссылки истёк", "kk": "Сілтеменің мерзімі өтті", "en": "The link has expired",
	} {
		a := w.public().Get(page+"?lang="+language).Status(404).Header("Content-Language", language).NotContain("Lease", "Айгүл")
		if body := string(a.Body()); !strings.Contains(body, says) || !strings.Contains(body, `class="contact"`) {
			t.Errorf("%s: %s", language, body)
		}
	}
	w.staff().Post(all+"1/signs/1/sms/", `{}`).Status(200).Field("status", "2")
	works(200)
	w.Clock.Step(90*24*time.Hour - time.Second)
	works(200)
	w.ask(one).Status(200)
	w.Clock.Step(time.Second)
	works(404)
}

// Who has signed can have the sealed file for as long, from then on.
func TestLinkOfWhoHasSigned(t *testing.T) {
	w := newWorld(t)
	w.client("Айгүл", "+77011234567")
	w.upload("Lease")
	one := all + w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	w.public().Post(one+"open/", `{}`).Status(200)
	w.Clock.Step(89 * 24 * time.Hour)
	id := w.ask(one).Status(200).Text("confirm_id")
	w.public().Post(one+"sign/confirm/", `{"confirm_id":"`+id+`","code":"`+w.sms()+`"}`).Status(200)
	w.Deliver()
	w.Clock.Step(90*24*time.Hour - time.Second)
	w.public().Get(one).Status(200).Field("signed", "true")
	w.Clock.Step(time.Second)
	w.public().Get(one).Status(404).JSON(expired)
}

// Sending the link again to who reads it or enters a code keeps the state, the stages and the code, and counts.
func TestLinkSentAgain(t *testing.T) {
	w := newWorld(t)
	w.client("Айгүл", "+77011234567")
	w.upload("Lease")
	one := all + w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	again := func(status string, stages int) {
		t.Helper()
		a := w.staff().Post(all+"1/signs/1/sms/", `{"channel":"email"}`).Status(200).Field("status", status)
		if list, _ := a.Value("stages").([]any); len(list) != stages {
			t.Errorf("%d stages, want %d", len(list), stages)
		}
		w.Deliver()
		if sent := w.post.last(); !strings.Contains(sent.Text, "/sign/"+strings.TrimPrefix(one, all)) {
			t.Errorf("sent %q", sent.Text)
		}
	}
	w.public().Post(one+"open/", `{}`).Status(200)
	again("2", 2)
	id := w.ask(one).Status(200).Text("confirm_id")
	code := w.sms()
	again("3", 3)
	for range 18 {
		w.staff().Post(all+"1/signs/1/sms/", `{"channel":"email"}`).Status(200)
	}
	w.staff().Post(all+"1/signs/1/sms/", `{"channel":"email"}`).Status(409).Field("code", `"links"`)
	w.public().Post(one+"sign/confirm/", `{"confirm_id":"`+id+`","code":"`+code+`"}`).Status(200).Field("sign.status", "5")
	w.staff().Post(all+"1/signs/1/sms/", `{"channel":"email"}`).Status(409)
}

// No line that a function logs says a link, whatever becomes of a request: whoever reads logs must not be able to sign.
func TestLogsHoldNoLink(t *testing.T) {
	fails := new(atomic.Bool)
	w := newWorld(t, func(s *webtest.Setup) {
		change := s.Change
		s.Change = func(e *app.Env) {
			change(e)
			e.Config.NCA.Roots = "somebody"
			e.Files = filestest.Behind(t, func(next aws.HTTPClient) aws.HTTPClient { return failing{next, fails} })
			made := e.NewUUID
			e.NewUUID = func() uuid.UUID {
				if fails.Load() {
					panic("there are no uuids")
				}
				return made()
			}
		}
	})
	w.client("Айгүл", "+77011234567")
	w.upload("Lease")
	sign := w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid")
	one := all + sign + "/"
	w.staff().Post(all+"1/signs/1/sms/", `{}`).Status(200)
	w.post.fail = errors.New("nobody takes it")
	if failed := w.attempt(document.LinkKind); failed == nil || strings.Contains(failed.Error(), sign) {
		t.Errorf("the worker logs %v", failed)
	}
	w.post.fail = nil
	try := func() {
		for _, path := range []string{
			one, one + "?language=kk", one + "documents/1/", one + "documents/x/", one + "papers/", "/sign/" + sign + "/", "/sign/" + sign,
			"/sign/" + sign + "/x/", "/sign/x" + sign + "/", "/sign/" + strings.ToUpper(sign) + "/", "/sign//" + sign + "/",
			"/verify/" + sign + "/", "/v2/documents/verify/?sha256=" + sign, strings.TrimSuffix(one, "/"), "/v2/" + sign + "/",
		} {
			w.public().Get(path)
			w.public().Post(path, `{`)
			w.As(webtest.ReadOnly(companyID)).In(t).Get(path)
		}
		for _, path := range []string{"open/", "sign/", "sign/confirm/", "eds/", "reject/", "reject", "nothing/"} {
			for _, body := range []string{`{}`, `{`, `{"cms":"AAAA"}`, `{"sha256":"` + sign + `"}`} {
				w.public().Post(one+path, body)
			}
		}
	}
	try()
	read := w.shown(one)
	fails.Store(true)
	w.public().Post(one+"sign/", `{"sha256":"`+read+`"}`).Status(500) // a panic
	w.public().Post(one+"eds/", `{"cms":"AAAA"}`)
	w.public().Post(one+"reject/", `{"reason":"No."}`).Status(503)
	fails.Store(false)
	w.Clock.Step(91 * 24 * time.Hour)
	try()
	log := strings.ToLower(w.Log())
	for line := range strings.Lines(log) {
		if strings.Contains(line, sign) {
			t.Errorf("logged: %s", line)
		}
	}
	for _, part := range []string{`"signing-open"`, `"unmatched"`, `/v2/documents/*/papers/`, "there are no uuids", "the bucket is gone"} {
		if !strings.Contains(log, part) {
			t.Errorf("no line has %s", part)
		}
	}
}

// attempt has the worker carry out the message of a kind that is due, and returns what it says of it, which is what it logs.
func (w *world) attempt(kind outbox.Kind) (failed error) {
	w.t.Helper()
	through, now := crosstenant.Open(w.Env.Table), w.Clock.Now()
	tried := 0
	err := outbox.EachDue(w.t.Context(), through, now, func(k table.Key) error {
		m, ok, err := outbox.Claim(w.t.Context(), through, k, now, time.Minute)
		if err == nil && ok && m.Kind == kind {
			tried++
			failed = w.Group("documents").Work[kind](w.t.Context(), m)
		}
		return err
	})
	if err != nil || tried != 1 {
		w.t.Fatalf("%d messages, %v", tried, err)
	}
	return failed
}

// failing is a bucket that answers nothing from a moment on.
type failing struct {
	aws.HTTPClient
	on *atomic.Bool
}

func (f failing) Do(r *http.Request) (*http.Response, error) {
	if f.on.Load() {
		return nil, errors.New("the bucket is gone: " + r.URL.Path)
	}
	return f.HTTPClient.Do(r)
}
