package merge

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Place is a place in a template: line and column, both from 1. A column is a character.
type Place struct {
	Line   int
	Column int
}

// SyntaxError says what is wrong with a template, and where.
type SyntaxError struct {
	Place
	Text string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

// Template is a template that has been read.
type Template struct {
	nodes []node
}

// What a node does.
const (
	text   = ""
	value  = "value"
	each   = "each"
	when   = "if"
	unless = "unless"
)

// node is a piece of a template.
type node struct {
	does   string
	text   string   // of a text
	path   []string // of everything else
	place  Place
	body   []node
	others []node // after else
}

// open is a block that has not ended yet.
type open struct {
	node
	parts  []node // what has been read of the part that is read now
	inElse bool
}

// parser reads a template.
type parser struct {
	source string
	at     int // how many bytes have been read
	place  Place
	tags   int
	blocks []open // the innermost last; the first is the template itself
}

// Parse reads a template. Its error is a *SyntaxError.
func Parse(source string) (Template, error) {
	p := parser{source: source, place: Place{Line: 1, Column: 1}, blocks: make([]open, 1, mostDepth+1)}
	if len(source) > MostTemplate {
		return Template{}, p.fail("the template has more than %d bytes", MostTemplate)
	}
	if !utf8.ValidString(source) {
		return Template{}, p.fail("the template is no UTF-8")
	}
	for p.at < len(source) {
		if err := p.next(); err != nil {
			return Template{}, err
		}
	}
	if last := p.blocks[len(p.blocks)-1]; len(p.blocks) > 1 {
		p.place = last.place
		return Template{}, p.fail("{{#%s %s}} isn't ended by {{/%s}}", last.does, strings.Join(last.path, "."), last.does)
	}
	return Template{nodes: p.blocks[0].parts}, nil
}

func (p *parser) fail(format string, args ...any) error {
	return &SyntaxError{Place: p.place, Text: fmt.Sprintf(format, args...)}
}

// take goes on by n bytes, and returns them.
func (p *parser) take(n int) string {
	taken := p.source[p.at : p.at+n]
	p.at += n
	if lines := strings.Count(taken, "\n"); lines > 0 {
		p.place.Line += lines
		p.place.Column = 1
		taken := taken[strings.LastIndexByte(taken, '\n')+1:]
		p.place.Column += utf8.RuneCountInString(taken)
	} else {
		p.place.Column += utf8.RuneCountInString(taken)
	}
	return taken
}

// next reads the text before the next tag, or a tag.
func (p *parser) next() error {
	rest := p.source[p.at:]
	start := strings.Index(rest, "{{")
	if start < 0 {
		start = len(rest)
	}
	if start > 0 {
		p.add(node{text: p.take(start)})
		return nil
	}
	if p.tags++; p.tags > mostTags {
		return p.fail("the template has more than %d tags", mostTags)
	}
	if strings.HasPrefix(rest, "{{{") {
		return p.fail("there are three braces: values are always escaped")
	}
	end := strings.Index(rest, "}}")
	if next := strings.Index(rest[2:], "{{"); end < 0 || next >= 0 && next+2 < end {
		return p.fail("{{ isn't ended by }}")
	}
	inside := rest[2:end]
	if err := p.tag(inside); err != nil {
		return err
	}
	p.take(end + 2)
	return nil
}

func (p *parser) add(n node) {
	in := &p.blocks[len(p.blocks)-1]
	in.parts = append(in.parts, n)
}

// tag reads what stands between braces.
func (p *parser) tag(inside string) error {
	// Editors of HTML write some spaces as entities.
	words := strings.Fields(strings.NewReplacer("&nbsp;", " ", "&#160;", " ").Replace(inside))
	if len(words) == 0 {
		return p.fail("there is nothing between the braces")
	}
	first := words[0]
	switch {
	case strings.HasPrefix(first, "#"):
		return p.begin(first[1:], words[1:])
	case strings.HasPrefix(first, "/"):
		if len(words) > 1 {
			return p.fail("{{%s}} takes nothing more", first)
		}
		return p.end(first[1:])
	case len(words) > 1:
		return p.fail("a value is one name, such as {{client.name}}: %q are %d", short(inside), len(words))
	case first == "else":
		return p.turn()
	}
	path, err := p.path(first)
	if err != nil {
		return err
	}
	p.add(node{does: value, path: path, place: p.place})
	return nil
}

// begin starts a block.
func (p *parser) begin(does string, words []string) error {
	if does != each && does != when && does != unless {
		return p.fail("there is no block %q: only each, if and unless", short(does))
	}
	if len(words) != 1 {
		return p.fail("{{#%s}} takes one name, such as {{#%s order.lines}}", does, does)
	}
	path, err := p.path(words[0])
	if err != nil {
		return err
	}
	if len(p.blocks) > mostDepth {
		return p.fail("more than %d blocks are inside each other", mostDepth)
	}
	p.blocks = append(p.blocks, open{node: node{does: does, path: path, place: p.place}})
	return nil
}

// turn goes on to the part after else.
func (p *parser) turn() error {
	in := &p.blocks[len(p.blocks)-1]
	if len(p.blocks) == 1 || in.inElse {
		return p.fail("{{else}} belongs into a block, once")
	}
	in.body, in.parts, in.inElse = in.parts, nil, true
	return nil
}

// end ends a block.
func (p *parser) end(does string) error {
	in := p.blocks[len(p.blocks)-1]
	if len(p.blocks) == 1 {
		return p.fail("{{/%s}} ends nothing", short(does))
	}
	if does != in.does {
		return p.fail("{{/%s}} can't end {{#%s %s}} of line %d", short(does), in.does, strings.Join(in.path, "."), in.place.Line)
	}
	if in.inElse {
		in.others = in.parts
	} else {
		in.body = in.parts
	}
	p.blocks = p.blocks[:len(p.blocks)-1]
	p.add(in.node)
	return nil
}

// path reads the path of a value.
func (p *parser) path(s string) ([]string, error) {
	parts := strings.Split(s, ".")
	if len(parts) > mostParts {
		return nil, p.fail("%q has more than %d names", short(s), mostParts)
	}
	for _, part := range parts {
		if part == "" || utf8.RuneCountInString(part) > mostName || strings.IndexFunc(part, noName) >= 0 {
			return nil, p.fail("%q is no name: letters, digits, _ and -, with points between, such as client.name", short(s))
		}
	}
	return parts, nil
}

func noName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' && r != '-'
}

// short is a text that was found, for a message.
func short(s string) string {
	if runes := []rune(strings.TrimSpace(s)); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return strings.TrimSpace(s)
}
