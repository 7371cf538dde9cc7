package signing_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What somebody has signed is withdrawn by a manager: it is gone for the company, and not for those who have its links.
func TestWithdrawn(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.staff().Post("/v1/crm/clients/", `{"name":"B","type":0,"phone":"+77017654321"}`).Status(201)
	w.upload("Lease")
	open := all + w.staff().Post(all+"1/signs/", `{"client":2}`).Status(201).Text("uuid") + "/"
	signed := all + w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	w.public().Post(open+"open/", `{}`).Status(200)
	shown := fmt.Sprintf(`{"sha256":%q}`, w.public().Get(open).Status(200).Text("file.sha256"))
	confirm := w.public().Post(open+"sign/", shown).Status(200).Text("confirm_id")
	w.byHand(1, 1)
	file := w.public().Get(signed).Status(200).Field("withdrawn", "null").Text("file.file")[len(webtest.BaseURL):]

	w.Clock.Step(time.Hour)
	w.staff().Delete(all + "1/").Status(403).Writes(0)
	w.staff().Get(all + "1/").Status(200)
	w.manager().Delete(all + "1/").Status(204)
	w.Deliver()
	w.manager().Delete(all + "1/").Status(404)
	for _, path := range []string{all + "1/", all + "1/signs/", all + "1/documents/100001/", all + "1/company/"} {
		w.staff().Get(path).Status(404)
	}
	w.staff().Get(all).Status(200).Field("count", "0")
	w.staff().Get("/v1/crm/history/?object=document:1").Status(200).Field("results.0.action", `"deleted"`).
		Field("results.0.user", "63").Field("results.0.at", `"2026-03-02T10:30:00Z"`)

	for _, one := range []string{open, signed} {
		w.public().Get(one).Status(200).Field("withdrawn", `"2026-03-02T10:30:00Z"`).Field("name", `"Lease"`)
		for path, body := range map[string]string{
			"open/": `{}`, "sign/": shown, "sign/confirm/": fmt.Sprintf(`{"confirm_id":%q,"code":"123456"}`, confirm), "eds/": `{"cms":"AAAA"}`,
			"reject/": `{"reason":"no"}`,
		} {
			w.public().Post(one+path, body).Status(409).Writes(0).Field("code", `"withdrawn"`)
		}
	}
	w.public().Get(file).Status(302)
	for language, says := range map[string]string{
		"ru": "Компания отозвала этот документ ", "kk": "Компания бұл құжатты ", "en": "The company withdrew this document on ",
	} {
		for _, one := range []string{open, signed} {
			page := w.public().Get("/sign/" + one[len(all):] + "?lang=" + language).Status(200).Body()
			if !strings.Contains(string(page), `data-step="withdrawn" role="status">`+says) {
				t.Errorf("the page in %s doesn't say that the document was withdrawn", language)
			}
			if strings.Contains(string(page), "просит вас подписать") {
				t.Error("the page still asks to sign")
			}
		}
	}
	w.upload("Another").Field("id", "2") // the number is never given again
}

// What all have signed is sealed, even if it was withdrawn before the seal was made. It is nobody's agreement.
func TestWithdrawnBeforeItIsSealed(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.upload("Lease")
	one := all + w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	original := w.staff().Get(all + "1/").Status(200).Text("files.0.extra.sha256")
	w.byHand(1, 1)
	w.manager().Delete(all + "1/").Status(204)
	w.public().Get(all+"verify/?sha256="+original).Status(200).Field("found", "false")
	w.Clock.Step(time.Second)
	w.Deliver()
	w.Deliver()
	w.public().Get(all+"verify/?sha256="+original).Status(200).Field("found", "true").Field("results.0.kind", `"original"`).
		Field("results.0.withdrawn", `"2026-03-02T09:30:00Z"`).Field("results.0.sealed_at", `"2026-03-02T09:30:01Z"`)
	w.public().Get(one).Status(200).Field("sealed.content_type", `"application/pdf"`).Field("withdrawn", `"2026-03-02T09:30:00Z"`)
	w.staff().Get("/v1/crm/clients/1/").Status(200).Field("agreement_id", "null").Field("signed", "false")
	w.staff().Get(all).Status(200).Field("count", "0")
	w.staff().Get(all+"?search=lease").Status(200).Field("count", "0")
	w.staff().Get("/v1/crm/history/?object=document:1").Status(200).Field("results.0.action", `"changed"`).Field("results.0.user", "null").
		Field("results.1.action", `"deleted"`).Field("results.1.user", "63")
}

// The agreement before the one that is withdrawn is the client's again, with its day; without any the client has not signed.
func TestAgreementsOfAClient(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	for id := range int64(2) {
		w.upload("Lease")
		w.byHand(id+1, 1)
		w.Deliver()
		w.Clock.Step(24 * time.Hour)
	}
	const client = "/v1/crm/clients/1/"
	w.staff().Get(client).Status(200).Field("agreement_id", `"2"`).Field("signed", "true").Field("sign_date", `"2026-03-03"`)
	w.manager().Delete(all + "2/").Status(204)
	w.Deliver()
	w.staff().Get(client).Status(200).Field("agreement_id", `"1"`).Field("signed", "true").Field("sign_date", `"2026-03-02"`)
	w.manager().Delete(all + "1/").Status(204)
	w.Deliver()
	w.staff().Get(client).Status(200).Field("agreement_id", "null").Field("signed", "false").Field("sign_date", "null")
}

// A document that is withdrawn while a later one is the client's agreement never becomes it again.
func TestAgreementsThatWereWithdrawnBefore(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	for id := range int64(3) {
		w.upload("Lease")
		w.byHand(id+1, 1)
		w.Deliver()
		w.Clock.Step(24 * time.Hour)
	}
	const client = "/v1/crm/clients/1/"
	for _, step := range []struct{ withdrawn, agreement, signed string }{{"1", `"3"`, "true"}, {"3", `"2"`, "true"}, {"2", "null", "false"}} {
		w.manager().Delete(all + step.withdrawn + "/").Status(204)
		w.Deliver()
		w.staff().Get(client).Status(200).Field("agreement_id", step.agreement).Field("signed", step.signed)
	}
}

// What somebody has signed keeps its name and the record that it is about.
func TestSignedNamesAreLocked(t *testing.T) {
	w := newWorld(t)
	w.client("A", "+77011234567")
	w.staff().Post("/v1/crm/clients/", `{"name":"B","type":0}`).Status(201)
	w.upload("Lease")
	w.staff().Patch(all+"1/", `{"content_type":"Client","object_id":1}`).Status(200)
	w.staff().Post(all+"1/signs/", `{"client":2}`).Status(201)
	w.staff().Patch(all+"1/", `{"name":"Lease 1"}`).Status(200)
	w.byHand(1, 1)
	for _, change := range []string{
		`{"name":"Sale"}`, `{"content_type":"Client","object_id":2}`, `{"content_type":null,"object_id":null}`, `{"content_type":"Document","object_id":1}`,
	} {
		a := w.staff().Patch(all+"1/", change)
		if change == `{"content_type":"Document","object_id":1}` {
			a.Status(400) // a document can't be linked to itself
			continue
		}
		a.Status(409).Field("code", `"signed"`).Writes(0)
		w.staff().Put(all+"1/", change).Status(409).Field("code", `"signed"`).Writes(0)
	}
	w.staff().Put(all+"1/", `{"name":"Lease 1","content_type":"client","object_id":1}`).Status(200).Writes(0)
	w.staff().Patch(all+"1/", `{"resign":true,"name":"Sale"}`).Status(200).Field("id", "2").Field("name", `"Sale"`)
}
