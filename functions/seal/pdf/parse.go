package pdf

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/pdflex"
)

// maxDepth is how deep arrays and dictionaries may lie in one another.
const maxDepth = 64

// parser reads values from data, beginning at a place.
type parser struct {
	pdflex.Lexer
	depth int
}

func (f *File) parser(at int) *parser { return &parser{Lexer: pdflex.Lexer{Data: f.Data, At: at}} }

func (p *parser) fail(what string) error {
	return fmt.Errorf("%w: %s at byte %d", ErrSyntax, what, p.At)
}

// word reads regular characters, at least one.
func (p *parser) word() (string, error) {
	p.Space()
	text := p.Word()
	if text == "" {
		return "", p.fail("nothing to read")
	}
	return text, nil
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

func (p *parser) value() (Value, error) {
	p.Space()
	if p.At >= len(p.Data) {
		return nil, p.fail("the end")
	}
	switch c := p.Data[p.At]; {
	case c == '/':
		return Name(p.Name()), nil
	case c == '(':
		return p.whole(p.Text())
	case p.Next("<<"):
		return p.dict()
	case c == '<':
		return p.whole(p.Hex())
	case c == '[':
		return p.array()
	}
	return p.numberOrRef()
}

// whole is a string, or the error that it has no end.
func (p *parser) whole(text string, ok bool) (Value, error) {
	if !ok {
		return nil, p.fail("a string without end")
	}
	return Raw(text), nil
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
	back := p.At
	if generation, err := p.integer(); err == nil && generation <= 65535 {
		if err := p.keyword("R"); err == nil {
			return Ref{Number: int(number), Generation: generation}, nil
		}
	}
	p.At = back
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
	p.At++
	list := Array{}
	for {
		if p.Space(); p.Next("]") {
			p.At++
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
	p.At += 2
	d := Dict{}
	for {
		if p.Space(); p.Next(">>") {
			p.At += 2
			return d, nil
		}
		if !p.Next("/") {
			return nil, p.fail("a key that is no name")
		}
		key := Name(p.Name())
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
