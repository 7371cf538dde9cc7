package documents

import (
	"context"
	"net/http"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/slimindex"
	"github.com/tenantry/tenantry/shared/web"
)

type listInput struct {
	Page     string `query:"page"`
	PageSize string `query:"pageSize"`
	Search   string `query:"search"`
	Ordering string `query:"ordering"`
}

func (s *service) list(ctx context.Context, r *web.Request, in *listInput) (*web.Reply, error) {
	p, err := r.PageOf()
	if err != nil {
		return nil, err
	}
	terms := r.Ordering("id", "name", "created_at", "updated_at", "source")
	page, count, err := s.store(r).list(ctx, slimindex.Words(in.Search), terms, p)
	if err != nil {
		return nil, err
	}
	envelope, err := web.Envelope(r, p, count, page)
	if err != nil {
		return nil, err
	}
	encoded, err := encodeList(envelope, r.BaseURL)
	return &web.Reply{Status: http.StatusOK, Raw: encoded, ContentType: jsonType}, err
}

type fileInput struct {
	ID   int64 `path:"id"`
	File int64 `path:"file_id"`
}

// fileLink is where a file can be read for some minutes.
type fileLink struct {
	URL       string `json:"url" format:"uri"`
	ExpiresAt string `json:"expires_at" format:"date-time"`
}

func (s *service) file(ctx context.Context, r *web.Request, in *fileInput) (*web.Reply, error) {
	d, err := s.store(r).get(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	f := d.file(in.File)
	if f == nil {
		return nil, fault.ErrNotFound
	}
	name := f.Name
	if name == "" {
		name = d.Name + ".html"
	}
	url, expires, err := s.files.Download(ctx, r.Table.ID(), f.ID, f.Version, name)
	if err != nil {
		return nil, err
	}
	reply := &web.Reply{Status: http.StatusFound, Header: map[string]string{"Cache-Control": "no-store"}}
	if asksForJSON(r.Accept) {
		reply.Status, reply.Body = http.StatusOK, fileLink{URL: url, ExpiresAt: instant(expires)}
	} else {
		reply.Header["Location"] = url
	}
	return reply, nil
}

// asksForJSON tells a program that names JSON from whoever takes anything:
// browsers name text/html and */*. Who refuses JSON (q=0) does not get here.
func asksForJSON(accept string) bool {
	for _, term := range strings.Split(accept, ",") {
		media, _, _ := strings.Cut(term, ";")
		if strings.EqualFold(strings.TrimSpace(media), jsonType) {
			return true
		}
	}
	return false
}
