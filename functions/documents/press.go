package documents

import (
	"context"
	"errors"
	"strconv"
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
	"github.com/tenantry/tenantry/shared/tenant"
)

// layout is how the pages of a document are printed, beside its content. It is kept with a document
// that was made of a template, in a file of its own, so that the document can be made again when the
// template is gone.
type layout struct {
	Header   string           `json:"header"`
	Footer   string           `json:"footer"`
	Format   string           `json:"format"`
	Margins  template.Margins `json:"margins"`
	Language string           `json:"language"`
}

// maxLayout is the largest layout, in bytes: images make it large.
const maxLayout = job.MostPage

// plainLayout is the layout of a document without a template.
func plainLayout() layout {
	format, margins := template.Plain()
	return layout{Format: format, Margins: margins, Language: "ru"}
}

// page is what is printed of a content that is clean.
func (l layout) page(html, title string, at time.Time) job.Page {
	return job.Page{
		HTML: html, Header: l.Header, Footer: l.Footer, Format: l.Format, Title: title, Language: l.Language, At: at.UTC().Truncate(time.Second),
		Margins: job.Margins{
			Top: float64(l.Margins.Top), Right: float64(l.Margins.Right), Bottom: float64(l.Margins.Bottom), Left: float64(l.Margins.Left),
		},
	}
}

// filled is a template with values: clean, and with its images inside.
type filled struct {
	html   string
	layout layout
}

// wrongIn says what is wrong with the texts of a template, by their fields: what can't be read, and what there isn't to be used.
func wrongIn(text template.Text, schema merge.Schema) fault.FieldErrors {
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
func explain(err error) (list []string) {
	if unknown, ok := errors.AsType[merge.UnknownError](err); ok {
		for _, u := range unknown[:min(len(unknown), mostWrong)] {
			list = append(list, explain(&merge.SyntaxError{Place: u.Place, Text: "{{" + u.Name + "}} " + u.Text})...)
		}
		return list
	}
	text := strings.TrimPrefix(err.Error(), "merge: ")
	return []string{strings.ToUpper(text[:1]) + text[1:] + "."}
}

// fill puts values into the texts of a template, in which nothing is wrong. Its error is a problem if there is something wrong
// with what comes out.
func (s *service) fill(ctx context.Context, w *record.Work, t *template.Template, text template.Text, of *values.Source) (filled, error) {
	schema, value, images := of.Schema(), of.Values(), s.images(w, of.Base)
	for _, part := range text.Parts() {
		parsed, err := merge.Parse(*part.Text)
		if err == nil {
			*part.Text, err = parsed.Execute(schema, value)
		}
		if err != nil {
			return filled{}, problem(strings.Join(explain(err), " "))
		}
		if *part.Text, err = images.inline(ctx, s.html.clean(*part.Text)); err != nil {
			return filled{}, err
		}
	}
	return filled{text.Content, layout{
		Header: text.Header, Footer: text.Footer, Format: t.Format, Margins: t.Margins, Language: of.Language(),
	}}, nil
}

// press makes PDFs by the function render, for one company.
type press struct {
	files   *files.Store
	render  invoke.Function
	newUUID func() uuid.UUID
	company tenant.ID
}

func (s *service) press(company tenant.ID) press {
	return press{s.files, s.renderer, s.newUUID, company}
}

// printed is a PDF that render has made, and that nobody has taken yet.
type printed struct {
	job.Answer
	out uuid.UUID
}

// problem says why no PDF can be made of what a caller sent.
type problem string

func (p problem) Error() string { return string(p) }

// asProblem makes a problem the fault of a field.
func asProblem(err error, field string) error {
	if p, ok := errors.AsType[problem](err); ok {
		return fault.Field(field, string(p))
	}
	return err
}

// print makes a PDF of a page, which is a job.Page as JSON. Its error is a problem where that is due to the page.
func (p press) print(ctx context.Context, page []byte) (printed, error) {
	if len(page) > job.MostPage {
		return printed{}, problem("The document is too large: text and images have more than " + strconv.Itoa(job.MostPage) + " bytes.")
	}
	in, out := p.newUUID(), p.newUUID()
	if err := p.files.PutJob(ctx, p.company, in, decode.TypeJSON, page); err != nil {
		return printed{}, err
	}
	a, err := job.Call(ctx, p.render, job.Request{Tenant: p.company, Kind: job.HTML, In: in, Out: out})
	switch {
	case err != nil:
		return printed{}, fault.ErrUnavailable.Because(err)
	case a.Problem != "":
		return printed{}, problem(a.Text)
	}
	return printed{a, out}, nil
}

// pdf makes a PDF of a page, and reads it.
func (p press) pdf(ctx context.Context, page job.Page) ([]byte, error) {
	data, err := encode.JSON(page)
	if err != nil {
		return nil, err
	}
	done, err := p.print(ctx, data)
	if err != nil {
		return nil, err
	}
	return p.files.GetJob(ctx, p.company, done.out, done.Size)
}

// original is a PDF that is stored, with what it was made of.
type original struct {
	pdf     files.Object
	content *document.Object
	layout  *document.Object
}

// keep stores a PDF that was printed, and what it was made of; nil if that is stored already.
func (p press) keep(ctx context.Context, done printed, of *filled) (*original, error) {
	made := new(original)
	put := func(contentType string, data []byte) (*document.Object, error) {
		o, err := p.files.Put(ctx, p.company, p.newUUID(), contentType, data)
		return &document.Object{ID: o.ID, Version: o.Version}, err
	}
	var err error
	if of != nil {
		if made.content, err = put(htmlType, []byte(of.html)); err != nil {
			return nil, err
		}
	}
	if of != nil && of.layout != plainLayout() {
		data, err := encode.JSON(of.layout)
		if err != nil {
			return nil, err
		}
		if made.layout, err = put(decode.TypeJSON, data); err != nil {
			return nil, err
		}
	}
	made.pdf, err = p.files.TakeJob(ctx, p.company, done.out, p.newUUID())
	return made, err
}
