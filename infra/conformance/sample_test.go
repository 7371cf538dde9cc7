package conformance_test

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/openapi"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// operation is one operation and the group that it is of.
type operation struct {
	group string
	web.Operation
}

// operations lists all operations, in the order of their groups' names.
var operations = sync.OnceValue(func() []operation {
	var list []operation
	all := groups.All()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, op := range all[name](openapi.Env()).Operations {
			list = append(list, operation{name, op})
		}
	}
	return list
})

// each runs a test of every operation that fits, each on a table of its own. What writes nothing runs together.
func each(t *testing.T, fits func(operation) bool, test func(t *testing.T, api *webtest.API, op operation)) {
	t.Helper()
	eachAlone(t, fits, func(t *testing.T, op operation) {
		api := again(t)
		op.join(t, api)
		test(t, api, op)
	})
}

// together runs a test of every operation that fits, all of them on one table: to make the groups costs more than such a test.
// Its requests write nothing, so none can be in the way of another.
func together(t *testing.T, fits func(operation) bool, test func(t *testing.T, api *webtest.API, op operation)) {
	t.Helper()
	companies := operation{}.join(t, again(t))
	none := again(t) // for the operations that make companies
	t.Cleanup(func() {
		if n := companies.Written() + none.Written(); n > 0 {
			t.Errorf("the requests of this test have written %d items: it needs a table for each operation", n)
		}
	})
	eachAlone(t, fits, func(t *testing.T, op operation) {
		api := companies
		if op.group == "tenants" {
			api = none
		}
		test(t, api.In(t), op)
	})
}

// eachAlone runs a test of every operation that fits, which makes its own API.
func eachAlone(t *testing.T, fits func(operation) bool, test func(t *testing.T, op operation)) {
	t.Helper()
	for _, op := range tried(t, fits) {
		t.Run(op.ID, func(t *testing.T) {
			t.Parallel() // they wait for the engine, and some for one that is away
			test(t, op)
		})
	}
}

// join makes the callers of most tests members of companies, but where companies are made by
// requests.
func (op operation) join(t *testing.T, api *webtest.API) *webtest.API {
	t.Helper()
	if op.group == "tenants" {
		return api
	}
	return op.joinTo(t, api, 1, 2)
}

// joinTo makes companies and their owners.
func (op operation) joinTo(t *testing.T, api *webtest.API, companies ...tenant.ID) *webtest.API {
	t.Helper()
	if op.group == "settings" || op.group == "webhooks" { // whoever makes a key or is shown a secret is asked for the password
		for _, user := range []int64{7, webtest.Owner(1).User, webtest.Owner(2).User} {
			person(t, api, user)
		}
	}
	for _, id := range companies {
		api.Join(webtest.Owner(id))
		of := table.Of(api.Env.Table, id)
		c := company.Company{
			Item: table.At(of.Company(), company.Version), ID: int64(id), Currency: "KZT", TimeZone: "Asia/Almaty", Revision: 1,
		}
		put := of.Put(c)
		if err := table.Retry(t.Context(), func() error { return put.Run(t.Context()) }); err != nil {
			t.Fatal(err)
		}
	}
	return api
}

// elsewhere is a caller of the operation in a company where it was not called before, and that company.
func (op operation) elsewhere(t *testing.T, api *webtest.API) (c *webtest.Client, company tenant.ID) {
	t.Helper()
	if inTenant(op) && op.group != "tenants" {
		return api.As(webtest.Owner(2)), 2
	}
	return op.join(t, again(t)).As(op.caller()), 1 // what it does is not a company's alone
}

func every(operation) bool           { return true }
func signedIn(op operation) bool     { return op.Access != web.Public }
func inTenant(op operation) bool     { return op.Access == web.InTenant }
func takesBody(op operation) bool    { return op.body() != nil }
func withSlash(op operation) bool    { return strings.HasSuffix(op.Path, "/") }
func withIDs(op operation) bool      { return len(op.ids()) > 0 }
func answersJSON(op operation) bool  { return op.Produces == nil }
func withRequired(op operation) bool { return takesBody(op) && len(required(op.body())) > 0 }

var parameter = regexp.MustCompile(`\{(\w+)\}`)

// path is the operation's path with a value for each parameter.
func (op operation) path() string { return op.at("1") }

// at is the operation's path for one record. What the record stands below has the number 1.
func (op operation) at(id string) string {
	return op.with(parameter.FindString(op.Path[len(op.collection()):]), id)
}

// with is the operation's path with one value for one parameter, such as "{id}", and usual ones for the others.
func (op operation) with(name, value string) string {
	return parameter.ReplaceAllStringFunc(op.Path, func(p string) string {
		var f reflect.StructField
		for i := range op.Input.NumField() {
			if tag := op.Input.Field(i).Tag.Get("path"); tag != "" && web.PathName(op.Path, tag) == strings.Trim(p, "{}") {
				f = op.Input.Field(i)
			}
		}
		switch {
		case f.Type == reflect.TypeFor[uuid.UUID]():
			return "9b2f6c1e-4d3a-4c57-8a55-0f3f6b7f2d11"
		case p == name:
			return value
		}
		return "1"
	})
}

// ids are the parameters of the path that are numbers of records.
func (op operation) ids() []string {
	var names []string
	for i := range op.Input.NumField() {
		if f := op.Input.Field(i); f.Tag.Get("path") != "" && f.Type == reflect.TypeFor[int64]() {
			names = append(names, web.PathName(op.Path, f.Tag.Get("path")))
		}
	}
	return names
}

// body is the type of the operation's body; nil where it takes none.
func (op operation) body() reflect.Type {
	if f, ok := op.Input.FieldByName("Body"); ok {
		return f.Type
	}
	return nil
}

// takesRows tells whether the body may also be a list.
func (op operation) takesRows() bool {
	_, ok := op.Input.FieldByName("Rows")
	return ok
}

// caller is one who may call the operation, in company 1.
func (op operation) caller() webtest.Caller {
	if op.Access == web.Public {
		return webtest.Nobody()
	}
	return webtest.Owner(1)
}

// sent is a good body; nil where the operation takes none.
func (op operation) sent() any { return op.nth(1) }

func required(t reflect.Type) []string {
	var names []string
	for _, f := range decode.Describe(t) {
		if f.Required {
			names = append(names, f.Name)
		}
	}
	return names
}

// sample is the body that the API description shows.
func sample(t reflect.Type) map[string]any { return openapi.Example(t) }
