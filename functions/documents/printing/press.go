// Package printing makes the PDFs of documents: it puts values into a template, sanitises the HTML that comes out, or that
// somebody wrote, puts the company's own images inside, and has the function render lay it out.
//
// What never goes in here: HTTP, what a PDF is made for (functions/documents, functions/templates), what a template may say
// (functions/documents/values), and how pages are laid out (functions/render).
package printing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/documents/merge"
	"github.com/tenantry/tenantry/functions/documents/template"
	"github.com/tenantry/tenantry/functions/documents/values"
	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Press makes PDFs.
type Press struct {
	files   *files.Store
	render  invoke.Function
	newUUID func() uuid.UUID
	html    sanitiser
}

// New makes a Press that calls the function render.
func New(store *files.Store, render invoke.Function, newUUID func() uuid.UUID) *Press {
	return &Press{store, render, newUUID, newSanitiser()}
}

// Layout is how the pages of a document are printed, beside its content. It is kept with a document that was made of a
// template, so that the document can be made again when the template is gone.
type Layout struct {
	Header   string           `json:"header"`
	Footer   string           `json:"footer"`
	Format   template.Format  `json:"format"`
	Margins  template.Margins `json:"margins"`
	Language string           `json:"language"`
}

// plain is the layout of a document without a template.
func plain() Layout {
	format, margins := template.Plain()
	return Layout{Format: format, Margins: margins, Language: "ru"}
}

// Sheet is a content with its layout, clean and with its images inside.
type Sheet struct {
	HTML   string
	Layout Layout
}

// Page is what is printed of a sheet, as render takes it. The same page becomes the same PDF.
func (s Sheet) Page(title string, at time.Time) ([]byte, error) {
	m := s.Layout.Margins
	return encode.JSON(job.Page{
		HTML: s.HTML, Header: s.Layout.Header, Footer: s.Layout.Footer, Format: string(s.Layout.Format),
		Margins: job.Margins{Top: float64(m.Top), Right: float64(m.Right), Bottom: float64(m.Bottom), Left: float64(m.Left)},
		Title:   title, Language: s.Layout.Language, At: at.UTC().Truncate(time.Second),
	})
}

// Problem says why no PDF can be made of what a caller sent, in a sentence or more.
type Problem []say.Message

// Error is the problem in English, for logs.
func (p Problem) Error() string {
	var all []string
	for _, sentence := range p {
		all = append(all, sentence.Error())
	}
	return strings.Join(all, " ")
}

// At makes a problem the fault of a field; it returns any other error as it is.
func At(field string, err error) error {
	if p, ok := errors.AsType[Problem](err); ok {
		return fault.FieldErrors{field: []say.Message(p)}.Err()
	}
	return err
}

// Clean is HTML without what a document doesn't need.
func (p *Press) Clean(html string) string { return p.html.clean(html) }

// Content makes a sheet of HTML that somebody wrote. base is the API's own address, in the addresses of images.
func (p *Press) Content(ctx context.Context, w *record.Work, base, html string) (Sheet, error) {
	html, err := p.images(w, base).inline(ctx, p.html.clean(html))
	return Sheet{html, plain()}, err
}

// Wrong says what is wrong with the texts of a template, by their fields: what can't be read, and what there isn't to be used.
func Wrong(text template.Text, schema merge.Schema) fault.FieldErrors {
	wrong := fault.FieldErrors{}
	for _, part := range text.Parts() {
		parsed, err := merge.Parse(*part.Text)
		if err == nil {
			err = parsed.Check(schema)
		}
		if err != nil {
			wrong[part.Field] = explain(err)
		}
	}
	return wrong
}

// mostWrong is how many unknown variables of a text are named.
const mostWrong = 50

// explain says in sentences what is wrong with a text of a template, with the place of each.
func explain(err error) (list []say.Message) {
	if unknown, ok := errors.AsType[merge.UnknownError](err); ok {
		for _, u := range unknown[:min(len(unknown), mostWrong)] {
			list = append(list, u.Message())
		}
		return list
	}
	if at, ok := errors.AsType[*merge.SyntaxError](err); ok {
		return []say.Message{at.Message()}
	}
	return []say.Message{say.Of(err)}
}

// Fill makes a sheet of the texts of a template, in which nothing is Wrong. Its error is a Problem if something is wrong with what
// comes out.
func (p *Press) Fill(ctx context.Context, w *record.Work, t *template.Template, text template.Text, of *values.Source) (Sheet, error) {
	schema, value, images := of.Schema(), of.Values(), p.images(w, of.Base)
	for _, part := range text.Parts() {
		parsed, err := merge.Parse(*part.Text)
		if err == nil {
			*part.Text, err = parsed.Execute(schema, value)
		}
		if err != nil {
			return Sheet{}, Problem(explain(err))
		}
		if *part.Text, err = images.inline(ctx, p.html.clean(*part.Text)); err != nil {
			return Sheet{}, err
		}
	}
	return Sheet{text.Content, Layout{
		Header: text.Header, Footer: text.Footer, Format: t.Format, Margins: t.Margins, Language: of.Language(),
	}}, nil
}

// Again makes the sheet of a document once more, of the files that Keep has stored.
func (p *Press) Again(ctx context.Context, w *record.Work, base string, content, laidOut *document.Object) (s Sheet, err error) {
	company := w.Scope().Table.ID()
	s.Layout = plain()
	if laidOut != nil {
		stored, err := p.files.Get(ctx, company, laidOut.ID, laidOut.Version, job.MostPage)
		if err != nil {
			return Sheet{}, err
		}
		if err := json.Unmarshal(stored, &s.Layout); err != nil {
			return Sheet{}, fmt.Errorf("printing: a layout: %w", err)
		}
	}
	stored, err := p.files.Get(ctx, company, content.ID, content.Version, job.MostPage)
	if err != nil {
		return Sheet{}, err
	}
	s.HTML = string(stored)
	images := p.images(w, base)
	for _, part := range []*string{&s.HTML, &s.Layout.Header, &s.Layout.Footer} {
		if *part, err = images.inline(ctx, p.html.clean(*part)); err != nil {
			return Sheet{}, err
		}
	}
	return s, nil
}

// Printed is a PDF that render has made, and that nobody has taken yet.
type Printed struct {
	job.Answer
	out uuid.UUID
}

// Print makes a PDF of a page. Its error is a Problem where that is due to the page.
func (p *Press) Print(ctx context.Context, company tenant.ID, page []byte) (Printed, error) {
	if len(page) > job.MostPage {
		return Printed{}, Problem{say.PrintTooLarge(job.MostPage)}
	}
	in, out := p.newUUID(), p.newUUID()
	if err := p.files.PutJob(ctx, company, in, decode.TypeJSON, page); err != nil {
		return Printed{}, err
	}
	a, err := job.Call(ctx, p.render, job.Request{Tenant: company, Kind: job.HTML, In: in, Out: out})
	switch {
	case err != nil:
		return Printed{}, fault.ErrUnavailable.Because(err)
	case a.Problem != "":
		return Printed{}, Problem{a.Text}
	}
	return Printed{a, out}, nil
}

// Read reads a PDF that was printed.
func (p *Press) Read(ctx context.Context, company tenant.ID, done Printed) ([]byte, error) {
	return p.files.GetJob(ctx, company, done.out, done.Size)
}

// Kept is a PDF that is stored, with what it was made of.
type Kept struct {
	PDF     files.Object
	Content *document.Object // the HTML
	Layout  *document.Object // nil: a plain one
}

// HTML is the content type of a document's content.
const HTML = "text/html; charset=utf-8"

// Keep stores a PDF that was printed, and the sheet that it was made of; nil if that is stored already.
func (p *Press) Keep(ctx context.Context, company tenant.ID, done Printed, of *Sheet) (*Kept, error) {
	made := new(Kept)
	put := func(contentType string, data []byte) (*document.Object, error) {
		o, err := p.files.Put(ctx, company, p.newUUID(), contentType, data)
		return &document.Object{ID: o.ID, Version: o.Version}, err
	}
	var err error
	if of != nil {
		if made.Content, err = put(HTML, []byte(of.HTML)); err != nil {
			return nil, err
		}
	}
	if of != nil && of.Layout != plain() {
		data, err := encode.JSON(of.Layout)
		if err != nil {
			return nil, err
		}
		if made.Layout, err = put(decode.TypeJSON, data); err != nil {
			return nil, err
		}
	}
	made.PDF, err = p.files.TakeJob(ctx, company, done.out, p.newUUID())
	return made, err
}
