package app

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"
)

// samEvents is a handler under `sam local start-api`, whose events differ from the gateway's: header names are not in small
// letters, and the domain's name is always samDomain, whatever host was called.
type samEvents struct{ lambda.Handler }

const (
	samDomain   = "localhost"
	samVariable = "AWS_SAM_LOCAL" // SAM sets it
)

// Invoke passes an event on as the gateway would have written it. What is no event of a gateway is passed on as it is.
func (h samEvents) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	return h.Handler.Invoke(ctx, asGateway(payload))
}

// under returns the handler for the gateway, or for what stands in for it.
func under(h lambda.Handler, getenv func(string) string) lambda.Handler {
	if getenv(samVariable) == "" {
		return h
	}
	return samEvents{h}
}

func asGateway(payload []byte) []byte {
	var event, request map[string]json.RawMessage
	var headers map[string]string
	if json.Unmarshal(payload, &event) != nil || json.Unmarshal(event["requestContext"], &request) != nil ||
		json.Unmarshal(event["headers"], &headers) != nil {
		return payload
	}
	small := make(map[string]string, len(headers))
	for name, value := range headers {
		small[strings.ToLower(name)] = value
	}
	if host := small["host"]; host != "" && string(request["domainName"]) == `"`+samDomain+`"` {
		request["domainName"], _ = json.Marshal(host) // a text can't fail
	}
	event["headers"], _ = json.Marshal(small)
	event["requestContext"], _ = json.Marshal(request)
	written, err := json.Marshal(event)
	if err != nil {
		return payload
	}
	return written
}
