package conformance_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table/allowance"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

func draws(op operation) bool { return op.Draws }

// plain tells whether an operation draws only if it is asked for more than pages of a plain list.
func plain(op operation) bool {
	return op.paged() && !strings.Contains(op.Path, "schedules")
}

// takes tells whether an operation reads a query parameter, as a field of its input or by itself.
func (op operation) takes(name string) bool {
	for i := range op.Input.NumField() {
		if op.Input.Field(i).Tag.Get("query") == name {
			return true
		}
	}
	return slices.ContainsFunc(op.Query, func(p web.Param) bool { return p.Name == name })
}

// paged tells whether an operation answers in pages.
func (op operation) paged() bool {
	return op.takes("pageSize") || strings.HasPrefix(op.Output.Name(), "List[")
}

// dear is a query that makes an operation draw.
func (op operation) dear() string {
	query, _ := url.ParseQuery(strings.TrimPrefix(op.asked(), "?"))
	if op.takes("format") {
		query.Set("format", "csv")
	}
	if op.takes("ordering") {
		query.Set("ordering", "updated_at,prediction")
	}
	if op.takes("object") { // whose history
		query.Set("object", "rental_point:1")
	}
	if op.paged() {
		query.Set("pageSize", strconv.Itoa(web.FreePageSize+1))
	}
	return "?" + query.Encode()
}

// limited is an API of all groups in which a user may read one unit an hour.
func limited(t *testing.T) *webtest.API {
	t.Helper()
	return changed(t, nil, func(e *app.Env) { e.Config.Allowance = allowance.Limits{User: 1} })
}

// Whoever has used up an allowance is refused before anything is read, and told when to come back; plain lists go on.
func TestAllowances(t *testing.T) {
	each(t, draws, func(t *testing.T, _ *webtest.API, op operation) {
		api := limited(t)
		r := op.request(t, op.join(t, api))
		path := r.path
		r.path += op.dear()
		r.send(api, "Accept", "application/json").Status(op.Success())
		a := r.send(api, "Accept", "application/json").Status(429).Writes(0).Field("code", `"read_allowance"`)
		if wait := a.Get("Retry-After"); wait == "" || a.Get("RateLimit") != `"user";r=0;t=`+wait || a.Get("RateLimit-Policy") != `"user";q=1;w=3600` {
			t.Errorf("Retry-After %q, RateLimit %q, RateLimit-Policy %q", wait, a.Get("RateLimit"), a.Get("RateLimit-Policy"))
		}
		if plain(op) {
			r.path = path
			if op.takes("object") {
				r.path += "?object=rental_point:1"
			}
			if a := r.send(api, "Accept", "application/json").Status(200); a.Get("RateLimit") != "" {
				t.Errorf("a plain list says %q", a.Get("RateLimit"))
			}
		}
	})
}

// A function whose operations draw may write what was drawn.
func TestWhoDrawsMayWriteIt(t *testing.T) {
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	rights := map[string]string{}
	for _, op := range operations() {
		if rights[op.group] == "" {
			declared, err := os.ReadFile(filepath.Join(root, "functions", op.group, "group.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			rights[op.group] = string(declared)
		}
		if of := rights[op.group]; op.Draws && (!strings.Contains(of, "allowance") || !strings.Contains(of, "UpdateItem")) {
			t.Errorf("%s draws, and the function of %s may not write allowances", op.ID, op.group)
		}
	}
}

// watched is an engine that counts the reads of the index of changes: every search makes one.
type watched struct {
	dynamodbiface.DynamoDBAPI
	searches *atomic.Int64
}

func (w watched) Query(ctx context.Context, in *dynamodb.QueryInput, o ...options) (*dynamodb.QueryOutput, error) {
	if aws.ToString(in.IndexName) == "changes" {
		w.searches.Add(1)
	}
	return w.DynamoDBAPI.Query(ctx, in, o...)
}

// What searches draws on the allowance, and what draws says so.
func TestWhatSearchesDraws(t *testing.T) {
	reads := func(op operation) bool { return op.Method == "GET" && inTenant(op) }
	each(t, reads, func(t *testing.T, _ *webtest.API, op operation) {
		searches := new(atomic.Int64)
		api := over(t, func(a dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI { return watched{a, searches} })
		r := op.request(t, op.join(t, api))
		searches.Store(0)
		r.path += op.dear()
		r.send(api, "Accept", "application/json")
		if searched := searches.Load() > 0; searched && !op.Draws {
			t.Error("it searches and does not draw")
		}
	})
}
