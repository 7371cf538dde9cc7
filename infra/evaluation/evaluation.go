// Package evaluation finds expressions whose value depends on an order that the language leaves open.
//
// Go calls functions from left to right, and doesn't say when it reads the variables that stand beside the calls: of
// `return sum, add(&sum)` one compiler may return the sum before the addition, and the next one the sum after it. A test of ours would
// pass with both. So a variable doesn't stand in one statement with a call that may change it; two lines say which of the two is meant.
package evaluation

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/tenantry/tenantry/infra/source"
)

// Faults are the places in packages at which a variable is read beside a call that may change it.
func Faults(fset *token.FileSet, packages []source.Package) (list []string) {
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
		method, _ := f.info.Defs[n.Name].(*types.Func)
		if n.Recv == nil || n.Body == nil || len(n.Recv.List[0].Names) == 0 {
			return
		}
		for in := range ast.Preorder(n.Body) {
			for _, e := range assigned(in) {
				if f.variable(e, true) == f.info.Defs[n.Recv.List[0].Names[0]] {
					f.setters[method.FullName()] = true
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
func (f *finder) fault(n ast.Node) types.Object {
	operands := operands(n)
	for j, call := range operands {
		changed := map[types.Object]bool{}
		f.changed(call, changed)
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

// variable is the one that an expression is, or is a part of. What a pointer, a slice or a map leads to is part of none, but for a
// field of what a pointer leads to, where that is asked for.
func (f *finder) variable(e ast.Expr, pointed bool) types.Object {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.variable(e.X, pointed)
	case *ast.SelectorExpr:
		if s := f.info.Selections[e]; s != nil && s.Kind() == types.FieldVal && (pointed || !s.Indirect()) {
			return f.variable(e.X, pointed)
		}
	case *ast.IndexExpr:
		if _, is := f.info.TypeOf(e.X).Underlying().(*types.Array); is {
			return f.variable(e.X, pointed)
		}
	case *ast.Ident:
		if v, is := f.info.ObjectOf(e).(*types.Var); is {
			return v
		}
	}
	return nil
}

// changed notes the variables that the calls in a node may change: those whose addresses they get, by & or for a method, and those
// that a closure sets which they get or are.
func (f *finder) changed(e ast.Node, all map[types.Object]bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			_, closure := n.(*ast.FuncLit)
			return !closure
		}
		f.within(call, all)
		return false
	})
	delete(all, nil)
}

// within notes the variables that a node sets, or takes the addresses of.
func (f *finder) within(e ast.Node, all map[types.Object]bool) {
	for n := range ast.Preorder(e) {
		for _, to := range assigned(n) {
			all[f.variable(to, false)] = true
		}
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				all[f.variable(n.X, false)] = true
			}
		case *ast.SelectorExpr:
			if method := f.byAddress(n); method != nil && f.setters[method.FullName()] {
				all[f.variable(n.X, false)] = true
			}
		case *ast.Ident:
			if closure := f.closures[f.info.Uses[n]]; closure != nil && (n.Pos() < closure.Pos() || n.Pos() > closure.End()) {
				f.within(closure, all)
			}
		}
	}
}

// byAddress is the method that an expression selects, if it gets the address of the variable that it is called of.
func (f *finder) byAddress(e *ast.SelectorExpr) *types.Func {
	selection := f.info.Selections[e]
	if selection == nil || selection.Kind() != types.MethodVal {
		return nil
	}
	method, _ := selection.Obj().(*types.Func)
	_, wants := method.Signature().Recv().Type().(*types.Pointer)
	if _, has := selection.Recv().Underlying().(*types.Pointer); !wants || has {
		return nil
	}
	return method
}

// read is the variable of some that an expression reads; nil if it reads none of them. What an earlier call is given is
// read before the call, and so before all later ones: in calls it counts only if the expression stands behind what changes it.
// Closures don't count, they read when they are called.
func (f *finder) read(e ast.Expr, behind bool, of map[types.Object]bool) (found types.Object) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			return behind || f.info.Types[n.Fun].IsType()
		case *ast.UnaryExpr:
			return n.Op != token.AND
		case *ast.SelectorExpr:
			return f.byAddress(n) == nil
		case *ast.Ident:
			if v := f.info.Uses[n]; of[v] {
				found = v
			}
		}
		return true
	})
	return found
}
