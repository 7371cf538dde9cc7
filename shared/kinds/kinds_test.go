package kinds_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/tenantry/tenantry/shared/kinds"
)

// Every code has one row, and no two rows share anything by which one is found.
func TestRows(t *testing.T) {
	taken := map[string]kinds.Code{}
	once := func(k kinds.Code, what, value string) {
		if other, ok := taken[what+" "+value]; ok && value != "" {
			t.Errorf("%s and %s have the %s %q", k, other, what, value)
		}
		taken[what+" "+value] = k
	}
	for _, k := range kinds.All() {
		once(k.Code, "code", string(k.Code))
		once(k.Code, "name", k.Name)
		once(k.Code, "model", k.Model)
		once(k.Code, "path", k.Path)
		for _, key := range k.Fields {
			once(k.Code, "key of custom fields", key)
		}
		if !regexp.MustCompile(`^[a-z]{2,3}$`).MatchString(string(k.Code)) || !regexp.MustCompile(`^[a-z_]+$`).MatchString(k.Name) ||
			k.Label == "" || !k.Role.Valid() || !regexp.MustCompile(`^(/v[12]/[a-z_/]+/)?$`).MatchString(k.Path) {
			t.Errorf("row %+v", k)
		}
		for _, name := range k.Sums {
			once(k.Code, "sum of "+string(k.Code), name)
			if !regexp.MustCompile(`^[a-z]{1,2}$`).MatchString(name) || slices.Contains([]string{"v", "pk", "sk"}, name) {
				t.Errorf("%s has a sum %q", k.Code, name)
			}
		}
		if byName, ok := kinds.ByName(k.Name); !ok || byName.Code != k.Code || kinds.Of(k.Code).Name != k.Name {
			t.Errorf("%s is found as %+v by its name, as %+v by its code", k.Code, byName, kinds.Of(k.Code))
		}
		if byModel, ok := kinds.ByModel(k.Model); ok != (k.Model != "") || ok && byModel.Code != k.Code {
			t.Errorf("%s is found as %+v by its model", k.Code, byModel)
		}
	}
	if kinds.Of("no").Name != "" {
		t.Error("a code of nothing has a kind")
	}
}

// A code without a row would have no name, and its keys would be refused.
func TestEveryCodeHasARow(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "kinds.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "Code" {
				code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				codes = append(codes, code)
			}
		}
		return true
	})
	for _, code := range codes {
		if kinds.Of(kinds.Code(code)).Code == "" {
			t.Errorf("%s has no row", code)
		}
	}
	for _, k := range kinds.All() {
		if !slices.Contains(codes, string(k.Code)) {
			t.Errorf("%s has no constant", k.Code)
		}
	}
}

func TestAddresses(t *testing.T) {
	if got := kinds.Of(kinds.Client).One(15); got != "/v1/crm/clients/15/" {
		t.Errorf("client 15 is at %q", got)
	}
	if got := kinds.Of(kinds.Company).One(15); got != "" {
		t.Errorf("a company is at %q", got)
	}
	if got := kinds.Of(kinds.RentalPoint).Object(15); got != "rental_point:15" {
		t.Errorf("a rental point is called %q", got)
	}
}
