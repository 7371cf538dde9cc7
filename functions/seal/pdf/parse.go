package pdf

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// maxDepth is how deep arrays and dictionaries may lie in one another.
const maxDepth = 64

// parser reads values from data, beginning at a place.
type parser struct {
	data  []byte
	at    int
	depth int
}

func (p *parser) fail(what string) error {
	return fmt.Errorf("%w: %s at byte %d", ErrSyntax, what, p.at)
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool { return strings.IndexByte("()<>[]{}/%", c) >= 0 }

// space passes white space and comments.
func (p *parser) space() {
	for p.at < len(p.data) {
		switch c := p.data[p.at]; {
		case isSpace(c):
			p.at++
		case c == '%':
			for p.at < len(p.data) && p.data[p.at] != '\n' && p.data[p.at] != '\r' {
				p.at++
			}
		default:
			return
		}
	}
}

// word reads regular characters, at least one.
func (p *parser) word() (string, error) {
	p.space()
	from := p.at
	for p.at < len(p.data) && !isSpace(p.data[p.at]) && !isDelimiter(p.data[p.at]) {
		p.at++
	}
	if p.at == from {
		return "", p.fail("nothing to read")
	}
	return string(p.data[from:p.at]), nil
}

// keyword passes one word, which must be there.
func (p *parser) keyword(want string) error {
	if got, err := p.word(); err != nil || got != want {
		return p.fail("no " + want)
	}
	return nil
}

// integer reads a number that is not negative.
func (p *parser) integer() (int, error) {
	text, err := p.word()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(text, 10, 40)
	if err != nil {
		return 0, p.fail("no number")
	}
	return int(n), nil
}

// next tells whether a text comes next, without passing it.
func (p *parser) next(text string) bool { return bytes.HasPrefix(p.data[p.at:], []byte(text)) }

func (p *parser) value() (Value, error) {
	p.space()
	if p.at >= len(p.data) {
		return nil, p.fail("the end")
	}
	switch c := p.data[p.at]; {
	case c == '/':
		return p.name(), nil
	case c == '(':
		return p.literal()
	case p.next("<<"):
		return p.dict()
	case c == '<':
		return p.hex()
	case c == '[':
		return p.array()
	}
	return p.numberOrRef()
}

// numberOrRef reads what is neither a string, a name, an array nor a dictionary.
func (p *parser) numberOrRef() (Value, error) {
	text, err := p.word()
	if err != nil {
		return nil, err
	}
	number, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return p.atom(text)
	}
	back := p.at
	if generation, err := p.integer(); err == nil && generation <= 65535 {
		if err := p.keyword("R"); err == nil {
			return Ref{Number: int(number), Generation: generation}, nil
		}
	}
	p.at = back
	return Raw(text), nil
}

func (p *parser) atom(text string) (Value, error) {
	switch text {
	case "true", "false", "null":
		return Raw(text), nil
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil || strings.Trim(text, "+-.0123456789") != "" {
		return nil, p.fail("no value")
	}
	return Raw(text), nil
}

func (p *parser) name() Name {
	p.at++
	from := p.at
	for p.at < len(p.data) && !isSpace(p.data[p.at]) && !isDelimiter(p.data[p.at]) {
		p.at++
	}
	text := string(p.data[from:p.at])
	if !strings.Contains(text, "#") {
		return Name(text)
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '#' && i+2 < len(text) {
			if c, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return Name(b.String())
}

func (p *parser) literal() (Value, error) {
	from, open := p.at, 0
	for ; p.at < len(p.data); p.at++ {
		switch p.data[p.at] {
		case '\\':
			p.at++
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				p.at++
				return Raw(p.data[from:p.at]), nil
			}
		}
	}
	return nil, p.fail("a string without end")
}

func (p *parser) hex() (Value, error) {
	n := bytes.IndexByte(p.data[p.at:], '>')
	if n < 0 {
		return nil, p.fail("a string without end")
	}
	from := p.at
	p.at += n + 1
	return Raw(p.data[from:p.at]), nil
}

func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return p.fail("too deep")
	}
	return nil
}

func (p *parser) array() (Value, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	p.at++
	list := Array{}
	for {
		if p.space(); p.next("]") {
			p.at++
			return list, nil
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}

func (p *parser) dict() (Value, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	p.at += 2
	d := Dict{}
	for {
		if p.space(); p.next(">>") {
			p.at += 2
			return d, nil
		}
		if !p.next("/") {
			return nil, p.fail("a key that is no name")
		}
		key := p.name()
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		if _, twice := d[key]; twice {
			return nil, p.fail("a key that is there twice")
		}
		d[key] = v
	}
}
