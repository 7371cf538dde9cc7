package documents

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type createInput struct{ Body body }

type updateInput struct {
	ID   int64 `path:"id"`
	Body body
}

type oneInput struct {
	ID int64 `path:"id"`
}

// defaultName is the name of a document for which no name was sent.
const defaultName = "Document"

func (s *service) create(ctx context.Context, r *web.Request, in *createInput) (*web.Reply[Document], error) {
	var d *document.Document
	o, g := outcome(r, &d, 0, http.StatusCreated), s.gathering(r)
	return o.After(s.scope(r).Do(ctx, o, func(w *record.Work) (err error) {
		d, err = g.add(ctx, w, document.Document{Source: document.Generated}, in.Body)
		return err
	}))
}

// scope is the company and the caller of a request.
func (s *service) scope(r *web.Request) record.Scope { return resource.Scope(r, s.now) }

// outcome makes the answer about the document that a unit of work leaves in d. It includes the
// document's address if that differs from the one that was requested.
func outcome(r *web.Request, d **document.Document, asked int64, status int) *web.Outcome[Document] {
	return web.OutcomeOf(r, func() (*web.Reply[Document], error) {
		reply, err := answer(r, *d, status)
		if (*d).ID != asked {
			reply.Header["Location"] = document.Address(r.BaseURL, (*d).ID)
		}
		return reply, err
	})
}

// add makes a new document from initial values and what the caller sent.
func (g *gathering) add(ctx context.Context, w *record.Work, from document.Document, in body) (*document.Document, error) {
	from.UUID, from.CreatedBy = g.uuid, g.request.Principal.User
	p, err := decide(from, in, w.Errors(""))
	if err != nil {
		return nil, err
	}
	if err := g.collect(ctx, w, &p); err != nil {
		return nil, err
	}
	d := &p.next
	if d.Name == "" {
		d.Name = cmp.Or(g.named, defaultName)
	}
	g.service.kind.Create(w, "", d)
	return d, nil
}

// answer makes the answer with a document, and its ETag.
func answer(r *web.Request, d *document.Document, status int) (*web.Reply[Document], error) {
	return &web.Reply[Document]{
		Status: status, Header: map[string]string{"ETag": web.ETag(d.Revision)}, Raw: document.Encode(d, r.BaseURL), ContentType: jsonType,
	}, nil
}

const jsonType = "application/json"

func (s *service) read(ctx context.Context, r *web.Request, in *oneInput) (*web.Reply[Document], error) {
	d, err := s.kind.Get(ctx, s.scope(r), in.ID)
	if err != nil {
		return nil, err
	}
	return answer(r, d, http.StatusOK)
}

// update serves PUT and PATCH. No field of an existing document is required: only its bytes
// are, and it has them already.
func (s *service) update(ctx context.Context, r *web.Request, in *updateInput) (*web.Reply[Document], error) {
	var d *document.Document
	o, g := outcome(r, &d, in.ID, http.StatusOK), s.gathering(r)
	return o.After(s.scope(r).Do(ctx, o, func(w *record.Work) (err error) {
		if d, err = s.kind.Read(ctx, w, in.ID); err != nil {
			return err
		}
		if err := r.Match(web.ETag(d.Revision)); err != nil {
			return err
		}
		if in.Body.Resign.Or(false) && d.HasSignature() {
			sent := in.Body
			sent.Resign = decode.Optional[bool]{}
			d, err = g.add(ctx, w, renewed(d), sent)
			return err
		}
		p, err := decide(*d, in.Body, w.Errors(""))
		if err != nil || !p.changed(d) {
			return err
		}
		if err := g.collect(ctx, w, &p); err != nil {
			return err
		}
		if d, err = s.kind.Edit(ctx, w, in.ID); err == nil {
			*d = p.next
		}
		return err
	}))
}

func (s *service) remove(ctx context.Context, r *web.Request, in *oneInput) (web.None, error) {
	return web.None{}, s.scope(r).Do(ctx, nil, func(w *record.Work) error {
		d, err := s.kind.Read(ctx, w, in.ID)
		if err != nil {
			return err
		}
		if err := r.Match(web.ETag(d.Revision)); err != nil {
			return err
		}
		if err := gone(w, d); err != nil {
			return err
		}
		return s.kind.Remove(ctx, w, in.ID)
	})
}

// gathering looks up and stores what a plan needs. It remembers what it has stored, so that a
// unit of work that is tried again does not store it again.
type gathering struct {
	service *service
	request *web.Request
	uuid    uuid.UUID // of a new document

	taken *files.Object   // the bytes of the body's file
	made  *files.Object   // the bytes of the body's content, or of stored content
	of    document.Object // the stored content
	html  []byte          // what the stored content makes
	named string          // the name of the uploaded file
}

func (s *service) gathering(r *web.Request) *gathering {
	return &gathering{service: s, request: r, uuid: s.newUUID()}
}

func (g *gathering) company() tenant.ID { return g.request.Table.ID() }

// collect completes a plan. It refuses a wrong body before it stores anything: bytes are
// stored only if everything else is right.
func (g *gathering) collect(ctx context.Context, w *record.Work, p *plan) error {
	errs := w.Errors("")
	var from *uploads.Upload
	if p.take != nil && p.take.Data == nil && g.taken == nil {
		u, err := g.service.uploads().Find(ctx, g.request.Table, p.take.URI)
		if err := merged(errs, err); err != nil {
			return err
		}
		from = u
	}
	if p.link != nil {
		linked, err := w.Item(ctx, g.request.Table.Record(p.link.kind, p.link.id))
		switch {
		case err != nil:
			return err
		case linked == nil:
			errs.Add("object_id", fault.BadReference(p.link.id))
		}
		p.next.SetMain(&document.Link{Model: p.link.model, ObjectID: p.link.id, Role: document.Main, Label: linked.Text(kinds.Name)})
	}
	if err := errs.Err(); err != nil {
		return err
	}
	switch {
	case p.take != nil:
		return g.take(ctx, p, from)
	case p.content != "":
		return g.generate(ctx, p)
	case p.again:
		return g.regenerate(ctx, p)
	}
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

// take makes the body's file the original of the document.
func (g *gathering) take(ctx context.Context, p *plan, from *uploads.Upload) (err error) {
	if g.taken == nil {
		var o files.Object
		if from != nil {
			g.named = from.Name
			o, err = g.service.files.Take(ctx, g.company(), from.ID)
			if errors.Is(err, files.ErrNotFound) {
				return uploads.ErrNone
			}
		} else {
			g.named = baseName(p.take.Name)
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
	return nil
}

// maxHTML is the largest HTML of a generated document, in bytes: as much as the longest
// content made of the longest characters. Escaping can make content longer.
const maxHTML = 4 * maxContent

// generate stores the body's content as the document's content, and makes the original from
// it.
func (g *gathering) generate(ctx context.Context, p *plan) error {
	if g.made == nil {
		html, err := g.clean(p.content)
		if err != nil {
			return err
		}
		if err := g.put(ctx, html); err != nil {
			return err
		}
	}
	p.next.Content = &document.Object{ID: g.made.ID, Version: g.made.Version}
	p.next.SetOriginal(g.made, "")
	return nil
}

// regenerate makes the original again from the stored content. If the result has the same
// bytes, the original is not changed.
func (g *gathering) regenerate(ctx context.Context, p *plan) error {
	if c := p.next.Content; g.html == nil || g.of != *c {
		stored, err := g.service.files.Get(ctx, g.company(), c.ID, c.Version, maxHTML)
		if err != nil {
			return err
		}
		html, err := g.clean(string(stored))
		if err != nil {
			return err
		}
		g.html, g.of, g.made = html, *c, nil
	}
	if isOriginal(&p.next, g.html) {
		return nil
	}
	if g.made == nil {
		if err := g.put(ctx, g.html); err != nil {
			return err
		}
	}
	p.next.SetOriginal(g.made, "")
	return nil
}

// isOriginal tells whether the original is a generated file with exactly these bytes.
func isOriginal(d *document.Document, html []byte) bool {
	sum := sha256.Sum256(html)
	return slices.ContainsFunc(d.Files, func(f document.File) bool {
		return f.Type == document.Original && f.Name == "" && f.ContentType == htmlType && bytes.Equal(f.SHA256, sum[:])
	})
}

func (g *gathering) clean(html string) ([]byte, error) {
	clean := []byte(g.service.html.clean(html))
	if len(clean) > maxHTML {
		return nil, fault.Field("content", "With its signs escaped the content is larger than 4 MB.")
	}
	return clean, nil
}

func (g *gathering) put(ctx context.Context, html []byte) error {
	o, err := g.service.files.Put(ctx, g.company(), g.service.newUUID(), htmlType, html)
	if err != nil {
		return err
	}
	g.made = &o
	return nil
}

// baseName returns the file name that the sender used, without folders, shortened to the
// longest name of a document.
func baseName(name string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/"))
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, name))
	if name == "." || name == "/" {
		return ""
	}
	if utf8.RuneCountInString(name) > document.MaxName {
		name = string([]rune(name)[:document.MaxName])
	}
	return name
}
