package item_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// What is offered is active, of the group, free with the time kept free, and not what is not wanted. Many wishes cost what one does.
func TestAlternatives(t *testing.T) {
	y, ids := newYard(t, tabletest.Faults{}, 12, 3)
	s := y.scope(y.sound, "seed 2")
	hour := func(n int) moment.Micros { return moment.Of(recordtest.Start.Add(time.Duration(n) * time.Hour)) }
	err := s.Do(t.Context(), nil, func(w *record.Work) error {
		for _, id := range ids {
			it, err := item.Kind().Edit(t.Context(), w, id)
			if err != nil {
				return err
			}
			group, tag := int64(1), fmt.Sprint("T-", id)
			if id > 8 {
				group = 2
			}
			it.Group, it.UniqueID = &group, &tag
			if id == 1 {
				it.Disabled = new(item.DisabledArchive)
			}
			item.Used(w, it)
		}
		return calendar.Change(t.Context(), w, 2, func(c *calendar.Calendar) error {
			return c.Occupy(calendar.Entry{Line: 5, Order: 6, Start: hour(10), End: hour(20)}, s.Now())
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, m := meter.Start(t.Context())
	lists, err := item.Alternatives(ctx, s,
		item.Want{Group: 1, Start: hour(12), End: hour(14), Most: 3, Not: []int64{4}},
		item.Want{Group: 1, Start: hour(7), End: hour(9), Most: 2},
		item.Want{Group: 1, Start: hour(7), End: hour(9), Gap: 2 * 3600, Most: 1},
		item.Want{Group: 2, Start: hour(12), End: hour(14), Most: 9},
		item.Want{Group: 3, Start: hour(12), End: hour(14), Most: 9},
	)
	var got []string
	for _, list := range lists {
		text := ""
		for _, a := range list {
			text += " " + *a.UniqueID
		}
		got = append(got, text)
	}
	want := "[ T-3 T-5 T-6  T-2 T-3  T-3  T-9 T-10 T-11 T-12 ]"
	if err != nil || fmt.Sprint(got) != want || m.Usage().Calls > 4 {
		t.Errorf("%v, %v, want %s, %+v", err, got, want, m.Usage())
	}
	if lists, err := item.Alternatives(t.Context(), s); err != nil || len(lists) != 0 {
		t.Errorf("no wish: %v, %v", lists, err)
	}
}
