package normalise

import (
	"errors"
	"strconv"

	"github.com/tenantry/tenantry/shared/pdflex"
)

// A value of a PDF is a token (as it is written: a number, a string, true, false, null), a name, a ref, an array
// or a dict.
type (
	token string // as it stands in the file
	name  string // with its escapes resolved, without the slash
	ref   int    // the number of an object
	array []any
	dict  []entry // in the order of the file
)

type entry struct {
	key   name
	value any
}

// get is the value of a key, or nil.
func (d dict) get(key name) any {
	for i := range d {
		if d[i].key == key {
			return d[i].value
		}
	}
	return nil
}

var (
	errSyntax = errors.New("normalise: no PDF syntax")
	errBudget = errors.New("normalise: too much to read")
)

// Bounds of what is read.
const (
	mostValues = 3_000_000
	mostNested = 100
)

// scanner reads values.
type scanner struct {
	pdflex.Lexer
	values *int // how many more may be read, of the whole file
	work   *int // how many more bytes may be looked at
}

// value reads a value. A keyword, such as endobj, is a token.
func (s *scanner) value(depth int) (any, error) {
	if depth > mostNested {
		return nil, errSyntax
	}
	from := s.At
	s.Space()
	if *s.values--; *s.values < 0 {
		return nil, errBudget
	}
	if s.At >= len(s.Data) {
		return nil, errSyntax
	}
	defer func() { *s.work -= s.At - from }()
	if *s.work < 0 {
		return nil, errBudget
	}
	switch c := s.Data[s.At]; c {
	case '/':
		return name(s.Name()), nil
	case '(':
		if text, ok := s.Text(); ok {
			return token(text), nil
		}
		return nil, errSyntax
	case '[':
		s.At++
		return s.array(depth)
	case '<':
		if s.Next("<<") {
			s.At += 2
			return s.dict(depth)
		}
		text, ok := s.Hex()
		if !ok {
			*s.work -= len(s.Data) - s.At
			return nil, errSyntax
		}
		return token(text), nil
	case ']', '>', ')', '{', '}':
		return nil, errSyntax
	}
	return token(s.Word()), nil
}

func (s *scanner) array(depth int) (array, error) {
	var a array
	for {
		s.Space()
		if s.Next("]") {
			s.At++
			return a, nil
		}
		v, err := s.value(depth + 1)
		if err != nil {
			return nil, err
		}
		a = addValue(a, v)
	}
}

// addValue adds a value to those before it: "1", "0" and "R" are one, a ref.
func addValue(a array, v any) array {
	if n := len(a); n >= 2 && v == token("R") {
		if number, ok := asInt(a[n-2]); ok {
			if _, ok := asInt(a[n-1]); ok {
				return append(a[:n-2], ref(number))
			}
		}
	}
	return append(a, v)
}

// asInt is the number that a token is.
func asInt(v any) (int, bool) {
	t, ok := v.(token)
	if !ok || t == "" || len(t) > 10 || t[0] == '-' || t[0] == '+' {
		return 0, false
	}
	n, err := strconv.Atoi(string(t))
	return n, err == nil
}

func (s *scanner) dict(depth int) (dict, error) {
	var all array
	for {
		s.Space()
		if s.Next(">>") {
			s.At += 2
			break
		}
		v, err := s.value(depth + 1)
		if err != nil {
			return nil, err
		}
		all = addValue(all, v)
	}
	d := make(dict, 0, len(all)/2)
	for i := 0; i+1 < len(all); i += 2 {
		key, ok := all[i].(name)
		if !ok {
			return nil, errSyntax
		}
		if d.get(key) == nil { // readers take the first of two, some the last: there is one in what is written
			d = append(d, entry{key, all[i+1]})
		}
	}
	if len(all)%2 != 0 {
		return nil, errSyntax
	}
	return d, nil
}
