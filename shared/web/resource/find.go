package resource

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/web"
)

// Filter is a filter of a list that needs more than a comparison with one column. It may use
// the whole request, and read other records.
type Filter struct {
	Params []web.Param
	// Add adds the conditions for the parameters that were sent, if any. It adds errors of
	// these parameters to errs.
	Add func(ctx context.Context, r *web.Request, q *search.Query, errs fault.FieldErrors) error
}

// Finder declares how the list of a kind is searched, filtered and ordered.
type Finder[T any] struct {
	Kind    record.Kind[T]
	Filters []Filter
}

// maxIDs is how many ids a caller may filter a list by.
const maxIDs = web.MaxPageSize

const idIn = "id__in"

// Params returns the query parameters of the list, besides those that every list has.
func (f Finder[T]) Params() []web.Param {
	list := []web.Param{{
		Name: idIn, Type: web.IntegerList,
		Doc: fmt.Sprintf("The records with these ids, up to %d of them with commas between them.", maxIDs),
	}}
	for _, c := range f.Kind.Columns {
		for _, p := range c.Parameters() {
			list = append(list, web.Param{
				Name: p.Name, Doc: c.Says, Enum: c.Choices, Type: typeOf(c.Type, p.List), Format: formatOf(c.Type),
			})
		}
	}
	for _, filter := range f.Filters {
		list = append(list, filter.Params...)
	}
	return list
}

func typeOf(t column.Type, list bool) web.ParamType {
	of := web.Text
	switch t {
	case column.Boolean:
		of = web.Boolean
	case column.Integer:
		of = web.Integer
	case column.Decimal:
		of = web.Number
	}
	switch {
	case list && of == web.Integer:
		return web.IntegerList
	case list:
		return web.TextList
	}
	return of
}

func formatOf(t column.Type) string {
	switch t {
	case column.Date, column.DateTime:
		return string(t)
	}
	return ""
}

// Query returns what the parameters of a list ask for. A list of records that can't be
// searched is in the order of their numbers, which is also the order in which they were made.
func (f Finder[T]) Query(ctx context.Context, r *web.Request) (q search.Query, err error) {
	fields := f.orders()
	for _, term := range r.Ordering(slices.Collect(maps.Keys(fields))...) {
		by := fields[term.Field]
		by.Descending = term.Desc
		q.Order = append(q.Order, by)
	}
	errs := fault.FieldErrors{}
	ids(r, &q, errs)
	if f.Kind.HasText() {
		q.Words = f.Kind.Words(r.Param("search"))
	}
	for _, c := range f.Kind.Columns {
		if !isAsked(r, c.Name) {
			continue
		}
		for _, p := range c.Parameters() {
			value := strings.TrimSpace(r.Param(p.Name))
			if value == "" {
				continue
			}
			if err := p.Add(&q, value, r.Zone()); err != nil {
				var wrong column.Wrong
				if !errors.As(err, &wrong) {
					return q, err
				}
				errs.Add(p.Name, wrong.Error())
			}
		}
	}
	for _, filter := range f.Filters {
		if err := filter.Add(ctx, r, &q, errs); err != nil {
			return q, err
		}
	}
	return q, errs.Err()
}

// isAsked tells whether a request has a parameter of a column.
func isAsked(r *web.Request, column string) bool {
	for name := range r.Query {
		if strings.HasPrefix(name, column) {
			return true
		}
	}
	return false
}

// ids reads the parameter that filters by ids.
func ids(r *web.Request, q *search.Query, errs fault.FieldErrors) {
	sent := strings.TrimSpace(r.Param(idIn))
	if sent == "" {
		return
	}
	for text := range strings.SplitSeq(sent, ",") {
		id, ok := decode.ParseInteger(strings.TrimSpace(text))
		if !ok {
			errs.Add(idIn, fault.BadInteger)
			return
		}
		q.IDs = append(q.IDs, id)
	}
	if len(q.IDs) > maxIDs {
		errs.Add(idIn, fmt.Sprintf("Ensure this field has no more than %d elements.", maxIDs))
	}
}

// orders returns the fields that callers can order by.
func (f Finder[T]) orders() map[string]search.By {
	fields := map[string]search.By{"id": {Field: search.ID}, "created_at": {Field: search.ID}}
	if f.Kind.IsSearched() {
		fields["updated_at"] = search.By{Field: record.ByUpdated}
	}
	if f.Kind.Name != nil {
		fields["name"] = search.By{Field: search.Text}
	}
	for _, c := range f.Kind.Columns {
		if c.Can(column.Order) {
			fields[c.Name] = c.By(false)
		}
	}
	return fields
}

// canSearch tells whether there is anything that a search could find: a text of the records, or what
// a filter of the list looks for.
func (f Finder[T]) canSearch() bool { return f.Kind.HasText() || len(f.Filters) > 0 }

// Doc describes how the list is ordered, and how far it can be searched.
func (f Finder[T]) Doc() string {
	doc := "Newest first. `ordering` takes " + strings.Join(slices.Sorted(maps.Keys(f.orders())), ", ") + "."
	if f.Kind.IsSearched() {
		what := ", "
		if f.canSearch() {
			what = ", search, "
		}
		doc += " Above 100,000 " + f.Kind.Kind.Many + what + "filters but `id__in`, and any order but by id and created_at are 400 " +
			"with the code too_many_records. The list may lag a second behind changes."
	}
	return doc
}
