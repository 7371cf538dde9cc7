package main

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
)

// canned keeps the calls that are made to read, and the answers of queries. Once told to, it repeats these answers, so that only our own
// time is measured.
type canned struct {
	dynamodbiface.DynamoDBAPI
	repeats bool
	calls   []func(context.Context) error
	answers []*dynamodb.QueryOutput
	next    int
}

func (c *canned) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if c.repeats {
		c.next++
		return c.answers[(c.next-1)%len(c.answers)], nil
	}
	out, err := c.DynamoDBAPI.Query(ctx, in, o...)
	c.answers = append(c.answers, out)
	c.calls = append(c.calls, func(ctx context.Context) error {
		_, err := c.DynamoDBAPI.Query(ctx, in)
		return err
	})
	return out, err
}

func (c *canned) BatchGetItem(
	ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options),
) (*dynamodb.BatchGetItemOutput, error) {
	c.calls = append(c.calls, func(ctx context.Context) error {
		_, err := c.DynamoDBAPI.BatchGetItem(ctx, in)
		return err
	})
	return c.DynamoDBAPI.BatchGetItem(ctx, in, o...)
}

// ownTime measures the time from the event to the answer of a list of 20, without the
// engine.
func (b *bench) ownTime(ctx context.Context, r *section) error {
	if _, err := b.seed(ctx, hundred, 100, nil); err != nil {
		return err
	}
	can := &canned{DynamoDBAPI: b.stage.api}
	c, err := b.client(ctx, hundred, "documents", func(env *app.Env) { env.Table = table.Open(can, tableName) })
	if err != nil {
		return err
	}
	payload := event(c.company, http.MethodGet, documentsPath, "")
	if _, err := must(ctx, c.server, payload); err != nil {
		return err
	}
	can.repeats = true
	var times []time.Duration
	for range 5 {
		result := testing.Benchmark(func(t *testing.B) {
			for t.Loop() {
				if _, err := c.server.Invoke(ctx, payload); err != nil {
					t.Fatal(err)
				}
			}
		})
		if result.N == 0 {
			return errors.New("an invocation failed")
		}
		times = append(times, time.Duration(result.NsPerOp()))
	}
	r.judgeTime("our own time: event in, list of 20 out", median(times) < 150*time.Microsecond, "< 150 µs",
		"%.0f µs", float64(median(times))/float64(time.Microsecond))
	return nil
}
