package company_test

import (
	"testing"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// TestZoneOf: a company has its own zone.
func TestZoneOf(t *testing.T) {
	conn := table.Open(enginetest.Client(t), enginetest.Table(t))
	for id, name := range map[int64]string{1: "Asia/Almaty", 2: "Europe/Berlin"} {
		of := table.Of(conn, tenant.ID(id))
		c := company.Company{Item: table.At(of.Company(), company.Version), ID: id, TimeZone: name}
		if err := of.Put(c).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for id, name := range map[int64]string{1: "Asia/Almaty", 2: "Europe/Berlin"} {
		zone, err := company.ZoneOf(t.Context(), table.Of(conn, tenant.ID(id)))
		if err != nil || zone.String() != name {
			t.Errorf("company %d: %v, %v", id, zone, err)
		}
	}
	if _, err := company.ZoneOf(t.Context(), table.Of(conn, 3)); err == nil {
		t.Error("a company that there is not has a zone")
	}
}

// The field counts before what extra said before there was the field.
func TestSpeaks(t *testing.T) {
	for _, c := range []struct {
		chosen say.Language
		extra  string
		want   say.Language
	}{
		{"", "", ""},
		{"", "{}", ""},
		{"", `[1]`, ""},
		{"", `{"language":7}`, ""},
		{"", `{"language":"de"}`, ""},
		{"", `{"language":"kk"}`, say.Kazakh},
		{"", `{"language":" EN-us"}`, say.English},
		{say.Russian, `{"language":"kk"}`, say.Russian},
		{say.English, "", say.English},
	} {
		if got := (company.Company{Language: c.chosen, Extra: c.extra}).Speaks(); got != c.want {
			t.Errorf("%q and %s: %q", c.chosen, c.extra, got)
		}
	}
}
