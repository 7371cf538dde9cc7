package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/tenant"
)

const (
	repeated = 40 // times that each query is sent
	firsts   = 10 // new instances whose first search is measured
)

// grownQueries are a plain page, and searches from the usual to the odd.
func grownQueries() []string {
	return []string{
		"", "search=4321", "search=Camry+договор", "search=а", "search=nothing+has+this", "search=договор&ordering=-rank",
		"ordering=name", "ordering=name&page=last", "ordering=source,-updated_at,name&page=1000",
		"source=2&created_at__gte=2026-01-01&updated_at__lte=2026-12-31&ordering=-name",
	}
}

// size is a company by which the searches of a growing one are measured.
type size struct {
	company tenant.ID
	n       int
	first   time.Duration // the bound of an instance's first search
}

// grown measures what searches cost as a company grows, in instances that keep its segments and in new ones.
func (b *bench) grown(ctx context.Context, r *section) error {
	r.title = "Searches as a company grows"
	s, err := b.open(ctx)
	if err != nil {
		return err
	}
	sizes := []size{
		{tenThousand, b.searched, 40 * time.Millisecond}, {growing, 10 * b.searched, 100 * time.Millisecond},
		{dense, b.documents, 700 * time.Millisecond},
	}
	warm := [][]string{{"Documents", "Query", "Answer", "Calls", "Units", "p50", "p95"}}
	cold := [][]string{{"Documents", "Calls", "Units", "Requests to the bucket", "Bytes read", "p50", "most"}}
	for _, size := range sizes {
		b.say("  %s documents", thousands(size.n))
		if _, err := b.seed(ctx, size.company, size.n, nil); err != nil {
			return err
		}
		start := time.Now()
		if err := pack(ctx, s.env, size.company, kinds.Document); err != nil {
			return err
		}
		b.say("  their segments were made in %s", time.Since(start).Round(time.Second))
		rows, err := b.warmSearches(ctx, r, s, size)
		if err != nil {
			return err
		}
		warm = append(warm, rows...)
		row, err := b.firstSearches(ctx, r, s, size)
		if err != nil {
			return err
		}
		cold = append(cold, row)
	}
	r.table(warm)
	r.text("Pages of %d, each %d times, by an instance that keeps the segments; calls and units are the most of one answer. The first query of\n"+
		"each company is a plain page, which no search answers. A function of 512 MB has 0.29 of a core: what these times have beyond a plain\n"+
		"page's takes 3.5 times as long there.", pageSize, repeated)
	r.table(cold)
	r.text("The first search of %d new instances each: it reads the manifest and the segments, and opens these.", firsts)
	return nil
}

// warmSearches measures the queries in an instance that keeps the segments.
func (b *bench) warmSearches(ctx context.Context, r *section, s *stage, of size) (rows [][]string, err error) {
	var all sample
	slowest := time.Duration(0)
	for _, query := range grownQueries() {
		var one sample
		found := ""
		for i := range repeated {
			a, err := must(ctx, s.server, event(of.company, http.MethodGet, grownPath(query), ""), http.StatusOK)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", query, err)
			}
			l, err := listOf(a)
			if err != nil {
				return nil, err
			}
			if found = thousands(l.Count) + " match"; i > 0 {
				one.add(a)
			}
		}
		if query != "" {
			all.costs, all.times = append(all.costs, one.costs...), append(all.times, one.times...)
			slowest = max(slowest, median(one.times))
		}
		most := one.most()
		rows = append(rows, []string{
			thousands(of.n), "`" + query + "`", found, fmt.Sprint(most.calls), units(most.read), ms(median(one.times)),
			ms(percentile(one.times, 0.95)),
		})
	}
	what, most := "search in "+thousands(of.n)+" documents, warm", all.most()
	r.judge(what, most.calls <= 4 && most.read <= 60, "≤ 4 calls, ≤ 60 units", "%d calls, %s units at most", most.calls, units(most.read))
	r.judgeTime("the same, the slowest kind of query", slowest <= 40*time.Millisecond, "p50 ≤ 40 ms", "%s", ms(slowest))
	b.bigPages = append(b.bigPages, priced{what: what, group: "documents", cost: most, took: median(all.times)})
	return rows, nil
}

// firstSearches measures the first search of new instances.
func (b *bench) firstSearches(ctx context.Context, r *section, s *stage, of size) ([]string, error) {
	variables, err := b.variables("documents", s.local)
	if err != nil {
		return nil, err
	}
	var all sample
	gets, got := 0, 0
	for range firsts {
		env, used, err := countingEnvOf(variables)
		if err != nil {
			return nil, err
		}
		server := env.Server(documents.New(env))
		// Another company's page first: what connects to the engine is no part of a search.
		if _, err := must(ctx, server, event(hundred, http.MethodGet, grownPath(""), ""), http.StatusOK); err != nil {
			return nil, err
		}
		a, err := must(ctx, server, event(of.company, http.MethodGet, grownPath("search=Camry+договор"), ""), http.StatusOK)
		if err != nil {
			return nil, err
		}
		all.add(a)
		_, _, _, _, gets = used.read()
		got = used.got
	}
	most, what := all.most(), "first search of an instance in "+thousands(of.n)+" documents"
	r.judgeTime(what, median(all.times) <= of.first, "p50 ≤ "+of.first.String(), "%s", ms(median(all.times)))
	b.bigPages = append(b.bigPages, priced{what: what, group: "documents", cost: most, took: median(all.times), gets: gets})
	return []string{
		thousands(of.n), fmt.Sprint(most.calls), units(most.read), fmt.Sprint(gets), thousands(got), ms(median(all.times)),
		ms(percentile(all.times, 1)),
	}, nil
}

// grownPath is a list of documents with a query.
func grownPath(query string) string {
	escaped := strings.NewReplacer("договор", url.QueryEscape("договор"), "=а", "="+url.QueryEscape("а")).Replace(query)
	return fmt.Sprintf("/v2/documents/?pageSize=%d&%s", pageSize, escaped)
}
