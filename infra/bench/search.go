package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/tenantry/tenantry/functions/pack"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

const searchRepeated = 5

// search measures searches in a company of 10,000 documents, whose segments an instance keeps.
func (b *bench) search(ctx context.Context, r *section) error {
	r.Title = "Search in " + thousands(b.searched) + " documents"
	s, err := b.open(ctx)
	if err != nil {
		return err
	}
	if _, err := b.seed(ctx, tenThousand, b.searched, nil); err != nil {
		return err
	}
	if err := makeSegments(ctx, s.env, tenThousand, kinds.Document); err != nil {
		return err
	}
	names, err := b.names(ctx, s)
	if err != nil {
		return err
	}
	rows := [][]string{{"Query", "Matches", "Calls", "Units", "p50", "p95"}}
	var all sample
	for _, q := range []struct{ search, ordering string }{
		{"4321", ""},
		{"договор", ""},
		{"Camry ДОГОВОР", ""},
		{"сәрсенбаева", ""},
		{"agreement bmw", "name"},
		{"a", "-updated_at"},
		{"", "name"},
		{"nothing has this name", ""},
	} {
		want := matches(names, q.search)
		target := fmt.Sprintf("/v2/documents/?pageSize=%d&search=%s&ordering=%s", pageSize, url.QueryEscape(q.search), q.ordering)
		var one sample
		for i := range searchRepeated + 1 { // the first one may have to read the segments, and is not counted
			a, err := must(ctx, s.server, event(tenThousand, http.MethodGet, target, ""), http.StatusOK)
			if err != nil {
				return err
			}
			l, err := listOf(a)
			if err != nil {
				return err
			}
			if l.Count != want || len(l.Results) != min(want, pageSize) {
				return fmt.Errorf("%q finds %d, want %d", q.search, l.Count, want)
			}
			if i > 0 {
				one.add(a)
				all.add(a)
			}
		}
		most, text := one.most(), "`"+q.search+"`"
		if q.search == "" {
			text = "none"
		}
		if q.ordering != "" {
			text += ", ordered by `" + q.ordering + "`"
		}
		rows = append(rows, []string{
			text, thousands(want), fmt.Sprint(most.calls), units(most.read), ms(median(one.times)), ms(percentile(one.times, 0.95)),
		})
	}
	most := all.most()
	r.judge("search in "+thousands(b.searched)+" documents", most.calls <= 3 && most.read <= 25, "≤ 3 calls, ≤ 25 units",
		"%d calls, %s units at most", most.calls, units(most.read))
	b.bigPages = append(b.bigPages, priced{
		what:  "search in " + thousands(b.searched) + " documents",
		group: "documents",
		cost:  most,
		took:  median(all.times),
	})
	r.table(rows)
	r.text("Each %d times, by an instance that keeps the segments. Counts were compared with the names of all documents.", searchRepeated)
	return nil
}

// makeSegments makes the segments of a company anew, as the function does that the worker calls.
func makeSegments(ctx context.Context, env app.Env, company tenant.ID, kind kinds.Code) error {
	return pack.Merger(env).Anew(ctx, table.Of(env.Table, company), kind, pack.Wait(ctx))
}

// names reads all names from the flat list.
func (b *bench) names(ctx context.Context, s *stage) (names []string, err error) {
	for page := 1; len(names) < b.searched; page++ {
		a, err := must(
			ctx, s.server, event(tenThousand, http.MethodGet, fmt.Sprintf("/v2/documents/?page=%d&pageSize=1000", page), ""),
			http.StatusOK,
		)
		if err != nil {
			return nil, err
		}
		l, err := listOf(a)
		if err != nil {
			return nil, err
		}
		for _, row := range l.Results {
			names = append(names, strings.ToLower(row.Name))
		}
	}
	return names, nil
}

// matches counts the names that contain all words of a search, by the plain definition.
func matches(names []string, search string) (n int) {
	words := strings.Fields(strings.ToLower(search))
next:
	for _, name := range names {
		for _, word := range words {
			if !strings.Contains(name, word) {
				continue next
			}
		}
		n++
	}
	return n
}
