package documents

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/documents/printing"
	"github.com/tenantry/tenantry/functions/documents/template"
	"github.com/tenantry/tenantry/functions/documents/values"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// gathering looks up and stores what a plan needs. It remembers what it has stored, so that a
// unit of work that is tried again does not store it again.
type gathering struct {
	service *service
	request *web.Request
	uuid    uuid.UUID // of a new document

	named string        // the name of the uploaded file
	taken *files.Object // the bytes of the body's file

	page []byte           // as JSON, what was printed last
	pdf  printing.Printed // what became of it
	made *printing.Kept   // where that is stored
}

func (s *service) gathering(r *web.Request) *gathering {
	return &gathering{service: s, request: r, uuid: s.newUUID()}
}

func (g *gathering) company() tenant.ID { return g.request.Table.ID() }

// look reads the records that a plan names. It adds what is wrong with them to the errors of the unit of work, and
// then fails with all errors: nothing may be stored.
func (g *gathering) look(ctx context.Context, w *record.Work, p *plan) error {
	errs := w.Errors("")
	if p.take != nil && p.take.Data == nil && g.taken == nil {
		u, err := g.service.uploads().Find(ctx, g.request.Table, p.take.URI)
		if err := merged(errs, err); err != nil {
			return err
		}
		if p.sent = u; u != nil {
			g.named = u.Name
		}
	}
	if p.take != nil && p.take.Data != nil {
		g.named = baseName(p.take.Name)
	}
	if p.link != nil {
		linked, err := w.Item(ctx, g.request.Table.Record(p.link.kind, p.link.id))
		switch {
		case err != nil:
			return err
		case linked == nil:
			errs.Add("object_id", say.DoesNotExist(p.link.id))
		}
		p.next.SetMain(&document.Link{Model: p.link.model, ObjectID: p.link.id, Role: document.Main, Label: linked.Text(kinds.Name)})
	}
	if p.from != 0 {
		if err := g.lookTemplate(ctx, w, p, errs); err != nil {
			return err
		}
	}
	return errs.Err()
}

// lookTemplate reads the template that the document is to be made of, and the record that it is about.
func (g *gathering) lookTemplate(ctx context.Context, w *record.Work, p *plan, errs fault.FieldErrors) error {
	t, err := values.Read[template.Template](ctx, w, kinds.Template, p.from)
	switch {
	case err != nil:
		return err
	case t == nil && p.again: // the document is made again from what is left of it
		if p.next.Content == nil {
			errs.Add("regenerate", say.DocumentWithoutContent)
		}
		return nil
	case t == nil:
		errs.Add("template", say.DoesNotExist(p.from))
		return nil
	case t.Disabled && !p.again:
		errs.Add("template", say.TemplateDisabled)
		return nil
	}
	l, kind := p.next.MainLink(), template.KindOf(t.About)
	if l == nil || l.Model != kind.Model {
		if !errs.Has("object_id") && !errs.Has("content_type") {
			errs.Add("object_id", say.TemplateNeedsRecord(kind.Model))
		}
		return nil
	}
	if errs.Has("object_id") {
		return nil
	}
	// A document says what the record says, and of an order who its client is: a key may have no scope to read them.
	if by := g.request.Principal; !kind.IsReadBy(by) || !kinds.Of(kinds.Client).IsReadBy(by) {
		return fault.ErrForbidden
	}
	of, err := values.Load(ctx, w, t.About, l.ObjectID)
	if err := merged(errs, err); err != nil {
		return err
	}
	if of == nil { // there is no such record
		return nil
	}
	text, err := t.Read(ctx, g.service.files, g.company())
	if err != nil {
		return err
	}
	wrong := printing.Wrong(text, of.Schema())
	var messages []say.Message
	for _, part := range text.Parts() {
		list, _ := wrong[part.Field].([]say.Message)
		for _, message := range list {
			messages = append(messages, say.TemplatePartWrong(part.Says, message))
		}
	}
	errs.Merge("", fault.FieldErrors{"template": messages})
	p.template, p.text, p.of = t, text, of
	return nil
}

// merged collects field errors; it returns any other error.
func merged(errs fault.FieldErrors, err error) error {
	f, ok := fault.As(err)
	if !ok || f.Code != fault.Invalid || len(f.Fields) == 0 {
		return err
	}
	errs.Merge("", f.Fields)
	return nil
}

// store stores the bytes of a plan. Everything else about it is right. A new document that is made of a template has its
// number.
func (g *gathering) store(ctx context.Context, w *record.Work, p *plan) error {
	switch {
	case p.take != nil:
		return g.take(ctx, p)
	case p.template != nil:
		return g.fill(ctx, w, p)
	case p.content != "":
		sheet, err := g.service.press.Content(ctx, w, g.request.BaseURL, p.content)
		if err == nil {
			err = g.print(ctx, p, sheet, true)
		}
		return printing.At("content", err)
	case p.again:
		return printing.At("regenerate", g.regenerate(ctx, w, p))
	}
	return nil
}

// take makes the body's file the original of the document.
func (g *gathering) take(ctx context.Context, p *plan) (err error) {
	if g.taken == nil {
		var o files.Object
		if p.sent != nil {
			o, err = g.service.files.Take(ctx, g.company(), p.sent.ID)
			if errors.Is(err, files.ErrNotFound) {
				return uploads.ErrNone
			}
		} else {
			contentType, ok := mediaType(p.take.ContentType)
			if !ok {
				contentType = anyType
			}
			o, err = g.service.files.Put(ctx, g.company(), g.service.newUUID(), contentType, p.take.Data)
		}
		if err != nil {
			return err
		}
		g.taken = &o
	}
	p.next.SetOriginal(g.taken, g.named)
	p.next.Upload = nil // what is signed is made of the new file
	return nil
}

// fill makes the original of the template, with the values of now.
func (g *gathering) fill(ctx context.Context, w *record.Work, p *plan) error {
	p.of.Base = g.request.BaseURL
	p.of.Document = values.Document{Number: p.next.ID, Name: p.next.Name, At: created(&p.next)}
	made, err := g.service.press.Fill(ctx, w, p.template, p.text, p.of)
	if err == nil {
		err = g.print(ctx, p, made, true)
	}
	return printing.At("template", err)
}

func created(d *document.Document) time.Time { return d.Created.Time().UTC() }

// regenerate makes the original again from the stored content.
func (g *gathering) regenerate(ctx context.Context, w *record.Work, p *plan) error {
	sheet, err := g.service.press.Again(ctx, w, g.request.BaseURL, p.next.Content, p.next.Layout)
	if err != nil {
		return err
	}
	return g.print(ctx, p, sheet, false)
}

// print makes the original of a page, unless the original is just that. With keep it also stores what the page is
// made of; else the document has that already.
func (g *gathering) print(ctx context.Context, p *plan, of printing.Sheet, keep bool) error {
	page, err := of.Page(p.next.Name, created(&p.next))
	if err != nil {
		return err
	}
	if !bytes.Equal(page, g.page) {
		if g.pdf, err = g.service.press.Print(ctx, g.company(), page); err != nil {
			return err
		}
		g.page, g.made = page, nil
	}
	if isOriginal(&p.next, g.pdf.SHA256) {
		return nil
	}
	if g.made == nil {
		kept := &of
		if !keep {
			kept = nil
		}
		if g.made, err = g.service.press.Keep(ctx, g.company(), g.pdf, kept); err != nil {
			return err
		}
	}
	if keep {
		p.next.Content, p.next.Layout = g.made.Content, g.made.Layout
	}
	p.next.SetOriginal(&g.made.PDF, "")
	return nil
}

// isOriginal tells whether the original is a generated PDF with these bytes.
func isOriginal(d *document.Document, sum []byte) bool {
	f := d.FileOf(document.Original)
	return f != nil && f.Name == "" && f.ContentType == document.PDF && bytes.Equal(f.SHA256, sum)
}
