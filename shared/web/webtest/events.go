package webtest

import (
	"fmt"
	"slices"

	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Events gives the events of a company their numbers, and returns those after a number, of which there may be a few hundred.
func (a *API) Events(company tenant.ID, after int64) []eventlog.Entry {
	a.t.Helper()
	ctx, log := a.t.Context(), eventlog.Of(table.Of(a.Env.Table, company), a.Clock.Now)
	if _, err := log.Sequence(ctx); err != nil {
		a.t.Fatal(err)
	}
	entries, _, err := log.Read(ctx, after)
	if err != nil {
		a.t.Fatal(err)
	}
	return entries
}

// Left runs what leaves events of a company, and checks them exactly, as those of workers, which no answer shows: the name of each, its
// record, what it concerns and its data, such as
// "penalty.matched penalty:1 [order:3 client:2] {"inventory":1}".
func (a *API) Left(company tenant.ID, do func(), want ...string) {
	a.t.Helper()
	after := int64(0)
	if before := a.Events(company, 0); len(before) > 0 {
		after = before[len(before)-1].Number
	}
	do()
	var got []string
	for _, e := range a.Events(company, after) {
		data := string(e.Data)
		if data == "" {
			data = "{}"
		}
		got = append(got, fmt.Sprint(e.Name, " ", e.About(), " ", e.Concerns, " ", data))
	}
	if !slices.Equal(got, want) {
		a.t.Errorf("%q happened, want %q", got, want)
	}
}
