package console

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The latest lines are kept, in order, and each is there for the span in which it was logged.
func TestLines(t *testing.T) {
	l := new(Lines)
	get := func(query string) (int, string) {
		w := httptest.NewRecorder()
		l.between(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/_local/lines?"+query, http.NoBody))
		return w.Code, w.Body.String()
	}
	for i := range mostLines + 2 {
		fmt.Fprintf(l, "{\"n\":%d}\n", i)
	}
	fmt.Fprint(l, "no line of JSON\n")
	code, all := get("from=0&to=9999999999999")
	lines := strings.Fields(all)
	if code != 200 || len(lines) != mostLines-1 || lines[0] != `{"n":3}` || lines[len(lines)-1] != fmt.Sprintf(`{"n":%d}`, mostLines+1) {
		t.Errorf("%d: %d lines, from %s to %s", code, len(lines), lines[0], lines[len(lines)-1])
	}
	if code, some := get("from=0&to=1"); code != 200 || some != "" {
		t.Errorf("%d %q", code, some)
	}
	if code, _ := get("from=x&to=1"); code != 400 {
		t.Errorf("%d", code)
	}
}
