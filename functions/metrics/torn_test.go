package metrics_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	rows "github.com/tenantry/tenantry/functions/metrics/row"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/penalties/penalty"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// torn is an engine that reads the items of a batch at two moments: first those of a kind, and the others after something
// else happened. A query of the index of children comes after something else, too. Each happens once.
type torn struct {
	dynamodbiface.DynamoDBAPI
	first string // ends the partition of the items that are read first
	do    func()
}

func (e *torn) happen() {
	if do := e.do; do != nil {
		e.do = nil
		do()
	}
}

func (e *torn) BatchGetItem(
	ctx context.Context, in *dynamodb.BatchGetItemInput, opts ...func(*dynamodb.Options),
) (*dynamodb.BatchGetItemOutput, error) {
	if e.do == nil || e.first == "" {
		return e.DynamoDBAPI.BatchGetItem(ctx, in, opts...)
	}
	out := &dynamodb.BatchGetItemOutput{Responses: map[string][]map[string]types.AttributeValue{}}
	for _, now := range []bool{true, false} {
		if !now {
			e.happen()
		}
		part := &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{}}
		for name, of := range in.RequestItems {
			var keys []map[string]types.AttributeValue
			for _, k := range of.Keys {
				if pk, ok := k["pk"].(*types.AttributeValueMemberS); ok && strings.HasSuffix(pk.Value, e.first) == now {
					keys = append(keys, k)
				}
			}
			of.Keys = keys
			part.RequestItems[name] = of
		}
		got, err := e.DynamoDBAPI.BatchGetItem(ctx, part, opts...)
		if err != nil {
			return nil, err
		}
		for name, items := range got.Responses {
			out.Responses[name] = append(out.Responses[name], items...)
		}
	}
	return out, nil
}

func (e *torn) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if e.first == "" && aws.ToString(in.IndexName) == "children" {
		e.happen()
	}
	return e.DynamoDBAPI.Query(ctx, in, opts...)
}

// TestOldOrNewNeverBoth: an order, or a penalty, is read before it changes, and its row after another worker has made it
// anew. What was read is not taken for what is.
func TestOldOrNewNeverBoth(t *testing.T) {
	for _, tt := range []struct {
		name, first, key    string
		kind                outbox.Kind
		undelivered, change func(c *webtest.Client)
	}{
		{
			"an order", "#ord", "1", order.Changed,
			func(c *webtest.Client) { c.Post(requests+"1/pay/", `{"amount":100}`).Status(200) },
			func(c *webtest.Client) { c.Post(requests+"1/pay/", `{"amount":50}`).Status(200) },
		},
		{
			"an order that goes", "#ord", "1", order.Changed,
			func(c *webtest.Client) { c.Patch(requests+"1/", `{"additional_discount":5}`).Status(200) },
			func(c *webtest.Client) {
				c.Post(requests+"1/action/", `{"status":3}`).Status(200)
				c.Delete(requests + "1/").Status(204)
			},
		},
		{
			"a penalty", "#pen", "0", penalty.Changed,
			func(c *webtest.Client) { c.Patch(violations+"1/", `{"violation_date":"2026-03-05"}`).Status(200) },
			func(c *webtest.Client) { c.Patch(violations+"1/", `{"violation_date":"2026-03-06"}`).Status(200) },
		},
		{
			"a penalty that goes", "#pen", "0", penalty.Changed,
			func(c *webtest.Client) { c.Patch(violations+"1/", `{"violation_date":"2026-03-05"}`).Status(200) },
			func(c *webtest.Client) { c.Delete(violations + "1/").Status(204) },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := enginetest.Table(t)
			api, c := newAPI(t, webtest.Setup{Change: func(e *app.Env) { e.Table = table.Open(enginetest.Client(t), name) }})
			c.Post(requests, booked).Status(201)
			c.Post(violations, `{"protocol_number":"KZ-1","violation_date":"2026-03-04"}`).Status(201)
			api.Deliver()
			tt.undelivered(c)
			engine := &torn{DynamoDBAPI: enginetest.Client(t), first: tt.first}
			engine.do = func() {
				tt.change(c)
				api.Deliver()
			}
			conn := table.Open(engine, name)
			m := outbox.NewKeyed(table.Of(conn, 1).Message, tt.kind, tt.key, api.Env.Now())
			if err := outbox.Join(rows.Work(conn, api.Env.Now), rows.Rebuilds(conn, api.Env.Now))[tt.kind](t.Context(), m); err != nil || engine.do != nil {
				t.Errorf("%v, and the other worker came: %t", err, engine.do == nil)
			}
			now := shown(whole(t, api))
			api.As(webtest.Owner(1)).Post(rebuilds, nil).Status(202)
			api.Deliver()
			if then := shown(whole(t, api)); then != now {
				t.Errorf("there was\n%s\nand should be\n%s", now, then)
			}
		})
	}
}

// TestPagesThatChange: rows come between the two reads of a list, which then reads again.
func TestPagesThatChange(t *testing.T) {
	engine := &torn{}
	api, c := newAPI(t, webtest.Setup{Table: func(client dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		engine.DynamoDBAPI = client
		return engine
	}})
	for n, query := range []string{"", "&ordering=profit", "&rental_point=1", "&type=delivery", "&ordering=date&page=last"} {
		more := func() {
			c.Post(requests, `{"client":1,"rental_point":1,"rent_start":"2026-03-03T10:00:00Z","rent_end":"2026-03-04T10:00:00Z","services":[{"service":1}]}`).
				Status(201)
		}
		more()
		api.Deliver()
		engine.do = func() {
			more()
			c.Post(requests+"1/pay/", `{"amount":1}`).Status(200)
			api.Deliver()
		}
		want := 4 * (n + 1)
		if query == "&type=delivery" {
			want /= 2
		}
		a := c.Get(details+"?pageSize=50"+query).Status(200).Field("count", fmt.Sprint(want))
		if got := a.Status(200).IDs(); engine.do != nil || len(got) != want {
			t.Errorf("%s: %d rows of %d", query, len(got), want)
		}
	}
}
