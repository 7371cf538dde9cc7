// Package evaluation finds expressions whose value depends on an order that the language leaves open.
//
// Go calls functions from left to right, and doesn't say when it reads the variables that stand beside the calls: of
// `return sum, add(&sum)` one compiler may return the sum before the addition, and the next one the sum after it. A test of ours would
// pass with both. So a variable doesn't stand in one statement with a call that may change it; two lines say which of the two is meant.
package evaluation

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Package is a package whose types are known.
type Package struct {
	Files []*ast.File
	Info  *types.Info
}

// Faults are the places in packages at which a variable is read beside a call that may change it.
func Faults(fset *token.FileSet, packages []Package) (list []string) {
	f := finder{setters: map[string]bool{}, closures: map[types.Object]*ast.FuncLit{}}
	each := func(visit func(ast.Node)) {
		for _, p := range packages {
			f.info = p.Info
			for _, file := range p.Files {
				for n := range ast.Preorder(file) {
					visit(n)
				}
			}
		}
	}
	each(f.learn)
	each(func(n ast.Node) {
		if v := f.fault(n); v != nil {
			list = append(list, fmt.Sprintf("%s: %s is read beside a call that may change it", fset.Position(n.Pos()), v.Name()))
		}
	})
	return list
}

// finder looks for faults.
type finder struct {
	info     *types.Info                   // of the package that is looked at
	setters  map[string]bool               // the methods that set what they are called of, by their full names
	closures map[types.Object]*ast.FuncLit // what variables of functions are set to where they are declared
}

// learn notes setters, and the closures that have names.
func (f *finder) learn(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Recv == nil || n.Body == nil || len(n.Recv.List[0].Names) == 0 {
			return
		}
		of := f.info.Defs[n.Recv.List[0].Names[0]]
		for in := range ast.Preorder(n.Body) {
			for _, e := range assigned(in) {
				if to, ok := e.(*ast.SelectorExpr); ok && f.isOf(to.X, of) {
					f.setters[fullName(f.info.Defs[n.Name])] = true
				}
			}
		}
	case *ast.AssignStmt:
		for i := range n.Rhs {
			to, named := n.Lhs[i].(*ast.Ident)
			if closure, ok := n.Rhs[i].(*ast.FuncLit); ok && named {
				f.closures[f.info.ObjectOf(to)] = closure
			}
		}
	}
}

// fullName is the name of a function or a method with its package and its receiver.
func fullName(of types.Object) string {
	if method, ok := of.(*types.Func); ok {
		return method.FullName()
	}
	return ""
}

// isOf tells whether an expression is a variable, or a field of it.
func (f *finder) isOf(e ast.Expr, v types.Object) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return f.isOf(e.X, v)
	case *ast.Ident:
		return v != nil && f.info.Uses[e] == v
	}
	return false
}

// assigned is what a statement sets.
func assigned(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Lhs
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	}
	return nil
}

// fault returns the variable that a node reads beside a call that may change it; nil if the node is right.
func (f *finder) fault(n ast.Node) *types.Var {
	operands := operands(n)
	for j, call := range operands {
		changed := f.changed(call)
		for i, operand := range operands {
			if i == j || len(changed) == 0 {
				continue
			}
			if v := f.read(operand, i > j, changed); v != nil {
				return v
			}
		}
	}
	return nil
}

// operands are the expressions of a node among which the language orders nothing but calls.
func operands(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.ReturnStmt:
		return n.Results
	case *ast.AssignStmt:
		return n.Rhs
	case *ast.CallExpr:
		return n.Args
	case *ast.CompositeLit:
		return n.Elts
	case *ast.BinaryExpr:
		if n.Op != token.LAND && n.Op != token.LOR {
			return []ast.Expr{n.X, n.Y}
		}
	}
	return nil
}

// part is a variable or a field of one, by the fields' names: "", ".a", ".a.b".
type part struct {
	of   *types.Var
	path string
}

// overlaps tells whether one part lies within the other.
func (p part) overlaps(other part) bool {
	within := func(a, b string) bool { return a == b || strings.HasPrefix(b, a+".") }
	return p.of == other.of && (within(p.path, other.path) || within(other.path, p.path))
}

// part is what of a variable an expression is. What a pointer, a slice or a map leads to is part of none.
func (f *finder) part(e ast.Expr) (p part, ok bool) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.part(e.X)
	case *ast.SelectorExpr:
		if selection := f.info.Selections[e]; selection == nil || selection.Kind() != types.FieldVal || selection.Indirect() {
			return part{}, false
		}
		p, ok = f.part(e.X)
		p.path += "." + e.Sel.Name
		return p, ok
	case *ast.IndexExpr:
		if _, is := f.info.TypeOf(e.X).Underlying().(*types.Array); is {
			return f.part(e.X)
		}
	case *ast.Ident:
		v, is := f.info.ObjectOf(e).(*types.Var)
		return part{of: v}, is
	}
	return part{}, false
}

// changed are the parts of variables that the calls in an expression may change: those whose addresses they get, and those that a
// closure sets which they get or are.
func (f *finder) changed(e ast.Expr) (all []part) {
	inspect(e, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		all = append(all, f.addressed(call)...)
		for _, arg := range append([]ast.Expr{call.Fun}, call.Args...) {
			inspect(arg, func(n ast.Node) bool {
				all = append(all, f.addressed(n)...)
				return true
			})
			closure, ok := arg.(*ast.FuncLit)
			if name, named := arg.(*ast.Ident); named {
				closure, ok = f.closures[f.info.ObjectOf(name)]
			}
			if ok {
				all = append(all, f.set(closure)...)
			}
		}
		return true
	})
	return all
}

// addressed is what a node takes the address of: by &, or for a method that sets what it is called of.
func (f *finder) addressed(n ast.Node) []part {
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if p, ok := f.part(n.X); ok && n.Op == token.AND {
			return []part{p}
		}
	case *ast.CallExpr:
		method, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || !f.isByAddress(method) || !f.setters[fullName(f.info.Selections[method].Obj())] {
			return nil
		}
		if p, ok := f.part(method.X); ok {
			return []part{p}
		}
	}
	return nil
}

// isByAddress tells whether a method gets the address of the variable that it is called of.
func (f *finder) isByAddress(method *ast.SelectorExpr) bool {
	selection := f.info.Selections[method]
	if selection == nil || selection.Kind() != types.MethodVal {
		return false
	}
	_, wants := selection.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
	_, has := selection.Recv().Underlying().(*types.Pointer)
	return wants && !has
}

// set are the parts of variables that a closure sets, or takes the address of.
func (f *finder) set(closure *ast.FuncLit) (all []part) {
	for n := range ast.Preorder(closure.Body) {
		all = append(all, f.addressed(n)...)
		for _, e := range assigned(n) {
			if p, ok := f.part(e); ok {
				all = append(all, p)
			}
		}
	}
	return all
}

// read is the variable of one of the parts that an expression reads; nil if it reads none of them. What an earlier call is given is
// read before the call, and so before all later ones: in calls it counts only if the expression stands behind what changes it.
func (f *finder) read(e ast.Expr, behind bool, parts []part) (found *types.Var) {
	inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if method, ok := n.Fun.(*ast.SelectorExpr); ok && behind && f.isByAddress(method) {
				for _, arg := range n.Args {
					found = cmp.Or(found, f.read(arg, behind, parts))
				}
				return false
			}
			return behind || f.info.Types[n.Fun].IsType()
		case *ast.UnaryExpr:
			return n.Op != token.AND
		case *ast.KeyValueExpr:
			found = cmp.Or(found, f.read(n.Value, behind, parts))
			return false
		case ast.Expr:
			p, ok := f.part(n)
			if ok && slices.ContainsFunc(parts, p.overlaps) {
				found = p.of
			}
			return !ok
		}
		return true
	})
	return found
}

// inspect walks through an expression, but not into closures: these run when they are called.
func inspect(e ast.Expr, visit func(ast.Node) bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		return n == nil || visit(n)
	})
}
