package app

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-lambda-go/lambda"
)

func TestEventsOfSAM(t *testing.T) {
	for name, row := range map[string]struct{ event, want string }{
		"its own": {
			`{"headers":{"Host":"demo.tenantry.localhost:3000","X-Forwarded-Proto":"http"},"requestContext":{"domainName":"localhost","stage":"s"},"rawPath":"/a"}`,
			`{"headers":{"host":"demo.tenantry.localhost:3000","x-forwarded-proto":"http"},"rawPath":"/a","requestContext":{"domainName":"demo.tenantry.localhost:3000","stage":"s"}}`,
		},
		"a recorded one": {
			`{"headers":{"host":"other.test"},"requestContext":{"domainName":"api.tenantry.test"}}`,
			`{"headers":{"host":"other.test"},"requestContext":{"domainName":"api.tenantry.test"}}`,
		},
		"without a host": {
			`{"headers":{"Accept":"*/*"},"requestContext":{"domainName":"localhost"}}`,
			`{"headers":{"accept":"*/*"},"requestContext":{"domainName":"localhost"}}`,
		},
		"of a stream":         {`{"Records":[{"eventID":"1"}]}`, `{"Records":[{"eventID":"1"}]}`},
		"of a schedule":       {`{ "sweep": true }`, `{ "sweep": true }`},
		"of another function": {`[1]`, `[1]`},
		"nothing":             {``, ``},
		"headers of no kind":  {`{"headers":1,"requestContext":{}}`, `{"headers":1,"requestContext":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			h := samEvents{handled(func(payload []byte) { got = string(payload) })}
			if _, err := h.Invoke(t.Context(), []byte(row.event)); !errors.Is(err, errHandled) || got != row.want {
				t.Errorf("%v, got %s", err, got)
			}
		})
	}
}

// Only under sam local is an event anything but what the gateway sent.
func TestWhoseEventsAreRewritten(t *testing.T) {
	h := handled(func([]byte) {})
	if _, rewrites := under(h, func(string) string { return "" }).(samEvents); rewrites {
		t.Error("on AWS")
	}
	if _, rewrites := under(h, func(name string) string { return map[string]string{samVariable: "true"}[name] }).(samEvents); !rewrites {
		t.Error("not under sam local")
	}
}

var errHandled = errors.New("handled")

type handled func(payload []byte)

func (h handled) Invoke(_ context.Context, payload []byte) ([]byte, error) {
	h(payload)
	return nil, errHandled
}

var _ lambda.Handler = handled(nil)
