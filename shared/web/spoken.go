package web

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/say"
)

// spoken is a body with its messages said in the language that the caller likes best, of those that the stage speaks. What is stored
// for a repeated request is neutral, so that whoever repeats it is answered in their own language. varies tells whether it could have
// been another language: an ETag names a revision in whatever language, so it doesn't tell which one the caller has.
func (s *Server) spoken(w http.ResponseWriter, r *http.Request, body []byte, contentType string) (said []byte, varies bool) {
	if !strings.HasSuffix(contentType, "json") || !say.Neutral(body) {
		return body, false
	}
	language := say.Preferred(r.Header.Get("Accept-Language"), s.config.Languages)
	s.inLanguage(w.Header(), language)
	return say.Spoken(body, language, callOf(r).clock), len(s.config.Languages) > 1
}

// clock is the zone of the call's company, by which moments are said, or UTC if there is no company or its zone can't be read: a
// moment names its zone, so it is right in any.
func (c *call) clock() *time.Location {
	if c.zone != nil {
		if zone, err := c.zone(); err == nil {
			return zone
		}
	}
	return time.UTC
}

// inLanguage tells in which language an answer is, and caches that it may be another one for another caller.
func (s *Server) inLanguage(h http.Header, language say.Language) {
	h.Set("Content-Language", string(language))
	if len(s.config.Languages) > 1 {
		vary(h, "Accept-Language")
	}
}

// vary tells caches that an answer depends on a header of the request.
func vary(h http.Header, name string) {
	if !slices.Contains(h.Values("Vary"), name) {
		h.Add("Vary", name)
	}
}
