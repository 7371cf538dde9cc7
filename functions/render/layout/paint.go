package layout

import (
	"bytes"
	"strings"

	"codeberg.org/go-pdf/fpdf"
)

// painter draws strips onto pages.
type painter struct {
	pdf   *fpdf.Fpdf
	faces *faces
	left  float64 // where the content begins
	text  textState
	fonts [4]bool // that the PDF has
	pics  map[string]bool
	// letters are those that each font of the PDF will have.
	letters [4]runeSet
	ops     []byte // of the text that is being written
	source  bytes.Reader
}

// textState is what the page was told last.
type textState struct {
	is    bool
	face  faceID
	size  float64
	color rgb
}

// seen is how much of a frame is among some strips.
type seen struct {
	f          *frame
	from, to   float64
	head, tail bool // its upper and lower sides are among them
}

// strips draws strips below each other.
func (p *painter) strips(strips []strip, y float64) {
	p.frames(strips, y)
	begun := false
	for i := range strips {
		s := &strips[i]
		if s.kind == gapStrip && !begun {
			continue
		}
		begun = true
		switch s.kind {
		case lineStrip:
			p.line(s.line, y)
		case ruleStrip:
			p.rule(border{width: 0.75, color: rgb{128, 128, 128}}, p.left+s.x, y+0.5, p.left+s.x+s.w, y+0.5)
		case rowStrip:
			p.row(s.row, y)
		}
		y += s.h
	}
}

// frames draws the frames that strips are in, the outer ones first.
func (p *painter) frames(strips []strip, y float64) {
	var all []*seen
	known := map[*frame]*seen{}
	var visit func(f *frame, from, to float64, s *strip)
	visit = func(f *frame, from, to float64, s *strip) {
		if f == nil {
			return
		}
		visit(f.in, from, to, nil)
		one := known[f]
		if one == nil {
			one = &seen{f: f, from: from}
			known[f] = one
			all = append(all, one)
		}
		one.to = to
		if s != nil && s.kind == edgeStrip {
			one.head = one.head || s.edge == top
			one.tail = one.tail || s.edge == bottom
		}
		if s != nil && s.kind == rowStrip {
			one.head, one.tail = true, true
		}
	}
	begun := false
	for i := range strips {
		s := &strips[i]
		if s.kind == gapStrip && !begun {
			continue
		}
		begun = true
		if s.frame != nil {
			visit(s.frame, y, y+s.h, s)
		}
		y += s.h
	}
	for _, one := range all {
		f := one.f
		x := p.left + f.x
		p.fill(f.back, x, one.from, f.w, one.to-one.from)
		sides := f.border
		if !one.head {
			sides[top] = border{}
		}
		if !one.tail {
			sides[bottom] = border{}
		}
		p.borders(sides, x, one.from, f.w, one.to-one.from, 0.5)
	}
}

// borders draws the sides of a box, whose lines are inside it by a part of their width.
func (p *painter) borders(sides [4]border, x, y, w, h, in float64) {
	off := func(side int) float64 { return sides[side].width * in }
	p.rule(sides[top], x, y+off(top), x+w, y+off(top))
	p.rule(sides[bottom], x, y+h-off(bottom), x+w, y+h-off(bottom))
	p.rule(sides[leftSide], x+off(leftSide), y, x+off(leftSide), y+h)
	p.rule(sides[rightSide], x+w-off(rightSide), y, x+w-off(rightSide), y+h)
}

func (p *painter) fill(c *rgb, x, y, w, h float64) {
	if c == nil || w <= 0 || h <= 0 {
		return
	}
	p.pdf.SetFillColor(int(c.r), int(c.g), int(c.b))
	p.pdf.Rect(x, y, w, h, "F")
	p.pdf.SetFillColor(0, 0, 0) // in which text is written
	p.text.is = false
}

func (p *painter) rule(b border, x1, y1, x2, y2 float64) {
	if b.width <= 0 {
		return
	}
	p.pdf.SetDrawColor(int(b.color.r), int(b.color.g), int(b.color.b))
	p.pdf.SetLineWidth(b.width)
	if b.dash {
		p.pdf.SetDashPattern([]float64{3 * b.width, 2 * b.width}, 0)
	}
	p.pdf.Line(x1, y1, x2, y2)
	if b.dash {
		p.pdf.SetDashPattern(nil, 0)
	}
}

// row draws the cells of rows: what is behind them, what is in them, and the lines between them.
func (p *painter) row(r *row, y float64) {
	for _, c := range r.cells {
		p.fill(c.bx.back, p.left+c.x, y+c.y, c.w, c.h)
	}
	for _, c := range r.cells {
		at := y + c.y + c.pad[top]
		free := c.h - c.pad[top] - c.pad[bottom] - c.tall
		switch c.bx.valign {
		case "middle":
			at += max(free/2, 0)
		case "bottom":
			at += max(free, 0)
		}
		p.strips(c.strips, at)
	}
	for _, c := range r.cells {
		p.borders(c.bx.border, p.left+c.x, y+c.y, c.w, c.h, 0)
	}
}

func (p *painter) line(l *line, y float64) {
	base := y + l.base
	for i := range l.runs {
		r := &l.runs[i]
		if r.pic != nil {
			p.picture(r, base)
			continue
		}
		if r.st.back != nil {
			p.fill(r.st.back, p.left+r.x, base-r.st.shift-ascent*r.st.size, r.width, (ascent+descent)*r.st.size)
		}
	}
	for i := range l.runs {
		if r := &l.runs[i]; r.pic == nil {
			p.run(r, base-r.st.shift)
		}
	}
}

func (p *painter) run(r *run, y float64) {
	x, face := p.left+r.x, r.st.face
	if p.text.is && strings.Trim(r.text, " ") == "" {
		face = p.text.face // spaces between words of another style need no change of the font
	} else {
		p.look(r.st)
	}
	if p.letters[face].add(r.text) {
		p.introduce(r, x, y)
	} else {
		p.show(r, x, y)
	}
	thin := border{width: r.st.size / 16, color: r.st.color}
	if r.st.under {
		p.rule(thin, x, y+0.12*r.st.size, x+r.width, y+0.12*r.st.size)
	}
	if r.st.strike {
		p.rule(thin, x, y-0.28*r.st.size, x+r.width, y-0.28*r.st.size)
	}
}

const family = "noto"

// look has the text that follows be of a style.
func (p *painter) look(st *style) {
	f := p.faces[st.face]
	if !p.fonts[st.face] {
		p.fonts[st.face] = true
		p.pdf.AddUTF8FontFromBytes(family, f.style, bytes.Clone(f.ttf)) // it writes into them
		p.text.is = false
	}
	if t := &p.text; !t.is || t.face != st.face || t.size != st.size {
		p.pdf.SetFont(family, f.style, st.size)
	}
	if t := &p.text; !t.is || t.color != st.color {
		p.pdf.SetTextColor(int(st.color.r), int(st.color.g), int(st.color.b))
	}
	p.text = textState{is: true, face: st.face, size: st.size, color: st.color}
}

func (p *painter) picture(r *run, base float64) {
	if !p.pics[r.pic.name] {
		p.pics[r.pic.name] = true
		p.pdf.RegisterImageOptionsReader(r.pic.name, fpdf.ImageOptions{ImageType: r.pic.kind}, bytes.NewReader(r.pic.data))
	}
	x, y, w, h := p.left+r.x, base-r.tall, r.width, r.tall
	if r.pic.turn == 0 {
		p.pdf.ImageOptions(r.pic.name, x, y, w, h, false, fpdf.ImageOptions{ImageType: r.pic.kind}, 0, "")
		return
	}
	middleX, middleY := x+w/2, y+h/2
	if r.pic.turn != 180 {
		w, h = h, w
	}
	p.pdf.TransformBegin()
	p.pdf.TransformRotate(-float64(r.pic.turn), middleX, middleY)
	p.pdf.ImageOptions(r.pic.name, middleX-w/2, middleY-h/2, w, h, false, fpdf.ImageOptions{ImageType: r.pic.kind}, 0, "")
	p.pdf.TransformEnd()
}
