// Package pdfcheck lets other programs read what we seal: pdfsig, pyHanko, OpenSSL, qpdf, and where the original was PDF/A-3b,
// veraPDF. `make pdf-check` installs them and runs these tests; without the folder that it names in PDFCHECK they are
// skipped.
package pdfcheck

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"image"
	"image/png"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	render "github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/functions/render/layout"
	"github.com/tenantry/tenantry/functions/seal"
	"github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/functions/seal/pades"
	"github.com/tenantry/tenantry/functions/seal/pdf/pdftest"
	"github.com/tenantry/tenantry/infra/local/tsa"
	"github.com/tenantry/tenantry/infra/sealcert/certificate"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/tenant"
)

const company tenant.ID = 1301

// now has no part of a second: times in certificates have none.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// bench is a folder with sealed files, and the programs that look at them.
type bench struct {
	folder, tools, python string
	store                 *files.Store
}

func newBench(t *testing.T) *bench {
	t.Helper()
	tools := os.Getenv("PDFCHECK")
	if tools == "" {
		t.Skip("make pdf-check runs it")
	}
	python, err := filepath.Abs("../tools/.venv/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	return &bench{folder: t.TempDir(), tools: tools, python: python, store: filestest.New(t)}
}

func (b *bench) path(name string) string { return filepath.Join(b.folder, name) }

// run runs a program in the folder, and returns what it prints and whether it ended well.
func (b *bench) run(t *testing.T, name string, args ...string) (printed string, fine bool) {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = b.folder
	out, err := c.CombinedOutput()
	if _, ran := err.(*exec.ExitError); err != nil && !ran { //nolint:errorlint // it is not wrapped
		t.Fatal(err)
	}
	return string(out), err == nil
}

// sealed seals an original, and leaves in the folder the file, its certificates and its CMS.
func (b *bench) sealed(t *testing.T, name string, original []byte, level string, signs, stages int) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := certificate.SelfIssued(key, certificate.Name{Common: "Tenantry seal", Country: "KZ"}, now().Add(-time.Hour), now().AddDate(1, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	service, err := tsa.New(now)
	if err != nil {
		t.Fatal(err)
	}
	env := app.Env{
		Files: b.store, Now: now, SealSigner: func(context.Context) (crypto.Signer, error) { return key, nil },
		Config: app.Config{Seal: app.Seal{Chain: string(certificate.PEM(leaf))}},
	}
	if level == job.LevelBT {
		server := httptest.NewServer(service)
		defer server.Close()
		sum := pades.SumOf(service.Root())
		env.Config.Seal.TimeStampURL, env.Config.Seal.TimeStampRoots = server.URL, hex.EncodeToString(sum[:])
	}
	r := b.request(t, original, signs, stages)
	r.Level = level
	a, err := job.Call(t.Context(), seal.New(env), r)
	if err != nil || a.Problem != "" || a.Level != level {
		t.Fatalf("%+v, %v", a, err)
	}
	whole, err := b.store.Get(t.Context(), company, r.Output, a.Version, 30<<20)
	if err != nil {
		t.Fatal(err)
	}
	b.leave(t, name+".pdf", whole)
	b.leave(t, name+".pem", certificate.PEM(leaf, service.Root()))
	return whole
}

func (b *bench) leave(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(b.path(name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) put(t *testing.T, data []byte) job.Object {
	t.Helper()
	o, err := b.store.Put(t.Context(), company, uuid.New(), "application/pdf", data)
	if err != nil {
		t.Fatal(err)
	}
	return job.Object{ID: o.ID, Version: o.Version, SHA256: o.SHA256}
}

func (b *bench) request(t *testing.T, original []byte, signs, stages int) job.Request {
	t.Helper()
	r := job.Request{
		Tenant: company, Output: uuid.New(), Original: b.put(t, original), At: now(), Language: "kk",
		Attachments: []job.Attachment{{Name: "sign-1.p7s", Object: b.put(t, []byte("a CMS"))}},
		Record: job.Record{
			Document: uuid.New(), Number: 42, Name: "Жалға алу шарты № 42", Company: "ТОО «Құрал-Сайман»", BIN: "140340010302", Created: now(),
			Stages: signs * stages, Head: strings.Repeat("ab", 32),
			Consent: []job.Consent{{SHA256: strings.Repeat("cd", 32), Language: "ru", Text: "Я прочитал(а) документ и согласен(на) с ним."}},
		},
	}
	r.Record.Original = hex.EncodeToString(r.Original.SHA256)
	r.VerifyURL = "https://tenantry.example/verify/?sha256=" + r.Record.Original
	for i := range signs {
		s := job.Sign{ID: int64(i + 1), Name: fmt.Sprintf("Әлиева Айгерім %d", i+1), Type: "client", Method: 1, Status: 5, SignedAt: now()}
		for n := range stages {
			hash := sha256.Sum256(fmt.Appendf(nil, "%d %d", i, n))
			s.Stages = append(s.Stages, job.Stage{ID: int64(n + 1), To: 1, At: now(), Stored: "01", Hash: hex.EncodeToString(hash[:]), IP: "203.0.113.7"})
		}
		r.Record.Signs = append(r.Record.Signs, s)
	}
	return r
}

// readers are the programs. Each tells whether it takes a file at a level, and what it says to it.
func (b *bench) readers() map[string]func(t *testing.T, name, level string) (said string, taken bool) {
	return map[string]func(t *testing.T, name, level string) (string, bool){
		"pdfsig": func(t *testing.T, name, _ string) (string, bool) {
			said, fine := b.run(t, "pdfsig", "-nocert", name+".pdf")
			return said, fine && strings.Count(said, "Signature #") == 1 && strings.Contains(said, "Signature is Valid.") &&
				strings.Contains(said, "Total document signed") && strings.Contains(said, "ETSI.CAdES.detached")
		},
		"pyHanko": func(t *testing.T, name, level string) (string, bool) {
			script, err := filepath.Abs("signed.py")
			if err != nil {
				t.Fatal(err)
			}
			return b.run(t, b.python, script, name+".pem", time.Now().UTC().Format(time.RFC3339), level, name+".pdf")
		},
		"OpenSSL": func(t *testing.T, name, _ string) (string, bool) {
			b.split(t, name)
			return b.run(t, "openssl", "cms", "-verify", "-cades", "-binary", "-inform", "DER", "-in", name+".p7s", "-content", name+".bin",
				"-CAfile", name+".pem", "-purpose", "any", "-out", os.DevNull)
		},
		"qpdf": func(t *testing.T, name, _ string) (string, bool) {
			return b.run(t, "qpdf", "--check", name+".pdf")
		},
	}
}

// split leaves the CMS of a sealed file, and what it signs.
func (b *bench) split(t *testing.T, name string) {
	t.Helper()
	data, err := os.ReadFile(b.path(name + ".pdf"))
	if err != nil {
		t.Fatal(err)
	}
	from := bytes.Index(data, []byte("/Contents <")) + len("/Contents ")
	to := from + bytes.IndexByte(data[from:], '>') + 1
	der, err := hex.DecodeString(string(data[from+1 : to-1]))
	if err != nil {
		t.Fatal(err)
	}
	var cms asn1.RawValue
	if _, err := asn1.Unmarshal(der, &cms); err != nil {
		t.Fatal(err)
	}
	b.leave(t, name+".p7s", cms.FullBytes)
	b.leave(t, name+".bin", append(bytes.Clone(data[:from]), data[to:]...))
}

// Each program takes what we seal.
func TestTheyTakeIt(t *testing.T) {
	b := newBench(t)
	for name, original := range b.originals(t) {
		for _, level := range []string{job.LevelBB, job.LevelBT} {
			name := name + " " + level
			b.sealed(t, name, original, level, 2, 4)
			for program, reads := range b.readers() {
				t.Run(name+" "+program, func(t *testing.T) {
					if said, taken := reads(t, name, level); !taken {
						t.Errorf("it doesn't take it:\n%s", said)
					}
				})
			}
		}
	}
	b.sealed(t, "large", b.originals(t)["uploaded"], job.LevelBT, job.MaxSigns, job.MaxStages)
	for program, reads := range b.readers() {
		t.Run("large "+program, func(t *testing.T) {
			if said, taken := reads(t, "large", job.LevelBT); !taken {
				t.Errorf("it doesn't take it:\n%s", said)
			}
		})
	}
}

// The programs would tell: none takes a file of which the signature or the original was changed.
func TestTheyWouldTell(t *testing.T) {
	b := newBench(t)
	whole := b.sealed(t, "right", pdftest.Page(), job.LevelBT, 1, 1)
	changed := bytes.Replace(whole, []byte("100 100 l"), []byte("200 100 l"), 1)
	pem, err := os.ReadFile(b.path("right.pem"))
	if err != nil {
		t.Fatal(err)
	}
	b.leave(t, "changed.pdf", changed)
	b.leave(t, "changed.pem", pem)
	for program, reads := range b.readers() {
		if program == "qpdf" { // it knows no signatures
			continue
		}
		t.Run(program, func(t *testing.T) {
			if said, taken := reads(t, "changed", job.LevelBT); taken {
				t.Errorf("it takes a changed file:\n%s", said)
			}
		})
	}
	b.leave(t, "cut.pdf", whole[:len(whole)-40])
	if said, taken := b.readers()["qpdf"](t, "cut", ""); taken {
		t.Errorf("qpdf takes a file that is cut off:\n%s", said)
	}
	if said, taken := b.readers()["pyHanko"](t, "right", job.LevelBB); taken {
		t.Errorf("the level isn't looked at:\n%s", said)
	}
}

// originals are files of each kind that is sealed.
func (b *bench) originals(t *testing.T) map[string][]byte {
	t.Helper()
	uploaded, err := os.ReadFile("../../functions/seal/testdata/normalised.pdf")
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"uploaded": uploaded, "plain": pdftest.Page(), "rendered": b.contract(t)}
}

// contract is what render makes of a contract.
func (b *bench) contract(t *testing.T) []byte {
	t.Helper()
	html, err := os.ReadFile("../../functions/render/layout/testdata/contract.html")
	if err != nil {
		t.Fatal(err)
	}
	var logo bytes.Buffer
	if err := png.Encode(&logo, image.NewNRGBA(image.Rect(0, 0, 32, 8))); err != nil {
		t.Fatal(err)
	}
	made, _, err := layout.New().PDF(t.Context(), &render.Page{
		HTML:   strings.ReplaceAll(string(html), "{logo}", "data:image/png;base64,"+base64.StdEncoding.EncodeToString(logo.Bytes())),
		Footer: "<p>Страница {page} из {pages}</p>", Format: "A4", Margins: render.Margins{Top: 20, Right: 15, Bottom: 20, Left: 25},
		Title: "Договор аренды", Language: "ru", At: now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// What render makes is PDF/A-3b, and so is the sealed file of it. What was uploaded needn't be any.
func TestPDFA(t *testing.T) {
	b := newBench(t)
	made := b.contract(t)
	b.leave(t, "rendered.pdf", made)
	b.sealed(t, "sealed", made, job.LevelBT, 3, 4)
	uploaded := b.originals(t)["uploaded"]
	b.leave(t, "uploaded.pdf", uploaded)
	classes := b.tools + "/classes" + string(os.PathListSeparator) + b.tools + "/verapdf/*"
	if said, fine := b.run(t, "java", "-cp", classes, "PDFA", "rendered.pdf", "sealed.pdf"); !fine {
		t.Errorf("veraPDF refuses what we made:\n%s", said)
	}
	if said, fine := b.run(t, "java", "-cp", classes, "PDFA", "uploaded.pdf"); fine || !strings.Contains(said, "uploaded.pdf: ") {
		t.Errorf("veraPDF takes what is no PDF/A:\n%s", said)
	}
}
