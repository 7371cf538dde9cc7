// Package events is the group that tells what happened in a company, in one order for all who ask.
//
// It reads what shared/record/eventlog has put in order. What an event means is declared by the domain whose verb says it; the package
// known joins the declarations.
//
// What never goes in here: making events, which units of work do (shared/record), and giving them their numbers, which the worker does.
package events

import (
	"fmt"
	"net/http"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/eventlog"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
)

// New makes the group.
func New(env app.Env) app.Group {
	return app.Group{Group: web.Group{
		Name: "events", Resource: scope.Events,
		Doc: "What happened in a company, in one order.",
		Operations: []web.Operation{
			web.Op(web.Operation{
				ID:     "events-list",
				Method: http.MethodGet,
				Path:   "/v1/events/",
				Role:   tenant.ReadOnly,
				Draws:  true,
				Query: []web.Param{{
					Name: "types", Type: web.TextList,
					Doc: "Types of events; all others are left out. An unknown one is 400; one that the caller may not read has no events.",
				}},
				Faults:  []fault.Code{fault.Invalid, fault.Gone},
				Summary: "List what happened in the company",
				Doc: fmt.Sprintf("Events after a cursor, the oldest first and up to %d at once, and the cursor to go on from. They are "+
					"there about a second after what made them, and for 30 days; a cursor before that is 410 with the code "+
					"cursor_expired. An event is told once and never changes; its id is higher than those of all before it; and those of "+
					"a record are in the order of its revisions. What the caller may not read is left out: an event needs the role "+
					"that the history of its record needs, or for money the right to read finance; a key for programs needs the scope to "+
					"read such records, too. So an answer may have no results although more follow: nothing is new when "+
					"next_cursor is the cursor that was sent.", eventlog.Most),
			}, list(env.Now)),
			web.Op(web.Operation{
				ID:      "events-types",
				Method:  http.MethodGet,
				Path:    "/v1/events/types/",
				Role:    tenant.ReadOnly,
				Summary: "List the types of events",
				Doc: "Those that the caller may read, each with a JSON Schema of its data and an example. More may come, and data may " +
					"have further members later: whoever reads events leaves out what it doesn't know.",
			}, types),
		},
	}}
}
