package signing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What each step from a template to a sealed document consumes: docs/performance.md says so.
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
	w.upload("Lease")
	sign := costs("a signer", "3 2 8", w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201))
	one := all + sign.Text("uuid") + "/"
	costs("the company", "3 2 8", w.staff().Post(all+"1/company/", `{}`).Status(201))
	costs("a signer removed", "2 1 8", w.staff().Delete(all+"1/signs/2/").Status(204))
	costs("the signs", "1 1 0", w.staff().Get(all+"1/signs/").Status(200))
	costs("the link", "2 1 11", w.staff().Post(all+"1/signs/1/sms/", `{}`).Status(200))
	w.Deliver()
	costs("the page", "3 3 0", w.public().With("Accept", "text/html").Get("/sign/"+sign.Text("uuid")+"/").Status(200))
	seen := costs("what the page shows", "3 3 0", w.public().Get(one).Status(200))
	costs("its file", "2 2 0", w.public().Get(strings.TrimPrefix(seen.Text("file.file"), webtest.BaseURL)).Status(302))
	costs("opened", "4 3 6", w.public().Post(one+"open/", `{}`).Status(200))
	costs("rejected", "4 3 8", w.public().Post(one+"reject/", `{"reason":"no"}`).Status(200))
	costs("reopened", "2 1 8", w.staff().Post(all+"1/signs/1/reopen/", `{}`).Status(200))
	w.public().Post(one+"open/", `{}`).Status(200)
	asked := costs("a code", "3 2 13", w.public().Post(one+"sign/", `{}`).Status(200))
	code := w.sms()
	confirm := func(code string) string {
		return fmt.Sprintf(`{"confirm_id":%q,"code":%q}`, asked.Text("confirm_id"), code)
	}
	costs("a wrong code", "4 3 8", w.public().Post(one+"sign/confirm/", confirm(wrong(code))).Writes(2).Status(400))
	costs("the right code", "4 3 11", w.public().Post(one+"sign/confirm/", confirm(code)).Status(200))
	w.Deliver()
	sealed := w.staff().Get(all + "1/").Status(200).Text("files.1.extra.sha256")
	costs("verified", "3 2 1", w.public().Get(all+"verify/?sha256="+sealed).Status(200))
	costs("verified, unknown", "2 1 1", w.public().Get(all+"verify/?sha256="+sealed[:62]+"00").Status(200))
	costs("deleted", "2 1 17", w.staff().Delete(all+"1/").Status(204))
}
