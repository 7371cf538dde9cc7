package inventory

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// Schedule is an item with who has it when, as callers see it.
type Schedule struct {
	ID        int64          `json:"id"`
	Name      string         `json:"name"`
	UniqueID  *string        `json:"unique_id" nullable:"true"`
	Number    *string        `json:"number" nullable:"true" doc:"Of the item's car"`
	Group     *int64         `json:"group" nullable:"true"`
	Image     *string        `json:"image" nullable:"true" format:"uri"`
	Disabled  *item.Disabled `json:"disabled" nullable:"true" open:"true" doc:"Null: active; {values}"`
	Intervals []Interval     `json:"intervals" doc:"By their start"`
}

// Interval is a time for which an item is occupied.
type Interval struct {
	Line    *int64  `json:"line" nullable:"true" doc:"Id of a line of an order; null: it is a block"`
	Request *int64  `json:"request" nullable:"true" doc:"Id of the order of the line"`
	Block   *int64  `json:"block" nullable:"true" doc:"Id of a block of the item; null: it is a line"`
	StartAt string  `json:"start_at" format:"date-time"`
	EndAt   *string `json:"end_at" nullable:"true" format:"date-time" doc:"Planned, until the item is back. Null: it does not end, as a sale"`
	Out     bool    `json:"out" doc:"It is handed out, and is not back yet"`
	Overdue bool    `json:"overdue" doc:"It is out past its end_at"`
	Reason  *string `json:"reason" nullable:"true" doc:"Of a block"`
}

// schedules is the operation that shows who has which item when.
func schedules(now func() time.Time) web.Operation {
	find := func(p *period) resource.Finder {
		res := inventories(uploads.Store{})
		return resource.FinderOf(res.Kind, append(res.Filters, within(now, p))...)
	}
	return web.Op(web.Operation{
		ID: "inventory-items-schedules", Method: http.MethodGet, Path: kinds.Of(kinds.Inventory).Path + "schedules/",
		Summary: "List inventory items with the times for which they are occupied",
		Doc: fmt.Sprintf("All items that match, each with the lines of orders and the blocks that have it at some moment of the "+
			"period, which has at most %d days and begins at most %d days ago. An item that is out shows until it is returned. ",
			longest, int(calendar.Kept/day)) + find(nil).Doc(),
		Query: find(nil).Params(),
		Draws: true,
	}, func(ctx context.Context, r *web.Request, _ *web.ListInput) (list web.List[Schedule], err error) {
		page, err := r.PageOf()
		if err != nil {
			return list, err
		}
		var p period
		q, err := find(&p).Query(ctx, r)
		if err != nil {
			return list, err
		}
		scope := resource.Scope(r, now)
		items, count, err := item.Kind().Page(ctx, scope, q, resource.Window(page))
		if err != nil {
			return list, err
		}
		ids := make([]int64, len(items))
		for i := range items {
			ids[i] = items[i].ID
		}
		calendars, err := calendar.Some(ctx, scope, ids...)
		if err != nil {
			return list, err
		}
		to, shown := resource.Viewer{Base: r.BaseURL, Role: r.Principal.Role}, make([]Schedule, len(items))
		for i := range items {
			c := calendars[ids[i]]
			shown[i] = schedule(items[i], c.Within(p.start, p.end, now()), now(), to)
		}
		return web.Envelope(r, page, count, shown)
	})
}

// within reads the period of a list, which filters nothing.
func within(now func() time.Time, p *period) resource.Filter {
	return resource.Filter{
		Params: periodParams(true, "the period"),
		Add: func(ctx context.Context, r *web.Request, _ *search.Query, errs fault.FieldErrors) (err error) {
			*p, err = periodOf(ctx, r, resource.Scope(r, now).Reading(), errs, true)
			p.isShown(now(), errs)
			return err
		},
	}
}

func schedule(it *item.Item, entries []calendar.Entry, now time.Time, to resource.Viewer) Schedule {
	s := Schedule{
		ID: it.ID, Name: it.Name, UniqueID: it.UniqueID, Group: it.Group, Disabled: it.Disabled,
		Image:     to.ImageOf(kinds.Of(kinds.Inventory), it.ID, "image", it.Image),
		Intervals: make([]Interval, len(entries)),
	}
	if it.Car != nil {
		s.Number = it.Car.Number
	}
	for i, e := range entries {
		shown := Interval{StartAt: encode.Instant(e.Start.Time()), Out: e.Out, Overdue: e.IsOverdue(now)}
		if e.End != calendar.Forever {
			end := encode.Instant(e.End.Time())
			shown.EndAt = &end
		}
		if e.Block == 0 {
			shown.Line, shown.Request = &e.Line, &e.Order
		} else {
			shown.Block = &e.Block
			if b := slices.IndexFunc(it.Blocks, func(b item.Block) bool { return b.ID == e.Block }); b >= 0 {
				shown.Reason = it.Blocks[b].Reason
			}
		}
		s.Intervals[i] = shown
	}
	return s
}

// Availability is how many items of a group are free on a day, as callers see it.
type Availability struct {
	Date  decode.Date `json:"date"`
	Total int         `json:"total" doc:"How many active items the group has now"`
	Free  int         `json:"free" doc:"How many of these nothing occupies at any moment of the day"`
}

type availabilityInput struct {
	ID int64 `path:"id"`
}

// availability is the operation that shows how many items of a group are free, day by day.
func availability(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: "inventory-groups-availability", Method: http.MethodGet, Path: kinds.Of(kinds.InventoryGroup).Path + "{id}/availability/",
		Summary: "Show how many items of an inventory group are free, day by day",
		Doc: fmt.Sprintf("All of the company's days that the period meets, the first one first; it has at most %d days and begins at "+
			"most %d days ago. An item is free on a day if nothing occupies it at any moment of that day. The time that is kept free "+
			"after a rental does not count. The answer may lag a second behind changes.", longest, int(calendar.Kept/day)),
		Query: periodParams(true, "the period"),
		Draws: true,
	}, func(ctx context.Context, r *web.Request, in *availabilityInput) ([]Availability, error) {
		scope, errs := resource.Scope(r, now), fault.FieldErrors{}
		w := scope.Reading()
		p, err := periodOf(ctx, r, w, errs, true)
		if err != nil {
			return nil, err
		}
		p.isShown(now(), errs)
		if err := errs.Err(); err != nil {
			return nil, err
		}
		if _, err := group.Kind().Get(ctx, scope, in.ID); err != nil {
			return nil, err
		}
		zone, err := zoneOf(ctx, w)
		if err != nil {
			return nil, err
		}
		calendars, err := item.Calendars(ctx, scope, in.ID)
		if err != nil {
			return nil, err
		}
		var days []Availability
		for start := begin(p.start.Time().In(zone), zone); moment.Of(start) < p.end; {
			local := start.In(zone)
			end := begin(local.AddDate(0, 0, 1), zone)
			shown := Availability{Date: decode.Date(local.Format(time.DateOnly)), Total: len(calendars)}
			for i := range calendars {
				if calendars[i].IsIdle(moment.Of(start), moment.Of(end), now()) {
					shown.Free++
				}
			}
			days, start = append(days, shown), end
		}
		return days, nil
	})
}
