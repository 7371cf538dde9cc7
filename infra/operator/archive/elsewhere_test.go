package archive_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
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
	"github.com/tenantry/tenantry/functions/signing"
	"github.com/tenantry/tenantry/infra/operator/archive"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/infra/reverify/recheck"
	"github.com/tenantry/tenantry/infra/sealcert/certificate"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/keystest"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const all = "/v2/documents/"

// keysFile is a file with keys that nobody else has.
func keysFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys.json")
	keysOf(t, path)
	return path
}

func keysOf(t *testing.T, path string) keys.Keys {
	t.Helper()
	k, err := keys.FromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// site is what signs on a stage, by the real functions.
type site struct {
	*webtest.API

	mu   sync.Mutex
	text string // the last message that was sent
}

func (s *site) Send(_ context.Context, m notify.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = m.Text
	return nil
}

func siteOf(t *testing.T, conn *table.Conn, k keys.Keys) *site {
	t.Helper()
	s := &site{}
	s.API = webtest.Setup{Change: func(e *app.Env) {
		e.Table, e.Files, e.Keys, e.Notify, e.SealSigner = conn, filestest.New(t), k, s, keystest.Sealer(t)
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
	}}.New(t, documents.New, signing.New, clients.New)
	return s
}

// begins makes a document that one of two has signed, by hand, and returns the link of the other one.
func (s *site) begins() (id int64, link string) {
	staff := s.As(webtest.Employee(company))
	var people []int64
	for i := range 2 {
		people = append(people, staff.Post("/v1/crm/clients/",
			fmt.Sprintf(`{"name":"Signer %d","type":0,"phone":"+7701987654%d"}`, i, i)).Status(201).Int("id"))
	}
	id = staff.Post(all, `{"name":"Lease","content":"<p>One car, three days.</p>"}`).Status(201).Int("id")
	of := fmt.Sprintf("%s%d/", all, id)
	link = all + staff.Post(of+"signs/", fmt.Sprintf(`{"client":%d}`, people[0])).Status(201).Text("uuid") + "/"
	staff.Post(of+"manual_sign/", webtest.Multipart(map[string]any{
		"client": fmt.Sprint(people[1]), "file": webtest.File{Name: "scan.png", ContentType: "image/png", Data: "png"},
	})).Status(201)
	return id, link
}

// signs signs by a code that is sent.
func (s *site) signs(one string) {
	public := s.As(webtest.Nobody())
	public.Post(one+"open/", `{}`).Status(200)
	shown := public.Get(one).Status(200).Text("file.sha256")
	id := public.Post(one+"sign/", `{"sha256":"`+shown+`"}`).Status(200).Text("confirm_id")
	s.Deliver()
	code := regexp.MustCompile(`\b\d{6}\b`).FindString(s.text)
	public.Post(one+"sign/confirm/", fmt.Sprintf(`{"confirm_id":%q,"code":%q}`, id, code)).Status(200)
}

func get(t *testing.T, conn *table.Conn, is tenant.ID, id int64) *document.Document {
	t.Helper()
	d, err := document.Kind().Get(t.Context(), record.Scope{Table: table.Of(conn, is), Now: time.Now}, id)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A document that one of two has signed comes from another stage. The other one signs here, then it is sealed, and says of whom nothing
// can be proven here. On the stage that it came from, it comes as it was.
func TestSignedElsewhere(t *testing.T) {
	w := estatetest.Make(t)
	from, fromName := w.Table(t)
	there, home := keysFile(t), keysFile(t)
	id, link := siteOf(t, from, keysOf(t, there)).begins()
	folder := filepath.Join(t.TempDir(), "archive")
	var out bytes.Buffer
	if err := archive.ExportCommand(t.Context(), env(t, fromName, &out), []string{"-tenant", "1", "-to", folder}); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	bring := func(path string) *table.Conn {
		t.Helper()
		to, toName := other(t, map[string]int64{"ann@example.com": 501})
		e := env(t, toName, &out)
		e.KeysFile = path
		if err := archive.ImportCommand(t.Context(), e, []string{"-from", folder}); err != nil {
			t.Fatalf("%v\n%s", err, &out)
		}
		return to
	}
	out.Reset()
	for i, s := range get(t, bring(there), here, id).Signs {
		if s.Elsewhere != nil {
			t.Errorf("sign %d is marked where it was made: %+v", i, s.Elsewhere)
		}
	}

	to := bring(home)
	if err := crosstenant.Open(to).Update(table.Of(to, here).Company()).Remove("st").Remove("stt").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := siteOf(t, to, keysOf(t, home))
	came := get(t, to, here, id)
	b.signs(link)
	b.Clock.Step(time.Second)
	b.Deliver()
	d := get(t, to, here, id)
	f := d.FileOf(document.SealedFile)
	if f == nil || d.Seal == nil {
		t.Fatalf("it is not sealed: %+v", d)
	}
	data, err := b.Env.Files.Get(t.Context(), here, f.ID, f.Version, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	told, err := seal.RecordOf(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range told.Signs {
		n := len(came.Signs[i].Stages)
		if e := s.Elsewhere; e == nil || e.Stages != int64(n) || e.TakenOver.UnixMicro() != d.Signs[i].Elsewhere.At ||
			!strings.Contains(e.Note, fmt.Sprintf("Stages 1 to %d were made on another installation", n)) {
			t.Errorf("sign %d tells %+v", i, e)
		}
		for at, g := range s.Stages {
			if (g.Hash == "") != (at < n-1) {
				t.Errorf("stage %d of sign %d, of which %d were made elsewhere, has the hash %q", at+1, i, n, g.Hash)
			}
		}
	}
	if n := len(told.Signs[0].Stages) - len(came.Signs[0].Stages); n < 2 {
		t.Errorf("%d stages were made here", n)
	}
	check := recheck.Checker{
		Desk: document.NewDesk(to, b.Env.Files, keysOf(t, home), uuid.New), Files: b.Env.Files,
		Scope: record.Scope{Table: table.Of(to, here), Now: b.Clock.Now},
	}
	if list, err := check.One(t.Context(), d); err != nil || len(list) > 0 {
		t.Errorf("%q, %v", list, err)
	}
	r, err := check.All(t.Context())
	if err != nil || r.Elsewhere < 2 || len(r.Problems) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	d.Signs[1].Elsewhere.Head[0]++
	if list, err := check.One(t.Context(), d); err != nil || !strings.Contains(strings.Join(list, "\n"), "not those that were chained") {
		t.Errorf("a forged mark: %q, %v", list, err)
	}
}
