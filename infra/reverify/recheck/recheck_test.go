package recheck_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/render"
	"github.com/tenantry/tenantry/functions/seal"
	"github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/functions/signing"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/infra/reverify/recheck"
	"github.com/tenantry/tenantry/infra/sealcert/certificate"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/keys/keystest"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	companyID tenant.ID = 6
	all                 = "/v2/documents/"
)

// post keeps what was sent last.
type post struct {
	mu   sync.Mutex
	text string
}

func (p *post) Send(_ context.Context, m notify.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = m.Text
	return nil
}

// sealed is a company with a document that was signed by a code, by hand, and sealed, all by the real functions.
func sealed(t *testing.T, changes ...func(*app.Env)) (*webtest.API, *recheck.Checker) {
	t.Helper()
	sent := &post{}
	api := webtest.Setup{Change: func(e *app.Env) {
		e.Files, e.Notify, e.SealSigner = filestest.New(t), sent, keystest.Sealer(t)
		key, err := e.SealSigner(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		x, err := certificate.SelfIssued(key, certificate.Name{Common: "Test"}, webtest.Start.AddDate(-1, 0, 0), webtest.Start.AddDate(9, 0, 0))
		if err != nil {
			t.Fatal(err)
		}
		e.Config.Seal.Chain = string(certificate.PEM(x))
		e.Render, e.Seal = invoke.InProcess("render", render.New(*e)), invoke.InProcess("seal", seal.New(*e))
		for _, change := range changes {
			change(e)
		}
	}}.New(t, documents.New, signing.New, clients.New)
	of := table.Of(api.Env.Table, companyID)
	is := company.Company{Item: table.At(of.Company(), company.Version), ID: 6, Name: "Astana Rent", TimeZone: "Asia/Almaty", Revision: 1}
	if err := of.Put(is).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	staff, public := api.As(webtest.Employee(companyID)), api.As(webtest.Nobody())
	for i := range 2 {
		staff.Post("/v1/crm/clients/", fmt.Sprintf(`{"name":"Signer %d","type":0,"phone":"+7701123456%d"}`, i, i)).Status(201)
	}
	staff.Post(all, `{"name":"Lease","content":"<p>One car, three days.</p>"}`).Status(201)
	one := all + staff.Post(all+"1/signs/", `{"client":1}`).Status(201).Text("uuid") + "/"
	staff.Post(all+"1/signs/", `{"client":2}`).Status(201)
	staff.Post("/v1/crm/clients/", `{"name":"Signer who was removed","type":0}`).Status(201)
	gone := all + staff.Post(all+"1/signs/", `{"client":3}`).Status(201).Text("uuid") + "/"
	public.Post(gone+"reject/", `{"reason":"No."}`).Status(200)
	staff.Delete(all + "1/signs/3/").Status(204)
	staff.Post(all+"1/signs/", `{"client":3}`).Status(201)
	staff.Delete(all + "1/signs/4/").Status(204) // nothing has happened to it: nothing is kept
	public.Get(gone).Status(404)
	public.Post(one+"open/", `{}`).Status(200)
	shown := public.Get(one).Status(200).Text("file.sha256")
	id := public.Post(one+"sign/", `{"sha256":"`+shown+`"}`).Status(200).Text("confirm_id")
	api.Deliver()
	code := regexp.MustCompile(`\b\d{6}\b`).FindString(sent.text)
	public.Post(one+"sign/confirm/", fmt.Sprintf(`{"confirm_id":%q,"code":%q}`, id, code)).Status(200)
	staff.Post(all+"1/manual_sign/", webtest.Multipart(map[string]any{
		"client": "2", "file": webtest.File{Name: "scan.png", ContentType: "image/png", Data: "png"},
	})).Status(201)
	api.Clock.Step(time.Second)
	api.Deliver()
	staff.Get(all+"1/").Status(200).Field("files.2.type", "1")
	return api, &recheck.Checker{
		Desk: document.NewDesk(api.Env.Table, api.Env.Files, api.Env.Keys, uuid.New), Files: api.Env.Files,
		Scope: record.Scope{Table: of, Now: api.Clock.Now},
	}
}

func TestWhatHolds(t *testing.T) {
	_, c := sealed(t)
	d, err := c.Desk.Kind.Get(t.Context(), c.Scope, 1)
	if err != nil {
		t.Fatal(err)
	}
	file := d.FileOf(document.SealedFile)
	data, err := c.Files.Get(t.Context(), companyID, file.ID, file.Version, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	// The file tells of the sign that was removed: what had happened, and who removed it.
	record, err := seal.RecordOf(data)
	if err != nil || len(record.Signs) != 2 || len(record.Removed) != 1 {
		t.Fatalf("%+v, %v", record, err)
	}
	gone := record.Removed[0]
	if last := gone.Stages[len(gone.Stages)-1]; gone.Name != "Signer who was removed" || len(gone.Stages) != 3 || gone.Stages[1].To != int64(document.Rejected) ||
		gone.Stages[1].By != job.ByLink || last.To != int64(document.Gone) || last.By != job.ByStaff || last.User != 62 {
		t.Errorf("the record says of the removed sign %+v", gone)
	}
	r, err := c.All(t.Context())
	if err != nil || r.Documents != 1 || r.Sealed != 1 || len(r.Problems) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// What was withdrawn is verified like the rest.
func TestWithdrawn(t *testing.T) {
	api, c := sealed(t)
	api.As(webtest.Manager(companyID)).Delete(all + "1/").Status(204)
	api.As(webtest.Employee(companyID)).Post(all, `{"name":"Nothing signed","content":"<p>a</p>"}`).Status(201)
	api.As(webtest.Employee(companyID)).Post(all+"2/signs/", `{"client":1}`).Status(201)
	api.As(webtest.Employee(companyID)).Delete(all + "2/").Status(204)
	if r, err := c.All(t.Context()); err != nil || r.Documents != 1 || r.Sealed != 1 || len(r.Problems) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	d, err := c.Desk.Kind.GetRemoved(t.Context(), c.Scope, 1)
	if err != nil {
		t.Fatal(err)
	}
	d.Signs[0].Stages = d.Signs[0].Stages[:2]
	if err := c.Scope.Table.Put(d).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, err := c.All(t.Context()); err != nil || len(r.Problems) == 0 {
		t.Errorf("a stage is gone, and nothing tells: %+v, %v", r, err)
	}
}

// Whatever somebody changes in the table, or in the bucket, is told.
func TestWhatDoesNotHold(t *testing.T) {
	_, c := sealed(t)
	for name, row := range map[string]struct {
		change func(d *document.Document)
		says   string
	}{
		"a stage's time":         {func(d *document.Document) { s := stages(d, 0); s[1] = slices.Clone(s[1]); s[1][11]++ }, "not those that were chained"},
		"a stage is gone":        {func(d *document.Document) { d.Signs[0].Stages = d.Signs[0].Stages[:2] }, "not those that were chained"},
		"a removed sign is gone": {func(d *document.Document) { d.Removed = nil }, "its signs are not those that were sealed"},
		"who removed it": {func(d *document.Document) {
			s := &d.Removed[0]
			s.Stages = slices.Clone(s.Stages)
			s.Stages[2] = slices.Clone(s.Stages[2])
			s.Stages[2][19]++
		}, "those of sign 3"},
		"a removed sign is back": {func(d *document.Document) { d.Removed[0].Status = document.Ready }, "its last stage leads to 6"},
		"a sign is gone":         {func(d *document.Document) { d.Signs = d.Signs[:1] }, "its signs are not those that were sealed"},
		"a status":               {func(d *document.Document) { d.Signs[0].Status = document.Rejected }, "its last stage leads to 5"},
		"evidence of another":    {func(d *document.Document) { d.Signs[0].Trail = make([]byte, 32) }, "is gone"},
		"the original":           {func(d *document.Document) { d.Files[0].SHA256 = make([]byte, 32) }, "other bytes"},
		"a scan":                 {func(d *document.Document) { d.Files[1].SHA256 = make([]byte, 32) }, "other bytes"},
		"a file that is gone":    {func(d *document.Document) { d.Files[1].ID = uuid.New() }, "is gone"},
		"the sealed file":        {func(d *document.Document) { d.Files[2].Object = d.Files[0].Object }, "its seal does not hold"},
		"no sealed file":         {func(d *document.Document) { d.Files = d.Files[:2] }, "missing"},
		"the level":              {func(d *document.Document) { d.Seal.Level = "B-T" }, "is of the level B-B"},
		"the certificate":        {func(d *document.Document) { d.Seal.Certificate = make([]byte, 32) }, "its seal does not hold"},
		"the head":               {func(d *document.Document) { d.Seal.Head = make([]byte, 32) }, "its signs are not those that were sealed"},
		"how it was sealed":      {func(d *document.Document) { d.Seal = nil }, "nothing says how it was sealed"},
		"a mark":                 {func(d *document.Document) { d.Signs[0].Elsewhere = mark(d, 1) }, "not those that were chained"},
		"a mark of a changed stage": {func(d *document.Document) {
			stages(d, 0)[1] = make(document.Stage, len(d.Signs[0].Stages[1]))
			d.Signs[0].Elsewhere = mark(d, 2)
		}, "can't be read"},
		"a mark of a removed sign": {func(d *document.Document) {
			d.Removed[0].Elsewhere = mark(d, 2)
		}, "those of sign 3"},
		"another document's":   {func(d *document.Document) { d.UUID[0]++ }, "not those that were chained"},
		"what it is signed by": {func(d *document.Document) { d.Signs[0].Genesis = make([]byte, 32) }, "not those that were chained"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := c.Desk.Kind.Get(t.Context(), c.Scope, 1)
			if err != nil {
				t.Fatal(err)
			}
			row.change(d)
			list, err := c.One(t.Context(), d)
			if err != nil || !strings.Contains(strings.Join(list, "\n"), row.says) {
				t.Errorf("%q, %v", list, err)
			}
		})
	}
}

// mark says of the first stages that they were made elsewhere, as whoever writes the table could, who has no key.
func mark(d *document.Document, stages int64) *document.Elsewhere {
	return &document.Elsewhere{Stages: stages, Head: d.Signs[0].Head, At: 1, Key: []byte{1, 2, 3}, MAC: make([]byte, 32)}
}

func stages(d *document.Document, sign int) []document.Stage {
	d.Signs[sign].Stages = slices.Clone(d.Signs[sign].Stages)
	return d.Signs[sign].Stages
}
