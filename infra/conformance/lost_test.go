package conformance_test

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// deaf is an engine whose answers to transactions are lost from some moment on.
type deaf struct {
	dynamodbiface.DynamoDBAPI
	state *deafness
}

// deafness is whether answers are lost, and which transactions happen then: the
// first try of each.
type deafness struct{ on, happens atomic.Bool }

func (d deaf) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if !d.state.on.Load() {
		return d.DynamoDBAPI.TransactWriteItems(ctx, in, o...)
	}
	if d.state.happens.CompareAndSwap(true, false) {
		if out, err := d.DynamoDBAPI.TransactWriteItems(ctx, in, o...); err != nil {
			return out, err
		}
	}
	return nil, &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset by the test")}
}

// A change that happened is answered as done though its answer never came from
// the table, and one that did not happen is 503 and has left nothing.
func TestALostAnswerOfAChange(t *testing.T) {
	each(t, func(op operation) bool {
		// A closed company is still there, and tries of its owner's password are written beside: functions/tenants/standing has its tests.
		return changesOne(op) && op.ID != "tenants-close"
	}, func(t *testing.T, _ *webtest.API, op operation) {
		state := new(deafness)
		api := over(t, func(a dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI { return deaf{a, state} })
		r := op.request(t, op.join(t, api))
		for _, happens := range []bool{false, true} { // what did not happen left nothing, so the same can happen after it
			before := api.As(r.caller).Get(r.path).Status(200)
			state.happens.Store(happens)
			state.on.Store(true)
			changed := r.send(api, "If-Match", before.Get("ETag"))
			state.on.Store(false)
			tried := state.happens.Load() != happens // what changes nothing writes nothing
			after := api.As(r.caller).Get(r.path)
			switch {
			case happens:
				changed.Status(op.Success())
				if !tried {
					t.Error("the request changes nothing")
				}
				if op.Method == "DELETE" {
					after.Status(404)
				} else if got := after.Status(200).Get("ETag"); got == before.Get("ETag") || got != changed.Get("ETag") {
					t.Errorf("it was %s, the answer is of %s, and it is %s", before.Get("ETag"), changed.Get("ETag"), got)
				}
			default:
				changed.Status(503)
				if got := after.Status(200).Get("ETag"); got != before.Get("ETag") {
					t.Errorf("it was %s and is %s", before.Get("ETag"), got)
				}
			}
		}
	})
}
