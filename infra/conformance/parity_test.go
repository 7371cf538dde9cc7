package conformance_test

import (
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/issuer/issuertest"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// again is an API of all groups on a table of its own.
func again(t *testing.T) *webtest.API {
	t.Helper()
	return over(t, nil)
}

// over is an API of all groups whose way to the table leads through another client.
func over(t *testing.T, wrap func(dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI) *webtest.API {
	t.Helper()
	return changed(t, wrap, func(*app.Env) {})
}

// changed is the same in an environment that was changed.
func changed(
	t *testing.T, wrap func(dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI, change func(*app.Env),
) *webtest.API {
	t.Helper()
	whole := func(e *app.Env) {
		e.Files, e.Config.OIDC = filestest.New(t), issuertest.Config(t)
		change(e)
		groups.Link(e)
	}
	return webtest.Setup{Change: whole, Table: wrap}.New(t, slices.Collect(maps.Values(groups.All()))...)
}

func template(t *testing.T) *samtemplate.Template {
	t.Helper()
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	deployed, err := samtemplate.Load(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return deployed
}

// routed is the group to whose function the gateway sends a path: a whole path wins, then
// the longest prefix, and $default takes the rest.
func routed(deployed *samtemplate.Template, path string) (group, prefix string) {
	best := -1
	for _, r := range deployed.Routes {
		literal, greedy := strings.CutSuffix(r.Path, "/{proxy+}")
		pattern := "^" + parameter.ReplaceAllString(literal, "[^/]+")
		n := 2 * strings.Count(literal, "/")
		switch {
		case r.Path == "$default":
			pattern = ""
		case greedy:
			pattern += "/"
		default:
			pattern, n = pattern+"$", n+1
		}
		if n > best && regexp.MustCompile(pattern).MatchString(path) {
			best, group, prefix = n, deployed.Functions[r.Function].Group(), r.Path
		}
	}
	return group, prefix
}

// The template sends every operation, with and without its slash, to the
// function that has it, and no prefix leads to nothing.
func TestTemplateCoversEveryOperation(t *testing.T) {
	deployed := template(t)
	used := map[string]bool{}
	for _, op := range operations() {
		for _, path := range []string{op.path(), strings.TrimSuffix(op.path(), "/")} {
			group, prefix := routed(deployed, path)
			if group != op.group {
				t.Errorf("%s %s is routed to %q by %s, and is of %s", op.Method, path, group, prefix, op.group)
			}
			used[strings.TrimSuffix(prefix, "/{proxy+}")] = true
		}
	}
	for _, r := range deployed.Routes {
		if r.Method != "ANY" || strings.HasSuffix(r.Path, "/") {
			t.Errorf("%s %s: an API takes prefixes without a slash, for any method", r.Method, r.Path)
		}
		if r.Authorizer == "" {
			t.Errorf("%s: nobody is asked who calls", r.Path)
		}
		prefix := strings.TrimSuffix(r.Path, "/{proxy+}")
		if !used[prefix] {
			t.Errorf("%s leads to no operation", r.Path)
		}
		if prefix == "$default" {
			continue
		}
		for _, both := range []string{prefix, prefix + "/{proxy+}"} {
			if !slices.ContainsFunc(deployed.Routes, func(o samtemplate.Route) bool { return o.Path == both && o.Function == r.Function }) {
				t.Errorf("%s has no %s beside it", r.Path, both)
			}
		}
	}
}

func TestDescriptionNamesEveryOperation(t *testing.T) {
	described := map[string]string{}
	for path, methods := range readDescription(t).Paths {
		for method, op := range methods {
			if op.Joined == nil {
				op.Joined = []string{op.ID}
			}
			for _, id := range op.Joined {
				described[id] = strings.ToUpper(method) + " " + nameless(path)
			}
		}
	}
	for _, op := range operations() {
		if row := op.Method + " " + nameless(op.Path); described[op.ID] != row {
			t.Errorf("%s is %q in docs/openapi.json, want %q: run `make openapi`", op.ID, described[op.ID], row)
		}
		delete(described, op.ID)
	}
	for id, row := range described {
		t.Errorf("%s (%s) is described and does not exist: run `make openapi`", row, id)
	}
}

func TestTablesOfOperations(t *testing.T) {
	ids, rows := map[string]string{}, map[string]string{}
	for _, op := range operations() {
		row := op.Method + " " + op.Shape()
		if other, taken := ids[op.ID]; taken || op.ID == "" {
			t.Errorf("%s: the id %q is that of %s", row, op.ID, other)
		}
		if other, taken := rows[row]; taken {
			t.Errorf("%s is of %s and of %s", row, other, op.group)
		}
		ids[op.ID], rows[row] = row, op.group
		if op.Summary == "" {
			t.Errorf("%s has no summary", op.ID)
		}
		last := op.Path[strings.LastIndex(strings.TrimSuffix(op.Path, "/"), "/"):]
		if !strings.HasSuffix(op.Path, "/") && !strings.Contains(last, ".") && last != "/{name}" { // a file has none
			t.Errorf("%s: %s has no slash at its end", op.ID, op.Path)
		}
		for _, m := range parameter.FindAllStringSubmatch(op.Path, -1) {
			found := false
			for i := range op.Input.NumField() {
				tag := op.Input.Field(i).Tag.Get("path")
				found = found || tag != "" && web.PathName(op.Path, tag) == m[1]
			}
			if !found {
				t.Errorf("%s: nothing takes {%s}", op.ID, m[1])
			}
		}
		if op.Method == "GET" && op.body() != nil {
			t.Errorf("%s: a GET takes no body", op.ID)
		}
	}
	for name, group := range groups.All() {
		if g := group(again(t).Env); g.Name != name {
			t.Errorf("the group of functions/%s calls itself %q", name, g.Name)
		}
	}
}

// What answers a token is kept by nobody on its way.
func TestTokensAreSecret(t *testing.T) {
	found := 0
	for _, op := range operations() {
		if op.Output.Kind() != reflect.Struct {
			continue
		}
		for _, f := range reflect.VisibleFields(op.Output) {
			if !slices.Contains([]string{"access", "refresh", "token"}, f.Tag.Get("json")) {
				continue
			}
			found++
			if !op.Secret {
				t.Errorf("%s answers a token as %q, and is no secret", op.ID, f.Tag.Get("json"))
			}
		}
	}
	if found == 0 {
		t.Error("nothing answers a token")
	}
}
