package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/tenantry/tenantry/shared/encode"
)

// authorizerEvent is a request in the authorizer's payload format 2.0: an event without its body. The identity source
// is null, because the authorizer is declared without one. The fields are in the order of AWS, which event files keep.
type authorizerEvent struct {
	Version        string   `json:"version"`
	Type           string   `json:"type"`
	RouteARN       string   `json:"routeArn"`
	IdentitySource []string `json:"identitySource"`
	*event
	IsBase64Encoded *struct{} `json:"isBase64Encoded,omitempty"` // hides that of the event
}

// authorize asks the authorizer. It returns the context that the function gets, or the answer of a refused request.
func (g *gateway) authorize(ctx context.Context, f *Function, e *event) (json.RawMessage, *answer) {
	payload, err := encode.JSON(authorizerEvent{
		event: e, Version: e.Version, Type: "REQUEST",
		RouteARN: "arn:aws:execute-api:" + region + ":" + account + ":" + api + "/" + stage + "/" + e.Context.HTTP.Method + e.RawPath,
	})
	failed := internal()
	if err != nil {
		return nil, &failed
	}
	result, err := g.invoke(ctx, f, payload, min(authorizerTime, g.Timeout))
	if err != nil {
		return nil, &failed
	}
	var verdict struct {
		IsAuthorized *bool           `json:"isAuthorized"`
		Context      json.RawMessage `json:"context"`
	}
	if json.Unmarshal(result, &verdict) != nil || verdict.IsAuthorized == nil {
		return nil, &failed
	}
	if !*verdict.IsAuthorized {
		forbidden := message(http.StatusForbidden, "Forbidden")
		return nil, &forbidden
	}
	values := bytes.TrimSpace(verdict.Context)
	if len(values) == 0 || bytes.Equal(values, []byte("null")) {
		return json.RawMessage("null"), nil
	}
	if values[0] != '{' {
		return nil, &failed
	}
	return values, nil
}
