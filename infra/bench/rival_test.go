package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// lists is a server whose lists have some records.
func lists(t *testing.T, member string, count int) *caller {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{%q:%d}`, member, count)
	}))
	t.Cleanup(server.Close)
	return &caller{url: server.URL, http: server.Client()}
}

// Both sides are asked for the same records, or there is no comparison; without the other side, ours is shown alone.
func TestCompare(t *testing.T) {
	people := []person{individual(1), individual(2)}
	ours := lists(t, "count", 7)
	for name, theirs := range map[string]*caller{"both": lists(t, "totalItems", 7), "ours alone": nil} {
		var r section
		if err := compare(t.Context(), &r, people, ours, theirs); err != nil {
			t.Fatal(name, err)
		}
		row := printed([]*section{&r})
		if empty := strings.Contains(row, "|  |  |  |  |"); empty != (theirs == nil) || !strings.Contains(row, "by the state | 7 |") {
			t.Errorf("%s: %s", name, row)
		}
	}
	if err := compare(t.Context(), &section{}, people, ours, lists(t, "totalItems", 8)); err == nil {
		t.Error("sides that find 7 and 8 were compared")
	}
	if err := compare(t.Context(), &section{}, people, lists(t, "count", 0), lists(t, "totalItems", 0)); err == nil {
		t.Error("sides that find nothing were compared")
	}
}
