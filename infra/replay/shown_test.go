package main

import (
	"net/http"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// of names whose the event is, to count the operations that show the same.
func (s shown) of() string {
	if s.op != nil {
		return s.op.ID
	}
	return path.Dir(s.name)
}

// role is the caller's in the company of the request; empty where it has none.
func (s shown) role() tenant.Role {
	if a := s.event.RequestContext.Authorizer; a != nil {
		role, _ := a.Lambda["role"].(string)
		return tenant.Role(role)
	}
	return ""
}

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
		{"HEAD", "TestMethods", func(s shown) bool {
			return s.method() == http.MethodHead && s.of() != "errors" // all texts would fill its GET
		}},
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
				reflect.DeepEqual(s.body["non_field_errors"], []any{say.WrongType("dictionary", "list").Error()})
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
		if !reflect.DeepEqual(messages, []any{say.Required.Error()}) {
			return false
		}
	}
	return len(body) > 0
}

// fleeting are operations whose success can't be recorded; the tests of their groups prove it. The signature of a request counts for five
// minutes, and what the certification centre says of a certificate not much longer.
func fleeting() []string { return []string{"sms-callback", "documents-eds-sign", "signing-eds"} }

// checkSuccesses looks for an event of each operation's success.
func checkSuccesses(t *testing.T, all []shown) {
	t.Helper()
	for name, ops := range tables() {
		for _, op := range ops {
			of := func(s shown) bool { return s.succeeds(op) && strings.HasPrefix(s.name, name+"/") }
			if !slices.Contains(fleeting(), op.ID) && !slices.ContainsFunc(all, of) {
				t.Errorf("%s %s: no event that is answered %d; add one to a list of events/%s", op.Method, op.Path, op.Success(), name)
			}
		}
	}
}

// What operations refuse alike is recorded for one operation, as an example, and proven of all of them elsewhere.
func checkCommonRefusals(t *testing.T, root string, all []shown) {
	t.Helper()
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
					t.Errorf("remove %s: %s of infra/conformance proves it of every operation; the example is %s", s.name, c.proof, example)
				}
			}
			if owner == "" {
				t.Error("no event is the example of it")
			}
		})
	}
}

// proven lists the tests of infra/conformance.
func proven(t *testing.T, root string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "infra", "conformance", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range paths {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(t `).FindAllSubmatch(source, -1) {
			names = append(names, string(m[1]))
		}
	}
	return names
}
