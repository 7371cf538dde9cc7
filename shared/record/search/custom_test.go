package search_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// define makes these fields the custom fields of the company's people: pairs of a name and a type.
func (i *instance) define(pairs ...string) {
	i.Helper()
	set := customfield.Empty(i.Tenant, "client")
	for pair := range slices.Chunk(pairs, 2) {
		var err error
		set, err = set.With(customfield.Definition{ID: int64(len(set.List)) + 1, Name: pair[0], Type: pair[1], Filter: true})
		i.ok(err)
	}
	item, err := set.Encode()
	i.ok(err)
	i.ok(i.Put(item).Run(i.Context()))
}

// extra is a value of a person's free part.
func (p *person) extra(name string) (v any) {
	fields := map[string]any{}
	if p.Extra != "" && json.Unmarshal([]byte(p.Extra), &fields) != nil {
		panic(p.Extra)
	}
	return fields[name]
}

// visited is the query for the people who have a number of visits, those with the most first.
func visited() query {
	visits := func(p *person) float64 { n, _ := p.extra("visits").(float64); return n }
	return query{
		Query: search.Query{
			Where: []segment.Condition{segment.Has("x:i:visits")}, Order: []segment.By{{Field: "x:i:visits", Descending: true}},
		},
		match: func(p *person) bool { _, ok := p.extra("visits").(float64); return ok },
		order: func(a, b *person) int { return cmp.Compare(visits(b), visits(a)) },
	}
}

// painted is the query for the people of a colour.
func painted() query {
	return query{
		Query: search.Query{Where: []segment.Condition{{Any: []segment.Condition{
			{Field: "x:t:paint", Is: segment.Among, Texts: []string{"red"}}, {Field: segment.ID, Is: segment.OneOf, Set: []int64{1}},
		}}}},
		match: func(p *person) bool {
			paint, _ := p.extra("paint").(string)
			return strings.EqualFold(paint, "red") || p.id() == 1
		},
	}
}

// seedExtras writes many people, some of which have free parts: those of every fourth are too large for their entries. They are old
// enough to be searched by segments alone.
func (i *instance) seedExtras(n int) []*person {
	i.Helper()
	defer i.pass(search.MarkAge + time.Second)
	return i.seedWith(n, func(at int, p *person) {
		p.Extra = []string{
			"", `{"visits":` + fmt.Sprint(at) + `,"paint":"RED","more":[1]}`, `{"visits":"many","paint":"blue"}`, huge(at),
		}[at%4]
	})
}

// huge is a free part with more scalars than an entry has.
func huge(visits int) string {
	return fmt.Sprintf(`{"visits":%d,"paint":"red","a":"%s","b":"%s","c":"%s"}`,
		visits, strings.Repeat("a", 200), strings.Repeat("b", 200), strings.Repeat("c", 200))
}

// findsBy checks queries by custom fields, and one other.
func (i *instance) findsBy(people []*person, by ...query) {
	i.Helper()
	i.finds(people...)
	for n, q := range by {
		q.check(i, fmt.Sprintf("custom fields, query %d", n), i.index(), people)
	}
}

// changeExtras makes changes of free parts, large and small ones.
func changeExtras(i *instance, people []*person) []*person {
	i.Helper()
	people = changed(i, people)
	people[7] = i.change(people[7], func(p *person) { p.Extra = huge(100_000) })
	people[8] = i.change(people[8], func(p *person) { p.Extra = `{"visits":-1,"paint":"Red"}` })
	people[9] = i.change(people[9], func(p *person) { p.Extra = "" })
	return append(people, i.create(person{Name: "new", Age: 32, Extra: huge(7)}))
}

// A custom field is found in records, in segments and in changes, by who made them and by others.
func TestCustomFields(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	a, b := w.instance(), w.instance()
	small := []*person{a.create(person{Name: "x", Age: 30, Extra: `{"visits":3}`}), a.create(person{Name: "y", Age: 31, Extra: huge(4)})}
	a.findsBy(small, visited(), painted()) // a small kind needs no definitions
	people := append(small, a.seedExtras(search.Small+50)...)
	b.findsBy(people, visited(), painted()) // without segments
	a.define("visits", "integer", "paint", "string", "about", "html")
	for range 3 {
		a.merge(false)
		people = changeExtras(a, people)
		a.findsBy(people, visited(), painted())
		b.findsBy(people, visited(), painted())
		w.pass(search.MarkAge + time.Second)
	}
	b.merge(false)
	w.instance().findsBy(people, visited(), painted())
}

// Until a field is in the segments, only queries that name it are refused. They ask for a merge, which puts it there.
func TestNewCustomField(t *testing.T) {
	w := newWorld(t, tabletest.Faults{})
	a, b := w.instance(), w.instance()
	people := a.seedExtras(search.Small + 50)
	a.define("visits", "integer")
	a.merge(false)
	a.findsBy(people, visited())
	before := a.manifest()

	a.define("visits", "integer", "paint", "string")
	for _, i := range []*instance{a, b} {
		if !preparing(t.Context(), i.index(), painted().Query) || !i.waits(false) {
			t.Error("a field that no segment has is searched, or no merge is asked for")
		}
		i.findsBy(people, visited())
	}
	people = changeExtras(a, people)
	a.merge(false)
	a.findsBy(people, visited(), painted())
	b.findsBy(people, visited(), painted())
	if now := a.manifest(); now.Shape != before.Shape || now.Custom == before.Custom {
		t.Errorf("fingerprints %d and %d, before %d and %d", now.Shape, now.Custom, before.Shape, before.Custom)
	}

	// A field of another type is another column, and one that is gone has none.
	a.define("visits", "boolean")
	boolean := search.Query{Where: []segment.Condition{segment.HasNone("x:b:visits")}}
	if !preparing(t.Context(), a.index(), boolean) {
		t.Error("numbers are taken for booleans")
	}
	w.pass(time.Second)
	a.merge(false)
	if ids, err := a.index().IDs(t.Context(), boolean); err != nil || len(ids) != len(people) {
		t.Errorf("%d have no boolean, %v", len(ids), err)
	}
	if !preparing(t.Context(), a.index(), painted().Query) {
		t.Error("a column is there whose field is gone")
	}
	// Merges without a change of fields make nothing anew.
	w.pass(search.DeepEvery)
	revision := a.manifest().Revision
	a.merge(false)
	if now := a.manifest(); now.Rebuild != nil || now.Revision > revision+2 {
		t.Errorf("revision %d, before %d", now.Revision, revision)
	}
}

// portion makes one portion of a rebuild, as an invocation does that has little time left; false if there is nothing left to do.
func (i *instance) mergePortion() (more bool) {
	i.Helper()
	ctx, cancel := context.WithTimeout(i.Context(), 20*time.Second)
	defer cancel()
	err := i.merger.Merge(ctx, i.Tenant, kind, false)
	later := outbox.Later{}
	if !errors.As(err, &later) {
		i.ok(err)
		return false
	}
	i.pass(later.Until.Sub(i.now()))
	return true
}

// Whenever a field is defined while segments are made anew, it is found in the end, and all other queries are answered meanwhile.
func TestCustomFieldDuringRebuild(t *testing.T) {
	for after := range 5 {
		t.Run(fmt.Sprint("after portion ", after), func(t *testing.T) {
			w := newWorld(t, tabletest.Faults{})
			a, b := w.instance(), w.instance()
			people := a.seedExtras(search.Small + 50)
			a.merge(false)
			a.merger.SetPortion(100)
			a.define("visits", "integer")
			for range after {
				a.mergePortion()
				people = changeExtras(b, people)
				b.finds(people...)
			}
			a.define("visits", "integer", "paint", "string")
			for n := 0; a.mergePortion(); n++ {
				if n > 20 {
					t.Fatal("merging does not end")
				}
				people = changeExtras(b, people)
				b.finds(people...)
				w.instance().finds(people...)
			}
			b.findsBy(people, visited(), painted())
			w.instance().findsBy(people, visited(), painted())
		})
	}
}

// A field that goes and comes back while segments are made anew is in all of them.
func TestCustomFieldComesBack(t *testing.T) {
	i := newWorld(t, tabletest.Faults{}).instance()
	people := i.seedExtras(search.Small + 50)
	i.merger.SetPortion(100)
	for _, fields := range [][]string{{"visits", "integer"}, {"paint", "string"}, {"visits", "integer"}} {
		i.define(fields...)
		i.mergePortion()
	}
	i.merge(false)
	i.findsBy(people, visited())
}
