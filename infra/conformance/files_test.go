package conformance_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/tenantry/tenantry/infra/underrace"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// failing is a bucket that fails in some way from a moment on.
type failing struct {
	aws.HTTPClient
	how   func(*http.Request) (*http.Response, error)
	on    *atomic.Bool
	asked *atomic.Int64
}

func (f failing) Do(r *http.Request) (*http.Response, error) {
	if !f.on.Load() {
		return f.HTTPClient.Do(r)
	}
	f.asked.Add(1)
	return f.how(r)
}

// silently takes a request and never answers it.
func silently(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// full is the answer of a bucket that has no room.
func full(r *http.Request) (*http.Response, error) {
	const why = `<Error><Code>InsufficientStorage</Code><Message>no space left on device</Message></Error>`
	return &http.Response{
		StatusCode: http.StatusInsufficientStorage, Header: http.Header{"Content-Type": {"application/xml"}},
		Body: io.NopCloser(strings.NewReader(why)), Request: r,
	}, nil
}

// While the bucket has no room, or doesn't answer, every operation that needs it is 503 and says when to come back. Which need
// it is found by the bucket that answers at once; those are then sent to the one that doesn't, all at the same time.
func TestABucketThatFails(t *testing.T) {
	failed := func(op operation, a *webtest.Answer) {
		if a.Code() != op.Success() { // some can do without
			a.Status(503).JSON(away).Header("Retry-After", "1")
		}
	}
	var mu sync.Mutex
	var need []operation
	t.Run("full", func(t *testing.T) {
		eachAlone(t, inTenant, func(t *testing.T, op operation) {
			send, asked := failsAt(t, op, full, false)
			if a := send(); asked.Load() > 0 {
				failed(op, a)
				mu.Lock()
				defer mu.Unlock()
				need = append(need, op)
			}
		})
	})
	if len(need) < 10 && !underrace.Enabled || len(need) == 0 {
		t.Errorf("only %d operations needed the bucket", len(need))
	}
	t.Run("silent", func(t *testing.T) {
		var wait sync.WaitGroup
		answers := make([]*webtest.Answer, len(need))
		for i, op := range need {
			send, asked := failsAt(t, op, silently, true)
			wait.Go(func() {
				answers[i] = send()
				if asked.Load() == 0 {
					t.Errorf("%s did without a bucket that it asks when that is full", op.ID)
				}
			})
		}
		wait.Wait()
		for i, op := range need {
			t.Run(op.ID, func(*testing.T) { failed(op, answers[i]) })
		}
	})
}

// failsAt makes what an operation needs, and returns the sending of its request to a bucket that fails from then on.
func failsAt(
	t *testing.T, op operation, how func(*http.Request) (*http.Response, error), hasty bool,
) (send func() *webtest.Answer, asked *atomic.Int64) {
	t.Helper()
	on, asked := new(atomic.Bool), new(atomic.Int64)
	api := changed(t, nil, func(e *app.Env) {
		e.Files = filestest.Behind(t, func(next aws.HTTPClient) aws.HTTPClient { return failing{next, how, on, asked} })
	})
	r := op.request(t, op.join(t, api))
	on.Store(true)
	if hasty {
		api = api.Hasty()
	}
	return func() *webtest.Answer { return r.send(api, "Accept", "application/json") }, asked
}
