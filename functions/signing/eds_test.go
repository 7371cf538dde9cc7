package signing_test

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/nca"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// certified is a world with a certification centre.
func certified(t *testing.T) (*world, *nca.Centre) {
	t.Helper()
	var centre *nca.Centre
	w := newWorld(t, func(s *webtest.Setup) {
		change := s.Change
		s.Change = func(e *app.Env) {
			change(e)
			var err error
			if centre, err = nca.New(e.Now); err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(centre)
			t.Cleanup(server.Close)
			e.Config.NCA.Roots, e.Config.NCA.OCSP = centre.Roots(), []string{server.URL}
		}
	})
	return w, centre
}

// toSign makes a document of a company with the bytes of others and a sign of its first client, and returns the sign's path.
func (w *world) toSign(of tenant.ID) string {
	w.t.Helper()
	staff := func() *webtest.Client { return w.As(webtest.Employee(of)).In(w.t) }
	id := staff().Post(all, webtest.Multipart(map[string]any{
		"name": "Lease", "source": "1", "file": webtest.File{Name: "lease.pdf", ContentType: "application/pdf", Data: "%PDF-1.7 Lease"},
	})).Status(201).Int("id")
	return w.opened(of, id)
}

// opened adds the first client to a document as a signer who has opened it.
func (w *world) opened(of tenant.ID, document int64) string {
	w.t.Helper()
	path := fmt.Sprintf("%s%d/signs/", all, document)
	one := all + w.As(webtest.Employee(of)).In(w.t).Post(path, `{"client":1}`).Status(201).Text("uuid") + "/"
	w.public().Post(one+"open/", `{}`).Status(200)
	return one
}

// asJSON is the body with a CMS.
func asJSON(cms []byte) string {
	return `{"cms":"` + base64.StdEncoding.EncodeToString(cms) + `"}`
}

// A CMS signs once in a company, in whatever form it is sent again; another signature of the same bytes is another one.
func TestACMSSignsOnce(t *testing.T) {
	w, centre := certified(t)
	for _, kind := range []nca.Kind{nca.RSA, nca.GOST512} {
		t.Run(string(kind), func(t *testing.T) {
			w := &world{API: w.API, t: t, post: w.post}
			of := companyID
			if kind == nca.GOST512 {
				of++
			}
			w.As(webtest.Employee(of)).In(t).Post("/v1/crm/clients/",
				`{"name":"A","type":0,"phone":"+77011234567","individual":{"iin":"850515300016"}}`).Status(201)
			holder, err := centre.Issue(nca.Person{Name: "AYGUL", IIN: "850515300016", Kind: kind})
			if err != nil {
				t.Fatal(err)
			}
			first := w.toSign(of)
			content := []byte("%PDF-1.7 Lease\n% normal")
			now := w.Clock.Now()
			cmsOf := func(m nca.Message) []byte {
				m.Content = content
				cms, err := holder.Make(m)
				if err != nil {
					t.Fatal(err)
				}
				return cms
			}
			cms := cmsOf(nca.Message{At: now})
			w.public().Post(first+"eds/", asJSON(cms)).Status(200).Field("sign.status", "5")
			w.public().Post(first+"eds/", asJSON(cms)).Status(409).Field("code", `"signed"`) // repeated, it has signed
			w.Deliver()

			second := w.toSign(of)
			again := map[string]string{
				"as it was": asJSON(cms),
				"as PEM":    `{"cms":"` + strings.ReplaceAll(string(pem.EncodeToMemory(&pem.Block{Type: "CMS", Bytes: cms})), "\n", `\n`) + `"}`,
			}
			if kind == nca.RSA { // which signs the same attributes in the same way
				again["with other certificates"] = asJSON(cmsOf(nca.Message{At: now, Chain: true}))
			}
			for name, body := range again {
				a := w.public().Post(second+"eds/", body).Writes(1) // that it was tried
				if a.Status(409).Text("code") != "cms_used" {
					t.Errorf("%s: %s", name, a.Text("code"))
				}
			}
			w.As(webtest.Employee(of)).In(t).Post(all+"2/eds_sign/1/", asJSON(cms)).Writes(1).Status(409).Field("code", `"cms_used"`)
			w.public().Get(second).Status(200).Field("sign.status", "2").Field("signed", "false")
			w.As(webtest.Employee(of)).In(t).Get(all + "2/").Status(200).NotContain("pkcs7")

			// What is to be signed again asks for another signature too.
			staff := func() *webtest.Client { return w.As(webtest.Employee(of)).In(t) }
			renewed := staff().Patch(all+"1/", `{"resign":true}`).Int("id")
			w.public().Post(w.opened(of, renewed)+"eds/", asJSON(cms)).Writes(1).Status(409).Field("code", `"cms_used"`)
			w.public().Post(second+"eds/", asJSON(cmsOf(nca.Message{At: now.Add(time.Second)}))).Status(200).Field("sign.status", "5")
		})
	}
}

// Who signs by a key is held to the name and the text that he says to have read. What staff hands in was signed elsewhere: the record
// tells of no consent, because nobody knows of any.
func TestConsentByAKey(t *testing.T) {
	w, centre := certified(t)
	w.client("A", "+77011234567")
	holder, err := centre.Issue(nca.Person{Name: "AYGUL", IIN: "850515300016", Kind: nca.RSA})
	if err != nil {
		t.Fatal(err)
	}
	body := func(more string) string {
		w.Clock.Step(time.Second)
		cms, err := holder.Make(nca.Message{Content: []byte("%PDF-1.7 Lease\n% normal"), At: w.Clock.Now()})
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(asJSON(cms), "}") + more + "}"
	}
	one := w.toSign(companyID)
	for _, other := range []string{`,"name":"Sale"`, `,"consent":"sms-ru-1"`, `,"language":"kk","consent":"egov-ru-1"`} {
		w.public().Post(one+"eds/", body(other)).Writes(1).Status(409).Field("code", `"changed"`)
	}
	w.public().Get(one).Status(200).Field("sign.status", "2")
	w.public().Post(one+"eds/", body(`,"name":"Lease","language":"kk","consent":"egov-kk-1"`)).Status(200)
	if r := w.record(1); len(r.Consent) != 1 || r.Consent[0].ID != "egov-kk-1" || r.Signs[0].Language != "kk" {
		t.Errorf("the record tells of %+v, %+v", r.Consent, r.Signs)
	}

	w.toSign(companyID)
	w.staff().Post(all+"2/eds_sign/1/", body("")).Status(200).Field("status", "5")
	if r := w.record(2); len(r.Consent) != 0 || r.Signs[0].Language != "" || r.Signs[0].Consent != "" || r.Signs[0].Certificate == nil {
		t.Errorf("the record of what staff handed in tells of %+v, %+v", r.Consent, r.Signs)
	}
}

// What was signed before there was a sign signs nothing, and neither does what doesn't say when it was signed. A clock may be
// five minutes off.
func TestTimesOfCMSs(t *testing.T) {
	w, centre := certified(t)
	w.client("A", "+77011234567")
	holder, err := centre.Issue(nca.Person{Name: "AYGUL", IIN: "850515300016", Kind: nca.RSA})
	if err != nil {
		t.Fatal(err)
	}
	one := w.toSign(companyID)
	at := w.Clock.Now()
	w.Clock.Step(time.Minute)
	signed := func(at time.Time) string {
		cms, err := holder.Make(nca.Message{Content: []byte("%PDF-1.7 Lease\n% normal"), At: at})
		if err != nil {
			t.Fatal(err)
		}
		return asJSON(cms)
	}
	for name, at := range map[string]time.Time{"none": {}, "last year": at.AddDate(-1, 0, 0), "a second too early": at.Add(-5*time.Minute - time.Second)} {
		if code := w.public().Post(one+"eds/", signed(at)).Writes(1).Status(400).Text("code"); code != "cms_time" {
			t.Errorf("%s: %s", name, code)
		}
	}
	w.public().Get(one).Status(200).Field("sign.status", "2")
	w.public().Post(one+"eds/", signed(at.Add(-5*time.Minute))).Status(200).Field("sign.status", "5")
}
