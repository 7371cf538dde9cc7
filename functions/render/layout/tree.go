package layout

import (
	"context"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/say"
)

// Bounds of a tree.
const (
	mostDepth = 200
	mostNodes = 250_000
)

// node is an element, or a text where tag is empty.
type node struct {
	tag   string
	text  string
	attrs []html.Attribute
	kids  []*node

	measured *extent // of a table, once it is known: tables stand in tables
}

func (n *node) attr(name string) string {
	for _, a := range n.attrs {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// tree builds the tree of a document. html.Parse isn't used, because it repeats the elements of a
// text's style in each paragraph that they were not closed in: a megabyte becomes gigabytes.
type tree struct {
	stack []*node // from the document to the innermost element
	nodes int
}

// parse reads HTML. Elements that it doesn't know are as if they had not been there, what isn't
// closed is closed where it must be.
func parse(ctx context.Context, source string) (*node, error) {
	t := &tree{stack: []*node{{tag: "body"}}}
	z := html.NewTokenizer(strings.NewReader(strings.ToValidUTF8(source, "\ufffd")))
	skipped := "" // the element whose content is left out, and how many of it are open
	depth := 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return nil, job.Refuse(job.BadHTML, say.PrintHTMLUnreadable)
			}
			return t.stack[0], ctx.Err()
		}
		if kind == html.CommentToken || kind == html.DoctypeToken {
			continue
		}
		token := z.Token()
		switch {
		case skipped != "":
			if token.Data == skipped && kind == html.StartTagToken {
				depth++
			}
			if token.Data == skipped && kind == html.EndTagToken {
				depth--
			}
			if depth == 0 {
				skipped = ""
			}
		case kind == html.TextToken:
			t.addText(token.Data)
		case kind == html.EndTagToken:
			t.end(token.Data)
		case unseen(token.Data):
			if kind == html.StartTagToken {
				skipped, depth = token.Data, 1
			}
		default:
			t.start(token.Data, token.Attr)
		}
		if err := t.bounds(ctx); err != nil {
			return nil, err
		}
	}
}

func (t *tree) bounds(ctx context.Context) error {
	if len(t.stack) > mostDepth {
		return job.Refuse(job.BadHTML, say.PrintHTMLTooDeep(mostDepth))
	}
	if t.nodes > mostNodes {
		return job.Refuse(job.BadHTML, say.PrintHTMLTooManyElements(mostNodes))
	}
	if t.nodes%1024 == 0 {
		return ctx.Err()
	}
	return nil
}

// unseen tells whether nothing of an element is shown.
func unseen(tag string) bool {
	switch tag {
	case "script", "style", "title", "template", "textarea", "select", "iframe", "object", "svg", "math", "audio", "video", "canvas",
		"noscript", "noembed", "noframes", "head":
		return true
	}
	return false
}

func isVoid(tag string) bool {
	switch tag {
	case "br", "hr", "img", "wbr", "col", "input", "link", "meta", "base", "embed", "source", "track", "area", "param":
		return true
	}
	return false
}

// isBlock tells whether an element stands below what is before it.
func isBlock(tag string) bool {
	switch tag {
	case "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "table", "hr", "blockquote", "pre",
		"section", "article", "header", "footer", "figure", "figcaption", "center", "main", "aside", "address", "nav", "caption":
		return true
	}
	return false
}

// isTablePart tells whether an element makes sense in a table alone.
func isTablePart(tag string) bool {
	switch tag {
	case "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "td", "th":
		return true
	}
	return false
}

func (t *tree) top() *node { return t.stack[len(t.stack)-1] }

// add puts a node into the innermost element. What can't be in a table stands before it.
func (t *tree) add(n *node) {
	t.nodes++
	in := t.top()
	if isTableFrame(in.tag) && !isTablePart(n.tag) {
		if n.tag == "" && strings.TrimSpace(n.text) == "" {
			return
		}
		for i := len(t.stack) - 1; i > 0; i-- {
			if t.stack[i].tag == "table" {
				above := t.stack[i-1]
				last := len(above.kids) - 1
				above.kids = append(above.kids[:last], n, above.kids[last])
				return
			}
		}
	}
	in.kids = append(in.kids, n)
}

// isTableFrame tells whether only parts of a table can be in an element.
func isTableFrame(tag string) bool {
	switch tag {
	case "table", "colgroup", "thead", "tbody", "tfoot", "tr":
		return true
	}
	return false
}

func (t *tree) addText(s string) {
	if s != "" {
		t.add(&node{text: s})
	}
}

func (t *tree) start(tag string, attrs []html.Attribute) {
	if tag == "html" || tag == "body" {
		return
	}
	if isBlock(tag) {
		t.close([]string{"p"}, "td", "th", "table", "caption")
	}
	switch tag {
	case "li":
		t.close([]string{"li"}, "ul", "ol", "td", "th", "table")
	case "dt", "dd":
		t.close([]string{"dt", "dd"}, "dl", "td", "th", "table")
	case "table":
		if isTableFrame(t.top().tag) { // a table between the cells of another ends that
			t.close([]string{"table"})
		}
	case "td", "th":
		t.close([]string{"td", "th"}, "tr", "table")
	case "tr":
		t.close([]string{"tr"}, "table")
	case "thead", "tbody", "tfoot", "caption", "colgroup":
		t.close([]string{"thead", "tbody", "tfoot", "caption", "colgroup"}, "table")
	}
	if isTablePart(tag) {
		if !t.inTable() {
			return // a part of no table: what is in it stays
		}
		t.back(tag)
		if top := t.top().tag; (tag == "td" || tag == "th") && top != "tr" {
			t.push("tr", nil)
		}
	}
	t.push(tag, attrs)
	if isVoid(tag) {
		t.pop()
	}
}

func (t *tree) push(tag string, attrs []html.Attribute) {
	n := &node{tag: tag, attrs: attrs}
	t.add(n)
	t.stack = append(t.stack, n)
}

func (t *tree) pop() { t.stack = t.stack[:len(t.stack)-1] }

func (t *tree) inTable() bool {
	for i := len(t.stack) - 1; i > 0; i-- {
		if t.stack[i].tag == "table" {
			return true
		}
	}
	return false
}

// back goes out of what a part of a table can't be in.
func (t *tree) back(tag string) {
	for {
		switch top := t.top().tag; {
		case top == "table", tag == "col" && top == "colgroup":
			return
		case tag == "tr" && (top == "thead" || top == "tbody" || top == "tfoot"):
			return
		case (tag == "td" || tag == "th") && isTableFrame(top) && top != "colgroup":
			return
		}
		t.pop()
	}
}

// close closes the innermost of some elements, unless one of others is around it.
func (t *tree) close(tags []string, until ...string) {
	for i := len(t.stack) - 1; i > 0; i-- {
		tag := t.stack[i].tag
		for _, one := range tags {
			if tag == one {
				t.stack = t.stack[:i]
				return
			}
		}
		for _, one := range until {
			if tag == one {
				return
			}
		}
	}
}

func (t *tree) end(tag string) {
	if tag == "br" {
		t.start("br", nil)
		return
	}
	for i := len(t.stack) - 1; i > 0; i-- {
		switch at := t.stack[i].tag; {
		case at == tag:
			t.stack = t.stack[:i]
			return
		case at == "table", (at == "td" || at == "th") && !isTablePart(tag) && tag != "table":
			return
		}
	}
}
