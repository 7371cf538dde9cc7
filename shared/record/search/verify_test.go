package search

import (
	"errors"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// A request reads so much and no more, whichever way it reads, and says why it
// stops.
func TestReadingOfTextsIsBounded(t *testing.T) {
	tenant := table.Of(tabletest.New(t), 7)
	name := strings.Repeat("очень ", 20)
	var entries []Entry
	for id := range int64(120) {
		entries = append(entries, Entry{ID: id + 1})
		if err := tenant.Put(struct {
			table.Item
			Name, Rest string
		}{table.At(tenant.Record(kinds.Document, id+1), 1), name, strings.Repeat("x", 20_000)}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name  string
		total int // 120 are many of 200 and few of 1000
		reads int64
		want  error
	}{
		{"all: three calls of 1 MB", 200, 3, nil},
		{"all: one less", 200, 2, ErrTooMuchText},
		{"some: two calls of 100 records", 1000, 2, nil},
		{"some: one less", 1000, 1, ErrTooMuchText},
	} {
		s := search{
			index: anyIndex{Tenant: tenant, Kind: kinds.Document, Values: func(r table.Attributes) (Values, error) { return Values{Name: r.Text("Name")}, nil }, Needs: []string{"Name"}},
			total: tt.total, ranges: []listing.Range{{From: 1, To: table.MaxID}}, texts: map[int64]map[string][]byte{},
		}
		s.reads.Store(tt.reads)
		err := s.verify(t.Context(), entries)
		if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%s: %v", tt.name, err)
		}
		for id, text := range s.texts {
			if err == nil && string(text[Text]) != string(encode(Fold(name))) {
				t.Errorf("%s: record %d has %q", tt.name, id, text[Text])
			}
		}
	}
	if f, ok := fault.As(ErrTooMuchText); !ok || f.Code != fault.Invalid || f.Members["code"] != "too_much_text" || f.Detail == "" {
		t.Errorf("%v", ErrTooMuchText)
	}
}
