package documents

import (
	"context"
	"mime"
	"strings"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
)

type uploadInput struct {
	Body struct {
		Name        decode.Optional[string] `json:"name" required:"true" maxLength:"255" example:"Scan.pdf" doc:"Name of the file"`
		ContentType decode.Optional[string] `json:"content_type" required:"true" maxLength:"255" example:"application/pdf"`
		Size        decode.Optional[int64]  `json:"size" required:"true" minimum:"1" maximum:"26214400" example:"1024" doc:"Bytes, at most 25 MB"`
	}
}

// Upload is the presigned request that stores the bytes of a file.
type Upload struct {
	File      string            `json:"file" format:"uri" doc:"What a document, an import or an image then takes"`
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
		return Upload{}, fault.Field("content_type", say.MediaTypeWrong)
	}
	request, err := s.uploads().Announce(ctx, r.Table, r.Principal, baseName(b.Name.Value), contentType, b.Size.Value)
	if err != nil {
		return Upload{}, err
	}
	return Upload{
		File: request.File, URL: request.URL, Method: request.Method, Headers: request.Headers,
		Fields: map[string]string{}, ExpiresAt: encode.Instant(request.Expires),
	}, nil
}

func (s *service) uploads() uploads.Store {
	return uploads.Store{Files: s.files, Now: s.now, NewUUID: s.newUUID, Throttle: s.throttle}
}

// anyType is the content type of bytes for which no type was sent.
const anyType = "application/octet-stream"

// maxMediaType is the longest content type, in bytes: the bucket refuses headers of several
// thousand bytes.
const maxMediaType = 255

// mediaType returns a content type in its usual spelling, and whether it is valid: a type and
// a subtype, without wildcards.
func mediaType(sent string) (string, bool) {
	if len(sent) > maxMediaType {
		return "", false
	}
	media, params, err := mime.ParseMediaType(sent)
	if err != nil {
		return "", false
	}
	kind, subtype, _ := strings.Cut(media, "/")
	t := mime.FormatMediaType(media, params) // may be longer than what was sent, because of escapes
	return t, t != "" && len(t) <= maxMediaType && registrable(kind) && registrable(subtype)
}

// registrable tells whether a type or a subtype is one that can be registered
// (RFC 6838, 4.2).
func registrable(name string) bool {
	const alphanumeric = "abcdefghijklmnopqrstuvwxyz0123456789"
	return name != "" && strings.Trim(name, alphanumeric+"!#$&-^_.+") == "" && strings.IndexByte(alphanumeric, name[0]) >= 0
}
