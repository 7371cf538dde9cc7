// Package fallback serves the gateway's $default route: all paths outside of the groups'
// prefixes. It answers health, the public keys, the API description and the pages of errors' codes. Other paths get the
// 404, 405 or redirect of the web layer.
//
// What never goes in here: anything that belongs to a company.
package fallback

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/tenantry/tenantry/docs"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/patience"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
)

// healthTime is how long a health check waits for the table.
const healthTime = 2 * time.Second

// These are the times for which clients may cache what changes with a deployment, or with a rotation of keys.
const (
	keepKeys        = "public, max-age=300"
	keepDescription = "public, max-age=3600"
)

type group struct {
	table       *table.Conn
	keys        keys.Keys
	description []byte
	tag         func() string // the ETag of the description
	languages   []say.Language
	codes       func() map[string][]say.Saying
}

// New makes the group.
func New(env app.Env) app.Group {
	g := &group{table: env.Table, keys: env.Keys, description: docs.OpenAPI(), languages: env.Config.Languages}
	g.codes = sync.OnceValue(say.Codes)
	g.tag = sync.OnceValue(func() string { return tagOfBody(g.description) })
	return app.Group{Group: web.Group{
		Name:       "fallback",
		Doc:        "What belongs to no company: health, public keys, this description, the codes of errors.",
		Operations: g.operations(),
	}}
}

func (g *group) operations() []web.Operation {
	return append(g.errorOperations(),
		web.Op(web.Operation{
			ID: "health", Method: http.MethodGet, Path: "/health/", Access: web.Public, Summary: "Is the service up?",
			Doc:    "Asks the table once. 503 means that the table does not answer.",
			Faults: []fault.Code{fault.Unavailable},
		}, g.health),
		described[Keys](web.Op(web.Operation{
			ID: "jwks", Method: http.MethodGet, Path: "/.well-known/jwks.json", Access: web.Public, Summary: "The public keys",
			Doc:    "A JSON Web Key Set (RFC 7517): the keys that access tokens are signed with, found by the `kid` of a token.",
			Faults: []fault.Code{fault.Unavailable},
		}, g.jwks)),
		described[decode.JSON](web.Op(web.Operation{
			ID: "openapi", Method: http.MethodGet, Path: "/v1/openapi.json", Access: web.Public, Summary: "This description",
			Doc: "OpenAPI 3.1. Its ETag can be sent as If-None-Match.",
			Answers: []web.Answer{
				{Status: http.StatusOK, Doc: "OK", Body: reflect.TypeFor[decode.JSON](), Header: map[string]string{"ETag": tagOf}},
				{
					Status: http.StatusNotModified, Doc: "The description is still the one of If-None-Match.",
					Header: map[string]string{"ETag": tagOf},
				},
			},
		}, g.openapi)),
	)
}

// tagOfBody is the ETag of a body.
func tagOfBody(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

const tagOf = "The description's, for If-None-Match."

// described sets the type that the API description shows as the answer of an operation,
// because the handler returns more than a body.
func described[T any](op web.Operation) web.Operation {
	op.Output = reflect.TypeFor[T]()
	return op
}

// Health says that the service is up.
type Health struct {
	Status string `json:"status" enum:"ok"`
}

// Keys is a JSON Web Key Set.
type Keys struct {
	Keys []Key `json:"keys"`
}

// Key is one public key, on the curve P-256.
type Key struct {
	ID    string `json:"kid"`
	Type  string `json:"kty" enum:"EC"`
	Curve string `json:"crv" enum:"P-256"`
	Use   string `json:"use" enum:"sig"`
	Alg   string `json:"alg" enum:"ES256"`
	X     string `json:"x"`
	Y     string `json:"y"`
}

func (g *group) health(ctx context.Context, _ *web.Request, _ *struct{}) (Health, error) {
	ctx, cancel := context.WithTimeout(ctx, patience.Limit(ctx, healthTime))
	defer cancel()
	if err := table.Ping(ctx, g.table); err != nil {
		return Health{}, fault.ErrUnavailable.Because(err)
	}
	return Health{Status: "ok"}, nil
}

func (g *group) jwks(ctx context.Context, _ *web.Request, _ *struct{}) (*web.Reply[web.None], error) {
	set, err := g.keys.Set(ctx)
	if err != nil {
		return nil, fault.ErrUnavailable.Because(err)
	}
	return &web.Reply[web.None]{Raw: set, ContentType: decode.TypeJSON, Header: map[string]string{"Cache-Control": keepKeys}}, nil
}

func (g *group) openapi(context.Context, *web.Request, *struct{}) (*web.Reply[web.None], error) {
	return &web.Reply[web.None]{
		Header: map[string]string{"ETag": g.tag(), "Cache-Control": keepDescription}, Raw: g.description, ContentType: decode.TypeJSON,
	}, nil
}
