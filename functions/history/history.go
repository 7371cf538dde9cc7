// Package history is the group that shows who did what to a record, and when.
//
// It reads what shared/record/audit has stored for records of every kind, so it depends on
// none of them.
//
// What never goes in here: writing. A change writes its own history, in its own
// transaction.
package history

import (
	"context"
	"net/http"
	"strings"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
)

// New makes the group.
func New(app.Env) app.Group {
	return app.Group{Group: web.Group{
		Name: "history", Resource: scope.History,
		Doc: "Who did what to a record, and when.",
		Operations: []web.Operation{
			web.Op(web.Operation{
				ID:     "history-list",
				Method: http.MethodGet,
				Path:   "/v1/crm/history/",
				Role:   tenant.ReadOnly,
				Query: []web.Param{{
					Name:     "object",
					Doc:      "The record, as its kind and id: client:15. Kinds: " + names() + "; of company only the own one.",
					Required: true,
				}},
				Summary: "List what happened to a record",
				Doc: "Newest first: an entry for each revision, with the fields that it changed. It needs the role that the record's " +
					"kind needs to be looked at, or for money the right to read finance. A key for programs needs the scope to read such " +
					"records, too, and reads no history of users, keys, feed tokens and the company. A deleted record keeps its history; " +
					"one that never was in this company has none.",
			}, list),
		},
	}}
}

// names lists the kinds for the API description.
func names() string {
	var list []string
	for _, k := range kinds.All() {
		list = append(list, k.Name)
	}
	return strings.Join(list, ", ")
}

type listInput struct {
	Page     string `query:"page"`
	PageSize string `query:"pageSize"`
}

func list(ctx context.Context, r *web.Request, _ *listInput) (web.List[audit.Entry], error) {
	var none web.List[audit.Entry]
	k, id, err := parse(r.Param("object"))
	if err != nil {
		return none, err
	}
	if !k.IsReadBy(r.Principal) {
		return none, fault.ErrForbidden
	}
	p, err := r.PageOf()
	if err != nil {
		return none, err
	}
	entries, count, err := read(ctx, r, k, id, p)
	if err != nil {
		return none, err
	}
	if err := conceal(entries, k.Secret); err != nil {
		return none, err
	}
	return web.Envelope(r, p, count, entries)
}

// read reads a page. The last page can be located only by the count.
func read(ctx context.Context, r *web.Request, k kinds.Kind, id int64, p web.Page) (entries []audit.Entry, count int, err error) {
	if !p.Last {
		return audit.Page(ctx, r.Table, k, id, p.Offset(0), p.Size)
	}
	if entries, count, err = audit.Page(ctx, r.Table, k, id, 0, p.Size); err != nil || count <= p.Size {
		return entries, count, err
	}
	return audit.Page(ctx, r.Table, k, id, p.Offset(count), p.Size)
}

// parse reads the name of a record.
func parse(object string) (k kinds.Kind, id int64, err error) {
	if object == "" {
		return k, 0, fault.Field("object", say.Required)
	}
	name, number, _ := strings.Cut(object, ":")
	k, known := kinds.ByName(name)
	id, ok := web.ParseID(number)
	if !known || !ok {
		return k, 0, fault.Field("object", say.InvalidChoice(object))
	}
	return k, id, nil
}
