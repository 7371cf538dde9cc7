package web

import (
	"net/http"
	"strings"

	"github.com/tenantry/tenantry/shared/say"
)

// spoken is a body with its messages said in the language that the caller likes best, of those that the stage speaks. What is stored
// for a repeated request is neutral, so that whoever repeats it is answered in their own language.
func (s *Server) spoken(w http.ResponseWriter, r *http.Request, body []byte, contentType string) []byte {
	if !strings.HasSuffix(contentType, "json") || !say.Neutral(body) {
		return body
	}
	language := say.Preferred(r.Header.Get("Accept-Language"), s.config.Languages)
	w.Header().Set("Content-Language", string(language))
	if len(s.config.Languages) > 1 {
		w.Header().Add("Vary", "Accept-Language")
	}
	return say.Spoken(body, language)
}
