package seal

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/functions/seal/pades"
	"github.com/tenantry/tenantry/functions/seal/pdf/pdftest"
	"github.com/tenantry/tenantry/infra/local/tsa"
	"github.com/tenantry/tenantry/infra/sealcert/certificate"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/remote"
	"github.com/tenantry/tenantry/shared/tenant"
)

const company tenant.ID = 1300

func now() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) }

// office is a sealer with all that it needs.
type office struct {
	*sealer
	store   *files.Store
	service *tsa.Service
}

func newOffice(t testing.TB, stamped bool) *office {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := certificate.SelfIssued(key, certificate.Name{Common: "Tenantry seal", Organization: "Tenantry", Country: "KZ"},
		now().AddDate(-1, 0, 0), now().AddDate(9, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	o := &office{store: filestest.New(t)}
	o.sealer = &sealer{
		files: o.store, chain: []*x509.Certificate{leaf}, now: now,
		signer: func(context.Context) (crypto.Signer, error) { return key, nil },
	}
	if o.service, err = tsa.New(now); err != nil {
		t.Fatal(err)
	}
	if stamped {
		server := httptest.NewServer(o.service)
		t.Cleanup(server.Close)
		o.stamps = &stamps{url: server.URL, client: remote.New(), trusted: []pades.Sum{pades.SumOf(o.service.Root())}, now: now}
	}
	return o
}

func (o *office) put(t testing.TB, data []byte) job.Object {
	t.Helper()
	stored, err := o.store.Put(t.Context(), company, uuid.New(), "application/pdf", data)
	if err != nil {
		t.Fatal(err)
	}
	return job.Object{ID: stored.ID, Version: stored.Version, SHA256: stored.SHA256}
}

// request asks for the seal of an original that some have signed.
func (o *office) request(t testing.TB, original []byte, signs, stages int) job.Request {
	t.Helper()
	at := now().Add(-time.Minute)
	r := job.Request{
		Tenant: company, Output: uuid.New(), Original: o.put(t, original), At: at, Language: "ru",
		Record: job.Record{
			Document: uuid.MustParse("3f0a5c1e-8b1d-4c55-9d6e-0f4f6f1d2a11"), Number: 42, Name: "Договор аренды № 42 <&>",
			Company: "ТОО «Алма Прокат»", BIN: "140340010302", Created: at, Stages: signs * stages, Head: strings.Repeat("ab", 32),
			Consent: []job.Consent{{SHA256: strings.Repeat("cd", 32), Language: "ru", Text: "Я прочитал(а) документ и согласен(на) с ним."}},
		},
	}
	r.Record.Original = fmt.Sprintf("%x", r.Original.SHA256)
	r.VerifyURL = "https://tenantry.example/verify/?sha256=" + r.Record.Original
	phone := "+77011234567"
	for i := range signs {
		s := job.Sign{ID: int64(i + 1), Name: fmt.Sprintf("Әлиева Айгерім %d", i+1), Type: "client", Phone: &phone, Method: 1, Status: 5, SignedAt: at}
		if i == 0 {
			s.Method, s.Attachment = 2, "sign-1.p7s"
			s.Certificate = &job.Certificate{Subject: "CN=ӘЛИЕВА АЙГЕРІМ", IIN: "850515300016", Serial: "5f2c", Issuer: "CN=Test", Algorithm: "GOST", NotAfter: at}
			r.Attachments = []job.Attachment{{Name: s.Attachment, Object: o.put(t, []byte("a CMS \x00\xff"))}}
		}
		for n := range stages {
			hash := sha256.Sum256(fmt.Appendf(nil, "%d %d", i, n))
			other := sha256.Sum256(hash[:])
			stored := append(append(bytes.Repeat([]byte{1}, 40), r.Original.SHA256...), other[:]...)
			s.Stages = append(s.Stages, job.Stage{
				ID: int64(n + 1), From: int64(n % 4), To: int64(n%4 + 1), At: at.Add(time.Duration(n) * time.Second), Stored: fmt.Sprintf("%x", stored),
				Hash: fmt.Sprintf("%x", hash), IP: "203.0.113.7", Agent: "Mozilla/5.0 (Linux; Android 14)", Method: "sms", Evidence: fmt.Sprintf("%x", other),
			})
		}
		r.Record.Signs = append(r.Record.Signs, s)
	}
	return r
}

// ask calls the function.
func (o *office) ask(t testing.TB, r job.Request) job.Answer {
	t.Helper()
	a, err := job.Call(t.Context(), o.handle, r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (o *office) sealed(t testing.TB, r job.Request, a job.Answer) []byte {
	t.Helper()
	whole, err := o.store.Get(t.Context(), company, r.Output, a.Version, 30<<20)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(whole); !bytes.Equal(sum[:], a.SHA256) || a.Size != int64(len(whole)) {
		t.Errorf("the answer tells of other bytes: %+v", a)
	}
	return whole
}

// drawn is a file as render makes them.
func drawn(t testing.TB) []byte {
	t.Helper()
	f := fpdf.New("P", "mm", "A4", "")
	for i := range 5 {
		f.AddPage()
		f.SetFont("Helvetica", "", 14)
		f.Text(20, 30, fmt.Sprintf("Page %d", i+1))
	}
	var b bytes.Buffer
	if err := f.Output(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func normalised(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/normalised.pdf")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSeal(t *testing.T) {
	for name, c := range map[string]struct {
		original []byte
		pages    int
		stamped  bool
		demanded string
		level    string
	}{
		"a rendered file":              {drawn(t), 5, false, "", job.LevelBB},
		"a rendered file, with a time": {drawn(t), 5, true, job.LevelBT, job.LevelBT},
		"a normalised file":            {normalised(t), 3, true, "", job.LevelBT},
		"no more is demanded than B-B": {pdftest.Page(), 1, true, job.LevelBB, job.LevelBT},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t, c.stamped)
			r := o.request(t, c.original, 2, 4)
			r.Level = c.demanded
			a := o.ask(t, r)
			certificate := sha256.Sum256(o.chain[0].Raw)
			if a.Problem != "" || a.Level != c.level || !bytes.Equal(a.Certificate, certificate[:]) || c.stamped != (a.Time != nil) {
				t.Fatalf("%+v", a)
			}
			whole := o.sealed(t, r, a)
			if !bytes.HasPrefix(whole, c.original) {
				t.Error("the original isn't its beginning")
			}
			if more := len(whole) - len(c.original); more > 150<<10 {
				t.Errorf("%d bytes more", more)
			}
			v, err := pades.Verify(whole, o.trust())
			if err != nil || v.Level != c.level || v.Prefix != len(c.original) || !v.Claimed.Equal(now()) {
				t.Errorf("%+v, %v", v, err)
			}
			inside := embedded(t, whole)
			if !bytes.Equal(inside["sign-1.p7s"], []byte("a CMS \x00\xff")) || len(inside) != 2 {
				t.Errorf("%d files", len(inside))
			}
			r.Record.Pages = c.pages
			var audit job.Record
			if err := json.Unmarshal(inside[job.AuditName], &audit); err != nil || !reflect.DeepEqual(audit, r.Record) {
				t.Errorf("%+v, %v", audit, err)
			}
		})
	}
}

// The same request gives the same bytes, but for the signature.
func TestTheSameAgain(t *testing.T) {
	o := newOffice(t, true)
	r := o.request(t, drawn(t), 3, 5)
	first, second := o.sealed(t, r, o.ask(t, r)), o.sealed(t, r, o.ask(t, r))
	cut := func(b []byte) []byte {
		from := bytes.Index(b, []byte("/Contents <"))
		to := from + bytes.IndexByte(b[from:], '>')
		return append(bytes.Clone(b[:from]), b[to:]...)
	}
	if bytes.Equal(first, second) || !bytes.Equal(cut(first), cut(second)) {
		t.Error("the same request gives other bytes, or the same signature")
	}
}

// Twenty signers with thirty stages each.
func TestTheLargest(t *testing.T) {
	o := newOffice(t, true)
	original := drawn(t)
	r := o.request(t, original, job.MaxSigns, job.MaxStages)
	a := o.ask(t, r)
	if more := a.Size - int64(len(original)); a.Problem != "" || more > 150<<10 {
		t.Errorf("%+v: %d bytes more", a, more)
	}
}

func TestProblems(t *testing.T) {
	o := newOffice(t, false)
	page := pdftest.Page()
	update := func(objects map[int]string) []byte {
		return pdftest.Section(page, fmt.Sprintf("/Root 1 0 R/Prev %d", pdftest.Table(page)), objects)
	}
	again := o.request(t, page, 1, 1)
	sealed := o.sealed(t, again, o.ask(t, again))
	other := o.put(t, []byte("other bytes"))
	for name, c := range map[string]struct {
		original []byte
		change   func(*job.Request)
		want     string
	}{
		"no PDF":                       {[]byte("GIF89a"), nil, job.NotPDF},
		"encrypted":                    {pdftest.Section(page, fmt.Sprintf("/Root 1 0 R/Encrypt 5 0 R/Prev %d", pdftest.Table(page)), map[int]string{5: "<<>>"}), nil, job.Encrypted},
		"cross-reference streams":      {pdftest.Section(page, "/Root 1 0 R/XRefStm 9", map[int]string{5: "5"}), nil, job.XRefStream},
		"sealed already":               {sealed, nil, job.Signed},
		"a signature outside the form": {update(map[int]string{5: "<</Type/Sig/ByteRange[0 1 2 3]>>"}), nil, job.Signed},
		"embedded files":               {update(map[int]string{1: "<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(a)5 0 R]>>>>>>"}), nil, job.EmbedsFiles},
		"files of its pages":           {update(map[int]string{1: "<</Type/Catalog/Pages 2 0 R/AF[5 0 R]>>"}), nil, job.EmbedsFiles},
		"no pages":                     {update(map[int]string{2: "<</Type/Pages/Kids[]/Count 0>>"}), nil, job.NotPDF},
		"an object that is broken":     {update(map[int]string{5: "<<"}), nil, job.NotPDF},
		"the original is gone":         {page, func(r *job.Request) { r.Original.ID = uuid.New() }, job.Missing},
		"another company's original":   {page, func(r *job.Request) { r.Tenant++ }, job.Missing},
		"the original was replaced":    {page, func(r *job.Request) { r.Original.ID, r.Original.Version = other.ID, other.Version }, job.OtherBytes},
		"an attachment was replaced":   {page, func(r *job.Request) { r.Attachments[0].Object.SHA256 = make([]byte, 32) }, job.OtherBytes},
		"a large attachment": {page, func(r *job.Request) {
			r.Attachments[0].Object = o.put(t, make([]byte, job.MaxAttachment+1))
		}, job.TooLarge},
		"a time that can't be had":    {page, func(r *job.Request) { r.Level = job.LevelBT }, job.NoTimeStamps},
		"no such level":               {page, func(r *job.Request) { r.Level = "B-LTA" }, job.BadRequest},
		"no company":                  {page, func(r *job.Request) { r.Tenant = 0 }, job.BadRequest},
		"no output":                   {page, func(r *job.Request) { r.Output = uuid.Nil }, job.BadRequest},
		"the output is the original":  {page, func(r *job.Request) { r.Output = r.Original.ID }, job.BadRequest},
		"no version":                  {page, func(r *job.Request) { r.Original.Version = "" }, job.BadRequest},
		"no time":                     {page, func(r *job.Request) { r.At = time.Time{} }, job.BadRequest},
		"no address":                  {page, func(r *job.Request) { r.VerifyURL = "" }, job.BadRequest},
		"a long address":              {page, func(r *job.Request) { r.VerifyURL = strings.Repeat("x", 501) }, job.BadRequest},
		"another original's record":   {page, func(r *job.Request) { r.Record.Original = strings.Repeat("0", 64) }, job.BadRequest},
		"no signs":                    {page, func(r *job.Request) { r.Record.Signs, r.Record.Stages = nil, 0 }, job.BadRequest},
		"too many signs":              {page, func(r *job.Request) { r.Record.Signs = make([]job.Sign, 21) }, job.BadRequest},
		"too many stages":             {page, func(r *job.Request) { r.Record.Signs[0].Stages = make([]job.Stage, 31) }, job.BadRequest},
		"a stage is missing":          {page, func(r *job.Request) { r.Record.Stages++ }, job.BadRequest},
		"an attachment twice":         {page, func(r *job.Request) { r.Attachments = append(r.Attachments, r.Attachments[0]) }, job.BadRequest},
		"an attachment of our name":   {page, func(r *job.Request) { r.Attachments[0].Name = job.AuditName }, job.BadRequest},
		"a path as an attachment":     {page, func(r *job.Request) { r.Attachments[0].Name = "../x" }, job.BadRequest},
		"an attachment without hash":  {page, func(r *job.Request) { r.Attachments[0].Object.SHA256 = nil }, job.BadRequest},
		"an attachment that's nobody": {page, func(r *job.Request) { r.Record.Signs[0].Attachment = "x.p7s" }, job.BadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			r := o.request(t, c.original, 1, 1)
			if c.change != nil {
				c.change(&r)
			}
			if a := o.ask(t, r); a.Problem != c.want || a.Text == "" || a.Version != "" {
				t.Errorf("%+v", a)
			}
			if _, err := o.store.Get(t.Context(), company, r.Output, "", 30<<20); name != "the output is the original" && err == nil {
				t.Error("something was stored")
			}
		})
	}
	if answer, err := o.handle(t.Context(), []byte("{")); err != nil || !bytes.Contains(answer, []byte(job.BadRequest)) {
		t.Errorf("no JSON: %s, %v", answer, err)
	}
}

// What may be better the next time is an error, and nothing is stored, least of all at a lower level.
func TestFaults(t *testing.T) {
	faulty := map[string]func(o *office){
		"the bucket is away": func(o *office) { o.sealer.files = filestest.Away() },
		"the key is away": func(o *office) {
			o.signer = func(context.Context) (crypto.Signer, error) { return nil, errors.New("away") }
		},
		"no certificate":        func(o *office) { o.chain = nil },
		"an expired one":        func(o *office) { o.stamps, o.now = nil, func() time.Time { return now().AddDate(20, 0, 0) } },
		"other bytes are kept":  func(o *office) { o.sealer.files = forger{o.store} },
		"no service is there":   func(o *office) { o.stamps.url = "http://127.0.0.1:1" },
		"nobody knows its root": func(o *office) { o.stamps.trusted = []pades.Sum{pades.SumOf(o.chain[0])} },
	}
	for _, mode := range []tsa.Mode{
		tsa.Down, tsa.Refuses, tsa.Garbage, tsa.Large, tsa.OtherNonce, tsa.NoNonce, tsa.OtherData, tsa.OtherTime,
		tsa.OtherKey, tsa.OtherUse, tsa.OtherRoot, tsa.OtherStamp, tsa.Expired, tsa.OtherName, tsa.Unnamed,
	} {
		faulty["a service that does this: "+string(mode)] = func(o *office) { o.service.Set(mode) }
	}
	for name, breaks := range faulty {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t, true)
			r := o.request(t, pdftest.Page(), 1, 1)
			breaks(o)
			if a, err := job.Call(t.Context(), o.handle, r); err == nil {
				t.Errorf("%+v", a)
			}
			if _, err := o.store.Get(t.Context(), company, r.Output, "", 30<<20); name != "other bytes are kept" && err == nil {
				t.Error("something was stored")
			}
		})
	}
}

// A service that doesn't answer is given up, and so is one when the caller has gone.
func TestASlowService(t *testing.T) {
	o := newOffice(t, true)
	o.service.Set(tsa.Slow)
	r := o.request(t, pdftest.Page(), 1, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if a, err := job.Call(ctx, o.handle, r); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%+v, %v", a, err)
	}
}

// forger stores other bytes than it is given.
type forger struct{ *files.Store }

func (f forger) Put(ctx context.Context, t tenant.ID, id uuid.UUID, kind string, data []byte) (files.Object, error) {
	return f.Store.Put(ctx, t, id, kind, append(data, 0))
}

func BenchmarkSeal(b *testing.B) {
	for name, stamped := range map[string]bool{"B-B": false, "B-T": true} {
		b.Run(name, func(b *testing.B) {
			o := newOffice(b, stamped)
			r := o.request(b, drawn(b), 2, 6)
			for b.Loop() {
				o.ask(b, r)
			}
		})
	}
}
