package documents

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/uploads"
	"github.com/tenantry/tenantry/shared/web"
)

type createInput struct{ Body body }

type updateInput struct {
	ID   int64 `path:"id"`
	Body body
}

type oneInput struct {
	ID int64 `path:"id"`
}

// defaultName is the name of a document that nobody has named.
const defaultName = "Document"

func (s *service) create(ctx context.Context, r *web.Request, in *createInput) (*web.Reply, error) {
	return s.add(ctx, r, document{Source: generated}, in.Body, http.StatusCreated)
}

// add makes a new document of what is there to begin with and what the caller
// sent.
func (s *service) add(ctx context.Context, r *web.Request, from document, in body, status int) (*web.Reply, error) {
	from.UUID, from.CreatedBy = s.newUUID(), r.Principal.User
	p, err := decide(from, in)
	if err != nil {
		return nil, err
	}
	g := gathering{service: s, store: s.store(r), request: r}
	if err := g.collect(ctx, &p); err != nil {
		return nil, err
	}
	d := &p.next
	if d.Name == "" {
		d.Name = firstOf(g.named, defaultName)
	}
	d.CreatedAt = s.now()
	d.UpdatedAt = d.CreatedAt
	linked := p.link
	if l := d.mainLink(); linked == nil && l != nil {
		k, _ := kinds.ByModel(l.Class)
		linked = &reference{class: l.Class, kind: k.Code, id: l.ObjectID}
	}
	var reply *web.Reply
	err = s.store(r).create(ctx, d, linked, func(tx *table.Tx) (err error) {
		if reply, err = answer(r, d, status); err != nil {
			return err
		}
		reply.Header["Location"] = address(r.BaseURL, d.ID)
		return r.Keep(ctx, tx, reply)
	})
	return reply, err
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// answer is a document with its ETag.
func answer(r *web.Request, d *document, status int) (*web.Reply, error) {
	encoded, err := encodeDocument(d, r.BaseURL)
	return &web.Reply{
		Status: status, Header: map[string]string{"ETag": web.ETag(d.Revision)}, Raw: encoded, ContentType: jsonType,
	}, err
}

const jsonType = "application/json"

func (s *service) read(ctx context.Context, r *web.Request, in *oneInput) (*web.Reply, error) {
	d, err := s.store(r).get(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return answer(r, d, http.StatusOK)
}

// update serves PUT and PATCH: no field is required of a document that is
// there but its bytes, which it has.
func (s *service) update(ctx context.Context, r *web.Request, in *updateInput) (reply *web.Reply, err error) {
	g := gathering{service: s, store: s.store(r), request: r}
	err = table.Optimistic(ctx, func() error {
		d, err := s.store(r).get(ctx, in.ID)
		if err != nil {
			return err
		}
		if err := r.Match(web.ETag(d.Revision)); err != nil {
			return err
		}
		if in.Body.Resign.Or(false) && d.hasSignature() {
			sent := in.Body
			sent.Resign = decode.Optional[bool]{}
			reply, err = s.add(ctx, r, d.renewed(), sent, http.StatusOK)
			return err
		}
		p, err := decide(*d, in.Body)
		if err != nil {
			return err
		}
		if !p.changed(d) {
			reply, err = answer(r, d, http.StatusOK)
			return err
		}
		if err := g.collect(ctx, &p); err != nil {
			return err
		}
		if p.next.UpdatedAt = s.now(); p.next.UpdatedAt.Before(d.UpdatedAt) {
			p.next.UpdatedAt = d.UpdatedAt // another machine's clock is ahead
		}
		if err := s.store(r).replace(ctx, d, &p.next, p.link); err != nil {
			return err
		}
		reply, err = answer(r, &p.next, http.StatusOK)
		return err
	})
	return reply, err
}

func (s *service) remove(ctx context.Context, r *web.Request, in *oneInput) (web.None, error) {
	return web.None{}, table.Optimistic(ctx, func() error {
		d, err := s.store(r).get(ctx, in.ID)
		if err != nil {
			return err
		}
		if err := r.Match(web.ETag(d.Revision)); err != nil {
			return err
		}
		return s.store(r).remove(ctx, d, r.Principal.User)
	})
}

// gathering looks up and stores what a plan needs. What it has stored once it
// keeps for the next try.
type gathering struct {
	service *service
	store   store
	request *web.Request

	taken *files.Object // the bytes of the body's file
	made  *files.Object // the bytes of the body's content, or of stored content
	of    object        // the stored content
	html  []byte        // what the stored content makes
	named string        // the name of the uploaded file
	label *string       // of the linked record
}

// collect completes a plan. Bytes are stored only once everything else is known
// to be right.
func (g *gathering) collect(ctx context.Context, p *plan) error {
	errs := fault.Fields{}
	var from *uploads.Upload
	if p.take != nil && p.take.Data == nil && g.taken == nil {
		u, err := g.service.uploads().Find(ctx, g.request.Table, p.take.URI)
		if err := merge(errs, err); err != nil {
			return err
		}
		from = u
	}
	if p.link != nil && g.label == nil {
		label, err := g.store.label(ctx, p.link)
		if err := merge(errs, err); err != nil {
			return err
		}
		g.label = &label
	}
	if err := errs.Err(); err != nil {
		return err
	}
	if p.link != nil {
		p.next.setMain(&link{Class: p.link.class, ObjectID: p.link.id, Role: mainRole, Label: *g.label})
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

// merge collects field errors; any other error is given back.
func merge(errs fault.Fields, err error) error {
	f, ok := fault.As(err)
	if !ok || f.Code != fault.Invalid || len(f.Fields) == 0 {
		return err
	}
	for name, e := range f.Fields {
		errs[name] = e
	}
	return nil
}

// take makes the body's file the original.
func (g *gathering) take(ctx context.Context, p *plan, from *uploads.Upload) (err error) {
	if g.taken == nil {
		var o files.Object
		if from != nil {
			g.named = from.Name
			o, err = g.service.files.Take(ctx, g.store.tenant.ID(), from.ID)
			if errors.Is(err, files.ErrNotFound) {
				return uploads.ErrNone
			}
		} else {
			g.named = baseName(p.take.Name)
			contentType, ok := mediaType(p.take.ContentType)
			if !ok {
				contentType = anyType
			}
			o, err = g.service.files.Put(ctx, g.store.tenant.ID(), g.service.newUUID(), contentType, p.take.Data)
		}
		if err != nil {
			return err
		}
		g.taken = &o
	}
	p.next.setOriginal(g.taken, g.named)
	return nil
}

// maxHTML is the most that a document is generated of, in bytes: as much as the
// longest content of the longest letters. Escaping can make more of content.
const maxHTML = 4 * maxContent

// generate makes the body's content the document's, and the original of it.
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
	p.next.Content = &object{ID: g.made.ID, Version: g.made.Version}
	p.next.setOriginal(g.made, "")
	return nil
}

// regenerate makes the original anew of the content that is stored. Where that
// makes the bytes that are there already, they stay.
func (g *gathering) regenerate(ctx context.Context, p *plan) error {
	if c := p.next.Content; g.html == nil || g.of != *c {
		stored, err := g.service.files.Get(ctx, g.store.tenant.ID(), c.ID, c.Version, maxHTML)
		if err != nil {
			return err
		}
		html, err := g.clean(string(stored))
		if err != nil {
			return err
		}
		g.html, g.of, g.made = html, *c, nil
	}
	if p.next.isOriginal(g.html) {
		return nil
	}
	if g.made == nil {
		if err := g.put(ctx, g.html); err != nil {
			return err
		}
	}
	p.next.setOriginal(g.made, "")
	return nil
}

// isOriginal tells whether the original is a file that was generated of just
// these bytes.
func (d *document) isOriginal(html []byte) bool {
	sum := sha256.Sum256(html)
	return slices.ContainsFunc(d.Files, func(f file) bool {
		return f.Type == original && f.Name == "" && f.ContentType == htmlType && bytes.Equal(f.SHA256, sum[:])
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
	o, err := g.service.files.Put(ctx, g.store.tenant.ID(), g.service.newUUID(), htmlType, html)
	if err != nil {
		return err
	}
	g.made = &o
	return nil
}

// baseName is the name of a file as its sender knew it, without folders, cut to
// what a document's name may be.
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
	if utf8.RuneCountInString(name) > maxName {
		name = string([]rune(name)[:maxName])
	}
	return name
}
