// Package texts finds what reaches people without being a row of the catalogue (shared/say/catalogue), and rows that nothing says.
//
// A text in the code would be English to everybody, and no program could tell it apart. The compiler takes an untyped text for a
// message, so this package looks at the types of all expressions.
package texts

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/infra/source"
)

const (
	sayPath   = source.Module + "shared/say"
	faultPath = source.Module + "shared/fault"
	neutral   = "\x00" // how a message of the catalogue begins
)

// Faults are the places at which a text becomes a message, or an error of a field, without the catalogue. values are the functions
// that make messages of texts which people gave, such as names, each as "path.Name".
func Faults(fset *token.FileSet, packages []source.Package, values map[string]string) (list []string) {
	used := map[string]bool{}
	for _, p := range packages {
		if p.Path == "shared/say" {
			continue
		}
		for _, file := range p.Files {
			for _, d := range file.Decls {
				name := p.Path
				if f, ok := d.(*ast.FuncDecl); ok {
					name += "." + f.Name.Name
				}
				for n := range ast.Preorder(d) {
					fault, value := inNode(p.Info, n)
					if _, ok := values[name]; ok && value {
						used[name] = true
					} else if fault != "" {
						list = append(list, fmt.Sprintf("%s: %s: %s", fset.Position(n.Pos()), name, fault))
					}
				}
			}
		}
	}
	for name := range values {
		if !used[name] {
			list = append(list, name+" makes no message of a value: strike it out")
		}
	}
	return list
}

// inNode is what is wrong with a node; value tells whether it makes a message of a value.
func inNode(info *types.Info, n ast.Node) (fault string, value bool) {
	switch n := n.(type) {
	case *ast.CallExpr:
		if len(n.Args) == 1 && info.Types[n.Fun].IsType() && isMessage(info.TypeOf(n.Fun)) && info.Types[n].Value == nil &&
			!isMessage(info.TypeOf(n.Args[0])) {
			return "a text becomes a message that is no row of shared/say/catalogue", true
		}
		if made(info, n) {
			return "an error is told whose text is no row of shared/say/catalogue", false
		}
	case *ast.CompositeLit:
		if named(info.TypeOf(n), faultPath, "FieldErrors") {
			for _, e := range n.Elts {
				if pair, ok := e.(*ast.KeyValueExpr); ok && isText(info.TypeOf(pair.Value)) {
					return "a field has an error that is no message", false
				}
			}
		}
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			if at, ok := to.(*ast.IndexExpr); ok && len(n.Lhs) == len(n.Rhs) && named(info.TypeOf(at.X), faultPath, "FieldErrors") &&
				isText(info.TypeOf(n.Rhs[i])) {
				return "a field has an error that is no message", false
			}
		}
	}
	if e, ok := n.(ast.Expr); ok {
		if tv := info.Types[e]; tv.Value != nil && isMessage(tv.Type) {
			if text := constant.StringVal(tv.Value); text != "" && !strings.HasPrefix(text, neutral) {
				return fmt.Sprintf("%q is no row of shared/say/catalogue", text), false
			}
		}
	}
	if sum, ok := n.(*ast.BinaryExpr); ok && sum.Op == token.ADD && isMessage(info.TypeOf(sum)) {
		return "messages are joined, which no translation can do", false
	}
	return "", false
}

// made tells whether a call says an error that was made in the same breath.
func made(info *types.Info, call *ast.CallExpr) bool {
	if f := callee(info, call); f == nil || f.FullName() != sayPath+".Of" || len(call.Args) != 1 {
		return false
	}
	inner, ok := call.Args[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	f := callee(info, inner)
	return f != nil && (f.FullName() == "errors.New" || f.FullName() == "fmt.Errorf")
}

func callee(info *types.Info, call *ast.CallExpr) *types.Func {
	switch e := call.Fun.(type) {
	case *ast.SelectorExpr:
		f, _ := info.Uses[e.Sel].(*types.Func)
		return f
	case *ast.Ident:
		f, _ := info.Uses[e].(*types.Func)
		return f
	}
	return nil
}

func isMessage(t types.Type) bool { return named(t, sayPath, "Message") }

func named(t types.Type, path, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path
}

// isText tells whether a type is a string that is no message, or a list of such strings.
func isText(t types.Type) bool {
	if t == nil || isMessage(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Slice:
		return isText(u.Elem())
	}
	return false
}

// Unused are the rows that no code says: neither by their constant or function, nor by their id, as the tag of a field has it, or a
// constant that is given to say.Named. names are the ids by the names of their constants and functions.
func Unused(packages []source.Package, names map[string]string) []string {
	unsaid := map[string]bool{}
	for _, id := range names {
		unsaid[id] = true
	}
	for _, p := range packages {
		for _, o := range p.Info.Uses {
			if o.Pkg() != nil && o.Pkg().Path() == sayPath && o.Parent() == o.Pkg().Scope() {
				delete(unsaid, names[o.Name()])
			}
		}
		for _, file := range p.Files {
			for n := range ast.Preorder(file) {
				for _, id := range idsIn(p.Info, n) {
					delete(unsaid, id)
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(unsaid))
}

// idsIn are the ids of rows that a node names as texts.
func idsIn(info *types.Info, n ast.Node) []string {
	switch n := n.(type) {
	case *ast.Field:
		if n.Tag == nil {
			return nil
		}
		tag, err := strconv.Unquote(n.Tag.Value)
		if err != nil {
			return nil
		}
		return []string{reflect.StructTag(tag).Get("patternMessage")}
	case *ast.CallExpr:
		if f := callee(info, n); f == nil || f.FullName() != sayPath+".Named" {
			return nil
		}
		for in := range ast.Preorder(n.Args[0]) {
			if e, ok := in.(ast.Expr); ok && info.Types[e].Value != nil && info.Types[e].Value.Kind() == constant.String {
				return []string{constant.StringVal(info.Types[e].Value)}
			}
		}
	}
	return nil
}
