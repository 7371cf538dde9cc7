package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

const (
	importers  = 2   // how many imports of one company run at a time
	signedOnes = 100 // one of this many clients has signed
)

// load imports n clients, with several imports at a time. The function body makes the body of each import.
func (c *crm) load(ctx context.Context, company tenant.ID, kind string, body func(from, n int) string, n int) (time.Duration, error) {
	start := time.Now()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(importers)
	for from := 0; from < n && ctx.Err() == nil; from += importRows {
		g.Go(func() error {
			_, err := must(
				ctx, c.clients, event(company, http.MethodPost, clientsPath+"import/"+kind+"/", body(from, min(importRows, n-from))),
				http.StatusCreated,
			)
			if err != nil {
				return fmt.Errorf("import from %d on: %w", from, err)
			}
			return nil
		})
	}
	err := g.Wait()
	return time.Since(start), err
}

// client is an imported client: the person that its number gives, and its id.
type client struct {
	person
	id     int64
	signed bool
}

// clientSearch measures filters and searches of clients, whose segments an instance keeps.
func (b *bench) clientSearch(ctx context.Context, r *section) error {
	r.Title = "Filters and search in " + thousands(b.searched) + " clients"
	c, err := b.crm(ctx)
	if err != nil {
		return err
	}
	list, err := c.mixed(ctx, b.searched)
	if err != nil {
		return err
	}
	if err := makeSegments(ctx, c.env, clientsFound, kinds.Client); err != nil {
		return err
	}
	some := list[len(list)/2]
	rows := [][]string{{"Query", "Matches", "Calls", "Units", "p50", "p95"}}
	var all sample
	for _, q := range []struct {
		query string
		fits  func(client) bool
	}{
		{"type=1", func(c client) bool { return c.bin != "" }},
		{"signed=true", func(c client) bool { return c.signed }},
		{"type=0&signed=false", func(c client) bool { return c.bin == "" && !c.signed }},
		{"phone=" + url.QueryEscape("8"+some.phone[2:]), func(c client) bool { return c.phone == some.phone }},
		{"iin=" + some.iin, func(c client) bool { return c.iin == some.iin }},
		{"name=сәрсенбаева", func(c client) bool { return c.found("сәрсенбаева") }},
		{"search=ахметов", func(c client) bool { return c.found("ахметов") }},
		{"search=ahm", func(c client) bool { return c.found("ahm") }},
		{"search=" + some.phone[5:], func(c client) bool { return c.found(some.phone[5:]) }},
		{"search=" + some.iin[:8], func(c client) bool { return c.found(some.iin[:8]) }},
		{"search=" + url.QueryEscape("ann 7701") + "&ordering=name", func(c client) bool { return c.found("ann 7701") }},
		{"ordering=-updated_at", func(client) bool { return true }},
	} {
		want := 0
		for _, one := range list {
			if q.fits(one) {
				want++
			}
		}
		one, err := c.find(ctx, q.query, want)
		if err != nil {
			return err
		}
		most := one.most()
		all.costs, all.times = append(all.costs, one.costs...), append(all.times, one.times...)
		query, _ := url.QueryUnescape(q.query)
		rows = append(rows, []string{
			"`" + query + "`", thousands(want), fmt.Sprint(most.calls), units(most.read),
			ms(median(one.times)), ms(percentile(one.times, 0.95)),
		})
	}
	most := all.most()
	what := "filters and search in " + thousands(b.searched) + " clients"
	bound := cost{calls: 3, read: 25}
	held := most.calls <= bound.calls && most.read <= bound.read
	text := fmt.Sprintf("≤ %d calls, ≤ %s units", bound.calls, units(bound.read))
	r.judge(what, held, text, "%d calls, %s units at most", most.calls, units(most.read))
	b.bigPages = append(b.bigPages, priced{what: what, group: "clients", cost: most, took: median(all.times)})
	r.table(rows)
	r.text(
		"Pages of %d, each %d times. Four fifths are individuals with an IIN, the others legal entities with a BIN; all have\n"+
			"phones. They were imported; one of %d has signed since. Counts were compared with what was imported, by the plain\n"+
			"definition.",
		pageSize, searchRepeated, signedOnes,
	)
	return nil
}

// find sends one query for clients several times.
func (c *crm) find(ctx context.Context, query string, want int) (one sample, err error) {
	for i := range searchRepeated + 1 { // the first one may have to read the segments, and is not counted
		a, err := must(
			ctx, c.clients, event(clientsFound, http.MethodGet, fmt.Sprintf("%s?pageSize=%d&%s", clientsPath, pageSize, query), ""),
			http.StatusOK,
		)
		if err != nil {
			return one, err
		}
		l, err := listOf(a)
		if err != nil {
			return one, err
		}
		if l.Count != want || len(l.Results) != min(want, pageSize) {
			return one, fmt.Errorf("%s finds %d, want %d", query, l.Count, want)
		}
		if i > 0 {
			one.add(a)
		}
	}
	return one, nil
}

// mixed imports individuals and legal entities, marks some of them as having signed, and
// returns all of them.
func (c *crm) mixed(ctx context.Context, n int) (list []client, err error) {
	firms := n / 5
	if _, err := c.load(ctx, clientsFound, "individual", individuals, n-firms); err != nil {
		return nil, err
	}
	if _, err := c.load(ctx, clientsFound, "legal", legalEntities, firms); err != nil {
		return nil, err
	}
	people := map[string]person{}
	for i := range n - firms {
		people[individual(i).name] = individual(i)
	}
	for i := range firms {
		people[legalEntity(i).name] = legalEntity(i)
	}
	for page := 1; len(list) < n; page++ {
		a, err := must(
			ctx, c.clients, event(clientsFound, http.MethodGet, fmt.Sprintf("%s?page=%d&pageSize=1000", clientsPath, page), ""),
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
			p, ok := people[row.Name]
			if !ok {
				return nil, fmt.Errorf("nobody imported %q", row.Name)
			}
			list = append(list, client{person: p, id: row.ID})
		}
	}
	for i := 0; i < n; i += signedOnes {
		list[i].signed = true
		one := fmt.Sprintf("%s%d/", clientsPath, list[i].id)
		if _, err := must(ctx, c.clients, event(clientsFound, http.MethodPatch, one, `{"signed":true}`), http.StatusOK); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// clientLists measures pages of a list of many clients.
func (b *bench) clientLists(ctx context.Context, r *section) error {
	r.Title = "Lists of clients: pages of " + fmt.Sprint(pageSize)
	c, err := b.crm(ctx)
	if err != nil {
		return err
	}
	n := b.clients
	b.say("  %s clients", thousands(n))
	took, err := c.load(ctx, clientsListed, "individual", strangers, n)
	if err != nil {
		return err
	}
	bound := cost{calls: 2 + standingCalls, read: 12 + standingUnits}
	many := &company{source: c.list(), id: clientsListed, what: thousands(n) + " clients", bound: bound}
	if many.live, err = many.stored(ctx, c.stage); err != nil {
		return err
	}
	if len(many.live) != n {
		return fmt.Errorf("%d clients are there, of %d", len(many.live), n)
	}
	unfolded, err := many.sample(ctx, 20)
	if err != nil {
		return err
	}
	if err := many.fold(ctx); err != nil {
		return err
	}
	row, err := b.listsOf(ctx, c.stage, r, many)
	if err != nil {
		return err
	}
	r.table([][]string{listHead, row})
	r.text(
		"They were imported, %s at a time and %d imports at once, in %s (%.0f a second), without IINs. As with documents, a page's\n"+
			"rows and its count were compared with what is there. An import leaves up to 16 ids unused, so that its counters are not\n"+
			"all full, and take more room than those of as many documents. The worker folds them a minute after each %s ids; before any\n"+
			"was folded, a page cost up to %s units in %d calls. `go run ./infra/bench -only client-lists -clients 1000000` measures a\n"+
			"million, which takes longer than all of this report should.",
		thousands(importRows), importers, took.Round(time.Second), float64(n)/took.Seconds(), thousands(listing.Bucket),
		units(unfolded.most().read), unfolded.most().calls,
	)
	return nil
}

// stored reads the ids of all records of a company from the items of the table.
func (c *company) stored(ctx context.Context, s *stage) (list []int64, err error) {
	pages := dynamodb.NewQueryPaginator(engine.Client(s.engine.Endpoint()), &dynamodb.QueryInput{
		TableName: aws.String(c.table), KeyConditionExpression: aws.String("pk = :pk"), ProjectionExpression: aws.String("sk"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":pk": &types.AttributeValueMemberS{Value: table.Of(c.conn, c.id).Records(c.kind)},
		},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			id, err := table.ParseSortID(table.Attributes(item).Text("sk"))
			if err != nil {
				return nil, err
			}
			list = append(list, id)
		}
	}
	return list, nil
}

// fold folds the counters of the company's ids and removes the counters that are left over.
// In production the worker does so after a while.
func (c *company) fold(ctx context.Context) error {
	d := listing.Of(table.Of(c.conn, c.id), c.kind, nil)
	for bucket := range int(c.live[len(c.live)-1] / listing.Bucket) {
		below, err := d.Fold(ctx, bucket)
		if err != nil {
			return err
		}
		if err := d.Sweep(ctx, bucket, below); below > 0 && err != nil {
			return err
		}
	}
	return nil
}
