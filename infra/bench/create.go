package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web"
)

const createsBound = 300 // a second

// create measures the creation of a document without references or file.
func (b *bench) create(ctx context.Context, r *section) error {
	r.Title = "Creating a document"
	s, err := b.open(ctx)
	if err != nil {
		return err
	}
	var all sample
	for i := range b.samples {
		a, err := must(
			ctx, s.server, event(creating, http.MethodPost, "/v2/documents/", fmt.Sprintf(`{"name":"Договор аренды № %d"}`, i)),
			http.StatusCreated,
		)
		if err != nil {
			return err
		}
		all.add(a)
	}
	most := all.most()
	_, write := all.average()
	r.judge(
		"create a document without references or file", most.calls <= 2 && most.write <= 8, "≤ 2 calls, ≤ 6 write units and 2 of history",
		"%d calls, %s write units at most, %.2f on average", most.calls, units(most.write), write,
	)
	r.text(
		"%d documents one after the other: p50 %s, p95 %s. The units are of the number, the record with its search entry, the\n"+
			"counter of live records, and the audit record; a transaction counts twice.",
		b.samples, ms(median(all.times)), ms(percentile(all.times, 0.95)),
	)
	return nil
}

// creators measures many callers that create documents in one company at the same time.
func (b *bench) creators(ctx context.Context, r *section) error {
	r.Title = "Sixteen creators in one company"
	s, err := b.open(ctx)
	if err != nil {
		return err
	}
	payload := event(creating, http.MethodPost, "/v2/documents/", `{"name":"Договор аренды"}`)
	list := event(creating, http.MethodGet, "/v2/documents/", "")
	on := func(api dynamodbiface.DynamoDBAPI) *web.Server { return s.with(api, tableName) }
	all, err := b.rush(ctx, on, func(dynamodbiface.DynamoDBAPI) error { return nil }, payload, list)
	if err != nil {
		return err
	}
	l, err := listOf(all.after)
	if err != nil {
		return err
	}
	if n := int64(l.Count); n < all.done || n > all.done+all.failed { // a create that failed may have been stored all the same
		return fmt.Errorf("the list counts %d documents after %d creates", l.Count, all.done)
	}
	r.judgeTime(
		"16 concurrent creators in one company", all.failed == 0 && all.rate >= createsBound, "no failed request, ≥ 300 creates/s",
		"%d failed of %s, %.0f creates/s", all.failed, thousands(int(all.done+all.failed)), all.rate,
	)
	faults := tabletest.Locks()
	r.text(
		"Through the documents' create operation, for %s. A transaction holds its items for %s and takes %s, any other call %s; who\n"+
			"meets a held item is refused as on AWS. %.2f writing calls a create (2 are without any conflict); p50 %s, p95 %s, longest\n"+
			"%s. The list's count afterwards is the number of creates. One after the other, a creator could make %.0f a second, so\n"+
			"sixteen %.0f.",
		rushTime, faults.Lock, faults.Transaction, faults.Call, all.writesEach(), ms(median(all.times)),
		ms(percentile(all.times, 0.95)), ms(percentile(all.times, 1)), 1/(faults.Transaction+faults.Call).Seconds(),
		rushers/(faults.Transaction+faults.Call).Seconds(),
	)
	return nil
}
