package normalise

import (
	"bytes"
	"errors"
	"strconv"
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
	data   []byte
	at     int
	values *int // how many more may be read, of the whole file
	work   *int // how many more bytes may be looked at
}

func isWhite(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

// space goes over white space and comments.
func (s *scanner) space() {
	for s.at < len(s.data) {
		switch c := s.data[s.at]; {
		case isWhite(c):
			s.at++
		case c == '%':
			for s.at < len(s.data) && s.data[s.at] != '\n' && s.data[s.at] != '\r' {
				s.at++
			}
		default:
			return
		}
	}
}

// value reads a value. A keyword, such as endobj, is a token.
func (s *scanner) value(depth int) (any, error) {
	if depth > mostNested {
		return nil, errSyntax
	}
	from := s.at
	s.space()
	if *s.values--; *s.values < 0 {
		return nil, errBudget
	}
	if s.at >= len(s.data) {
		return nil, errSyntax
	}
	defer func() { *s.work -= s.at - from }()
	if *s.work < 0 {
		return nil, errBudget
	}
	switch c := s.data[s.at]; c {
	case '/':
		return s.name(), nil
	case '(':
		return s.text()
	case '[':
		s.at++
		return s.array(depth)
	case '<':
		if s.at+1 < len(s.data) && s.data[s.at+1] == '<' {
			s.at += 2
			return s.dict(depth)
		}
		end := bytes.IndexByte(s.data[s.at:], '>')
		if end < 0 {
			*s.work -= len(s.data) - s.at
			return nil, errSyntax
		}
		t := token(s.data[s.at : s.at+end+1])
		s.at += end + 1
		return t, nil
	case ']', '>', ')', '{', '}':
		return nil, errSyntax
	}
	return s.word(), nil
}

// word reads a number or a keyword.
func (s *scanner) word() token {
	start := s.at
	for s.at < len(s.data) && !isWhite(s.data[s.at]) && !isDelimiter(s.data[s.at]) {
		s.at++
	}
	return token(s.data[start:s.at])
}

func (s *scanner) name() name {
	s.at++
	raw := s.word()
	if bytes.IndexByte([]byte(raw), '#') < 0 {
		return name(raw)
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) {
			if c, err := strconv.ParseUint(string(raw[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(c))
				i += 2
				continue
			}
		}
		out = append(out, raw[i])
	}
	return name(out)
}

// text reads a string in parentheses.
func (s *scanner) text() (token, error) {
	start, open := s.at, 0
	for ; s.at < len(s.data); s.at++ {
		switch s.data[s.at] {
		case '\\':
			s.at++
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				s.at++
				return token(s.data[start:s.at]), nil
			}
		}
	}
	s.at = len(s.data)
	return "", errSyntax
}

func (s *scanner) array(depth int) (array, error) {
	var a array
	for {
		s.space()
		if s.at < len(s.data) && s.data[s.at] == ']' {
			s.at++
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
		s.space()
		if s.at+1 < len(s.data) && s.data[s.at] == '>' && s.data[s.at+1] == '>' {
			s.at += 2
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
