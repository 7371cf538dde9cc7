package main

import (
	"context"
	"fmt"
	"net/http"
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
		"ordering=name", "ordering=name&page=last", "ordering=source,-updated_at,name&page=last",
		"source=0&signed=false&id__gte=100&ordering=-name",
	}
}

// grownCompany is a company whose searches are measured.
type grownCompany struct {
	id         tenant.ID
	documents  int
	firstBound time.Duration // of the first search of an instance
}

// grown measures what searches cost as a company grows, in instances that keep its segments and in new ones.
func (b *bench) grown(ctx context.Context, r *section) error {
	r.Title = "Searches as a company grows"
	s, err := b.withHundred(ctx)
	if err != nil {
		return err
	}
	companies := []grownCompany{{tenThousand, b.searched, 40 * time.Millisecond}}
	if 10*b.searched < b.documents {
		companies = append(companies, grownCompany{growing, 10 * b.searched, 100 * time.Millisecond})
	}
	companies = append(companies, grownCompany{dense, b.documents, 700 * time.Millisecond})
	warm := [][]string{{"Documents", "Query", "Answer", "Calls", "Units", "p50", "p95"}}
	cold := [][]string{{"Documents", "Calls", "Units", "Requests to the bucket", "Bytes read", "p50", "most"}}
	for _, of := range companies {
		b.say("  %s documents", thousands(of.documents))
		if _, err := b.seed(ctx, of.id, of.documents, nil); err != nil {
			return err
		}
		start := time.Now()
		if err := makeSegments(ctx, s.env, of.id, kinds.Document); err != nil {
			return err
		}
		b.say("  their segments were made in %s", time.Since(start).Round(time.Second))
		rows, err := b.warmSearches(ctx, r, s, of)
		if err != nil {
			return err
		}
		warm = append(warm, rows...)
		row, err := b.firstSearches(ctx, r, s, of)
		if err != nil {
			return err
		}
		cold = append(cold, row)
	}
	r.table(warm)
	r.text("Pages of %d, each %d times, by an instance that keeps the segments; calls and units are the most of one answer.\n"+
		"The first row of each company is a plain page, which needs no search. A function of 512 MB has 0.29 of a core: what\n"+
		"a search takes longer than a plain page here takes 3.5 times as long there.", pageSize, repeated)
	r.table(cold)
	r.text("The first search of %d new instances each: it reads the manifest and the segments, and opens these.", firsts)
	return nil
}

// warmSearches measures the queries in an instance that keeps the segments.
func (b *bench) warmSearches(ctx context.Context, r *section, s *stage, of grownCompany) (rows [][]string, err error) {
	var all sample
	slowest := time.Duration(0)
	for _, query := range grownQueries() {
		var one sample
		found := ""
		for i := range repeated + 1 { // the first request reads the segments, and is not counted
			a, err := must(ctx, s.server, event(of.id, http.MethodGet, grownPath(query), ""), http.StatusOK)
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
		text := "none, a plain page"
		if query != "" {
			text = "`" + query + "`"
			all.costs, all.times = append(all.costs, one.costs...), append(all.times, one.times...)
			slowest = max(slowest, median(one.times))
		}
		most := one.most()
		rows = append(rows, []string{
			thousands(of.documents), text, found, fmt.Sprint(most.calls), units(most.read), ms(median(one.times)),
			ms(percentile(one.times, 0.95)),
		})
	}
	what, most := "search in "+thousands(of.documents)+" documents, warm", all.most()
	r.judge(what, most.calls <= 3 && most.read <= 25, "≤ 3 calls, ≤ 25 units", "%d calls, %s units at most", most.calls, units(most.read))
	r.judgeTime("the same, the slowest of the queries", slowest <= 40*time.Millisecond, "p50 ≤ 40 ms", "%s", ms(slowest))
	b.bigPages = append(b.bigPages, priced{what: what, group: "documents", cost: most, took: median(all.times)})
	return rows, nil
}

// firstSearches measures the first search of new instances.
func (b *bench) firstSearches(ctx context.Context, r *section, s *stage, of grownCompany) ([]string, error) {
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
		a, err := must(ctx, server, event(of.id, http.MethodGet, grownPath("search=Camry+договор"), ""), http.StatusOK)
		if err != nil {
			return nil, err
		}
		all.add(a)
		gets, got = used.fromBucket()
	}
	most, what := all.most(), "first search of an instance in "+thousands(of.documents)+" documents"
	bound := fmt.Sprintf("p50 ≤ %d ms", of.firstBound.Milliseconds())
	r.judgeTime(what, median(all.times) <= of.firstBound, bound, "%s", ms(median(all.times)))
	b.bigPages = append(b.bigPages, priced{what: what, group: "documents", cost: most, took: median(all.times), gets: gets})
	return []string{
		thousands(of.documents), fmt.Sprint(most.calls), units(most.read), fmt.Sprint(gets), thousands(got), ms(median(all.times)),
		ms(percentile(all.times, 1)),
	}, nil
}

// grownPath is a list of documents with a query.
func grownPath(query string) string {
	return fmt.Sprintf("/v2/documents/?pageSize=%d&%s", pageSize, query)
}
