package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

const (
	deepPage = 40_000

	// afterPatience is how far the clock is set ahead for folding, which waits until creates that have begun have
	// ended. afterSweep is the same for sweeping, which waits until every request that may have read the old stripes
	// has ended.
	afterPatience = time.Minute
	afterSweep    = time.Hour
)

// source is a kind of records, with the path, table and server that list them.
type source struct {
	group  string
	path   string
	kind   kinds.Code
	table  string
	conn   *table.Conn
	server *web.Server
}

// documents is the source of the stage's documents.
func (s *stage) documents() source {
	return source{group: "documents", path: "/v2/documents/", kind: kinds.Document, table: tableName, conn: s.env.Table, server: s.server}
}

// company is a company whose lists are measured.
type company struct {
	source
	id    tenant.ID
	what  string
	ids   int // number of ids that were given out
	keep  func(id int64) bool
	bound cost
	live  []int64 // filled when it is seeded
}

func (c *company) seed(ctx context.Context, b *bench) (time.Duration, error) {
	for id := range int64(c.ids) {
		if c.keep == nil || c.keep(id+1) {
			c.live = append(c.live, id+1)
		}
	}
	b.say("  %s documents for the company with %s", thousands(len(c.live)), c.what)
	return b.seed(ctx, c.id, c.ids, c.keep)
}

// What it costs to show, with a page of the plain list of clients, what their orders come to: one item beside each of them, in
// one call. A search, and who reads a client alone, takes it in the call that reads the clients.
const (
	standingCalls = 1
	standingUnits = pageSize / 2
)

// pages is the number of pages of the company's list.
func (c *company) pages() int { return (len(c.live) + pageSize - 1) / pageSize }

// deep is page 40,000. In a shorter list it is the page four fifths of the way down.
func (c *company) deep() int { return min(deepPage, max(1, c.pages()*4/5)) }

// page reads a page and checks that its rows and its count are exactly the expected ones.
func (c *company) page(ctx context.Context, n int, ascending bool) (answer, error) {
	target := fmt.Sprintf("%s?page=%d&pageSize=%d", c.path, n, pageSize)
	if ascending {
		target += "&ordering=id"
	}
	a, err := must(ctx, c.server, event(c.id, http.MethodGet, target, ""), http.StatusOK)
	if err != nil {
		return a, err
	}
	l, err := listOf(a)
	if err != nil {
		return a, err
	}
	offset := (n - 1) * pageSize
	if l.Count != len(c.live) || len(l.Results) != min(pageSize, len(c.live)-offset) {
		return a, fmt.Errorf("page %d of %s has %d rows of %d, want a count of %d", n, c.what, len(l.Results), l.Count, len(c.live))
	}
	for i, row := range l.Results {
		at := offset + i
		if !ascending {
			at = len(c.live) - 1 - at
		}
		if row.ID != c.live[at] {
			return a, fmt.Errorf("page %d of %s has %d in row %d, want %d", n, c.what, row.ID, i, c.live[at])
		}
	}
	return a, nil
}

// sample reads many pages: the first, a deep one, the last, and random ones. A quarter of
// them are read in ascending order.
func (c *company) sample(ctx context.Context, random int) (all sample, err error) {
	numbers := []int{1, c.deep(), c.pages()}
	lots := rand.New(rand.NewPCG(uint64(c.id), 40_000)) //nolint:gosec // pages to look at
	for range random {
		numbers = append(numbers, 1+lots.IntN(c.pages()))
	}
	for i, n := range numbers {
		a, err := c.page(ctx, n, i%4 == 3)
		if err != nil {
			return all, err
		}
		all.add(a)
	}
	return all, nil
}

// counters returns the read units of reading the listing alone, without records.
func (c *company) counters(ctx context.Context) (units float64, err error) {
	ctx, used := meter.Start(ctx)
	_, err = listing.Of(table.Of(c.conn, c.id), c.kind, nil).Count(ctx)
	return used.Usage().ReadUnits, err
}

// itemSizes are the average and the largest size of some of a company's items.
func (c *company) itemSizes(ctx context.Context, s *stage) (average, largest int, err error) {
	out, err := engine.Client(s.engine.Endpoint()).Query(ctx, &dynamodb.QueryInput{
		TableName: aws.String(c.table), KeyConditionExpression: aws.String("pk = :pk"), Limit: aws.Int32(1000),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":pk": &types.AttributeValueMemberS{Value: table.Of(c.conn, c.id).Records(c.kind)},
		},
	})
	if err != nil || len(out.Items) == 0 {
		return 0, 0, err
	}
	for _, item := range out.Items {
		size := table.Attributes(item).Size()
		average, largest = average+size, max(largest, size)
	}
	return average / len(out.Items), largest, nil
}

func (b *bench) lists(ctx context.Context, r *section) error {
	r.Title = "Lists: pages of " + fmt.Sprint(pageSize)
	s, err := b.withHundred(ctx)
	if err != nil {
		return err
	}
	n := b.documents
	companies := []*company{
		{source: s.documents(), id: hundred, what: "100 documents", ids: 100, bound: cost{calls: 2, read: 4}},
		{source: s.documents(), id: dense, what: thousands(n) + " documents", ids: n, bound: cost{calls: 2, read: 12}},
		{
			source: s.documents(),
			id:     third,
			what:   thousands(n) + " ids, 30 % of them deleted at random",
			ids:    n,
			keep:   holes(30, 0.30),
			bound:  cost{calls: 2, read: 20},
		},
		{
			source: s.documents(),
			id:     sparse,
			what:   thousands(n) + " ids, 97 % of them deleted at random",
			ids:    n,
			keep:   holes(97, 0.97),
			bound:  cost{calls: 2, read: 20},
		},
	}
	for id := range int64(100) {
		companies[0].live = append(companies[0].live, id+1)
	}
	million := companies[1]
	for _, c := range companies[1:] {
		took, err := c.seed(ctx, b)
		if err != nil {
			return err
		}
		if c == million {
			whole := time.Duration(float64(took) * 1e6 / float64(n))
			r.judgeTime(
				"1,000,000 documents seeded, as by `-seed-documents`", whole <= 10*time.Minute, "≤ 10 min",
				"%s (%s documents in %s, %.0f a second)", whole.Round(time.Second), thousands(n), took.Round(time.Second),
				float64(n)/took.Seconds(),
			)
		}
	}
	unfolded, err := million.sample(ctx, 20)
	if err != nil {
		return err
	}
	b.say("  folding")
	start := time.Now()
	messages, err := s.fold(ctx, afterPatience)
	if err != nil {
		return err
	}
	folding := time.Since(start)
	unswept, err := million.sample(ctx, 20)
	if err != nil {
		return err
	}
	if _, err := s.fold(ctx, afterSweep); err != nil {
		return err
	}
	rows := [][]string{listHead}
	for _, c := range companies {
		row, err := b.listsOf(ctx, s, r, c)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	if err := b.ratio(ctx, r, million); err != nil {
		return err
	}
	r.table(rows)
	before := unswept.most()
	young := max(unfolded.most().read, before.read)
	r.judge("the same of "+million.what+", within 20 minutes of writing all of them at once", young <= million.bound.read,
		fmt.Sprintf("≤ %s units", units(million.bound.read)), "%s units at most, until sealed counters are removed", units(young))
	r.text("Of each company: page 1, page %s (or one four fifths down), the last page and %d at random, a quarter of them by ascending\n"+
		"id. The rows of every page and its count were compared with what was written. Times are of a whole request with the\n"+
		"engine's own on this machine. A page reads at most 28 rows, so with items of exactly 1 KB it is the counters and 3.5 units.",
		thousands(deepPage), b.samples)
	r.text(
		"At rest, that is: folded. %s messages of the outbox folded all buckets in %s. Before, right after writing everything at\n"+
			"once, a page of the largest company cost up to %s units in %d calls; then, for the 20 minutes in which sealed counters\n"+
			"wait for their removal, up to %s in %d. A company that grows at a usual pace has one or two buckets in that state, at 3\n"+
			"units each or less.",
		thousands(messages), folding.Round(time.Second), units(unfolded.most().read), unfolded.most().calls, units(before.read),
		before.calls,
	)
	if err := b.deletedOneByOne(ctx, s, r, companies[2:]); err != nil {
		return err
	}
	r.text("The table has %.1f GB on disk.", float64(b.size())/1e9)
	return nil
}

// listHead is the header of the table whose rows listsOf returns.
var listHead = []string{"Company", "Calls", "Units, average", "most", "of them counters", "p50", "p95", "Item, average (largest)"}

// listsOf measures the lists of one company at rest.
func (b *bench) listsOf(ctx context.Context, s *stage, r *section, c *company) ([]string, error) {
	all, err := c.sample(ctx, b.samples)
	if err != nil {
		return nil, err
	}
	counters, err := c.counters(ctx)
	if err != nil {
		return nil, err
	}
	average, largest, err := c.itemSizes(ctx, s)
	if err != nil {
		return nil, err
	}
	most := all.most()
	read, _ := all.average()
	r.judge("list of "+c.what, most.calls <= c.bound.calls && most.read <= c.bound.read && average <= 1024,
		fmt.Sprintf("≤ %d calls, ≤ %s units", c.bound.calls, units(c.bound.read)),
		"%d calls, %.1f units on average, %s at most", most.calls, read, units(most.read))
	if len(c.live) > 100 {
		b.bigPages = append(b.bigPages, priced{
			what:  "list of 20 of " + c.what,
			group: c.group,
			cost:  cost{calls: most.calls, read: math.Round(10*read) / 10},
			took:  median(all.times),
		})
	}
	return []string{
		c.what, fmt.Sprint(most.calls), fmt.Sprintf("%.2f", read), units(most.read), units(counters),
		ms(median(all.times)), ms(percentile(all.times, 0.95)), fmt.Sprintf("%d (%d) bytes", average, largest),
	}, nil
}

// ratio measures page 1 and the deep page alternately.
func (b *bench) ratio(ctx context.Context, r *section, c *company) error {
	var first, deep []time.Duration
	for i := range b.samples {
		pages := []int{1, c.deep()}
		if i%2 == 1 {
			pages = []int{c.deep(), 1}
		}
		for _, n := range pages {
			a, err := c.page(ctx, n, false)
			if err != nil {
				return err
			}
			if n == 1 {
				first = append(first, a.took)
			} else {
				deep = append(deep, a.took)
			}
		}
	}
	ratio := float64(median(deep)) / float64(median(first))
	r.judgeTime(fmt.Sprintf("page %s against page 1, in turns", thousands(c.deep())), ratio <= 1.5, "≤ 1.5 times",
		"%.2f times (%s, %s)", ratio, ms(median(deep)), ms(median(first)))
	return nil
}
