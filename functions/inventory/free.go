package inventory

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// ListedInventory is an inventory item in a list, as callers see it.
type ListedInventory struct {
	Inventory
	// PointThen is nil in a list that does not ask for free; what it points to is nil for an item that will be at no rental point.
	PointThen **int64 `json:"rental_point_then,omitempty" nullable:"true" doc:"Only where the list asks for free: id of the rental point at which it will be at start_at. The last line before that brings it there that is planned or out, and whose order has a rental_point_return; without one it is its rental_point."`
}

// places is where the items of a list will be.
type places struct {
	asked bool            // the list asks for free
	then  map[int64]int64 // the rental points to which lines bring items, by the items
}

// of is where an item will be, for ListedInventory.
func (p places) of(it *item.Item) **int64 {
	if !p.asked {
		return nil
	}
	if point, brought := p.then[it.ID]; brought {
		return new(&point)
	}
	return &it.Point
}

// listItems is the operation that lists inventory items.
func listItems(items resource.Resource[*item.Item, itemBody, Inventory], now func() time.Time) web.Operation {
	find := func(p *places) resource.Finder {
		return resource.FinderOf(items.Kind, append(items.Filters, free(now, p))...)
	}
	return web.Op(web.Operation{
		ID: "inventory-items-list", Method: http.MethodGet, Path: items.Path(),
		Summary: "List " + items.Kind.Kind.Many, Doc: items.Doc + " " + find(nil).Doc(),
		Query: find(nil).Params(),
		Draws: true,
	}, func(ctx context.Context, r *web.Request, _ *web.ListInput) (list web.List[ListedInventory], err error) {
		page, err := r.PageOf()
		if err != nil {
			return list, err
		}
		var p places
		q, err := find(&p).Query(ctx, r)
		if err != nil {
			return list, err
		}
		found, count, err := items.Kind.Page(ctx, resource.Scope(r, now), q, resource.Window(page))
		if err != nil {
			return list, err
		}
		to, shown := resource.Viewer{Base: r.BaseURL, Role: r.Principal.Role}, make([]ListedInventory, len(found))
		for i, it := range found {
			shown[i] = ListedInventory{viewItem(it, to), p.of(it)}
		}
		return web.Envelope(r, page, count, shown)
	})
}

// mostFree is how many days may be asked for at once whether an item is free.
const mostFree = 3653

// free filters by whether items are free in a period. Then filters by their rental points ask where they will be at its start, which p
// gets.
func free(now func() time.Time, p *places) resource.Filter {
	const name = "free"
	return resource.Filter{
		Params: append([]web.Param{{
			Name: name, Type: web.Boolean,
			Doc: "true: active items that a rental from start_at to end_at could have, with the time that the company keeps free after " +
				"each rental; false: all other items. It needs start_at and end_at. With it `rental_point`, `rental_point__in` and " +
				"`rental_point__isnull` ask where items will be at start_at: see `rental_point_then`.",
		}}, periodParams(false, "the time that free is asked of")...),
		Add: func(ctx context.Context, r *web.Request, q *search.Query, errs fault.FieldErrors) error {
			text := strings.TrimSpace(r.Param(name))
			w := resource.Scope(r, now).Reading()
			of, err := periodOf(ctx, r, w, errs, text != "")
			if err != nil || text == "" {
				return err
			}
			want, ok := decode.ParseBoolean(text)
			if !ok {
				errs.Add(name, say.InvalidBoolean)
			}
			if of.isLong(mostFree, errs); errs.Any() {
				return nil
			}
			calendars, gap, err := calendar.All(ctx, w.Scope())
			if err != nil {
				return err
			}
			*p = places{asked: true, then: brought(calendars, of.start, now())}
			item.WillBe(q, p.then)
			taken := segment.AnyOf(segment.Not(item.Active()), occupied(calendars, of, gap, now()))
			if want {
				taken = segment.Not(taken)
			}
			q.Add(taken)
			return nil
		},
	}
}

// brought are the rental points to which lines will have brought items by a moment, by the items.
func brought(calendars map[int64]calendar.Calendar, at moment.Micros, now time.Time) map[int64]int64 {
	then := map[int64]int64{}
	for id, c := range calendars {
		if point := c.PointAt(at, now); point != 0 {
			then[id] = point
		}
	}
	return then
}

// occupied is true for the items that something has in a period. An item without a calendar has an empty one.
func occupied(calendars map[int64]calendar.Calendar, p period, gap moment.Seconds, now time.Time) segment.Condition {
	var empty calendar.Calendar
	plan := calendar.Entry{Start: p.start, End: p.end, Gap: gap}
	if !empty.IsFree(plan, now) {
		return segment.Not(segment.In(segment.ID))
	}
	var ids []int64
	for id, c := range calendars {
		if !c.IsFree(plan, now) {
			ids = append(ids, id)
		}
	}
	return segment.In(segment.ID, ids...)
}
