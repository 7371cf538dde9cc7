package conformance_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

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

// While the bucket doesn't answer, or has no room, every operation that needs it is 503 and says when to come back.
func TestABucketThatFails(t *testing.T) {
	for name, how := range map[string]func(*http.Request) (*http.Response, error){"silent": silently, "full": full} {
		t.Run(name, func(t *testing.T) {
			var need atomic.Int64
			t.Cleanup(func() {
				if need.Load() < 10 {
					t.Errorf("only %d operations needed the bucket", need.Load())
				}
			})
			each(t, inTenant, func(t *testing.T, _ *webtest.API, op operation) {
				on, asked := new(atomic.Bool), new(atomic.Int64)
				api := changed(t, nil, func(e *app.Env) {
					e.Files = filestest.Behind(t, func(next aws.HTTPClient) aws.HTTPClient { return failing{next, how, on, asked} })
				})
				r := op.request(t, op.join(t, api))
				on.Store(true)
				a := r.send(api, "Accept", "application/json")
				if asked.Load() == 0 {
					return
				}
				need.Add(1)
				if a.Code() != op.Success() { // some can do without
					a.Status(503).JSON(away).Header("Retry-After", "1")
				}
			})
		})
	}
}
