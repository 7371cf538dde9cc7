package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// shown is what one event of an endpoint group shows, and of which operation.
type shown struct {
	name   string         // events/<group>/<name>
	op     *web.Operation // nil where the group has none with this method and path
	event  events.APIGatewayV2HTTPRequest
	status int
	body   map[string]any // of the answer; nil where it is no JSON object
}

// of names whose the event is, to count the operations that show the same.
func (s shown) of() string {
	if s.op != nil {
		return s.op.ID
	}
	return filepath.Dir(s.name)
}

// role is the caller's in the company of the request; empty where it has none.
func (s shown) role() tenant.Role {
	if a := s.event.RequestContext.Authorizer; a != nil {
		role, _ := a.Lambda["role"].(string)
		return tenant.Role(role)
	}
	return ""
}

func (s shown) method() string { return s.event.RequestContext.HTTP.Method }

func (s shown) detail() string { text, _ := s.body["detail"].(string); return text }

func (s shown) protected() bool { return s.op != nil && s.op.Access != web.Public }

func (s shown) inTenant() bool { return s.op != nil && s.op.Access == web.InTenant }

func (s shown) takesBody() bool {
	if s.op == nil {
		return false
	}
	_, ok := s.op.Input.FieldByName("Body")
	return ok
}

// common is a refusal that operations have in common. infra/conformance proves it of each, so it is recorded for one
// operation, as an example, and for no other.
type common struct {
	what  string
	proof string // the tests of infra/conformance, separated by spaces
	is    func(shown) bool
}

func allCommon() []common {
	status := func(want int) func(shown) bool {
		return func(s shown) bool { return s.status == want }
	}
	return []common{
		{"no token", "TestNeedsAToken", func(s shown) bool {
			return s.protected() && s.status == http.StatusUnauthorized && s.detail() == "Authentication credentials were not provided."
		}},
		{"a bad token", "TestNeedsAToken", func(s shown) bool {
			return s.protected() && s.status == http.StatusUnauthorized && s.body["messages"] != nil
		}},
		{"no company, or a foreign one", "TestForeignCompany", func(s shown) bool {
			return s.inTenant() && s.status == http.StatusForbidden && s.role() == ""
		}},
		{"a company that is no number", "TestForeignCompany", func(s shown) bool {
			return s.inTenant() && s.status == http.StatusBadRequest && s.body["X-Tenant-Id"] != nil
		}},
		{"too low a role", "TestRoles", func(s shown) bool {
			return s.inTenant() && s.status == http.StatusForbidden && s.role() != "" && !s.role().Covers(s.op.LeastRole())
		}},
		{"a record that is not there", "TestForeignRecord TestDeletedRecord TestRecordNumbers", func(s shown) bool {
			return s.inTenant() && s.status == http.StatusNotFound && strings.Count(s.op.Path, "{") == 1
		}},
		{"another revision", "TestIfMatch", func(s shown) bool {
			return s.inTenant() && s.status == http.StatusPreconditionFailed && strings.HasSuffix(s.op.Path, "/{id}/") &&
				strings.Count(s.op.Path, "{") == 1
		}},
		{"a key that stands for another request", "TestReplays", status(http.StatusUnprocessableEntity)},
		{"a method that is not there", "TestMethods", status(http.StatusMethodNotAllowed)},
		{"HEAD", "TestMethods", func(s shown) bool { return s.method() == http.MethodHead }},
		{"OPTIONS", "TestPreflights", func(s shown) bool { return s.method() == http.MethodOptions }},
		{"a GET without its slash", "TestTrailingSlash", status(http.StatusMovedPermanently)},
		{"another method without its slash", "TestTrailingSlash", status(http.StatusPermanentRedirect)},
		{"a path that is not there", "TestUnknownPaths", func(s shown) bool {
			return s.op == nil && s.status == http.StatusNotFound && s.of() != "fallback" // whose task it is
		}},
		{"malformed JSON", "TestUnreadableBodies", func(s shown) bool {
			return s.takesBody() && s.status == http.StatusBadRequest && strings.HasPrefix(s.detail(), "JSON parse error")
		}},
		{"JSON that is no object", "TestUnreadableBodies", func(s shown) bool {
			return s.takesBody() && s.status == http.StatusBadRequest &&
				reflect.DeepEqual(s.body["non_field_errors"], []any{fault.Expected("dictionary", "list")})
		}},
		{"an unsupported media type", "TestUnreadableBodies", status(http.StatusUnsupportedMediaType)},
		{"nothing but missing fields", "TestRequiredFields", func(s shown) bool {
			return s.takesBody() && s.status == http.StatusBadRequest && onlyMissing(s.body)
		}},
		{"an Accept that can't be met", "TestAccept", status(http.StatusNotAcceptable)},
	}
}

func onlyMissing(body map[string]any) bool {
	for _, messages := range body {
		if !reflect.DeepEqual(messages, []any{fault.Required}) {
			return false
		}
	}
	return len(body) > 0
}

// fleeting are operations whose success can't be recorded; the tests of their groups prove it. The signature of a request counts for five
// minutes, and what the certification centre says of a certificate not much longer.
func fleeting() []string { return []string{"sms-callback", "documents-eds-sign", "signing-eds"} }

// Each operation has an event of its success.
func TestEveryOperationHasAnEventOfItsSuccess(t *testing.T) {
	root := moduleRoot(t)
	for name, ops := range tables() {
		events := showing(t, root, name, ops)
		for _, op := range ops {
			succeeds := func(s shown) bool {
				file := op.Success() == http.StatusOK && s.status == http.StatusFound // which is somewhere else
				return s.op != nil && s.op.ID == op.ID && (s.status == op.Success() || file)
			}
			if !slices.Contains(fleeting(), op.ID) && !slices.ContainsFunc(events, succeeds) {
				t.Errorf("%s %s: no event that is answered %d; add one to events/%s/requests.yaml", op.Method, op.Path, op.Success(), name)
			}
		}
	}
}

// What operations refuse alike is recorded for one operation, as an example, and proven of all of them elsewhere.
func TestCommonRefusalsAreRecordedOnce(t *testing.T) {
	root := moduleRoot(t)
	var all []shown
	for name, ops := range tables() {
		all = append(all, showing(t, root, name, ops)...)
	}
	slices.SortFunc(all, func(a, b shown) int { return strings.Compare(a.name, b.name) })
	proofs := proven(t, root)
	for _, c := range allCommon() {
		t.Run(c.what, func(t *testing.T) {
			for _, proof := range strings.Fields(c.proof) {
				if !slices.Contains(proofs, proof) {
					t.Errorf("infra/conformance has no %s, which proves it of every operation", proof)
				}
			}
			owner, example := "", ""
			for _, s := range all {
				switch {
				case !c.is(s):
				case owner == "":
					owner, example = s.of(), s.name
				case owner != s.of():
					t.Errorf("remove events/%s: %s of infra/conformance proves it of every operation; the example is events/%s",
						s.name, c.proof, example)
				}
			}
			if owner == "" {
				t.Error("no event is the example of it")
			}
		})
	}
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

// proven lists the tests of infra/conformance.
func proven(t *testing.T, root string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "infra", "conformance", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(t `).FindAllSubmatch(source, -1) {
			names = append(names, string(m[1]))
		}
	}
	return names
}

// showing reads a group's events.
func showing(t *testing.T, root, group string, ops []web.Operation) []shown {
	t.Helper()
	paths, err := eventsOf(root, group)
	if err != nil {
		t.Fatal(err)
	}
	var list []shown
	for _, path := range paths {
		s := shown{name: group + "/" + strings.TrimSuffix(filepath.Base(path), suffix)}
		var a struct {
			Status int
			Body   any
		}
		for file, into := range map[string]any{path: &s.event, answerOf(path): &a} {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(content, into); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		}
		s.status = a.Status
		s.body, _ = a.Body.(map[string]any)
		s.op = operationOf(ops, s.method(), s.event.RequestContext.HTTP.Path)
		list = append(list, s)
	}
	return list
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
