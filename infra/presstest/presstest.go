// Package presstest stands in for the function render in tests.
package presstest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/say"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/invoke"
)

// Press is the function: its PDF is the page itself, as JSON behind a line. It finds a
// problem in pages that say so, fails at pages that say so, and counts.
type Press struct {
	Files   *files.Store
	Printed int
}

// pdfHead is the first line of its PDFs.
const pdfHead = "%PDF-1.7 of a test\n"

// Function is what a group calls.
func (p *Press) Function() invoke.Function {
	return invoke.InProcess("render", func(ctx context.Context, payload []byte) ([]byte, error) {
		var r job.Request
		if err := json.Unmarshal(payload, &r); err != nil {
			return nil, err
		}
		page, err := p.Files.GetJob(ctx, r.Tenant, r.In, job.MostPage)
		var sent job.Page
		if err == nil {
			err = json.Unmarshal(page, &sent)
		}
		switch {
		case err != nil:
			return nil, err
		case len(sent.HTML) > job.MostHTML:
			return json.Marshal(job.Answer{Problem: job.TooLarge, Text: say.PrintHTMLTooLarge})
		case bytes.Contains(page, []byte("no page")):
			return json.Marshal(job.Answer{Problem: job.TooManyPages, Text: say.PrintTooManyPages(200)})
		case bytes.Contains(page, []byte("no press")):
			return nil, errors.New("out of paper")
		}
		p.Printed++
		pdf := append([]byte(pdfHead), page...)
		sum := sha256.Sum256(pdf)
		if err := p.Files.PutJob(ctx, r.Tenant, r.Out, job.ContentPDF, pdf); err != nil {
			return nil, err
		}
		return json.Marshal(job.Answer{SHA256: sum[:], Size: int64(len(pdf)), Pages: 1})
	})
}

// Pressing gives an environment a bucket, and a Press.
func Pressing(t testing.TB) func(*app.Env) {
	return func(e *app.Env) {
		e.Files = filestest.New(t)
		e.Render = (&Press{Files: e.Files}).Function()
	}
}

// PageOf is the page of which a Press has made a PDF.
func PageOf(t testing.TB, pdf string) (page job.Page) {
	t.Helper()
	data, ok := strings.CutPrefix(pdf, pdfHead)
	if err := json.Unmarshal([]byte(data), &page); !ok || err != nil {
		t.Fatalf("no PDF: %.80q, %v", pdf, err)
	}
	return page
}
