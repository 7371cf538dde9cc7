package merge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tenantry/tenantry/shared/say"
)

// Place is a place in a template: line and column, both from 1. A column is a character.
type Place struct {
	Line   int
	Column int
}

// SyntaxError says what is wrong with a template, and where.
type SyntaxError struct {
	Place
	Problem say.Message
}

// Message is what is wrong, with its place.
func (e *SyntaxError) Message() say.Message { return say.TemplateAt(e.Line, e.Column, e.Problem) }

func (e *SyntaxError) Error() string { return e.Message().Error() }

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

// tag is how a block begins, as it is written.
func (n *node) tag() string { return "{{#" + n.does + " " + strings.Join(n.path, ".") + "}}" }

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
		return Template{}, p.fail(say.TemplateTooLong(MostTemplate))
	}
	if !utf8.ValidString(source) {
		return Template{}, p.fail(say.TemplateNotText)
	}
	for p.at < len(source) {
		if err := p.next(); err != nil {
			return Template{}, err
		}
	}
	if last := p.blocks[len(p.blocks)-1]; len(p.blocks) > 1 {
		p.place = last.place
		return Template{}, p.fail(say.TemplateNotEnded(last.tag(), "{{/"+last.does+"}}"))
	}
	return Template{nodes: p.blocks[0].parts}, nil
}

func (p *parser) fail(problem say.Message) error {
	return &SyntaxError{Place: p.place, Problem: problem}
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
		return p.fail(say.TemplateTooManyTags(mostTags))
	}
	if strings.HasPrefix(rest, "{{{") {
		return p.fail(say.TemplateThreeBraces)
	}
	end := strings.Index(rest, "}}")
	if next := strings.Index(rest[2:], "{{"); end < 0 || next >= 0 && next+2 < end {
		return p.fail(say.TemplateNotEnded("{{", "}}"))
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
		return p.fail(say.TemplateEmptyTag)
	}
	first := words[0]
	switch {
	case strings.HasPrefix(first, "#"):
		return p.begin(first[1:], words[1:])
	case strings.HasPrefix(first, "/"):
		if len(words) > 1 {
			return p.fail(say.TemplateTagWithMore("{{" + first + "}}"))
		}
		return p.end(first[1:])
	case len(words) > 1:
		return p.fail(say.TemplateNotOneName("{{client.name}}", short(inside), len(words)))
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
		return p.fail(say.TemplateBlockUnknown(short(does)))
	}
	if len(words) != 1 {
		return p.fail(say.TemplateBlockWithoutName("{{#"+does+"}}", "{{#"+does+" order.lines}}"))
	}
	path, err := p.path(words[0])
	if err != nil {
		return err
	}
	if len(p.blocks) > mostDepth {
		return p.fail(say.TemplateBlocksTooDeep(mostDepth))
	}
	p.blocks = append(p.blocks, open{node: node{does: does, path: path, place: p.place}})
	return nil
}

// turn goes on to the part after else.
func (p *parser) turn() error {
	in := &p.blocks[len(p.blocks)-1]
	if len(p.blocks) == 1 || in.inElse {
		return p.fail(say.TemplateElseMisplaced("{{else}}"))
	}
	in.body, in.parts, in.inElse = in.parts, nil, true
	return nil
}

// end ends a block.
func (p *parser) end(does string) error {
	in := p.blocks[len(p.blocks)-1]
	if len(p.blocks) == 1 {
		return p.fail(say.TemplateEndOfNothing("{{/" + short(does) + "}}"))
	}
	if does != in.does {
		return p.fail(say.TemplateEndOfOther("{{/"+short(does)+"}}", in.tag(), in.place.Line))
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
		return nil, p.fail(say.TemplateNameTooDeep(short(s), mostParts))
	}
	for _, part := range parts {
		if part == "" || utf8.RuneCountInString(part) > mostName || strings.IndexFunc(part, noName) >= 0 {
			return nil, p.fail(say.TemplateNameWrong(short(s)))
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
