package resource

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/say"
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

// Comparing is a filter by a field that is no column of the kind: add is given what was asked for, as conditions on the field, and adds
// what follows from it for the records. It isn't called where nothing was asked for, or where something is wrong with it.
func Comparing(
	field column.Field, ways []column.Comparison, add func(context.Context, *web.Request, *search.Query, []segment.Condition) error,
) Filter {
	f := Filter{Add: func(ctx context.Context, r *web.Request, q *search.Query, errs fault.FieldErrors) error {
		var asked search.Query
		for _, by := range ways {
			if err := Compare(r, &asked, field, by, field.Name+string(by), errs); err != nil {
				return err
			}
		}
		if len(asked.Where) == 0 || errs.Any() {
			return nil
		}
		return add(ctx, r, q, asked.Where)
	}}
	for _, by := range ways {
		f.Params = append(f.Params, paramOf(field, by))
	}
	return f
}

// Finder is how the list of a kind is searched, filtered and ordered.
type Finder struct {
	many      string // what the records are called
	fields    []column.Field
	searched  bool
	hasName   bool
	hasText   bool
	canSearch bool // there is something that a search could find: a text of the records, or what a filter looks for
	filters   []Filter
	keys      []string // of the custom fields by which lists are filtered and ordered; the first one is of the records' own
	within    string   // the part of the records that the other keys are of
}

// FinderOf is the finder of a kind, with filters besides those by its columns.
func FinderOf[T record.Stored](k *record.Kind[T], filters ...Filter) Finder {
	of := Finder{
		many: k.Kind.Many, fields: k.Fields(), searched: k.IsSearched(), hasName: k.Name != nil, hasText: k.HasText(),
		canSearch: k.HasText() || len(filters) > 0, filters: filters,
	}
	if of.searched {
		of.keys, of.within = k.Kind.Fields, k.Kind.Within
	}
	return of
}

// Params returns the query parameters of the list, besides those that every list has.
func (f Finder) Params() (list []web.Param) {
	for _, field := range f.fields {
		for _, by := range field.Comparisons() {
			list = append(list, paramOf(field, by))
		}
	}
	for _, filter := range f.filters {
		list = append(list, filter.Params...)
	}
	for _, part := range f.parts() {
		list = append(list, web.Param{Name: column.CustomPrefix(part), Names: f.customNames})
	}
	return list
}

// paramOf is the parameter that compares a column in a way.
func paramOf(field column.Field, by column.Comparison) web.Param {
	p := web.Param{Name: field.Name + string(by), Doc: field.Describe(by), Type: web.Boolean}
	if by != column.IsNull {
		p.Enum, p.Type, p.Format = field.Choices, typeOf(field.Type, by == column.In), formatOf(field.Type)
	}
	return p
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

const createdAt = "created_at"

// maxWords is how many words a search may have, because each is sought in all records.
const maxWords = 32

// Query returns what the parameters of a list ask for. A list of records that can't be
// searched is in the order of their numbers, which is also the order in which they were made.
func (f Finder) Query(ctx context.Context, r *web.Request) (q search.Query, err error) {
	custom, err := f.customs(ctx, r)
	if err != nil {
		return q, err
	}
	fields := f.orders()
	terms := r.Ordering(append(slices.Collect(maps.Keys(fields)), custom.names()...)...)
	for i, term := range terms {
		by := fields[term.Field]
		// Records of one import have the same created_at, so the terms after it have to count.
		if term.Field == createdAt && i+1 < len(terms) && f.searched {
			by = segment.By{Field: column.Created}
		}
		if by.Field == "" {
			q.Order = append(q.Order, custom.order(term)...)
			continue
		}
		by.Descending = term.Desc != (by.Field == segment.Rank) // the best rank is the lowest number, and the highest for callers
		q.Order = append(q.Order, by)
	}
	if f.hasText {
		q.Words = column.Words(f.fields, r.Param("search"))
	}
	errs := fault.FieldErrors{}
	if len(q.Words) > maxWords {
		errs.Add("search", say.TooManyWords(maxWords))
	}
	for _, field := range f.fields {
		if !r.Asks(field.Name) {
			continue
		}
		for _, by := range field.Comparisons() {
			if err := Compare(r, &q, field, by, field.Name+string(by), errs); err != nil {
				return q, err
			}
		}
	}
	if err := custom.filter(r, &q, errs); err != nil {
		return q, err
	}
	for _, filter := range f.filters {
		if err := filter.Add(ctx, r, &q, errs); err != nil {
			return q, err
		}
	}
	return q, errs.Err()
}

// Compare adds to a query what a parameter asks for, if it was sent: a comparison of a column with its value. What is wrong
// with the value is added to errs.
func Compare(r *web.Request, q *search.Query, field column.Field, by column.Comparison, param string, errs fault.FieldErrors) error {
	value := r.Param(param)
	if by == column.In {
		value = r.Values(param)
	}
	if value = strings.TrimSpace(value); value == "" {
		return nil
	}
	c, err := field.Condition(by, value, r.Zone())
	var wrong say.Message
	switch {
	case err == nil:
		q.Add(c)
	case errors.As(err, &wrong):
		errs.Add(param, wrong)
	default:
		return err
	}
	return nil
}

// orders returns the fields that callers can order by. Ids are given out in the order of creation.
func (f Finder) orders() map[string]segment.By {
	byID := segment.By{Field: segment.ID}
	fields := map[string]segment.By{}
	for _, field := range f.fields {
		if !field.Hidden {
			fields[field.Name] = field.By(false)
		}
	}
	fields["id"], fields[createdAt] = byID, byID
	if f.hasName {
		fields["name"] = segment.By{Field: segment.Name}
	}
	if f.hasText {
		fields["rank"] = segment.By{Field: segment.Rank}
	}
	return fields
}

// Doc describes how the list is ordered, and how far it can be searched.
func (f Finder) Doc() string {
	doc := "Newest first. `ordering` takes " + strings.Join(slices.Sorted(maps.Keys(f.orders())), ", ") + "."
	if f.searched {
		doc += " While the search of more than 10,000 " + f.many + " is prepared, `search`, filters but `id__in`, and orders but " +
			"by id or created_at alone are 503 with the code search_preparing and `Retry-After`."
	}
	return doc
}
