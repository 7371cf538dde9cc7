package documents

import (
	"context"
	"errors"
	"mime"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
)

// uploadLife is how long an upload waits for a document.
const uploadLife = 24 * time.Hour

// upload is an upload that was announced. Its bytes may not be there yet.
type upload struct {
	table.Item
	ID   uuid.UUID `dynamo:"id"`
	Name string    `dynamo:"n"`
	By   int64     `dynamo:"b"`
	TTL  int64     `dynamo:"ttl"` // Unix seconds; every reader checks it
}

type uploadInput struct {
	Body struct {
		Name        decode.Optional[string] `json:"name" required:"true" maxLength:"255" doc:"Name of the file"`
		ContentType decode.Optional[string] `json:"content_type" required:"true" maxLength:"255"`
		Size        decode.Optional[int64]  `json:"size" required:"true" minimum:"1" maximum:"26214400" doc:"Bytes, at most 25 MB"`
	}
}

// Upload is the presigned request that stores the bytes of a file.
type Upload struct {
	File      string            `json:"file" format:"uri" doc:"What a document then takes"`
	URL       string            `json:"url" format:"uri"`
	Method    string            `json:"method"`
	Headers   map[string]string `json:"headers"`
	Fields    map[string]string `json:"fields" doc:"Fields of a form; none for a PUT"`
	ExpiresAt string            `json:"expires_at" format:"date-time"`
}

func (s *service) upload(ctx context.Context, r *web.Request, in *uploadInput) (Upload, error) {
	b := in.Body
	contentType, ok := mediaType(b.ContentType.Value)
	if !ok {
		return Upload{}, fault.Field("content_type", "This is not a media type.")
	}
	id := s.newUUID()
	request, err := s.files.Upload(ctx, r.Table.ID(), id, contentType, b.Size.Value)
	if err != nil {
		return Upload{}, err
	}
	u := upload{
		Item: table.At(r.Table.Upload(id.String()), 1), ID: id, Name: baseName(b.Name.Value), By: r.Principal.User,
		TTL: s.now().Add(uploadLife).Unix(),
	}
	if err := table.Retry(ctx, func() error { return r.Table.Put(u).Run(ctx) }); err != nil {
		return Upload{}, err
	}
	return Upload{
		File: request.File, URL: request.URL, Method: request.Method, Headers: request.Headers,
		Fields: map[string]string{}, ExpiresAt: instant(request.Expires),
	}, nil
}

// errNoUpload says the same of another company's upload, of one that is too
// old, of one without bytes, and of an address of anywhere else.
var errNoUpload = fault.Field("file", "No uploaded file has this address.")

// find is the upload of a uri.
func (s *service) find(ctx context.Context, r *web.Request, uri string) (*upload, error) {
	id, err := s.files.ParseUpload(ctx, r.Table.ID(), uri)
	if errors.Is(err, files.ErrForeign) {
		return nil, errNoUpload
	}
	if err != nil {
		return nil, err
	}
	u := new(upload)
	err = r.Table.Get(ctx, r.Table.Upload(id.String()), u)
	if errors.Is(err, table.ErrNotFound) || err == nil && s.now().Unix() >= u.TTL {
		return nil, errNoUpload
	}
	return u, err
}

// anyType is the content type of bytes that nobody has named the type of.
const anyType = "application/octet-stream"

// maxMediaType is the longest content type, in bytes: the bucket refuses a
// header of some thousands.
const maxMediaType = 255

// mediaType is a content type in its usual spelling. It tells whether it is
// one: a type and a subtype, neither of them a wildcard.
func mediaType(sent string) (string, bool) {
	if len(sent) > maxMediaType {
		return "", false
	}
	media, params, err := mime.ParseMediaType(sent)
	if err != nil {
		return "", false
	}
	kind, subtype, _ := strings.Cut(media, "/")
	t := mime.FormatMediaType(media, params) // may be longer: it escapes
	return t, t != "" && len(t) <= maxMediaType && registrable(kind) && registrable(subtype)
}

// registrable tells whether a type or a subtype is one that can be registered
// (RFC 6838, 4.2).
func registrable(name string) bool {
	const alphanumeric = "abcdefghijklmnopqrstuvwxyz0123456789"
	return name != "" && strings.Trim(name, alphanumeric+"!#$&-^_.+") == "" && strings.IndexByte(alphanumeric, name[0]) >= 0
}
