package signing_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/documents/document"
	sealjob "github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// sealedRecord is the document of a company, its record in the sealed file, and all that the seal was told as text.
func (w *world) sealedRecord(id int64) (d *document.Document, r sealjob.Record, text string) {
	w.t.Helper()
	of := table.Of(w.Env.Table, companyID)
	d, err := document.Kind().Get(w.t.Context(), record.Scope{Table: of, Now: time.Now}, id)
	if err != nil {
		w.t.Fatal(err)
	}
	f := d.FileOf(document.SealedFile)
	data, err := w.Env.Files.Get(w.t.Context(), of.ID(), f.ID, f.Version, 1<<20)
	if err != nil {
		w.t.Fatal(err)
	}
	data = data[bytes.Index(data, []byte(`{"version"`)):] // what stands in for the seal writes it behind the original
	if err := json.Unmarshal(data, &r); err != nil {
		w.t.Fatal(err)
	}
	return d, r, string(data)
}

// Who signs learns from the sealed file of the others who they are, and not where they are reached. The company's evidence has it.
func TestSealedFilesTellNoAddresses(t *testing.T) {
	w := newWorld(t)
	people := []struct{ name, phone, ip, agent string }{
		{"Ann", "+77011234567", "203.0.113.77", "Mozilla/5.0 (Ann's)"}, {"Bob", "+77077654321", "2001:db8:1:2::77", "Mozilla/5.0 (Bob's)"},
	}
	w.upload("Lease")
	var links []string
	for i, p := range people {
		body := `{"name":"` + p.name + `","type":0,"phone":"` + p.phone + `","email":"` + strings.ToLower(p.name) + `.secret@example.com"}`
		w.staff().Post("/v1/crm/clients/", body).Status(201)
		links = append(links, all+w.staff().Post(all+"1/signs/", []string{`{"client":1}`, `{"client":2}`}[i]).Status(201).Text("uuid")+"/")
	}
	for i, p := range people {
		signer := func() *webtest.Client { return w.public().From(p.ip).With("User-Agent", p.agent) }
		shown := signer().Post(links[i]+"open/", `{}`).Status(200).Text("file.sha256")
		asked := signer().Post(links[i]+"sign/", `{"sha256":"`+shown+`"}`).Status(200)
		signer().Post(links[i]+"sign/confirm/", `{"confirm_id":"`+asked.Text("confirm_id")+`","code":"`+w.sms()+`"}`).Status(200)
	}
	w.Deliver()
	d, r, text := w.sealedRecord(1)
	for _, secret := range []string{
		"1234567", "7654321", "secret", "203.0.113.77", "::77", "Mozilla", "cb00714d", "20010db800010002",
	} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in it: %s", secret, text)
		}
	}
	if s := r.Signs[0]; *s.Phone != "+7••••••4567" || *s.Email != "a•••@example.com" || s.Stages[1].Network != "203.0.113.0/24" {
		t.Errorf("told: %+v", s)
	}
	if g := r.Signs[1].Stages[1].Network; g != "2001:db8:1::/48" {
		t.Errorf("told: %s", g)
	}
	// The whole is in the company's evidence, which the record names, and the stages are those of the record.
	store, chain := w.Env.Files, document.Chain{Keys: w.Env.Keys}
	for i, p := range people {
		s := d.Signs[i]
		told := r.Signs[i].Stages
		sum, _ := hex.DecodeString(told[len(told)-1].Evidence)
		e, err := document.ReadEvidence(t.Context(), store, companyID, sum)
		if err != nil || *e.Signer.Phone != p.phone || e.IP != p.ip || e.Agent != p.agent || e.Signer.Email == nil {
			t.Errorf("evidence: %+v, %v", e, err)
		}
		links, err := chain.Links(t.Context(), d, &s)
		if err != nil {
			t.Fatal(err)
		}
		for n, g := range s.Stages {
			if told[n].Stored != hex.EncodeToString(g.Masked()) || told[n].Hash != hex.EncodeToString(links[n]) || !g.Masked().IsWhole() {
				t.Errorf("stage %d of %s is another one", n+1, p.name)
			}
		}
	}
}

// A signature by hand says who recorded it, by the name of that time, and what the scan is.
func TestSignedByHandNamesWhoRecordedIt(t *testing.T) {
	w := newWorld(t)
	user := w.named("Dana", "Omarova")
	w.sealByHand(companyID, "Lease")
	d, r, _ := w.sealedRecord(1)
	if s := r.Signs[0]; s.Staff != "Dana Omarova" || s.Scan != hex.EncodeToString(d.FileOf(document.Scan).SHA256) {
		t.Errorf("told: %+v", s)
	}
	e, err := document.ReadEvidence(t.Context(), w.Env.Files, companyID, d.Signs[0].Trail)
	if err != nil || e.Staff != "Dana Omarova" || e.User != user {
		t.Errorf("evidence: %+v, %v", e, err)
	}
}

// A sign that was removed says who removed it, by the name of that time.
func TestARemovedSignNamesWhoRemovedIt(t *testing.T) {
	w := newWorld(t)
	w.named("Dana", "Omarova")
	w.client("A", "+77011234567")
	w.staff().Post("/v1/crm/clients/", `{"name":"B","type":0,"phone":"+77017654321"}`).Status(201)
	w.upload("Lease")
	one := all + w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	w.public().Post(one+"reject/", `{"reason":"No."}`).Status(200)
	w.staff().Delete(all + "1/signs/1/").Status(204)
	w.byHand(1, 2)
	if r := w.record(1); len(r.Removed) != 1 || r.Removed[0].Name != "A" || r.Removed[0].RemovedBy != "Dana Omarova" {
		t.Errorf("told: %+v", r.Removed)
	}
}

// named gives the employee of the company a name, and returns the number of the user.
func (w *world) named(first, last string) (user int64) {
	w.t.Helper()
	of := table.Of(w.Env.Table, companyID)
	user = int64(companyID)*10 + 2
	someone := &staff.Staff{Email: "dana@example.com", Role: tenant.Employee, User: user}
	someone.Rename(first, last)
	scope := record.Scope{Table: of, Now: w.Env.Now}
	if err := scope.Do(w.t.Context(), nil, func(wk *record.Work) error { staff.Kind().Create(wk, "", someone); return nil }); err != nil {
		w.t.Fatal(err)
	}
	member := staff.Member{Item: table.At(of.Member(user), staff.MemberVersion), User: user, Role: tenant.Employee, Staff: someone.ID}
	if err := of.Put(member).Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	return user
}
