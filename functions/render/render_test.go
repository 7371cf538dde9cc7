package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/functions/render/layout"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/tenant"
)

const company = tenant.ID(7)

func page(t *testing.T, html string) []byte {
	t.Helper()
	data, err := json.Marshal(job.Page{
		HTML: html, Format: "A4", Margins: job.Margins{Top: 20, Right: 20, Bottom: 20, Left: 20}, Title: "Договор", Language: "ru",
		At: time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC),
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestJobs(t *testing.T) {
	store := filestest.New(t)
	render := invoke.InProcess("render", New(app.Env{Files: store}))
	pdf := "%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Kids[<<>>]>> endobj\n"
	for _, c := range []struct {
		name, kind string
		in         []byte
		problem    string
		pages      int
	}{
		{"HTML", job.HTML, page(t, "<p>Шарт</p>"), "", 1},
		{"HTML of many pages", job.HTML, page(t, strings.Repeat("<p>Шарт</p>", 100)), "", 3},
		{"HTML that can't be", job.HTML, page(t, strings.Repeat("<p>", 300_000)), job.BadHTML, 0},
		{"HTML that is too large", job.HTML, page(t, strings.Repeat("a", job.MostPage+1)), job.TooLarge, 0},
		{"more than any page", job.HTML, bytes.Repeat([]byte(" "), job.MostJob+1), job.TooLarge, 0},
		{"a PDF", job.PDF, []byte(pdf), "", 1},
		{"a PDF that is none", job.PDF, []byte("<html>"), job.NotPDF, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := job.Request{Tenant: company, Kind: c.kind, In: uuid.New(), Out: uuid.New()}
			if err := store.PutJob(t.Context(), company, r.In, "application/octet-stream", c.in); err != nil {
				t.Fatal(err)
			}
			answer, err := job.Call(t.Context(), render, r)
			if err != nil || answer.Problem != c.problem || answer.Pages != c.pages || (answer.Text == "") != (c.problem == "") {
				t.Fatalf("%+v, %v", answer, err)
			}
			made, err := store.GetJob(t.Context(), company, r.Out, job.MostUpload)
			if c.problem != "" {
				if !errors.Is(err, files.ErrNotFound) {
					t.Errorf("there is something: %v", err)
				}
				return
			}
			sum := sha256.Sum256(made)
			if err != nil || !bytes.Equal(answer.SHA256, sum[:]) || answer.Size != int64(len(made)) || !bytes.HasPrefix(made, []byte("%PDF-")) {
				t.Errorf("%+v of %d bytes, %v", answer, len(made), err)
			}
			again, err := job.Call(t.Context(), render, r)
			if err != nil || !bytes.Equal(again.SHA256, answer.SHA256) {
				t.Errorf("called again it made something else: %+v, %v", again, err)
			}
		})
	}
}

func TestJobsThatFail(t *testing.T) {
	store := filestest.New(t)
	in := uuid.New()
	if err := store.PutJob(t.Context(), company, in, "application/json", []byte("{")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		store   *files.Store
		request job.Request
		want    string
	}{
		{"nothing to read", store, job.Request{Tenant: company, Kind: job.HTML, In: uuid.New()}, "no such file"},
		{"another company's", store, job.Request{Tenant: company + 1, Kind: job.HTML, In: in}, "no such file"},
		{"no page", store, job.Request{Tenant: company, Kind: job.HTML, In: in}, "render: the page: unexpected end of JSON input"},
		{"another kind", store, job.Request{Tenant: company, Kind: "docx", In: in}, `render: there are no jobs of the kind "docx"`},
		{"no bucket", filestest.Away(), job.Request{Tenant: company, Kind: job.PDF, In: in}, "render: read the job"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, err := job.Call(t.Context(), New(app.Env{Files: c.store}), c.request)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v, %v", answer, err)
			}
		})
	}
	if _, err := New(app.Env{Files: store})(t.Context(), []byte("[]")); err == nil {
		t.Error("a payload that is no request was taken")
	}
}

// What takes too long is a problem of the document, unless it is the caller who waits no longer.
func TestTimeIsUp(t *testing.T) {
	store := filestest.New(t)
	r := renderer{files: store, layout: layout.New(), limit: 1}
	for kind, in := range map[string][]byte{job.HTML: page(t, "<p>Шарт</p>"), job.PDF: []byte("%PDF-1.4\n1 0 obj 1 endobj")} {
		request := job.Request{Tenant: company, Kind: kind, In: uuid.New(), Out: uuid.New()}
		if err := store.PutJob(t.Context(), company, request.In, "application/octet-stream", in); err != nil {
			t.Fatal(err)
		}
		answer, err := r.do(t.Context(), request)
		if err != nil || answer.Problem != job.TooSlow || answer.Text.Error() != "The document takes more than 5 seconds." {
			t.Errorf("%s: %+v, %v", kind, answer, err)
		}
	}
}
