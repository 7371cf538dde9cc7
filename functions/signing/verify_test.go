package signing_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Whoever has the same bytes sealed afterwards takes nobody's place: the oldest seals are found first, whatever the numbers
// of the companies are.
func TestTheOldestSealsAreFound(t *testing.T) {
	w := newWorld(t)
	const companies = 30
	var original string
	var sealed []string
	for i := range companies {
		of := companyID + tenant.ID(companies-i) // the first one has the highest number
		w.has(of)
		original = w.sealByHand(of, "Standard lease")
		sealed = append(sealed, w.As(webtest.Employee(of)).In(t).Get(all+"1/").Status(200).Text("files.2.extra.sha256"))
	}
	found := func() (list []string) {
		answer := w.public().Get(all + "verify/?sha256=" + original).Status(200)
		for i := range answer.Value("results").([]any) {
			list = append(list, answer.Text(fmt.Sprintf("results.%d.sealed", i)))
		}
		return list
	}
	if got := found(); !slices.Equal(got, sealed[:20]) {
		t.Errorf("found %d:\n%q, not the first of\n%q", len(got), got, sealed)
	}
	// A document that isn't among them is known all the same.
	last := table.Of(w.Env.Table, companyID+1)
	desk := document.NewDesk(w.Env.Table, w.Env.Files, w.Env.Keys, w.Env.NewUUID)
	d, err := document.Kind().Get(t.Context(), record.Scope{Table: last, Now: time.Now}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []document.FileType{document.Original, document.SealedFile} {
		if known, err := desk.Public.IsFound(t.Context(), last.ID(), d, kind); err != nil || !known {
			t.Errorf("by file %d it is not found: %v", kind, err)
		}
	}
}

// Of a company that was erased it is known that a file was sealed here, when and at which level, and nothing else: no sign, no original.
func TestTheSealOfAnErasedCompanyHolds(t *testing.T) {
	w := newWorld(t)
	original := w.sealByHand(companyID, "Lease")
	sealed := w.staff().Get(all + "1/").Status(200).Text("files.2.extra.sha256")
	sum, err := hex.DecodeString(sealed)
	if err != nil {
		t.Fatal(err)
	}
	everywhere := crosstenant.Open(w.Env.Table)
	item := crosstenant.ErasedItem{
		Item: table.At(crosstenant.ErasedHash(crosstenant.Hashed(sum)), crosstenant.ErasedVersion), SealedAt: 1772443801000000, Level: "B-T",
	}
	if err := errors.Join(
		everywhere.Put(item).Run(t.Context()), everywhere.Delete(crosstenant.SealedHash(sum, companyID, 1)).Run(t.Context()),
	); err != nil {
		t.Fatal(err)
	}
	w.public().Get(all + "verify/?sha256=" + sealed).Status(200).JSON(`{"sha256":"` + sealed + `","found":true,"results":[
		{"kind":"sealed","whole":true,"sealed_at":"2026-03-02T09:30:01Z","level":"B-T","withdrawn":null,"erased":true,"signs":null,
		"methods":null,"original":null,"sealed":"` + sealed + `"}]}`)
	w.public().Get(all+"verify/?sha256="+original).Status(200).Field("results.0.erased", "false").Field("results.0.signs", "1")
}

// has makes a company.
func (w *world) has(id tenant.ID) {
	w.t.Helper()
	of, bin := table.Of(w.Env.Table, id), "140340010302"
	is := company.Company{
		Item: table.At(of.Company(), company.Version), ID: int64(id), Name: "Astana Rent", TimeZone: "Asia/Almaty", Revision: 1, BIN: &bin,
	}
	if err := of.Put(is).Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// sealByHand makes the first document of a company, with the bytes that its name gives it, and has it signed by hand and sealed,
// a second after what was before. It returns the SHA-256 of the original.
func (w *world) sealByHand(of tenant.ID, name string) string {
	w.t.Helper()
	staff := func() *webtest.Client { return w.As(webtest.Employee(of)).In(w.t) }
	staff().Post("/v1/crm/clients/", `{"name":"Ann","type":0}`).Status(201)
	staff().Post("/v2/documents/", webtest.Multipart(map[string]any{
		"name": name, "source": "1", "file": webtest.File{Name: "lease.pdf", ContentType: "application/pdf", Data: "%PDF-1.7 " + name},
	})).Status(201)
	staff().Post(all+"1/manual_sign/", webtest.Multipart(map[string]any{
		"client": "1", "file": webtest.File{Name: "scan.jpg", ContentType: "image/jpeg", Data: "scan"},
	})).Status(201)
	w.Clock.Step(time.Second)
	w.Deliver()
	return staff().Get(all + "1/").Status(200).Text("files.0.extra.sha256")
}
