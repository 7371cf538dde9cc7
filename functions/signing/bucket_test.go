package signing_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// hanging is a bucket that takes requests and answers none of them from a moment on.
type hanging struct {
	aws.HTTPClient
	on *atomic.Bool
}

func (h hanging) Do(r *http.Request) (*http.Response, error) {
	if !h.on.Load() {
		return h.HTTPClient.Do(r)
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// A signer whose evidence can't be kept is told to come back, and nothing has happened to the sign.
func TestOpenWithoutABucket(t *testing.T) {
	on := new(atomic.Bool)
	w := newWorld(t, func(s *webtest.Setup) {
		change := s.Change
		s.Change = func(e *app.Env) {
			change(e)
			e.Files = filestest.Behind(t, func(next aws.HTTPClient) aws.HTTPClient { return hanging{next, on} })
		}
	})
	w.client("Айгүл Серікқызы", "+77011234567")
	w.upload("Lease")
	sign := w.staff().Post(all+"1/signs/", `{"client":1}`).Status(201)
	w.staff().Post(all+"1/signs/1/sms/", `{}`).Status(200)
	one := all + sign.Text("uuid") + "/"
	on.Store(true)
	hasty := *w
	hasty.API = w.Hasty()
	hasty.public().Post(one+"open/", `{}`).Status(503).Header("Retry-After", "1").Writes(0).
		JSON(`{"detail":"Service temporarily unavailable."}`)
	on.Store(false)
	w.public().Get(one).Status(200).Field("sign.status", "1")
	w.public().Post(one+"open/", `{}`).Status(200).Field("sign.status", "2")
}
