package document

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Several companies may have had the same bytes signed. The hash finds the document of each in that company, the oldest seal first.
func TestFindInSeveralCompanies(t *testing.T) {
	conn := tabletest.New(t)
	public, begin := OpenPublic(conn), time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	sum := bytes.Repeat([]byte{7}, 32)
	for i, company := range []tenant.ID{12, 1} {
		scope := public.Scope(record.Scope{
			Table: table.Of(conn, company), Actor: audit.Actor{User: 1, Request: "r", At: begin}, Now: func() time.Time { return begin },
		})
		if err := scope.Do(t.Context(), nil, func(w *record.Work) error {
			d := &Document{Name: "lease of " + company.String()}
			Kind().Create(w, "", d)
			d.AddFile(files.Object{Version: "v", SHA256: sum, ContentType: PDF, Size: 1}, Original, "lease.pdf")
			d.AddFile(files.Object{Version: "v", SHA256: bytes.Repeat([]byte{byte(company)}, 32), ContentType: PDF, Size: 1}, SealedFile, "lease.pdf")
			at := begin.Add(time.Duration(i) * time.Second).UnixMicro()
			d.Seal = &Seal{At: at, Level: "B-B", Certificate: sum, Head: sum}
			public.Register(w, d)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		sum  []byte
		want string
	}{
		{sum, "[lease of 12 false lease of 1 false]"},
		{bytes.Repeat([]byte{12}, 32), "[lease of 12 true]"},
		{bytes.Repeat([]byte{1}, 32), "[lease of 1 true]"},
		{bytes.Repeat([]byte{9}, 32), "[]"},
	} {
		found, err := public.Find(t.Context(), c.sum)
		if err != nil {
			t.Fatal(err)
		}
		var got []any
		for _, of := range found {
			got = append(got, of.Name, of.Whole)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%x finds %v, want %s", c.sum[:1], got, c.want)
		}
	}
}
