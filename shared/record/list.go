package record

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/directory"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/slimindex"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
)

func (s service[T, Body, View]) list(ctx context.Context, r *web.Request, in *web.ListInput) (*web.Reply, error) {
	p, err := r.PageOf()
	if err != nil {
		return nil, err
	}
	q, err := s.Query(r, in.Search)
	if err != nil {
		return nil, err
	}
	records, count, err := Page(ctx, s.Writer(r, s.now).Index(), q, p)
	if err != nil {
		return nil, err
	}
	envelope, err := web.Envelope(r, p, count, s.views(records))
	return &web.Reply{Status: http.StatusOK, Body: envelope}, err
}

// all serves the resources whose list is an array.
func (s service[T, Body, View]) all(ctx context.Context, r *web.Request, _ *struct{}) ([]View, error) {
	records, _, err := directory.Page[T](ctx, s.Writer(r, s.now).Directory(), 0, math.MaxInt32, false)
	return s.views(records), err
}

func (s service[T, Body, View]) views(records []T) []View {
	list := make([]View, len(records))
	for i := range records {
		list[i] = s.View(&records[i])
	}
	return list
}

// Index is the slim index of the kind.
func (w Writer[T, Body, View]) Index() slimindex.Index[T] {
	return slimindex.Index[T]{
		Tenant: w.tenant, Kind: w.resource.Kind, Directory: w.Directory(), Digits: w.resource.Digits,
		Text: func(a table.Attributes) string { return a.Text(kinds.Name) }, Needs: []string{kinds.Name},
	}
}

// Query is what the parameters of a list ask for.
func (res Resource[T, Body, View]) Query(r *web.Request, search string) (q slimindex.Query, err error) {
	words := slimindex.Words
	if res.Words != nil {
		words = res.Words
	}
	q.Words = words(search)
	for _, f := range res.Filters {
		if value := strings.TrimSpace(r.Param(f.Name)); value != "" {
			if err := f.Add(&q, value); err != nil {
				return q, err
			}
		}
	}
	fields := map[string]string{
		"id": slimindex.ID, "created_at": slimindex.ID, "name": slimindex.Text, "updated_at": byUpdated,
	}
	for name, number := range res.Order {
		fields[name] = number
	}
	known := make([]string, 0, len(fields))
	for name := range fields {
		known = append(known, name)
	}
	for _, term := range r.Ordering(known...) {
		q.Order = append(q.Order, slimindex.By{Field: fields[term.Field], Descending: term.Desc})
	}
	return q, nil
}

// Page reads one page of a query and the number of records that match it. Ids
// are given out in the order of creation, so a list that asks for nothing but
// an order by id is the directory's.
func Page[T any](ctx context.Context, ix slimindex.Index[T], q slimindex.Query, p web.Page) (page []T, count int, err error) {
	by := append(slices.Clip(q.Order), slimindex.By{Field: slimindex.ID, Descending: true}) // ties: the newest first
	byID := len(q.Words) == 0 && len(q.InText) == 0 && q.Filter == nil && by[0].Field == slimindex.ID
	if p.Last { // the first page of the list from its other end
		for i := range by {
			by[i].Descending = !by[i].Descending
		}
	}
	q.Order, q.Offset, q.Size = by, p.Offset(0), p.Size
	if byID {
		page, count, err = directory.Page[T](ctx, ix.Directory, q.Offset, q.Size, by[0].Descending)
	} else {
		page, count, err = ix.Page(ctx, q)
	}
	if err != nil {
		return nil, 0, err
	}
	if p.Last {
		if rest := count % p.Size; rest > 0 && rest < len(page) {
			page = page[:rest]
		}
		slices.Reverse(page)
	}
	return page, count, nil
}

// names lists the keys of an order for the API description.
func names(order map[string]string) string {
	list := make([]string, 0, len(order))
	for name := range order {
		list = append(list, name)
	}
	slices.Sort(list)
	var b strings.Builder
	for _, name := range list {
		b.WriteString(", " + name)
	}
	return b.String()
}
