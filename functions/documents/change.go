package documents

import (
	"cmp"
	"context"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/tenantry/tenantry/functions/documents/clerk"
	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
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
	if err := g.look(ctx, w, &p); err != nil {
		return nil, err
	}
	d := &p.next
	if d.Name == "" {
		d.Name = cmp.Or(g.named, defaultName)
	}
	g.service.kind.Create(w, "", d)
	if p.template != nil { // which may tell the document's number
		if err := w.Number(ctx); err != nil {
			return nil, err
		}
	}
	return d, g.store(ctx, w, &p)
}

// answer makes the answer with a document, and its ETag.
func answer(r *web.Request, d *document.Document, status int) (*web.Reply[Document], error) {
	return &web.Reply[Document]{
		Status: status, Header: map[string]string{"ETag": web.ETag(d.Revision)}, Raw: document.Encode(d, reader(r)), ContentType: jsonType,
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
	o, g, n := outcome(r, &d, in.ID, http.StatusOK), s.gathering(r), s.normalising(r)
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
		if err := g.look(ctx, w, &p); err != nil {
			return err
		}
		if len(d.Signs) > 0 && p.next.Name != d.Name {
			drawable("name", say.DocumentNameNotDrawn, p.next.Name, w.Errors(""))
			if err := w.Errors("").Err(); err != nil {
				return err
			}
		}
		if err := g.store(ctx, w, &p); err != nil {
			return err
		}
		if len(d.Signs) > 0 && (p.take != nil || p.next.Shown != d.Shown) { // what signers have a link to stays what can be signed
			if err := n.ready(ctx, &p.next); err != nil {
				return err
			}
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
		if d.HasSignature() && !r.Principal.Role.Covers(tenant.Manager) { // it is withdrawn: see document.Withdrawn
			return fault.ErrForbidden
		}
		if err := r.Match(web.ETag(d.Revision)); err != nil {
			return err
		}
		if err := clerk.Gone(w, d); err != nil {
			return err
		}
		return s.kind.Remove(ctx, w, in.ID)
	})
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
		name = strings.TrimSpace(string([]rune(name)[:document.MaxName]))
	}
	return name
}
