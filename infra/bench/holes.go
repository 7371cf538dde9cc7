package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
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

// deletedOneByOne deletes documents of a smaller company by requests, and compares its counters with the counters of
// the large companies. Of the large companies nothing was deleted: the ids that they lack were never written.
func (b *bench) deletedOneByOne(ctx context.Context, s *stage, r *section, large []*company) error {
	c := &company{source: s.documents(), id: deleting, what: "documents deleted one by one", ids: min(listing.Bucket, b.documents)}
	if _, err := c.seed(ctx, b); err != nil {
		return err
	}
	for _, ahead := range []time.Duration{afterPatience, afterSweep} {
		if _, err := s.fold(ctx, ahead); err != nil {
			return err
		}
	}
	rows := [][]string{
		{"Deleted", "Bytes of counters a bucket: left out", "deleted by requests", "Units of a million's counters, by these"},
	}
	for _, l := range large {
		b.say("  deleting one by one")
		if err := c.deleteOthers(ctx, l.keep); err != nil {
			return err
		}
		if _, err := c.sample(ctx, b.samples); err != nil {
			return err
		}
		mine, err := counterBytes(ctx, s, c.id)
		if err != nil {
			return err
		}
		theirs, err := counterBytes(ctx, s, l.id)
		if err != nil {
			return err
		}
		buckets := (l.ids + listing.Bucket - 1) / listing.Bucket
		const million = 1_000_000/listing.Bucket + 1
		rows = append(rows, []string{
			fmt.Sprintf("%.0f %%", 100-100*float64(len(c.live))/float64(c.ids)), fmt.Sprint(theirs / buckets), fmt.Sprint(mine),
			units(float64((million*mine+4095)/4096) / 2),
		})
	}
	r.text(
		"The ids that are deleted above were given out and left out when the documents were written, which is faster. To see what\n"+
			"difference that makes, about the same shares of %s documents, a bucket, were deleted by requests, and the pages compared\n"+
			"again:",
		thousands(c.ids),
	)
	r.table(rows)
	return nil
}

// deleteOthers deletes the documents for which keep returns false.
func (c *company) deleteOthers(ctx context.Context, keep func(id int64) bool) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(clients)
	for _, id := range c.live {
		if keep(id) {
			continue
		}
		g.Go(func() error {
			_, err := must(ctx, c.server, event(c.id, http.MethodDelete, fmt.Sprintf("%s%d/", c.path, id), ""), http.StatusNoContent)
			return err
		})
	}
	c.live = slices.DeleteFunc(c.live, func(id int64) bool { return !keep(id) })
	return g.Wait()
}

// counterBytes returns the size of the items that count a company's documents.
func counterBytes(ctx context.Context, s *stage, id tenant.ID) (bytes int, err error) {
	pages := dynamodb.NewQueryPaginator(engine.Client(s.engine.Endpoint()), &dynamodb.QueryInput{
		TableName: aws.String(tableName), KeyConditionExpression: aws.String("pk = :pk"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":pk": &types.AttributeValueMemberS{Value: table.Of(s.env.Table, id).Listing(kinds.Document)},
		},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return 0, err
		}
		for _, item := range page.Items {
			bytes += table.Attributes(item).Size()
		}
	}
	return bytes, nil
}
