package restore_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/pack"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/infra/operator/restore"
	"github.com/tenantry/tenantry/infra/operator/stagetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// The command asks before it writes, restores, and makes the segments of the search anew: they know what the copy has, and nothing of
// what came since.
func TestCommand(t *testing.T) {
	const many = 230 // clients, more than are searched without segments
	w := estatetest.Make(t)
	first, copied := w.Table(t)
	desk := func(conn *table.Conn) *webtest.Client {
		return webtest.Setup{Change: func(e *app.Env) { e.Table, e.Files = conn, filestest.New(t) }}.New(t, clients.New).As(webtest.Owner(company))
	}
	for range many {
		desk(first).Post("/v1/crm/clients/", `{"name":"Of the copy","type":0}`).Status(201)
	}
	name := enginetest.Table(t)
	estatetest.Fill(t, name, estatetest.Scan(t, copied))
	conn := table.Open(enginetest.Client(t), name)
	m := pack.Merger(app.Env{
		Table: conn, Files: filestest.New(t), Now: time.Now, NewUUID: uuid.New, Config: app.Config{SearchMemory: 1 << 28},
	})
	live := table.Of(conn, company)
	for range 20 {
		desk(conn).Post("/v1/crm/clients/", `{"name":"Came since","type":0}`).Status(201)
	}
	desk(conn).Patch("/v1/crm/clients/40/", `{"name":"Renamed since"}`).Status(200)
	desk(conn).Delete("/v1/crm/clients/50/").Status(204)
	if err := m.Anew(t.Context(), live, kinds.Client, pack.Wait(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := crosstenant.Open(conn).Update(live.Company()).Set("st", "suspended").Set("sta", time.Now().Add(-time.Hour).UnixMicro()).
		Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	d, err := m.Compare(t.Context(), live, kinds.Client)
	if err != nil || !d.Built || d.Any() {
		t.Fatalf("before: %+v, %v", d, err)
	}

	e, out := stagetest.Over(t, name, "n\n")
	before := estatetest.Scan(t, name)
	if err := restore.Command(t.Context(), e, []string{"-tenant", "1", "-from", copied}); err == nil || !strings.Contains(err.Error(), "nothing was done") {
		t.Fatalf("%v\n%s", err, out)
	}
	same(t, "not confirmed", before, estatetest.Scan(t, name))
	for want, args := range map[string][]string{
		"name the company with -tenant":    {"-from", copied},
		"name the company with -tenant, ":  {"-tenant", "1"},
		"-from is the stage's own table":   {"-tenant", "1", "-from", name},
		"-as x is neither new nor a":       {"-tenant", "1", "-from", copied, "-as", "x"},
		"there is no company 70000123":     {"-tenant", "1", "-from", copied, "-as", "70000123"},
		"company 2 is another company":     {"-tenant", "1", "-from", copied, "-as", "2"},
		"belongs to no flag":               {"-tenant", "1", "-from", copied, "more"},
		"the copy has no company 70000124": {"-tenant", "70000124", "-from", copied},
	} {
		e, _ := stagetest.Over(t, name, "y\n")
		if err := restore.Command(t.Context(), e, args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, not %q", args, err, want)
		}
	}

	e, out = stagetest.Over(t, name, "y\n")
	if err := restore.Command(t.Context(), e, []string{"-tenant", "1", "-from", copied}); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, part := range []string{
		`The copy has of company 1, "Acme Rentals":`, "It stays suspended.", "Company 1 is what the copy has, as compared again: ",
		"Messages that waited in the copy and are left out: 2 of listing.sweep.",
		"operator resume -tenant 1.",
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not said:\n%s", part, out)
		}
	}
	d, err = m.Compare(t.Context(), live, kinds.Client)
	if err != nil || !d.Built || d.Any() {
		t.Errorf("after: %+v, %v", d, err)
	}
	for search, want := range map[string]string{"Of the copy": "230", "Came since": "0", "Renamed since": "0"} {
		desk(conn).Get("/v1/crm/clients/?search="+url.QueryEscape(search)).Status(200).Field("count", want)
	}
	desk(conn).Post("/v1/crm/clients/", `{"name":"After it","type":0}`).Status(201).Field("id", "253") // 252 was given out before

	// Under a new number.
	given(t, table.Open(enginetest.Client(t), name), 70000122)
	e, out = stagetest.Over(t, name, "")
	if err := restore.Command(t.Context(), e, []string{"-tenant", "1", "-from", copied, "-as", "new", "-yes"}); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(out.String(), "Its number is 70000123. If this is interrupted, go on with -as 70000123.") {
		t.Error(out)
	}
	beside := table.Of(table.Open(enginetest.Client(t), name), tenant.ID(70000123))
	if d, err := m.Compare(t.Context(), beside, kinds.Client); err != nil || !d.Built || d.Any() {
		t.Errorf("beside: %+v, %v", d, err)
	}
}
