package documents

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/principal"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// finder is how the list is searched, filtered and ordered.
func (s *service) finder() resource.Finder {
	return resource.FinderOf(s.kind, ofSigner())
}

// ofSigner is the filter of documents by who is to sign them, or has.
func ofSigner() resource.Filter {
	field := column.Reference[*document.Document]("signer", "", nil).
		Doc("Id of a client who is a signer, whether they have signed or not").Field
	return resource.Comparing(field, []column.Comparison{column.Equal, column.In},
		func(_ context.Context, _ *web.Request, q *search.Query, clients []segment.Condition) error {
			for _, c := range clients {
				q.Add(document.SignedBy(c))
			}
			return nil
		})
}

func (s *service) list(ctx context.Context, r *web.Request, _ *web.ListInput) (*web.Reply[web.List[Document]], error) {
	p, err := r.PageOf()
	if err != nil {
		return nil, err
	}
	q, err := s.finder().Query(ctx, r)
	if err != nil {
		return nil, err
	}
	page, count, err := s.kind.Page(ctx, s.scope(r), q, resource.Window(p))
	if err != nil {
		return nil, err
	}
	envelope, err := web.Envelope(r, p, count, page)
	if err != nil {
		return nil, err
	}
	to := reader(r)
	to.Language = r.Language()
	return &web.Reply[web.List[Document]]{Raw: encodeList(envelope, to), ContentType: jsonType, Language: to.Language}, nil
}

// reader is whom the answer to a request of staff, or of a program, is for. Who may change documents may also send a signer the link,
// and so may a key that has the signs written.
func reader(r *web.Request) document.Reader {
	return document.Reader{Base: r.BaseURL, Signs: sends(r.Principal)}
}

func sends(p principal.Principal) bool {
	if p.Key != 0 {
		return p.Scopes.Has(scope.Write(scope.Signing))
	}
	return p.Role.Covers(tenant.Employee)
}

// encodeList is the answer of a list.
func encodeList(list web.List[*document.Document], to document.Reader) []byte {
	b := make([]byte, 0, 200+document.Typical*len(list.Results))
	b = append(b, `{"count":`...)
	b = strconv.AppendInt(b, int64(list.Count), 10)
	b = append(b, `,"next":`...)
	b = document.AppendTextOrNull(b, list.Next)
	b = append(b, `,"previous":`...)
	b = document.AppendTextOrNull(b, list.Previous)
	b = append(b, `,"results":[`...)
	for i := range list.Results {
		if i > 0 {
			b = append(b, ',')
		}
		b = list.Results[i].Append(b, to)
	}
	return append(b, ']', '}')
}

type fileInput struct {
	ID   int64 `path:"id"`
	File int64 `path:"file_id"`
}

func (s *service) file(ctx context.Context, r *web.Request, in *fileInput) (*web.Reply[web.FileLink], error) {
	d, err := s.kind.Get(ctx, s.scope(r), in.ID)
	if err != nil {
		return nil, err
	}
	f := d.File(in.File)
	if f == nil {
		return nil, fault.ErrNotFound
	}
	url, expires, err := s.files.Download(ctx, r.Table.ID(), f.ID, f.Version, saveAs(d, f))
	if err != nil {
		return nil, err
	}
	return r.Download(url, expires), nil
}

// saveAs returns the name under which a file is saved: its own, or the document's with the
// extension of its type.
func saveAs(d *document.Document, f *document.File) string {
	if f.Name != "" {
		return f.Name
	}
	known := extensions(f.ContentType)
	if len(known) == 0 || slices.Contains(known, strings.ToLower(path.Ext(d.Name))) {
		return d.Name
	}
	return d.Name + known[0]
}

// extensions returns the extensions of a media type, the usual one first. The mime package is
// not used, because its result depends on the machine.
func extensions(contentType string) []string {
	media, _, _ := strings.Cut(contentType, ";")
	switch media {
	case "text/html":
		return []string{".html", ".htm"}
	case "text/plain":
		return []string{".txt"}
	case "text/csv":
		return []string{".csv"}
	case "application/pdf":
		return []string{".pdf"}
	case "application/json":
		return []string{".json"}
	case "application/xml", "text/xml":
		return []string{".xml"}
	case "application/zip":
		return []string{".zip"}
	case "application/rtf":
		return []string{".rtf"}
	case "application/msword":
		return []string{".doc"}
	case "application/vnd.ms-excel":
		return []string{".xls"}
	case "application/vnd.openxmlformats-officedocument.wordprocessingml.document":
		return []string{".docx"}
	case "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":
		return []string{".xlsx"}
	case "image/jpeg":
		return []string{".jpg", ".jpeg"}
	case "image/png":
		return []string{".png"}
	case "image/gif":
		return []string{".gif"}
	case "image/webp":
		return []string{".webp"}
	case "image/tiff":
		return []string{".tiff", ".tif"}
	}
	return nil
}
