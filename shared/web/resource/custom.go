package resource

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/web"
)

// customs are the custom fields by which a list is filtered and ordered.
type customs struct{ filters, orders []column.Field }

// parts are the parts of the records whose custom fields filter and order the list: "" for the records' own.
func (f Finder) parts() []string {
	switch {
	case len(f.keys) == 0:
		return nil
	case len(f.keys) == 1:
		return []string{""}
	}
	return []string{"", f.within}
}

// customs reads the custom fields of the list if a request names any. Only such a request costs this read.
func (f Finder) customs(ctx context.Context, r *web.Request) (c customs, err error) {
	for i, part := range f.parts() {
		keys := f.keys[:1]
		if i > 0 {
			keys = f.keys[1:]
		}
		if prefix := column.CustomPrefix(part); !r.Asks(prefix) && !isOrdered(r, prefix) {
			continue
		}
		sets, err := customfield.ReadAll(ctx, r.Table, keys...)
		if err != nil {
			return c, err
		}
		for _, set := range sets {
			c.add(set, part)
		}
	}
	return c, nil
}

// isOrdered tells whether a request orders by a name that begins in a way.
func isOrdered(r *web.Request, prefix string) bool {
	for term := range strings.SplitSeq(r.Param("ordering"), ",") {
		if strings.HasPrefix(strings.TrimPrefix(strings.TrimSpace(term), "-"), prefix) {
			return true
		}
	}
	return false
}

// add adds the fields of a set, each column once.
func (c *customs) add(set customfield.Set, part string) {
	once := func(list []column.Field, f column.Field) []column.Field {
		if slices.ContainsFunc(list, func(other column.Field) bool { return other.Letter == f.Letter }) {
			return list
		}
		return append(list, f)
	}
	for i := range set.List {
		field, ok := column.Custom(&set.List[i], part)
		if ok && set.List[i].Filter {
			c.filters = once(c.filters, field)
		}
		if ok && set.List[i].Table {
			c.orders = once(c.orders, field)
		}
	}
}

// customNames are the parameters by which a list is filtered by the custom fields of a company.
func (f Finder) customNames(ctx context.Context, r *web.Request) (names []string, err error) {
	custom, err := f.customs(ctx, r)
	for _, field := range custom.filters {
		for _, by := range field.Comparisons() {
			names = append(names, field.Name+string(by))
		}
	}
	return names, err
}

// names are the names that a list can be ordered by.
func (c customs) names() (names []string) {
	for _, field := range c.orders {
		names = append(names, field.Name)
	}
	return names
}

// order is what a term orders by: each of the fields with its name, one after the other.
func (c customs) order(term web.Order) (list []segment.By) {
	for _, field := range c.orders {
		if field.Name == term.Field {
			list = append(list, field.By(term.Desc))
		}
	}
	return list
}

// filter adds what the parameters of a request ask for.
func (c customs) filter(r *web.Request, q *search.Query, errs fault.FieldErrors) error {
	for _, param := range slices.Sorted(maps.Keys(r.Query)) {
		fields, by := column.Asked(c.filters, param)
		var found []segment.Condition
		wrong := fault.FieldErrors{}
		for _, field := range fields {
			var one search.Query
			if err := Compare(r, &one, field, by, param, wrong); err != nil {
				return err
			}
			found = append(found, one.Where...)
		}
		switch {
		case len(found) == 0: // the value is wrong for each field, or empty
			errs.Merge("", wrong)
		case len(found) == 1, by == column.IsNull && !found[0].Not: // none of the fields has a value
			q.Add(found...)
		default:
			q.Add(segment.AnyOf(found...))
		}
	}
	return nil
}
