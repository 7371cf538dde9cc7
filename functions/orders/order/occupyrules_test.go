package order

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
)

// calendarsOf are calendars of items, which lines occupy as they are.
func calendarsOf(t testing.TB, lines ...*Line) map[int64]*calendar.Calendar {
	t.Helper()
	all := map[int64]*calendar.Calendar{}
	for item := range int64(5) {
		all[item] = &calendar.Calendar{Item: item}
	}
	for _, l := range lines {
		if err := all[l.Item].Occupy(l.entry(0), at(0)); err != nil {
			t.Fatal(err)
		}
	}
	for item, c := range all {
		all[item] = &calendar.Calendar{Item: item, Entries: c.Entries} // not changed
	}
	return all
}

// occupied is what is in calendars: the lines of each item with their hours.
func occupied(all map[int64]*calendar.Calendar) string {
	text := ""
	for item := range int64(5) {
		for _, e := range all[item].Entries {
			text += fmt.Sprintf("%d:%d/%d@%d-%d ", item, e.Line, e.Order, (e.Start-hour(0))/(hour(1)-hour(0)), (e.End-hour(0))/(hour(1)-hour(0)))
		}
	}
	return text
}

// What lines of one call ask of calendars: who leaves goes first, who stays is next, then the rest.
func TestWishesOf(t *testing.T) {
	for _, tt := range []struct {
		name   string
		drafts []*Draft
		want   string // releases or occupies, of which item, for which line
	}{
		{"new lines", []*Draft{added(lasting(0, 1, 9, 12)), added(lasting(0, 2, 9, 12))}, "+1:-1 +2:-2 "},
		{"nothing changes", []*Draft{changed(lasting(5, 1, 9, 12), lasting(5, 1, 9, 12))}, ""},
		{"another end", []*Draft{changed(lasting(5, 1, 9, 12), lasting(5, 1, 9, 13))}, "+1:5 "},
		{"another start, which the entry moves to", []*Draft{changed(lasting(5, 1, 9, 12), lasting(5, 1, 10, 12))}, "+1:5 "},
		{"another start, among others of the item", []*Draft{
			changed(lasting(5, 1, 9, 12), lasting(5, 1, 10, 12)), added(lasting(0, 1, 13, 14)),
		}, "-1:5 +1:5 +1:-2 "},
		{"another item", []*Draft{changed(lasting(5, 1, 9, 12), lasting(5, 2, 9, 12))}, "-1:5 +2:5 "},
		{"two change places", []*Draft{
			changed(lasting(5, 1, 9, 12), lasting(5, 2, 9, 12)), changed(lasting(6, 2, 9, 12), lasting(6, 1, 9, 12)),
		}, "-1:5 -2:6 +2:5 +1:6 "},
		{"who stays comes before who is new", []*Draft{
			added(lasting(0, 1, 11, 14)), changed(lasting(5, 1, 9, 12), lasting(5, 1, 9, 11)),
		}, "+1:5 +1:-1 "},
		{"back", []*Draft{changed(lasting(5, 1, 9, 12).handedOut(9).takenBack(11), lasting(5, 1, 9, 12).handedOut(9).takenBack(11))}, ""},
		{"no item", []*Draft{added(lasting(0, 0, 9, 12))}, ""},
	} {
		got := ""
		for _, one := range wishesOf(tt.drafts) {
			sign := "+"
			if one.releases {
				sign = "-"
			}
			got += fmt.Sprintf("%s%d:%d ", sign, one.item, one.number)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A plan is decided before lines have their numbers, and carried out with them.
func TestPlan(t *testing.T) {
	five, six := lasting(5, 1, 9, 12), lasting(6, 2, 9, 12)
	for _, tt := range []struct {
		name    string
		drafts  []*Draft
		want    string
		changed []int64
	}{
		{"new lines", []*Draft{added(lasting(0, 2, 13, 14)), added(lasting(0, 1, 13, 14))}, "1:5/7@9-12 1:102/70@13-14 2:6/7@9-12 2:101/70@13-14 ", []int64{2, 1}},
		{"nothing changes", []*Draft{changed(five, lasting(5, 1, 9, 12))}, "1:5/7@9-12 2:6/7@9-12 ", nil},
		{"two change places", []*Draft{changed(five, lasting(5, 2, 9, 12)), changed(six, lasting(6, 1, 9, 12))}, "1:6/7@9-12 2:5/7@9-12 ", []int64{1, 2}},
		{"one makes room for a new one", []*Draft{added(lasting(0, 1, 11, 14)), changed(five, lasting(5, 1, 9, 11))}, "1:5/7@9-11 1:101/70@11-14 2:6/7@9-12 ", []int64{1}},
		{"what the calendar has dropped is no change there", []*Draft{changed(lasting(8, 3, 1, 2), lasting(8, 4, 9, 12))}, "1:5/7@9-12 2:6/7@9-12 4:8/7@9-12 ", []int64{4}},
	} {
		p := plan{calendars: calendarsOf(t, five, six)}
		if err := p.fulfil(wishesOf(tt.drafts), 0, at(8)); err != nil || p.conflicts != nil {
			t.Errorf("%s: %v, %v", tt.name, err, p.conflicts)
		}
		for i, d := range tt.drafts {
			if d.Line.ID == 0 {
				d.Line.ID, d.Line.Order = 101+int64(i), 70
			}
		}
		for _, item := range p.changed {
			c := p.numbered(item, tt.drafts)
			p.calendars[item] = &c
		}
		if got := occupied(p.calendars); got != tt.want || !slices.Equal(p.changed, tt.changed) {
			t.Errorf("%s: %s of items %v, want %s of %v", tt.name, got, p.changed, tt.want, tt.changed)
		}
	}
}

// All that is in the way of any line is found; anything else that a calendar refuses ends it.
func TestPlanConflicts(t *testing.T) {
	here := lasting(5, 1, 9, 12)
	drafts := []*Draft{added(lasting(0, 1, 11, 14)), added(lasting(0, 2, 9, 12)), added(lasting(0, 1, 8, 10))}
	p := plan{calendars: calendarsOf(t, here)}
	if err := p.fulfil(wishesOf(drafts), 0, at(8)); err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, d := range drafts {
		found = append(found, len(d.Conflicts))
	}
	if len(p.conflicts) != 2 || *p.conflicts[0].Line != 5 || *p.conflicts[0].Request != 7 || !slices.Equal(found, []int{1, 0, 1}) {
		t.Errorf("%+v, by line %v", p.conflicts, found)
	}
	if err := p.conflicts.err(); !errors.Is(err, calendar.ErrOverlap) {
		t.Errorf("%v", err)
	}
	if err := Conflicts(nil).err(); err != nil {
		t.Errorf("nothing is in the way: %v", err)
	}
	p = plan{calendars: calendarsOf(t, here)}
	p.calendars[2].Closed = true
	if err := p.fulfil(wishesOf(drafts), 0, at(8)); !errors.Is(err, calendar.ErrClosed) || p.changed != nil {
		t.Errorf("a closed calendar: %v, changed %v", err, p.changed)
	}
}

// A rental is kept free afterwards as the company wishes when it got its end; what only begins at another time keeps what it had.
func TestPlanBuffers(t *testing.T) {
	buffered := func(l *Line) *Line {
		l.Buffer = 60
		return l
	}
	for _, tt := range []struct {
		name  string
		draft *Draft
		want  moment.Seconds
	}{
		{"new", added(lasting(0, 1, 9, 12)), 3600},
		{"another end", changed(lasting(5, 1, 9, 12), buffered(lasting(5, 1, 9, 13))), 3600},
		{"another start", changed(lasting(5, 1, 9, 12), buffered(lasting(5, 1, 10, 12))), 60},
		{"nothing", changed(lasting(5, 1, 9, 12), buffered(lasting(5, 1, 9, 12))), 60},
		{"a sale", added(sold(0, 1, 9)), 0},
	} {
		p := plan{calendars: calendarsOf(t)}
		if err := p.fulfil(wishesOf([]*Draft{tt.draft}), 3600, at(8)); err != nil || tt.draft.Line.Buffer != tt.want {
			t.Errorf("%s: %d seconds, %v", tt.name, tt.draft.Line.Buffer, err)
		}
		for _, e := range p.calendars[1].Entries {
			if e.Gap != tt.want {
				t.Errorf("%s: %+v", tt.name, e)
			}
		}
	}
}

// The calendars of the unit of work stay as they are while a plan is made and numbered.
func TestPlanLeavesOthersAlone(t *testing.T) {
	all := calendarsOf(t, lasting(5, 1, 9, 12))
	copied := *all[1]
	d := added(lasting(0, 1, 13, 14))
	p := plan{calendars: map[int64]*calendar.Calendar{1: &copied}}
	if err := p.fulfil(wishesOf([]*Draft{d}), 0, at(8)); err != nil {
		t.Fatal(err)
	}
	d.Line.Meta = record.Meta{ID: 9}
	if c := p.numbered(1, []*Draft{d}); len(c.Entries) != 2 || c.Entries[1].Line != 9 || copied.Entries[1].Line != -1 || len(all[1].Entries) != 1 {
		t.Errorf("planned %+v, copied %+v, stored %+v", c.Entries, copied.Entries, all[1].Entries)
	}
}
