package signing_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/nca"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// manual is a signature by hand of a client.
func manual(client string) any {
	return webtest.Multipart(map[string]any{
		"client": client, "file": webtest.File{Name: "scan.png", ContentType: "image/png", Data: "png"},
	})
}

// Every verb about a sign says what it did, and the order and the clients learn it. No event has what opens a sign.
func TestEventsOfSigns(t *testing.T) {
	w, centre := certified(t)
	w.client("Ann", "+77011234567")
	w.staff().Post("/v1/crm/clients/", `{"name":"Bob","type":0,"phone":"+77017654321","individual":{"iin":"900101300017"}}`).Status(201)
	w.staff().Post("/v1/crm/requests/", `{"client":1}`).Status(201)
	w.upload("Lease")
	w.staff().Patch(all+"1/", `{"content_type":"OrderRequest","object_id":1}`).Status(200).Happened("document.updated")
	var uuids []string
	add := func(body string) string {
		a := w.staff().Post(all+"1/signs/", body).Status(201).Happened("document.updated")
		uuids = append(uuids, a.Text("uuid"))
		return all + a.Text("uuid") + "/"
	}
	before := w.Events(companyID, 0)
	ann := add(`{"client":1}`)

	w.staff().Post(all+"1/signs/1/sms/", `{}`).Status(200).Happened("document.sign.requested")
	w.staff().Post(all+"1/signs/1/sms/", `{"channel":"email"}`).Status(200).Happened("document.sign.requested")
	w.public().Get(ann).Status(200).Happened()
	w.public().Post(ann+"open/", `{}`).Status(200).Happened("document.sign.opened")
	w.public().Post(ann+"open/", `{}`).Status(200).Happened()
	w.staff().Post(all+"1/signs/1/sms/", `{}`).Status(200).Happened("document.sign.requested")
	w.public().Post(ann+"reject/", `{"reason":"The wrong car"}`).Status(200).Happened("document.sign.rejected")
	w.public().Post(ann+"reject/", `{"reason":"again"}`).Status(409).Happened()
	w.staff().Post(all+"1/signs/1/reopen/", `{}`).Status(200).Happened("document.sign.reopened")
	w.staff().Post(all+"1/signs/1/reject/", `{"reason":"By telephone"}`).Status(200).Happened("document.sign.rejected")
	w.staff().Post(all+"1/signs/1/reopen/", `{}`).Status(200).Happened("document.sign.reopened")
	w.public().Post(ann+"open/", `{}`).Status(200).Happened("document.sign.opened")

	bob := add(`{"client":2}`)
	w.staff().Post(all+"1/company/", `{"method_allowed":[2]}`).Status(201).Happened("document.updated")
	w.Deliver()
	asked := w.ask(ann).Status(200).Happened("document.updated")
	code := w.sms()
	confirm := func(code string) string {
		return fmt.Sprintf(`{"confirm_id":%q,"code":%q}`, asked.Text("confirm_id"), code)
	}
	w.public().Post(ann+"sign/confirm/", confirm(wrong(code))).Writes(2).Status(400).Happened("document.updated") // it is counted
	w.public().Post(ann+"sign/confirm/", confirm(code)).Status(200).Happened("document.sign.signed")

	holder, err := centre.Issue(nca.Person{Name: "BOB", IIN: "900101300017", Kind: nca.RSA})
	if err != nil {
		t.Fatal(err)
	}
	cms, err := holder.Make(nca.Message{At: w.Clock.Now(), Content: []byte("%PDF-1.7 Lease\n% normal")})
	if err != nil {
		t.Fatal(err)
	}
	w.public().Post(bob+"open/", `{}`).Status(200).Happened("document.sign.opened")
	w.public().Post(bob+"eds/", asJSON(cms)).Status(200).Happened("document.sign.signed")
	w.staff().Delete(all + "1/signs/3/").Status(204).Happened("document.signed")
	w.Clock.Step(time.Second)
	w.Deliver()

	of := func(id int, name string) string {
		return fmt.Sprintf(`"sign":%d,"signer":%q,"client":%d`, id, name, id)
	}
	const one, both = "document:1 [order:1 client:1] ", "document:1 [order:1 client:1 client:2] "
	want := []string{
		"document.sign.requested " + one + `{` + of(1, "Ann") + `,"channel":"sms"}`,
		"document.sign.requested " + one + `{` + of(1, "Ann") + `,"channel":"email"}`,
		"document.sign.opened " + one + `{` + of(1, "Ann") + `}`,
		"document.sign.requested " + one + `{` + of(1, "Ann") + `,"channel":"sms"}`,
		"document.sign.rejected " + one + `{` + of(1, "Ann") + `}`,
		"document.sign.reopened " + one + `{` + of(1, "Ann") + `}`,
		"document.sign.rejected " + one + `{` + of(1, "Ann") + `}`,
		"document.sign.reopened " + one + `{` + of(1, "Ann") + `}`,
		"document.sign.opened " + one + `{` + of(1, "Ann") + `}`,
		"document.sign.signed " + both + `{` + of(1, "Ann") + `,"method":1,"left":2}`,
		"document.sign.opened " + both + `{` + of(2, "Bob") + `}`,
		"document.sign.signed " + both + `{` + of(2, "Bob") + `,"method":2,"left":1}`,
		"document.signed " + both + `{"signs":2}`,
		"document.sealed " + both + `{"file":100003,"sha256":"…","level":"B-B","sealed_at":"2026-03-02T09:30:01Z"}`,
	}
	sum, got := regexp.MustCompile(`[0-9a-f]{64}`), []string(nil)
	for _, e := range w.Events(companyID, before[len(before)-1].Number) {
		if whole, err := json.Marshal(e); err != nil || slices.ContainsFunc(uuids, func(u string) bool {
			return strings.Contains(string(whole), u) || strings.Contains(string(whole), u[:8])
		}) || strings.Contains(string(whole), "+7701") || strings.Contains(string(whole), code) {
			t.Errorf("this tells too much: %s, %v", whole, err)
		}
		if e.Name.Record() == "document" && e.Name != "document.updated" {
			got = append(got, fmt.Sprint(e.Name, " ", e.About(), " ", e.Concerns, " ", sum.ReplaceAllString(string(e.Data), "…")))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A signature by hand may be the last one, and one that makes its own sign. What is sealed may have been withdrawn.
func TestEventsOfSignaturesByHand(t *testing.T) {
	w := newWorld(t)
	w.client("Ann", "+77011234567")
	w.staff().Post("/v1/crm/clients/", `{"name":"Bob","type":0}`).Status(201)
	w.upload("Lease")
	w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201)
	w.staff().Post(all+"1/manual_sign/", manual("2")).Status(201).Happened("document.sign.signed")
	w.staff().Post(all+"1/manual_sign/", manual("1")).Status(201).Happened("document.sign.signed", "document.signed")
	w.staff().Post(all+"1/manual_sign/", manual("1")).Status(409).Happened()
	w.manager().Delete(all + "1/").Status(204).Happened("document.deleted")
	var names []string
	seen := w.Events(companyID, 0)
	w.Deliver()
	for _, e := range w.Events(companyID, seen[len(seen)-1].Number) {
		names = append(names, fmt.Sprint(e.Name, " ", e.Revision, " ", e.Concerns))
	}
	if want := []string{"document.sealed 6 [client:1 client:2]"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
