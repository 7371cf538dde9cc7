package platform

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What is answered with 503, because a search is being prepared, is asked for again; other errors end it.
func TestClientWaitsForSearches(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch asked++; {
		case r.URL.Path == "/broken/":
			w.WriteHeader(http.StatusInternalServerError)
		case asked < 3:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"code":"search_preparing"}`)
		default:
			fmt.Fprint(w, `{"count":7}`)
		}
	}))
	defer server.Close()
	var out strings.Builder
	c := &client{base: server.URL, out: &out}
	if n, err := c.count(t.Context(), "/list/"); err != nil || n != 7 || asked != 3 {
		t.Errorf("%d records after %d requests, %v", n, asked, err)
	}
	if strings.Count(out.String(), "again in 1s: GET /list/: 503") != 2 {
		t.Errorf("it tells %q", out.String())
	}
	if _, err := c.count(t.Context(), "/broken/"); err == nil || asked != 4 {
		t.Errorf("%d requests, %v", asked, err)
	}
}
