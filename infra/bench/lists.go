package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	clientsPath   = "/v1/crm/clients/"
	documentsPath = "/v2/documents/?pageSize=20"
	deepPage      = 40_000
)

// longList is the list of a company whose pages are measured.
type longList struct {
	what, group, path string
	kind              kinds.Code
	limit             cost
	live              []int64 // the ids that it shows, upwards
	client
}

// pages is the number of pages of the list.
func (l *longList) pages() int { return (len(l.live) + pageSize - 1) / pageSize }

// deep is page 40,000. In a shorter list it is the page four fifths of the way down.
func (l *longList) deep() int { return min(deepPage, max(1, l.pages()*4/5)) }

// exactly reads a page and checks that its rows and its count are exactly the expected ones.
func (l *longList) exactly(ctx context.Context, n int, ascending bool) (answer, error) {
	target := fmt.Sprintf("%s?page=%d&pageSize=%d", l.path, n, pageSize)
	if ascending {
		target += "&ordering=id"
	}
	shown, a, err := l.page(ctx, target)
	if err != nil {
		return a, err
	}
	offset := (n - 1) * pageSize
	if shown.Count != len(l.live) || len(shown.Results) != min(pageSize, len(l.live)-offset) {
		return a, fmt.Errorf("page %d of %s has %d rows of %d, want a count of %d", n, l.what, len(shown.Results), shown.Count, len(l.live))
	}
	for i, row := range shown.Results {
		at := offset + i
		if !ascending {
			at = len(l.live) - 1 - at
		}
		if row["id"] != float64(l.live[at]) {
			return a, fmt.Errorf("page %d of %s has %v in row %d, want %d", n, l.what, row["id"], i, l.live[at])
		}
	}
	return a, nil
}

// sample reads many pages: the first, a deep one, the last, and random ones. A quarter of
// them are read in ascending order.
func (l *longList) sample(ctx context.Context, random int) (all sample, err error) {
	numbers := []int{1, l.deep(), l.pages()}
	lots := rand.New(rand.NewPCG(uint64(l.company), 40_000)) //nolint:gosec // pages to look at
	for range random {
		numbers = append(numbers, 1+lots.IntN(l.pages()))
	}
	for i, n := range numbers {
		a, err := l.exactly(ctx, n, i%4 == 3)
		if err != nil {
			return all, err
		}
		all.add(a)
	}
	return all, nil
}

// fold folds the counters of the ids, as the worker does after a while, and with sweep removes those that are left over, as it does
// later.
func (l *longList) fold(ctx context.Context, conn *table.Conn, sweep bool) error {
	d := listing.Of(table.Of(conn, l.company), l.kind, nil)
	for bucket := range int(l.live[len(l.live)-1] / listing.Bucket) {
		below, err := d.Fold(ctx, bucket)
		if err != nil {
			return err
		}
		if below == 0 || !sweep {
			continue
		}
		if err := d.Sweep(ctx, bucket, below); err != nil {
			return err
		}
	}
	return nil
}

// measure measures the pages of the list at rest, that is with folded counters.
func (l *longList) measure(ctx context.Context, b *bench, r *section) error {
	if err := l.fold(ctx, b.stage.conn, true); err != nil {
		return err
	}
	all, err := l.sample(ctx, b.samples)
	if err != nil {
		return err
	}
	most, read, took := all.most(), 0.0, median(all.times)
	for _, c := range all.costs {
		read += c.read / float64(len(all.costs))
	}
	r.judge("list of "+l.what, most.calls <= l.limit.calls && most.read <= l.limit.read,
		fmt.Sprintf("≤ %d calls, ≤ %s units", l.limit.calls, units(l.limit.read)),
		"%d calls, %.1f units on average, %s at most", most.calls, read, units(most.read))
	b.bigPages = append(b.bigPages, priced{
		what: "list of 20 of " + l.what, group: l.group, cost: cost{calls: most.calls, read: math.Round(10*read) / 10}, took: took,
	})
	return nil
}

// lists measures pages of lists of documents. Of each company: page 1, page 40,000 or one four fifths down, the last page and many at
// random. The rows of every page and its count are compared with what was written.
func (b *bench) lists(ctx context.Context, r *section) error {
	n, all := b.documents, thousands(b.documents)
	var million *longList
	for _, of := range []struct {
		what  string
		ids   int
		keep  func(id int64) bool
		limit cost
	}{
		{what: hundred, ids: 100, limit: cost{calls: 2, read: 4}},
		{what: all + " documents", ids: n, limit: cost{calls: 2, read: 12}},
		{what: all + " ids, 30 % of them deleted at random", ids: n, keep: holes(30, 0.30), limit: cost{calls: 2, read: 20}},
		{what: all + " ids, 97 % of them deleted at random", ids: n, keep: holes(97, 0.97), limit: cost{calls: 2, read: 20}},
	} {
		took, err := b.seed(ctx, of.what, of.ids, of.keep)
		if err != nil {
			return err
		}
		c, err := b.client(ctx, of.what, "documents")
		if err != nil {
			return err
		}
		l := &longList{what: of.what, group: "documents", path: "/v2/documents/", kind: kinds.Document, limit: of.limit, client: c}
		for id := range int64(of.ids) {
			if of.keep == nil || of.keep(id+1) {
				l.live = append(l.live, id+1)
			}
		}
		if of.ids == n && of.keep == nil {
			million = l
			if err := l.fresh(ctx, b, r, took); err != nil {
				return err
			}
		}
		if err := l.measure(ctx, b, r); err != nil {
			return err
		}
	}
	return b.ratio(ctx, r, million)
}

// fresh judges how long it took to seed all documents, as if they had been a million, and what pages cost right after they were written,
// and after the counters were folded and not removed yet.
func (l *longList) fresh(ctx context.Context, b *bench, r *section, took time.Duration) error {
	n := len(l.live)
	whole := time.Duration(float64(took) * 1e6 / float64(n))
	r.judgeTime("1,000,000 documents seeded, as by `-seed-documents`", whole <= 10*time.Minute, "≤ 10 min",
		"%s (%s documents in %s)", whole.Round(time.Second), thousands(n), took.Round(time.Second))
	unfolded, err := l.sample(ctx, 20)
	if err != nil {
		return err
	}
	if err := l.fold(ctx, b.stage.conn, false); err != nil {
		return err
	}
	unswept, err := l.sample(ctx, 20)
	read := max(unfolded.most().read, unswept.most().read)
	r.judge("the same of "+l.what+", within 20 minutes of writing all of them at once", read <= l.limit.read,
		fmt.Sprintf("≤ %s units", units(l.limit.read)), "%s units at most, until sealed counters are removed", units(read))
	return err
}

// ratio measures page 1 and the deep page alternately.
func (b *bench) ratio(ctx context.Context, r *section, l *longList) error {
	times := map[int][]time.Duration{}
	for i := range b.samples {
		pages := []int{1, l.deep()}
		for _, n := range []int{pages[i%2], pages[1-i%2]} {
			a, err := l.exactly(ctx, n, false)
			if err != nil {
				return err
			}
			times[n] = append(times[n], a.took)
		}
	}
	first, deep := median(times[1]), median(times[l.deep()])
	ratio := float64(deep) / float64(first)
	r.judgeTime(fmt.Sprintf("page %s against page 1, in turns", thousands(l.deep())), ratio <= 1.5, "≤ 1.5 times",
		"%.2f times (%s, %s)", ratio, ms(deep), ms(first))
	return nil
}

// clientLists measures pages of a list of many clients, who were imported without an IIN. An import leaves up to 16 ids unused, so that
// the counters are not all full, and take more room than those of as many documents.
func (b *bench) clientLists(ctx context.Context, r *section) error {
	what := thousands(b.clients) + " clients"
	// A page of clients shows what their orders come to: one item beside each of them, in one call more than that of a page.
	limit := cost{calls: 2 + 1, read: 12 + pageSize/2}
	c, err := b.client(ctx, what, "clients")
	if err != nil {
		return err
	}
	l := &longList{what: what, group: "clients", path: clientsPath, kind: kinds.Client, limit: limit, client: c}
	if err := l.load(ctx, "individual", b.clients, stranger); err != nil {
		return err
	}
	all, err := l.whole(ctx, clientsPath)
	if err != nil {
		return err
	}
	for i := range all {
		id, _ := all[len(all)-1-i]["id"].(float64)
		l.live = append(l.live, int64(id))
	}
	if len(l.live) != b.clients {
		return fmt.Errorf("%d clients are there, of %d", len(l.live), b.clients)
	}
	return l.measure(ctx, b, r)
}

// holes returns which ids to keep. It leaves out a share of all ids at random; every run
// leaves out the same ones.
func holes(seed uint64, share float64) func(id int64) bool {
	return func(id int64) bool {
		x := (uint64(id) + seed) * 0x9e3779b97f4a7c15 // splitmix64
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return float64((x^x>>31)>>11)/(1<<53) >= share
	}
}
