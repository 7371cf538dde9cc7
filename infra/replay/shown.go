package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/corpus"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
)

// shown is what one event of an endpoint group shows, and of which operation.
type shown struct {
	name   string         // documents/list
	op     *web.Operation // nil where the group has none with this method and path
	event  events.APIGatewayV2HTTPRequest
	status int
	body   map[string]any // of the answer; nil where it is no JSON object
}

// showing says what an event with its expected answer shows.
func showing(ops []web.Operation, e corpus.Event) (shown, error) {
	s := shown{name: e.ID()}
	if ops == nil {
		return s, nil
	}
	if err := json.Unmarshal(e.Payload, &s.event); err != nil {
		return s, fmt.Errorf("%s: %w", s.name, err)
	}
	want, _ := e.Want.(map[string]any)
	status, _ := want["status"].(json.Number)
	n, _ := status.Int64() // 0 is the status of no answer
	s.status = int(n)
	s.body, _ = want["body"].(map[string]any)
	s.op = operationOf(ops, s.method(), s.event.RequestContext.HTTP.Path)
	return s, nil
}

func (s shown) method() string { return s.event.RequestContext.HTTP.Method }

// succeeds tells whether the event shows the success of an operation.
func (s shown) succeeds(op web.Operation) bool {
	file := op.Success() == http.StatusOK && s.status == http.StatusFound // which is somewhere else
	return s.op != nil && s.op.ID == op.ID && (s.status == op.Success() || file)
}

// tables are the operations of all groups, by the group's name.
func tables() map[string][]web.Operation {
	env := app.Env{Table: table.Open(nil, "none"), Now: time.Now} // operations are looked at, not called
	all := map[string][]web.Operation{}
	for name, group := range groups.All() {
		all[name] = group(env).Operations
	}
	return all
}

// operationOf finds the operation that a request is for: the one with the fewest parameters that fits. A HEAD asks what a GET
// does, and a path may lack its slash.
func operationOf(ops []web.Operation, method, path string) *web.Operation {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	const aUUID = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`
	parameter, ofSign := regexp.MustCompile(`\\\{[^/]+\\\}`), regexp.MustCompile(`\\\{uuid\\\}`)
	var found *web.Operation
	for i, op := range ops {
		shape := ofSign.ReplaceAllString(regexp.QuoteMeta(op.Shape()), aUUID)
		pattern := regexp.MustCompile("^" + parameter.ReplaceAllString(shape, "[^/]+") + "$")
		if op.Method != method || !pattern.MatchString(path) && !pattern.MatchString(path+"/") {
			continue
		}
		narrower := found == nil || strings.Count(op.Path, "{") < strings.Count(found.Path, "{") || strings.Contains(op.Shape(), "{uuid}")
		if narrower {
			found = &ops[i]
		}
	}
	return found
}
