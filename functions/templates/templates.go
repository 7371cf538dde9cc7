// Package templates is the templates of a company's documents: what they are, what they may say, and previews of
// them. It is a function of its own because the records' usual operations take room in its upload, which documents has not.
//
// What never goes in here: the documents that are made of templates (functions/documents), how a template is filled and printed
// (functions/documents/printing), and what the variables are (functions/documents/values).
package templates

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/printing"
	"github.com/tenantry/tenantry/functions/documents/template"
	"github.com/tenantry/tenantry/functions/documents/values"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// service has the handlers of the group.
type service struct {
	kind    *record.Kind[*template.Template]
	files   *files.Store
	press   *printing.Press
	now     func() time.Time
	newUUID func() uuid.UUID
}

// New is the group of templates.
func New(env app.Env) app.Group {
	s := &service{
		kind: template.Kind(), files: env.Files, press: printing.New(env.Files, env.Render, env.NewUUID),
		now: env.Now, newUUID: env.NewUUID,
	}
	return app.Group{Group: web.Group{
		Name: "templates", Resource: scope.Templates,
		Doc: "Templates of a company's documents.", Zone: company.ZoneOf, Operations: s.operations(),
	}}
}

// body is what callers send for a template.
type body struct {
	Name        decode.Optional[string]           `json:"name" required:"true" maxLength:"512" example:"Rental contract"`
	ContentType decode.Optional[template.Subject] `json:"content_type" required:"true" anyCase:"true" example:"client" doc:"What its documents are about."`
	Content     decode.Optional[string]           `json:"content" required:"true" maxLength:"1000000" example:"<p>{{client.name}}</p>" doc:"HTML with variables: templates-variables lists them. {{#each order.lines}}…{{/each}} repeats, {{#if client.is_legal}}…{{else}}…{{/if}} and {{#unless …}} choose. It is sanitised when a document is made of it. Images are data URIs, or addresses of this API."`
	Header      decode.Optional[string]           `json:"header" blank:"true" maxLength:"10000" example:"<p>{{company.name}}</p>" doc:"HTML at the top of each page, with the same variables; {page} and {pages} stand for its number and how many there are."`
	Footer      decode.Optional[string]           `json:"footer" blank:"true" maxLength:"10000" example:"<p>{page} / {pages}</p>" doc:"The same, at the bottom."`
	Status      decode.Optional[template.Status]  `json:"status" default:"active" doc:"No document is made of a disabled one."`
	Order       decode.Optional[int64]            `json:"order" minimum:"-1000000" maximum:"1000000" default:"0" doc:"The place in the list"`
	Format      decode.Optional[template.Format]  `json:"format" default:"A4"`
	Margins     decode.Optional[margins]          `json:"margins" doc:"In millimetres; by default 20 at the top and the bottom, 15 on the right, 20 on the left"`
	Points      decode.Optional[[]int64]          `json:"points" maxItems:"100" doc:"Ids of the rental points that use it; none: all"`
	Extra       decode.Optional[decode.JSON]      `json:"extra" nullable:"true" doc:"Any JSON of at most 2 KB; the custom fields of the key template are checked."`
}

type margins struct {
	Top    decode.Optional[int64] `json:"top" minimum:"5" maximum:"50"`
	Right  decode.Optional[int64] `json:"right" minimum:"5" maximum:"50"`
	Bottom decode.Optional[int64] `json:"bottom" minimum:"5" maximum:"50"`
	Left   decode.Optional[int64] `json:"left" minimum:"5" maximum:"50"`
}

// Template is a template as callers see it.
type Template struct {
	ID          int64            `json:"id"`
	CreatedAt   string           `json:"created_at" format:"date-time"`
	UpdatedAt   string           `json:"updated_at" format:"date-time"`
	Name        string           `json:"name"`
	ContentType template.Subject `json:"content_type"`
	Content     *string          `json:"content" nullable:"true" doc:"As it was sent; null in a list"`
	Header      *string          `json:"header" nullable:"true" doc:"Null in a list"`
	Footer      *string          `json:"footer" nullable:"true" doc:"Null in a list"`
	Status      template.Status  `json:"status"`
	Order       int64            `json:"order"`
	Format      template.Format  `json:"format"`
	Margins     template.Margins `json:"margins" doc:"In millimetres"`
	Points      []int64          `json:"points" doc:"Ids of the rental points that use it; none: all"`
	Extra       decode.JSON      `json:"extra"`
	Tenant      int64            `json:"tenant"`
}

// templates are the usual operations of templates.
func (s *service) templates() resource.Resource[*template.Template, body, Template] {
	return resource.Resource[*template.Template, body, Template]{
		Kind: s.kind, Apply: apply, View: view, Made: s.write, Changed: s.write,
		Doc: "All of them, by order, and the oldest first where that is the same. At most 200. Documents keep what they were made of: " +
			"a change of a template changes no document until it is regenerated.",
		Whole: func(ctx context.Context, w *record.Work, t *template.Template, shown *Template) error {
			text, err := t.Read(ctx, s.files, w.Scope().Table.ID())
			shown.Content, shown.Header, shown.Footer = &text.Content, &text.Header, &text.Footer
			return err
		},
	}
}

func apply(t *template.Template, in *body, _ fault.FieldErrors) {
	if t.Format == "" {
		t.Format, t.Margins = template.Plain()
	}
	in.Name.Into(&t.Name)
	in.ContentType.Into(&t.About)
	if in.Status.Set {
		t.Disabled = in.Status.Value == template.Disabled
	}
	in.Order.Into(&t.Order)
	in.Format.Into(&t.Format)
	in.Margins.Value.Top.Into(&t.Margins.Top)
	in.Margins.Value.Right.Into(&t.Margins.Right)
	in.Margins.Value.Bottom.Into(&t.Margins.Bottom)
	in.Margins.Value.Left.Into(&t.Margins.Left)
	in.Points.Into(&t.Points)
	record.ExtraInto(t, in.Extra, &t.Extra)
}

func view(t *template.Template, _ resource.Viewer) Template {
	return Template{
		ID: t.ID, CreatedAt: t.CreatedAt(), UpdatedAt: t.UpdatedAt(), Name: t.Name, ContentType: t.About, Status: t.Status(),
		Order: t.Order, Format: t.Format, Margins: t.Margins, Points: append([]int64{}, t.Points...), Extra: t.Extra,
		Tenant: int64(t.Tenant()),
	}
}

// write checks the texts of a template, and stores them if nothing else is wrong.
func (s *service) write(ctx context.Context, w *record.Work, t *template.Template, in *body) error {
	before := s.kind.Before(w, t.ID)
	if before != nil && before.About == t.About && !in.Content.Set && !in.Header.Set && !in.Footer.Set {
		return nil
	}
	var text template.Text
	if before != nil {
		var err error
		if text, err = t.Read(ctx, s.files, w.Scope().Table.ID()); err != nil {
			return err
		}
	}
	in.Content.Into(&text.Content)
	in.Header.Into(&text.Header)
	in.Footer.Into(&text.Footer)
	if errs := w.Errors(""); !errs.Has("content_type") && t.About != "" {
		of := w.Scope().Table
		needed := []table.Key{of.Definitions("template"), of.Sequence(s.kind.Kind.Code)} // by the checks of the record
		for _, id := range t.Points {
			if 0 < id && id <= table.MaxID {
				needed = append(needed, of.Record(kinds.RentalPoint, id))
			}
		}
		fields, err := values.Fields(ctx, w, t.About, needed...)
		if err != nil {
			return err
		}
		errs.Merge("", printing.Wrong(text, fields.Schema()))
	}
	if err := w.CheckAll(ctx); err != nil {
		return err
	}
	return t.Write(ctx, s.files, w.Scope().Table.ID(), text)
}
