package console

import (
	"strconv"
	"strings"
)

// wantsHTML tells whether an Accept header comes from a browser: it names HTML, and doesn't prefer JSON. Callers that
// accept anything, such as curl, get JSON.
func wantsHTML(accept string) bool {
	html, json := 0.0, 0.0
	for term := range strings.SplitSeq(accept, ",") {
		media, parameters, _ := strings.Cut(term, ";")
		switch strings.ToLower(strings.TrimSpace(media)) {
		case "text/html":
			html = quality(parameters)
		case "application/json":
			json = quality(parameters)
		}
	}
	return html > 0 && html >= json
}

func quality(parameters string) float64 {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(name, "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				return 0
			}
			return q
		}
	}
	return 1
}
