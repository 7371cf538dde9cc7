package signing_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// moment is how long a caller waits before the next step.
const moment = time.Second + 234_567*time.Microsecond

// What each step from a template to a sealed document consumes: docs/performance.json says so. Between the steps time passes, as it does
// for callers: moments have all their digits, and each change comes later than the one before it. A change of the document is 2 write
// units for its search, because its entry moves within the index.
func TestCosts(t *testing.T) {
	w := newWorld(t)
	w.client("Айгүл Серікқызы", "+77011234567")
	costs := func(name, want string, a *webtest.Answer) *webtest.Answer {
		c := a.Cost()
		if got := fmt.Sprintf("%d %g %g", c.Calls, c.Read, c.Write); got != want {
			t.Errorf("%s: %s calls, read and write units, not %s", name, got, want)
		}
		return a
	}
	staff := func() *webtest.Client { w.Clock.Step(moment); return w.staff() }
	public := func() *webtest.Client { w.Clock.Step(moment); return w.public() }
	w.upload("Lease")
	// The company is read, because its name is printed in the record: what can't be drawn is refused before anybody signs.
	sign := costs("a signer", "4 3 11", staff().Post(all+"1/signs/", `{"client":1}`).Status(201))
	one := all + sign.Text("uuid") + "/"
	staff().Post("/v1/crm/clients/", `{"name":"B","type":0}`).Status(201)
	staff().Post(all+"1/signs/", `{"client":2}`).Status(201)
	costs("a signer removed", "2 1 11", staff().Delete(all+"1/signs/2/").Status(204))
	w.upload("Another")
	costs("the company", "3 2 11", staff().Post(all+"2/company/", `{}`).Status(201))
	costs("a sign that the record keeps, removed", "3 2 11", staff().Delete(all+"2/signs/1/").Status(204))
	costs("the signs", "1 1 0", staff().Get(all+"1/signs/").Status(200))
	// What an SMS costs besides: the account is read and written, and the message is counted for the user, the company, the telephone
	// (of this company, and of all), the platform, and what the platform pays itself.
	// The company is read for its plan, and its usage of the month is written.
	costs("the link", "3 3 28", staff().Post(all+"1/signs/1/sms/", `{}`).Status(200))
	w.Deliver()
	costs("the page", "3 3 0", public().With("Accept", "text/html").Get("/sign/"+sign.Text("uuid")+"/").Status(200))
	seen := costs("what the page shows", "3 3 0", public().Get(one).Status(200))
	costs("its file", "3 3 0", public().Get(strings.TrimPrefix(seen.Text("file.file"), webtest.BaseURL)).Status(302))
	costs("opened", "4 3 9", public().Post(one+"open/", `{}`).Status(200))
	costs("rejected", "4 3 11", public().Post(one+"reject/", `{"reason":"no"}`).Status(200))
	costs("reopened", "2 1 11", staff().Post(all+"1/signs/1/reopen/", `{}`).Status(200))
	public().Post(one+"open/", `{}`).Status(200)
	asked := costs("a code", "5 5 30", public().Post(one+"sign/", `{"sha256":"`+seen.Text("file.sha256")+`"}`).Status(200))
	code := w.sms()
	confirm := func(code string) string {
		return fmt.Sprintf(`{"confirm_id":%q,"code":%q}`, asked.Text("confirm_id"), code)
	}
	costs("a wrong code", "4 3 11", public().Post(one+"sign/confirm/", confirm(wrong(code))).Writes(2).Status(400))
	costs("the right code", "5 4 16", public().Post(one+"sign/confirm/", confirm(code)).Status(200))
	w.Deliver()
	sealed := staff().Get(all + "1/").Status(200).Text("files.1.extra.sha256")
	costs("verified", "3 2 1", public().Get(all+"verify/?sha256="+sealed).Status(200))
	costs("verified, unknown", "2 1 1", public().Get(all+"verify/?sha256="+sealed[:62]+"00").Status(200))
	costs("withdrawn", "2 1 20", w.manager().Delete(all+"1/").Status(204))
}
