package layout

import (
	"strconv"
	"strings"
)

// Sizes, in points.
const (
	baseSize = 10.5
	px       = 0.75
	mm       = 72 / 25.4
	leading  = 1.4 // of a line, in sizes of its letters
)

// rgb is a colour.
type rgb struct{ r, g, b uint8 }

// align is where the text of a line stands.
type align uint8

const (
	left align = iota
	center
	right
	justify
)

// style is how text looks. What is in an element has it from there.
type style struct {
	face    faceID
	size    float64
	color   rgb
	back    *rgb // of the text alone; a block's is its box's
	under   bool
	strike  bool
	shift   float64 // up from the baseline
	align   align
	leading float64 // of a line, in sizes
	pre     bool    // white space stays
	indent  length  // of a first line
}

// length is a length as it is written: points, or a part of what it is in.
type length struct {
	points float64
	part   float64
	is     bool
}

func (l length) of(whole float64) float64 { return l.points + l.part*whole }

// or is a length, or another one where it isn't set.
func (l length) or(points, whole float64) float64 {
	if !l.is {
		return points
	}
	return l.of(whole)
}

// border is a side of a box.
type border struct {
	width float64
	color rgb
	dash  bool
	is    bool // it was written, and be it none
}

// Sides of a box.
const (
	top = iota
	rightSide
	bottom
	leftSide
)

// box is what is around and behind an element.
type box struct {
	margin, padding [4]length
	border          [4]border
	back            *rgb
	width, height   length
	valign          string
	before, after   bool // a page begins before or after it
	whole           bool // it stays on one page
}

// resolve is the style and the box of an element whose text would have the style of what it is in.
func resolve(n *node, in *style) (*style, box) {
	st, b := *in, box{}
	st.back = in.back
	defaults(n, &st, &b)
	attributes(n, &st, &b)
	for property := range strings.SplitSeq(n.attr("style"), ";") {
		name, value, ok := strings.Cut(property, ":")
		if ok {
			declare(strings.ToLower(strings.TrimSpace(name)), strings.ToLower(strings.TrimSpace(value)), in, &st, &b)
		}
	}
	if isBlock(n.tag) || isTablePart(n.tag) {
		st.back = nil
	} else if b.back != nil {
		st.back = b.back
	}
	return &st, b
}

// defaults is how an element looks that says nothing itself.
func defaults(n *node, st *style, b *box) {
	above := func(sizes float64) {
		b.margin[top] = length{points: sizes * st.size, is: true}
		b.margin[bottom] = b.margin[top]
	}
	heading := func(times, margin float64) {
		st.size, st.face = st.size*times, st.face|bold
		above(margin)
	}
	switch n.tag {
	case "p", "ul", "ol", "dl", "table", "figure":
		above(0.5)
	case "h1":
		heading(1.6, 0.6)
		st.leading = 1.25
	case "h2":
		heading(1.3, 0.65)
		st.leading = 1.25
	case "h3":
		heading(1.12, 0.7)
	case "h4", "h5", "h6":
		heading(1, 0.7)
	case "b", "strong", "dt":
		st.face |= bold
	case "th", "caption":
		st.face |= bold
		st.align = center
	case "center", "figcaption":
		st.align = center
	case "i", "em", "cite", "var", "dfn":
		st.face |= italic
	case "u", "ins":
		st.under = true
	case "s", "del", "strike":
		st.strike = true
	case "small":
		st.size *= 0.83
	case "sub":
		st.shift, st.size = st.shift-0.18*st.size, st.size*0.7
	case "sup":
		st.shift, st.size = st.shift+0.38*st.size, st.size*0.7
	case "mark":
		b.back = &rgb{255, 255, 0}
	case "pre":
		st.pre = true
		above(0.5)
	case "blockquote", "dd":
		b.margin[leftSide] = length{points: 2 * st.size, is: true}
	}
}

// attributes is how an element looks by its attributes.
func attributes(n *node, st *style, b *box) {
	for _, a := range n.attrs {
		switch a.Key {
		case "align":
			if n.tag != "table" && n.tag != "img" {
				setAlign(&st.align, strings.ToLower(a.Val))
			}
		case "valign":
			b.valign = strings.ToLower(a.Val)
		case "width", "height":
			if n.tag == "col" || n.tag == "table" || n.tag == "td" || n.tag == "th" || n.tag == "img" {
				value := a.Val
				if !strings.HasSuffix(value, "%") {
					value += "px"
				}
				l, ok := parseLength(value, st.size)
				if ok && a.Key == "width" {
					b.width = l
				} else if ok {
					b.height = l
				}
			}
		}
	}
}

func setAlign(a *align, s string) {
	switch s {
	case "left":
		*a = left
	case "center":
		*a = center
	case "right":
		*a = right
	case "justify":
		*a = justify
	}
}

// declare sets a property. What it doesn't know changes nothing.
func declare(name, value string, in, st *style, b *box) {
	side := func(of string) int {
		switch strings.TrimPrefix(name, of+"-") {
		case "top":
			return top
		case "right":
			return rightSide
		case "bottom":
			return bottom
		case "left":
			return leftSide
		}
		return -1
	}
	switch name {
	case "text-align":
		setAlign(&st.align, value)
	case "font-weight":
		number, err := strconv.Atoi(value)
		if value == "bold" || value == "bolder" || err == nil && number >= 600 {
			st.face |= bold
		} else if value == "normal" || err == nil {
			st.face &^= bold
		}
	case "font-style":
		if value == "italic" || value == "oblique" {
			st.face |= italic
		} else if value == "normal" {
			st.face &^= italic
		}
	case "text-decoration", "text-decoration-line":
		st.under = st.under || strings.Contains(value, "underline")
		st.strike = st.strike || strings.Contains(value, "line-through")
	case "font-size":
		if l, ok := parseLength(value, in.size); ok {
			st.size = min(max(l.of(in.size), 1), 200)
		}
	case "line-height":
		setLeading(value, st)
	case "text-indent":
		if l, ok := parseLength(value, st.size); ok {
			st.indent = l
		}
	case "color":
		if c, ok := parseColor(value); ok {
			st.color = c
		}
	case "background-color", "background":
		if c, ok := parseColor(value); ok {
			b.back = &c
		}
	case "white-space":
		st.pre = strings.HasPrefix(value, "pre")
	case "vertical-align":
		b.valign = value
		verticalShift(value, in, st)
	case "width", "height":
		if l, ok := parseLength(value, st.size); ok && name == "width" {
			b.width = l
		} else if ok {
			b.height = l
		}
	case "margin", "padding":
		four(name, value, st.size, b)
	case "margin-top", "margin-right", "margin-bottom", "margin-left":
		if l, ok := parseLength(value, st.size); ok {
			b.margin[side("margin")] = l
		}
	case "padding-top", "padding-right", "padding-bottom", "padding-left":
		if l, ok := parseLength(value, st.size); ok {
			b.padding[side("padding")] = l
		}
	case "border":
		line := parseBorder(value)
		b.border = [4]border{line, line, line, line}
	case "border-top", "border-right", "border-bottom", "border-left":
		b.border[side("border")] = parseBorder(value)
	case "page-break-before", "break-before":
		b.before = value == "always" || value == "page"
	case "page-break-after", "break-after":
		b.after = value == "always" || value == "page"
	case "page-break-inside", "break-inside":
		b.whole = strings.HasPrefix(value, "avoid")
	}
}

func verticalShift(value string, in, st *style) {
	switch value {
	case "sub":
		st.shift = in.shift - 0.18*in.size
	case "super":
		st.shift = in.shift + 0.38*in.size
	}
}

func setLeading(value string, st *style) {
	if number, err := strconv.ParseFloat(value, 64); err == nil {
		st.leading = min(max(number, 0.8), 5)
	} else if l, ok := parseLength(value, st.size); ok {
		st.leading = min(max(l.of(st.size)/st.size, 0.8), 5)
	}
}

// four sets all sides of a margin or padding, as one to four lengths say.
func four(name, value string, size float64, b *box) {
	words := strings.Fields(value)
	if len(words) == 0 || len(words) > 4 {
		return
	}
	var all [4]length
	for i := range all {
		from := i
		for from >= len(words) {
			from -= 2
		}
		l, ok := parseLength(words[max(from, 0)], size)
		if !ok {
			return
		}
		all[i] = l
	}
	if name == "margin" {
		b.margin = all
	} else {
		b.padding = all
	}
}
