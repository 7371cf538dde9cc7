package merge

import (
	"html"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/font/letters"
	"github.com/tenantry/tenantry/shared/say"
)

// Unknown is a name in a template that its schema doesn't have, or not as it is used there.
type Unknown struct {
	Place
	Name    string // the whole path
	Problem say.Message
}

// Message is what is wrong, with its place.
func (u Unknown) Message() say.Message { return say.TemplateAt(u.Line, u.Column, u.Problem) }

// UnknownError lists what a schema doesn't have.
type UnknownError []Unknown

func (e UnknownError) Error() string {
	var all []string
	for _, u := range e {
		all = append(all, u.Message().Error())
	}
	return strings.Join(all, " ")
}

// Names lists the names, each once.
func (e UnknownError) Names() []string {
	var names []string
	seen := map[string]bool{}
	for _, u := range e {
		if !seen[u.Name] {
			seen[u.Name] = true
			names = append(names, u.Name)
		}
	}
	return names
}

// Errors of results that would become too much.
const (
	ErrTooLong = say.TemplateResultTooLong
	ErrTooMuch = say.TemplateTakesTooMuch
)

// Check tells what a template uses that a schema doesn't have: nil, or an UnknownError in the
// template's order.
func (t Template) Check(s Schema) error {
	var c checker
	c.check(t.nodes, []Schema{s})
	if len(c.unknown) > 0 {
		return c.unknown
	}
	return nil
}

// find looks up a path. Its first name is of the innermost scope that has it, and level is the
// number of that scope.
func find(path []string, scopes []Schema) (s Schema, level int, ok bool) {
	for level = len(scopes) - 1; level >= 0; level-- {
		if path[0] == this && level == len(scopes)-1 && scopes[level].Fields == nil {
			s, ok = scopes[level], true
			break
		}
		if s, ok = scopes[level].Fields[path[0]]; ok {
			break
		}
	}
	for _, name := range path[1:] {
		if !ok {
			break
		}
		s, ok = s.Fields[name]
	}
	return s, level, ok
}

// this is the name of a row that is no object.
const this = "this"

type checker struct {
	unknown UnknownError
}

func (c *checker) check(nodes []node, scopes []Schema) {
	for i := range nodes {
		n := &nodes[i]
		if n.does == text {
			continue
		}
		s, _, ok := find(n.path, scopes)
		var wrong say.Message
		name := strings.Join(n.path, ".")
		tag := "{{" + name + "}}"
		switch {
		case !ok:
			wrong = say.TemplateNameUnknown(tag)
		case n.does == each && s.Row == nil:
			wrong = say.TemplateNameNoList(tag, "{{#each}}")
		case n.does == value && s.Row != nil:
			wrong = say.TemplateNameList(tag, "{{#each}}")
		case n.does == value && s.Fields != nil:
			wrong = say.TemplateNameOfSeveral(tag)
		}
		if wrong != "" {
			c.unknown = append(c.unknown, Unknown{Place: n.place, Name: name, Problem: wrong})
		}
		inside := scopes
		if n.does == each {
			if wrong != "" { // its rows are unknown too, and what is in them would only be named because of that
				c.check(n.others, scopes)
				continue
			}
			inside = slices.Concat(scopes, []Schema{*s.Row})
		}
		c.check(n.body, inside)
		c.check(n.others, scopes)
	}
}

// Execute puts values into a template. Its error is an UnknownError, if the schema has not all
// that the template uses (any more), a SyntaxError where a value has letters that can't be drawn, ErrTooLong or ErrTooMuch.
func (t Template) Execute(s Schema, v Value) (string, error) {
	if err := t.Check(s); err != nil {
		return "", err
	}
	var e executor
	if err := e.run(t.nodes, []Schema{s}, []Value{v}); err != nil {
		return "", err
	}
	return e.out.String(), nil
}

type executor struct {
	out   strings.Builder
	steps int
}

func (e *executor) write(s string) error {
	if e.out.Len()+len(s) > MostOutput {
		return ErrTooLong
	}
	e.out.WriteString(s)
	return nil
}

func (e *executor) step() error {
	if e.steps++; e.steps > mostSteps {
		return ErrTooMuch
	}
	return nil
}

// set tells whether a value counts as true. An object does if anything in it does. Each of its fields is
// a step, whichever of them is looked at, so that the same values always take as many.
func (e *executor) set(s Schema, v Value) bool {
	if s.Row != nil {
		return len(v.Rows) > 0
	}
	if s.Fields == nil {
		return v.Text != ""
	}
	e.steps += len(s.Fields)
	is := false
	for name, field := range s.Fields {
		is = e.set(field, v.Fields[name]) || is
	}
	return is
}

func (e *executor) run(nodes []node, schemas []Schema, values []Value) error {
	for i := range nodes {
		if err := e.node(&nodes[i], schemas, values); err != nil {
			return err
		}
	}
	return nil
}

func (e *executor) node(n *node, schemas []Schema, values []Value) error {
	if err := e.step(); err != nil {
		return err
	}
	if n.does == text {
		return e.write(n.text)
	}
	s, level, _ := find(n.path, schemas)
	v := values[level]
	if n.path[0] != this || schemas[level].Fields != nil {
		for _, name := range n.path {
			v = v.Fields[name]
		}
	}
	switch {
	case n.does == value && len(v.Text) > MostOutput:
		return ErrTooLong // before it is escaped
	case n.does == value:
		if missing, found := letters.Missing(v.Text); found {
			return &SyntaxError{n.place, say.TemplateValueNotDrawn("{{"+strings.Join(n.path, ".")+"}}", missing.Message())}
		}
		return e.write(html.EscapeString(strings.ToValidUTF8(v.Text, "�")))
	case e.set(s, v) == (n.does == unless):
		return e.run(n.others, schemas, values)
	case n.does != each:
		return e.run(n.body, schemas, values)
	}
	schemas = slices.Concat(schemas, []Schema{*s.Row})
	values = slices.Concat(values, []Value{{}})
	for _, row := range v.Rows {
		if err := e.step(); err != nil {
			return err
		}
		values[len(values)-1] = row
		if err := e.run(n.body, schemas, values); err != nil {
			return err
		}
	}
	return nil
}
