package web

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

const (
	gzipFrom   = 1 << 10        // bytes; smaller answers gain nothing
	maxAnswer  = 5 << 20        // bytes of a body
	maxPayload = 6<<20 - 64<<10 // bytes of a body within the answer of a Lambda: 6 MB less headers
)

var gzips = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return w
}}

func (s *Server) succeed(w http.ResponseWriter, r *http.Request, op Operation, result any) {
	switch result := result.(type) {
	case replying:
		answer := result.plain()
		answer.Status = cmp.Or(answer.Status, op.Success())
		s.write(w, r, answer)
	case *plainReply:
		s.write(w, r, result)
	case None:
		s.write(w, r, &plainReply{Status: op.Success()})
	default:
		s.write(w, r, &plainReply{Status: op.Success(), Body: result})
	}
}

func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	c := callOf(r)
	c.err = err
	f := told(err, c.id)
	if s.config.Refused != nil {
		s.config.Refused(f)
	}
	vary(w.Header(), "Accept") // it may be a problem
	s.write(w, r, errorReply(f, s.config.Scheme+"://"+hostOf(c.event), wantsProblem(r.Header.Get("Accept"))))
}

// write sends a reply. A body that can't be encoded or is too large becomes an
// error before a byte is out.
func (s *Server) write(w http.ResponseWriter, r *http.Request, reply *plainReply) {
	c := callOf(r)
	body, contentType, err := reply.encoded()
	if err != nil {
		s.fail(w, r, err)
		return
	}
	body, varies := s.spoken(w, r, body, contentType)
	if reply.Language != "" {
		s.inLanguage(w.Header(), reply.Language)
	}
	zip := len(body) > gzipFrom && isText(contentType) && reply.Header["Content-Encoding"] == ""
	takesZip := zip && takesGzip(r.Header.Get("Accept-Encoding"))
	status := cmp.Or(reply.Status, http.StatusOK)
	if !varies && unchanged(r, reply) { // a 304 has every header except the headers of a body
		status, body, contentType, takesZip = http.StatusNotModified, nil, "", false
	}
	fits := len(body) <= maxAnswer
	if fits && takesZip {
		body = zipped(body)
	}
	if !fits || !fitsPayload(body) {
		s.fail(w, r, fault.Field("pageSize", say.AnswerTooLarge))
		return
	}
	h := w.Header()
	for name, value := range reply.Header {
		h.Set(name, value)
	}
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
	if zip {
		vary(h, "Accept-Encoding")
	}
	if takesZip {
		h.Set("Content-Encoding", "gzip")
	}
	if kept := c.op.kept(); kept != "" {
		h.Set("Cache-Control", kept)
	}
	if s.config.ServerTiming {
		h.Set("Server-Timing", timing(c.meter.Usage()))
	}
	c.status, c.size = status, len(body)
	w.WriteHeader(c.status)
	if r.Method != http.MethodHead && len(body) > 0 {
		_, _ = w.Write(body) // a buffer: it can't fail
	} else if len(body) > 0 {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
}

// encoded returns the body of a reply and its media type.
func (reply *plainReply) encoded() (body []byte, contentType string, err error) {
	if reply.Raw != nil || reply.Body == nil {
		return reply.Raw, reply.ContentType, nil
	}
	if body, err = encode.JSON(reply.Body); err != nil {
		return nil, "", fmt.Errorf("web: encode: %w", err)
	}
	return body, cmp.Or(reply.ContentType, decode.TypeJSON), nil
}

// isText tells whether a media type is worth compressing.
func isText(contentType string) bool {
	return strings.HasSuffix(contentType, "json") || strings.HasPrefix(contentType, "text/")
}

// takesGzip reads an Accept-Encoding header: gzip counts where its quality is
// not 0, and * stands for gzip where gzip is not named.
func takesGzip(header string) bool {
	others := false
	for term := range strings.SplitSeq(header, ",") {
		coding, params, _ := strings.Cut(term, ";")
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip":
			return quality(params)
		case "*":
			others = quality(params)
		}
	}
	return others
}

// fitsPayload tells whether a body fits into the answer of a Lambda function. The answer is
// one JSON text: a quote takes two bytes there, a control character six. A body that is not
// text is sent in base64, which makes it a third longer.
func fitsPayload(body []byte) bool {
	if len(body) <= maxPayload/2 {
		return true
	}
	if !utf8.Valid(body) {
		return base64.StdEncoding.EncodedLen(len(body)) <= maxPayload
	}
	size := len(body)
	for _, c := range body {
		switch {
		case c < ' ':
			size += 5
		case c == '"', c == '\\':
			size++
		}
	}
	return size <= maxPayload
}

func zipped(body []byte) []byte {
	var b bytes.Buffer
	z := gzips.Get().(*gzip.Writer)
	defer gzips.Put(z)
	z.Reset(&b)
	_, _ = z.Write(body) // into memory: it can't fail
	_ = z.Close()
	return b.Bytes()
}
