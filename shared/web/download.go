package web

import (
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
)

// FileLink is where a file can be read for some minutes.
type FileLink struct {
	URL       string `json:"url" format:"uri"`
	ExpiresAt string `json:"expires_at" format:"date-time"`
}

// Download leads to the bytes of a file: a redirect, or the address for who asks for
// JSON. The operation produces "*/*".
func (r *Request) Download(url string, expires time.Time) *Reply[FileLink] {
	reply := &Reply[FileLink]{Status: http.StatusFound, Header: map[string]string{"Cache-Control": "no-store"}}
	if asksForJSON(r.Accept) {
		reply.Status, reply.Body = http.StatusOK, &FileLink{URL: url, ExpiresAt: encode.Instant(expires)}
	} else {
		reply.Header["Location"] = url
	}
	return reply
}

// Downloads are the answers of an operation that answers with Download.
func Downloads() []Answer {
	return []Answer{
		{Status: http.StatusOK, Doc: "The address, for who asks for JSON.", Body: reflect.TypeFor[FileLink]()},
		{Status: http.StatusFound, Doc: "To the bytes, as an attachment.", Header: map[string]string{"Location": "Works for some minutes."}},
	}
}

// asksForJSON tells a program that names JSON from whoever takes anything:
// browsers name text/html and */*. Who refuses JSON (q=0) does not get here.
func asksForJSON(accept string) bool {
	for _, term := range strings.Split(accept, ",") {
		media, _, _ := strings.Cut(term, ";")
		if strings.EqualFold(strings.TrimSpace(media), decode.TypeJSON) {
			return true
		}
	}
	return false
}
