package item

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table"
)

// Want is a wish for a free item of a group, for a time after which the item is kept free for the Gap.
type Want struct {
	Group      int64
	Start, End moment.Micros
	Gap        moment.Seconds
	Not        []int64 // items that are not wanted
	Most       int     // items that are answered; 0 is all
}

// Alternative is an item that is free, as callers see it.
type Alternative struct {
	ID       int64   `json:"id"`
	Name     string  `json:"name"`
	UniqueID *string `json:"unique_id" nullable:"true"`
	Number   *string `json:"number" nullable:"true" doc:"Of the item's car"`
}

// Alternatives returns, for each wish, active items of the group that are free at that time, the
// oldest first. However many wishes there are, it is four calls if the company has up to about 5,000
// items. It may lag behind changes by about a second, so it never decides.
func Alternatives(ctx context.Context, s record.Scope, wants ...Want) ([][]Alternative, error) {
	lists := make([][]Alternative, len(wants))
	var groups []int64
	for _, w := range wants {
		groups = append(groups, w.Group)
	}
	in, err := activeIn(ctx, s, groups...)
	if err != nil || len(in) == 0 {
		return lists, err
	}
	calendars, _, err := calendar.All(ctx, s)
	if err != nil {
		return nil, err
	}
	found := make([][]int64, len(wants))
	var keys []table.Key
	for i, w := range wants {
		for _, id := range w.among(in[w.Group], calendars, s.Now()) {
			found[i] = append(found[i], id)
			keys = append(keys, Kind().Key(s.Table, id))
		}
	}
	rows, err := record.Look(ctx, s.Table, s.Now(), keys...)
	if err != nil {
		return nil, err
	}
	for i := range wants {
		for _, id := range found[i] {
			row := rows[Kind().Key(s.Table, id)]
			if row == nil { // it has gone meanwhile
				continue
			}
			var it Item
			if err := row.Decode(&it); err != nil {
				return nil, err
			}
			shown := Alternative{ID: id, Name: it.Name, UniqueID: it.UniqueID}
			if it.Car != nil {
				shown.Number = it.Car.Number
			}
			lists[i] = append(lists[i], shown)
		}
	}
	return lists, nil
}

// Free returns, for each wish, the ids of the active items of the group that are free at that time, the oldest first, and
// of each group that has active items the oldest one. It reads as Alternatives does, and lags as much.
func Free(ctx context.Context, s record.Scope, wants ...Want) (found [][]int64, first map[int64]int64, err error) {
	found, first = make([][]int64, len(wants)), map[int64]int64{}
	var groups []int64
	for _, w := range wants {
		groups = append(groups, w.Group)
	}
	in, err := activeIn(ctx, s, groups...)
	if err != nil || len(in) == 0 {
		return found, first, err
	}
	calendars, _, err := calendar.All(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	for i, w := range wants {
		found[i] = w.among(in[w.Group], calendars, s.Now())
		if ids := in[w.Group]; len(ids) > 0 {
			first[w.Group] = ids[0]
		}
	}
	return found, first, nil
}

// among are the items of some that a wish could have.
func (w Want) among(items []int64, calendars map[int64]calendar.Calendar, now time.Time) (free []int64) {
	plan := calendar.Entry{Start: w.Start, End: w.End, Gap: w.Gap}
	for _, id := range items {
		c := calendars[id]
		if (w.Most == 0 || len(free) < w.Most) && !slices.Contains(w.Not, id) && c.IsFree(plan, now) {
			free = append(free, id)
		}
	}
	return free
}

// Calendars returns the calendars of all active items of a group, in no order. They may lag behind
// changes by about a second.
func Calendars(ctx context.Context, s record.Scope, group int64) ([]calendar.Calendar, error) {
	in, err := activeIn(ctx, s, group)
	if err != nil || len(in) == 0 {
		return nil, err
	}
	some, err := calendar.Some(ctx, s, in[group]...)
	if err != nil {
		return nil, err
	}
	list := make([]calendar.Calendar, len(in[group]))
	for i, id := range in[group] {
		list[i] = some[id]
	}
	return list, nil
}

// activeIn returns the ids of the active items of some groups, by the group, the oldest first.
func activeIn(ctx context.Context, s record.Scope, groups ...int64) (map[int64][]int64, error) {
	q := search.Query{Where: []segment.Condition{Active(), segment.In(byGroup, groups...)}}
	of, err := Kind().Index(s).Numbers(ctx, q, byGroup)
	if err != nil {
		return nil, err
	}
	in := map[int64][]int64{}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		in[of[id]] = append(in[of[id]], id)
	}
	return in, nil
}
