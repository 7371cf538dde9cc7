package web

import (
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
)

// FileLink is the address of a file, which works for some minutes.
type FileLink struct {
	URL       string `json:"url" format:"uri"`
	ExpiresAt string `json:"expires_at" format:"date-time"`
}

// Download answers with the address of a file: as a redirect, or as JSON if the caller asks
// for JSON. The operation produces "*/*".
func (r *Request) Download(url string, expires time.Time) *Reply[FileLink] {
	reply := &Reply[FileLink]{Status: http.StatusFound, Header: map[string]string{"Cache-Control": "no-store"}}
	if asksForJSON(r.Accept) {
		reply.Status, reply.Body = http.StatusOK, &FileLink{URL: url, ExpiresAt: encode.Instant(expires)}
	} else {
		reply.Header["Location"] = url
	}
	return reply
}

// Downloads describes the answers of an operation that answers with Download.
func Downloads() []Answer {
	return []Answer{
		{Status: http.StatusOK, Doc: "The address, for who asks for JSON.", Body: reflect.TypeFor[FileLink]()},
		{
			Status: http.StatusFound,
			Doc:    "To the bytes, as an attachment.",
			Header: map[string]string{"Location": "Works for some minutes."},
		},
	}
}

// AsksFor tells whether a caller names a media type in its Accept header, and not JSON.
func (r *Request) AsksFor(media string) bool { return names(r.Accept, media) && !asksForJSON(r.Accept) }

// asksForJSON tells whether a caller names JSON in its Accept header. Browsers name text/html
// and */*. A caller that refuses JSON (q=0) was already answered with 406.
func asksForJSON(accept string) bool { return names(accept, decode.TypeJSON) }

// names tells whether an Accept header names a media type, and doesn't refuse it.
func names(accept, media string) bool {
	for _, term := range strings.Split(accept, ",") {
		name, params, _ := strings.Cut(term, ";")
		if strings.EqualFold(strings.TrimSpace(name), media) && quality(params) {
			return true
		}
	}
	return false
}
