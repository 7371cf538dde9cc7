package signing_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/orders"
	"github.com/tenantry/tenantry/functions/render/job"
	sealjob "github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/functions/signing"
	"github.com/tenantry/tenantry/functions/sms"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// world is companies with documents to sign, and what their signers are sent.
type world struct {
	*webtest.API
	t    *testing.T
	post *post
}

// post takes what signers are sent.
type post struct {
	mu   sync.Mutex
	sent []notify.Message
	fail error
}

func (p *post) Send(_ context.Context, m notify.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		return p.fail
	}
	p.sent = append(p.sent, m)
	return nil
}

// last is what was sent last.
func (p *post) last() notify.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.sent) == 0 {
		return notify.Message{}
	}
	return p.sent[len(p.sent)-1]
}

// companyID is the company of most tests; number 0 of webtest's callers.
const companyID tenant.ID = 6

func newWorld(t *testing.T, more ...func(*webtest.Setup)) *world {
	t.Helper()
	w := &world{t: t, post: &post{}}
	setup := webtest.Setup{Change: func(e *app.Env) {
		e.Files, e.Notify = filestest.New(t), w.post
		e.Render, e.Seal = copying(e), sealing(e)
	}}
	for _, change := range more {
		change(&setup)
	}
	w.API = setup.New(t, documents.New, signing.New, clients.New, orders.New, sms.New, history.New)
	for _, id := range []tenant.ID{companyID, companyID + 1} {
		w.has(id)
	}
	return w
}

// copying stands in for the function render: an upload that begins as a PDF becomes what it is.
func copying(e *app.Env) invoke.Function {
	return invoke.InProcess("render", func(ctx context.Context, payload []byte) ([]byte, error) {
		var r job.Request
		if err := json.Unmarshal(payload, &r); err != nil {
			return nil, err
		}
		data, err := e.Files.GetJob(ctx, r.Tenant, r.In, job.MostUpload)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(string(data), "%PDF-") {
			return json.Marshal(job.Answer{Problem: job.NotPDF, Text: "This is no PDF."})
		}
		data = append(data, "\n% normal"...)
		sum := sha256.Sum256(data)
		if err := e.Files.PutJob(ctx, r.Tenant, r.Out, job.ContentPDF, data); err != nil {
			return nil, err
		}
		return json.Marshal(job.Answer{SHA256: sum[:], Size: int64(len(data)), Pages: 1})
	})
}

// sealing stands in for the function seal: the sealed file is the original and the record.
func sealing(e *app.Env) invoke.Function {
	return invoke.InProcess("seal", func(ctx context.Context, payload []byte) ([]byte, error) {
		var r sealjob.Request
		if err := json.Unmarshal(payload, &r); err != nil {
			return nil, err
		}
		data, err := e.Files.Get(ctx, r.Tenant, r.Original.ID, r.Original.Version, sealjob.MaxOriginal)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(r.VerifyURL, webtest.BaseURL+"/verify/#sha256="+r.Record.Original) {
			return nil, fmt.Errorf("the page that verifies is %s", r.VerifyURL)
		}
		record, err := json.Marshal(r.Record)
		if err != nil {
			return nil, err
		}
		o, err := e.Files.Put(ctx, r.Tenant, r.Output, job.ContentPDF, slices.Concat(data, record))
		if err != nil {
			return nil, err
		}
		return json.Marshal(sealjob.Answer{Version: o.Version, SHA256: o.SHA256, Size: o.Size, Level: r.Level, Certificate: make([]byte, 32)})
	})
}

// staff is an employee of the company.
func (w *world) staff() *webtest.Client { return w.As(webtest.Employee(companyID)).In(w.t) }

// manager is a manager of the company.
func (w *world) manager() *webtest.Client { return w.As(webtest.Manager(companyID)).In(w.t) }

// byHand has a client sign a document by hand.
func (w *world) byHand(document, client int64) {
	w.t.Helper()
	w.staff().Post(fmt.Sprint(all, document, "/manual_sign/"), webtest.Multipart(map[string]any{
		"client": fmt.Sprint(client), "file": webtest.File{Name: "scan.png", ContentType: "image/png", Data: "png"},
	})).Status(201)
}

// public is anybody.
func (w *world) public() *webtest.Client { return w.As(webtest.Nobody()).In(w.t) }

// upload makes a document of an uploaded PDF.
func (w *world) upload(name string) *webtest.Answer {
	w.t.Helper()
	return w.staff().Post("/v2/documents/", webtest.Multipart(map[string]any{
		"name": name, "source": "1", "file": webtest.File{Name: "lease.pdf", ContentType: "application/pdf", Data: "%PDF-1.7 " + name},
	})).Status(201)
}

// client makes a client.
func (w *world) client(name, phone string) int64 {
	w.t.Helper()
	return w.staff().Post("/v1/crm/clients/", `{"name":"`+name+`","type":0,"phone":"`+phone+`","email":"a@example.com",
		"individual":{"iin":"850515300016"}}`).Status(201).Int("id")
}

// shown is the SHA-256 of the file that a signer has before him.
func (w *world) shown(one string) string {
	w.t.Helper()
	return w.public().Get(one).Status(200).Text("file.sha256")
}

// ask asks for a code, as whoever has read the document.
func (w *world) ask(one string) *webtest.Answer {
	w.t.Helper()
	return w.public().Post(one+"sign/", `{"sha256":"`+w.shown(one)+`"}`)
}

var digits = regexp.MustCompile(`\b\d{6}\b`)

// sms delivers what waits and returns the code that was sent last.
func (w *world) sms() string {
	w.t.Helper()
	w.Deliver()
	return digits.FindString(w.post.last().Text)
}

// wrong is a code that differs from the right one.
func wrong(code string) string {
	if code == "000000" {
		return "000001"
	}
	return "000000"
}
