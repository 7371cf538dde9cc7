package layout

import (
	"context"
	"strings"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/font/letters"
	"github.com/tenantry/tenantry/shared/say"
)

// What a strip is.
const (
	lineStrip  = iota // of text
	gapStrip          // a margin: nothing at the beginning of a page
	edgeStrip         // padding and border of a frame
	ruleStrip         // hr
	rowStrip          // of a table
	breakStrip        // a new page
)

// strip is as much of a document as stands below what is before it. A document is a list of
// strips, and so is a cell of a table.
type strip struct {
	kind  uint8
	keep  bool // with the next one, on one page
	whole bool // a row that isn't parted
	h     float64
	frame *frame // the innermost that it is in
	edge  uint8  // of an edgeStrip: top or bottom
	line  *line
	row   *row
	head  *head // of a row: what is repeated above it on a new page
	x, w  float64
}

// frame is the background and the border of a block, as many strips as are in it.
type frame struct {
	x, w   float64
	back   *rgb
	border [4]border
	in     *frame
}

// marker is the number or the point of a list's item, until its first line is there.
type marker struct {
	text string
	st   *style
	x    float64 // its right side, and a little
}

// layouter is what all of a document has in common.
type layouter struct {
	ctx     context.Context // of one call
	faces   *faces
	images  *images
	tallest float64           // of a picture
	numbers *strings.Replacer // of {page} and {pages}, in headers and footers
	height  float64           // of all lines so far
	strips  int
}

// builder lays a list of elements out below each other.
type builder struct {
	l      *layouter
	out    []strip
	x, w   float64
	outer  float64 // what is left free on the right of x+w, in all
	frame  *frame
	block  *style
	para   *para
	marker *marker
	listed bool    // it is in an item of a list
	meter  *extent // where only the width is wanted
}

// extent is how narrow something can be, and how wide it would be without a bound.
type extent struct{ least, most float64 }

// longWord is the width beyond which a word doesn't keep a column from being narrow.
const longWord = 140

func (e *extent) chunk(b *builder, items []item, width float64) {
	if items[0].pic != nil {
		width = min(width, 40)
	}
	e.least = max(e.least, min(width, longWord)+b.x+b.outer)
}

func (e *extent) line(b *builder, width float64) { e.most = max(e.most, width+b.x+b.outer) }

// mostStrips bounds the memory that lines and rows take.
const mostStrips = 400_000

func (b *builder) add(s strip) error {
	s.frame = b.frame
	b.out = append(b.out, s)
	b.l.strips++
	if b.l.strips%64 == 0 {
		if err := b.l.ctx.Err(); err != nil {
			return err
		}
	}
	b.l.height += s.h
	if b.l.strips > mostStrips {
		return job.Refuse(job.TooManyPages, say.PrintTooManyPages(job.MostPages))
	}
	return nil
}

// gap adds a margin. Margins that meet are one, the larger.
func (b *builder) gap(h float64) {
	if h <= 0 || b.meter != nil {
		return
	}
	keep := false
	if n := len(b.out); n > 0 {
		last := &b.out[n-1]
		if last.kind == gapStrip {
			last.h = max(last.h, h)
			return
		}
		keep = last.keep
	}
	b.out = append(b.out, strip{kind: gapStrip, h: h, frame: b.frame, keep: keep})
}

// whole is what percentages are of. While widths are looked for, they count as nothing.
func (b *builder) whole() float64 {
	if b.meter != nil {
		return 0
	}
	return b.w
}

// walk lays the content of an element out.
func (b *builder) walk(n *node, st *style) error {
	for _, kid := range n.kids {
		if err := b.one(kid, st); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) one(n *node, st *style) error {
	switch {
	case n.tag == "":
		return b.text(n.text, st)
	case n.tag == "br":
		return b.paragraph().newline()
	case n.tag == "wbr":
		return b.paragraph().settle()
	case n.tag == "img":
		return b.img(n, st)
	case isBlock(n.tag):
		if err := b.flush(); err != nil {
			return err
		}
		return b.element(n, st)
	}
	inner, _ := resolve(n, st)
	return b.walk(n, inner)
}

func (b *builder) text(s string, st *style) error {
	if b.para == nil && !st.pre && strings.TrimLeft(s, " \n\t\r\f") == "" {
		return nil
	}
	if b.l.numbers != nil {
		s = b.l.numbers.Replace(s)
	}
	if missing, found := letters.Missing(s); found {
		return job.Refuse(job.NoLetter, missing.Message())
	}
	return b.paragraph().text(b.l.faces.clean(s), st)
}

func (b *builder) img(n *node, st *style) error {
	pic, err := b.l.images.get(b.l.ctx, n.attr("src"))
	if err != nil || pic == nil {
		return err
	}
	_, bx := resolve(n, st)
	width, height := float64(pic.width)*px, float64(pic.height)*px
	ratio := height / width
	switch w, h := bx.width.or(0, b.whole()), bx.height.or(0, 0); {
	case w > 0 && h > 0:
		width, height = w, h
	case w > 0:
		width, height = w, w*ratio
	case h > 0:
		width, height = h/ratio, h
	}
	if room := b.w; width > room && room > 0 {
		width, height = room, height*room/width
	}
	if height > b.l.tallest {
		width, height = width*b.l.tallest/height, b.l.tallest
	}
	return b.paragraph().word(item{width: width, st: st, pic: pic, tall: height})
}

// element lays a block out.
func (b *builder) element(n *node, in *style) error {
	st, bx := resolve(n, in)
	if n.tag == "table" {
		return b.apart(&bx, func() error { return b.table(n, st, &bx) })
	}
	if n.tag == "hr" {
		b.gap(bx.margin[top].or(0.5*st.size, b.whole()))
		if err := b.add(strip{kind: ruleStrip, h: 1, x: b.x, w: b.w}); err != nil {
			return err
		}
		b.gap(bx.margin[bottom].or(0.5*st.size, b.whole()))
		return nil
	}
	if (n.tag == "ul" || n.tag == "ol") && b.listed && !strings.Contains(n.attr("style"), "margin") {
		bx.margin[top], bx.margin[bottom] = length{}, length{} // a list in a list
	}
	start := len(b.out)
	err := b.apart(&bx, func() error {
		return b.framed(n, st, &bx, func() error { return b.content(n, st) })
	})
	if len(n.tag) == 2 && n.tag[0] == 'h' { // a heading
		for i := start; i < len(b.out); i++ {
			b.out[i].keep = true
		}
	}
	return err
}

// apart adds what is around a block: margins, new pages, and that it stays whole.
func (b *builder) apart(bx *box, inside func() error) error {
	if bx.before {
		b.page()
	}
	b.gap(bx.margin[top].of(b.whole()))
	start := len(b.out)
	if err := inside(); err != nil {
		return err
	}
	if bx.whole {
		for i := start; i < len(b.out); i++ {
			b.out[i].whole, b.out[i].keep = true, b.out[i].keep || i < len(b.out)-1
		}
	}
	b.gap(bx.margin[bottom].of(b.whole()))
	if bx.after {
		b.page()
	}
	return nil
}

// page begins a new page, unless one begins here anyway.
func (b *builder) page() {
	if n := len(b.out); b.meter == nil && n > 0 && b.out[n-1].kind != breakStrip {
		b.out = append(b.out, strip{kind: breakStrip})
	}
}

// framed lays the content of a block out between its left and right margins, borders and paddings,
// with a frame around it.
func (b *builder) framed(n *node, st *style, bx *box, inside func() error) error {
	was := *b
	whole := b.whole()
	b.x += bx.margin[leftSide].of(whole)
	b.w -= bx.margin[leftSide].of(whole) + bx.margin[rightSide].of(whole)
	b.outer += bx.margin[rightSide].of(whole)
	if bx.width.is && isBox(n.tag) && b.meter == nil {
		b.w = min(b.w, bx.width.of(whole))
	}
	b.w = max(b.w, 10)
	if bx.back != nil || bx.border[top].width+bx.border[rightSide].width+bx.border[bottom].width+bx.border[leftSide].width > 0 {
		b.frame = &frame{x: b.x, w: b.w, back: bx.back, border: bx.border, in: b.frame}
	}
	before, after := bx.padding[leftSide].of(whole)+bx.border[leftSide].width, bx.padding[rightSide].of(whole)+bx.border[rightSide].width
	b.x, b.w, b.outer = b.x+before, max(b.w-before-after, 10), b.outer+after
	b.block = st
	if err := b.edge(top, bx); err != nil {
		return err
	}
	if err := inside(); err != nil {
		return err
	}
	if err := b.flush(); err != nil {
		return err
	}
	if err := b.edge(bottom, bx); err != nil {
		return err
	}
	b.x, b.w, b.outer, b.frame, b.block, b.listed = was.x, was.w, was.outer, was.frame, was.block, was.listed
	return nil
}

// isBox tells whether a block may be told how wide it is.
func isBox(tag string) bool { return tag != "li" && tag != "caption" }

// edge adds the upper or lower side of a frame.
func (b *builder) edge(side uint8, bx *box) error {
	h := bx.border[side].width + bx.padding[side].of(b.whole())
	if h <= 0 || b.meter != nil {
		return nil
	}
	if n := len(b.out); side == bottom && n > 0 {
		b.out[n-1].keep = true
	}
	return b.add(strip{kind: edgeStrip, h: h, edge: side, keep: side == top})
}

// content lays what is in a block out.
func (b *builder) content(n *node, st *style) error {
	switch n.tag {
	case "ul", "ol":
		return b.list(n, st)
	}
	return b.walk(n, st)
}
