package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine"
)

const (
	ownBound  = 150 * time.Microsecond
	ownRounds = 5
)

// canned repeats answers that the engine has given to queries before, so that only our own
// time is measured.
type canned struct {
	dynamodbiface.DynamoDBAPI
	recording bool
	answers   []*dynamodb.QueryOutput
	next      int
}

func (c *canned) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if !c.recording {
		c.next++
		return c.answers[(c.next-1)%len(c.answers)], nil
	}
	out, err := c.DynamoDBAPI.Query(ctx, in, o...)
	c.answers = append(c.answers, out)
	return out, err
}

// ownTime measures the time from the event to the answer of a list of 20, without the
// engine.
func (b *bench) ownTime(ctx context.Context, r *section) error {
	r.Title = "Our own time a request"
	s, err := b.withHundred(ctx)
	if err != nil {
		return err
	}
	table := &canned{DynamoDBAPI: engine.Client(s.engine.Endpoint()), recording: true}
	server := s.with(table, tableName)
	payload := event(hundred, http.MethodGet, fmt.Sprintf("/v2/documents/?pageSize=%d", pageSize), "")
	a, err := must(ctx, server, payload, http.StatusOK)
	if err != nil {
		return err
	}
	table.recording = false
	var times []time.Duration
	var allocations, bytes int64
	for range ownRounds {
		result := testing.Benchmark(func(t *testing.B) {
			t.ReportAllocs()
			for t.Loop() {
				if _, err := server.Invoke(ctx, payload); err != nil {
					t.Fatal(err)
				}
			}
		})
		if result.N == 0 {
			return errors.New("an invocation failed")
		}
		times = append(times, time.Duration(result.NsPerOp()))
		allocations, bytes = result.AllocsPerOp(), result.AllocedBytesPerOp()
	}
	took := median(times)
	r.judgeTime("our own time: event in, list of 20 out", took < ownBound, "< 150 µs", "%s", µs(took))
	r.text(
		"A whole invocation (decoding the event, middleware, the listing and the page, encoding %s bytes) with the engine's answers\n"+
			"as the SDK hands them over; the SDK's own decoding counts as the engine's time. The median of %d rounds of a second; the\n"+
			"best was %s, the worst %s. %s allocations, %s bytes.",
		thousands(len(a.body)), ownRounds, µs(percentile(times, 0)), µs(percentile(times, 1)), thousands(int(allocations)),
		thousands(int(bytes)),
	)
	return nil
}

func µs(d time.Duration) string {
	return fmt.Sprintf("%.0f µs", float64(d)/float64(time.Microsecond))
}
