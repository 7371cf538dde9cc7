package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/tenant"
)

const (
	seeding  = 12 * time.Minute // the most that one company's records may take
	repeated = 20               // times that each query is sent
)

// grown measures what a page of a list and of a search costs as a company grows: 10,000, 100,000, 1,000,000 documents.
func (b *bench) grown(ctx context.Context, r *section) error {
	r.title = "Lists and searches of growing companies"
	s, err := b.open(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{{"Documents", "Query", "Answer", "Calls", "Units", "p50", "p95"}}
	for i, n := 0, b.searched; n <= b.documents; i, n = i+1, 10*n {
		company := growing + tenant.ID(i)
		b.say("  %s documents", thousands(n))
		bounded, cancel := context.WithTimeout(ctx, seeding)
		_, err := b.seed(bounded, company, n, nil)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			rows = append(rows, []string{thousands(n), "", "not written within " + seeding.String(), "", "", "", ""})
			break
		}
		if err != nil {
			return err
		}
		for _, query := range []string{"", "page=40", "search=4321", "search=Camry+договор", "ordering=name", "search=nothing+has+this"} {
			row, err := b.grownQuery(ctx, s, company, query)
			if err != nil {
				return err
			}
			rows = append(rows, append([]string{thousands(n)}, row...))
		}
	}
	r.table(rows)
	r.text("Pages of %d, each up to %d times; calls and units are the most of one answer. Of a million the search may be refused\n"+
		"for what it would read.", pageSize, repeated)
	return nil
}

// grownQuery measures one query, and says what is answered if that is no list.
func (b *bench) grownQuery(ctx context.Context, s *stage, company tenant.ID, query string) ([]string, error) {
	path := fmt.Sprintf("/v2/documents/?pageSize=%d&%s", pageSize, strings.ReplaceAll(query, "договор", url.QueryEscape("договор")))
	var all sample
	found := ""
	for range repeated {
		a, err := ask(ctx, s.server, event(company, http.MethodGet, path, ""))
		if err != nil {
			return nil, err
		}
		all.add(a)
		if found = fmt.Sprint("status ", a.status); a.status != http.StatusOK {
			break
		}
		l, err := listOf(a)
		if err != nil {
			return nil, err
		}
		found = thousands(l.Count) + " match"
	}
	most := all.most()
	return []string{
		"`" + query + "`", found, fmt.Sprint(most.calls), units(most.read), ms(median(all.times)), ms(percentile(all.times, 0.95)),
	}, nil
}
