package layout

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostWord is how many letters of a word stay together. What is longer may end a line anywhere.
const mostWord = 100

// item is a piece of a line: a word or a part of one, a space, or a picture.
type item struct {
	text  string
	width float64
	st    *style
	space bool
	pic   *picture
	tall  float64 // of a picture
}

// run is a piece of a line that has its place.
type run struct {
	text  string
	x     float64
	width float64
	st    *style
	extra float64 // after each space, where lines are justified
	pic   *picture
	tall  float64
}

// line is a line of text.
type line struct {
	runs []run
	base float64 // the baseline, from the line's top
}

// para is a paragraph that is being read. Its lines are made as soon as they are full.
type para struct {
	b     *builder
	st    *style // of the block
	line  []item // what is certain to be on the line
	chunk []item // what follows and can't be parted
	used  float64
	wide  float64 // of the chunk
	space *style  // of the space that is before the chunk, nil where there is none
	first bool    // no line has been made
	start int     // the strip that is its first line
}

func (b *builder) paragraph() *para {
	if b.para == nil {
		b.para = &para{b: b, st: b.block, first: true, start: len(b.out)}
	}
	return b.para
}

// room is how wide the line may be.
func (p *para) room() float64 {
	if p.b.meter != nil {
		return math.Inf(1)
	}
	return p.b.w - p.indent()
}

func (p *para) indent() float64 {
	if !p.first {
		return 0
	}
	if p.b.meter != nil {
		return p.st.indent.points
	}
	return p.st.indent.of(p.b.w)
}

// text adds text of a style.
func (p *para) text(s string, st *style) error {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if isSpace(r) {
			if err := p.white(s[:n], r, st); err != nil {
				return err
			}
			s = s[n:]
			continue
		}
		end, letters, after := 0, 0, false
		for end < len(s) && letters < mostWord && !after {
			r, n := utf8.DecodeRuneInString(s[end:])
			if isSpace(r) {
				break
			}
			if r == '\u200b' {
				after = true
				break
			}
			end, letters = end+n, letters+1
			after = breaksAfter(r, s[end:], letters)
		}
		if end > 0 {
			if err := p.word(item{text: s[:end], width: p.b.l.faces.measure(s[:end], st), st: st}); err != nil {
				return err
			}
		}
		if strings.HasPrefix(s[end:], "\u200b") {
			end += len("\u200b")
		}
		if after || letters == mostWord {
			if err := p.settle(); err != nil {
				return err
			}
		}
		s = s[end:]
	}
	return nil
}

// breaksAfter tells whether a line may end after a letter within a word: after a dash or a slash
// between letters, as in "оплата/төлем", but not in "10/12" or "-5".
func breaksAfter(r rune, rest string, letters int) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case '-', '/', '–', '—':
		return letters > 2 && unicode.IsLetter(next)
	}
	return false
}

// white adds a space, or a new line where these stay.
func (p *para) white(s string, r rune, st *style) error {
	switch {
	case !st.pre:
		if err := p.settle(); err != nil {
			return err
		}
		if len(p.line) > 0 && p.space == nil {
			p.space = st
		}
		return nil
	case r == '\n':
		return p.newline()
	case r == '\t':
		s = "    "
	case r != ' ':
		return nil
	}
	for range s {
		if err := p.word(item{text: "\u00a0", width: p.b.l.faces.measure("\u00a0", st), st: st}); err != nil {
			return err
		}
	}
	return p.settle()
}

// word adds what can't be parted from the word before it, unless a space or settle is between.
func (p *para) word(it item) error {
	p.chunk = append(p.chunk, it)
	p.wide += it.width
	if p.wide > p.room() || len(p.chunk) > mostWord {
		return p.settle()
	}
	return nil
}

// settle puts the chunk onto this line or the next one.
func (p *para) settle() error {
	if len(p.chunk) == 0 {
		return nil
	}
	if m := p.b.meter; m != nil {
		m.chunk(p.b, p.chunk, p.wide)
	}
	gap := 0.0
	if p.space != nil {
		gap = p.b.l.faces.measure(" ", p.space)
	}
	switch {
	case p.used+gap+p.wide <= p.room()+0.001:
	case p.wide > p.b.w && p.chunk[0].pic == nil:
		return p.force(gap)
	case len(p.line) > 0:
		if err := p.finish(true); err != nil {
			return err
		}
	}
	p.take()
	return nil
}

// take puts the chunk onto the line.
func (p *para) take() {
	if p.space != nil && len(p.line) > 0 {
		width := p.b.l.faces.measure(" ", p.space)
		p.line = append(p.line, item{text: " ", width: width, st: p.space, space: true})
		p.used += width
	}
	p.line = append(p.line, p.chunk...)
	p.used += p.wide
	p.chunk, p.wide, p.space = p.chunk[:0], 0, nil
}

// force puts a chunk that is wider than any line onto as many as it takes.
func (p *para) force(gap float64) error {
	chunk := append([]item(nil), p.chunk...)
	p.chunk, p.wide = p.chunk[:0], 0
	for _, it := range chunk {
		for it.text != "" {
			free := p.room() - p.used - gap
			n, width := p.b.l.faces.fit(it.text, it.st, free)
			if n == 0 && len(p.line) > 0 {
				if err := p.finish(true); err != nil {
					return err
				}
				gap = 0
				continue
			}
			if n == 0 { // not even a letter: it sticks out
				_, n = utf8.DecodeRuneInString(it.text)
				width = p.b.l.faces.measure(it.text[:n], it.st)
			}
			p.chunk = append(p.chunk, item{text: it.text[:n], width: width, st: it.st})
			p.wide = width
			p.take()
			it.text, gap = it.text[n:], 0
		}
		if it.pic != nil {
			p.chunk, p.wide = append(p.chunk, it), it.width
			if p.used+it.width > p.room() && len(p.line) > 0 {
				if err := p.finish(true); err != nil {
					return err
				}
			}
			p.take()
		}
	}
	return nil
}

// fit is how many bytes of a text fit into a width, and how wide they are.
func (f *faces) fit(s string, st *style, room float64) (n int, width float64) {
	for i, r := range s {
		w := f[st.face].width[r] * st.size / 1000
		if width+w > room {
			return i, width
		}
		width += w
	}
	return len(s), width
}

// newline ends the line, as br does.
func (p *para) newline() error {
	if err := p.settle(); err != nil {
		return err
	}
	return p.finish(false)
}

// flush ends the paragraph that is being read.
func (b *builder) flush() error {
	p := b.para
	if p == nil {
		return nil
	}
	if err := p.settle(); err != nil {
		return err
	}
	if len(p.line) > 0 {
		if err := p.finish(false); err != nil {
			return err
		}
	}
	b.para = nil
	// Two lines of a paragraph stay together at the end of a page, and at the beginning of the next.
	if n := len(b.out); n-p.start >= 2 {
		b.out[p.start].keep = true
		b.out[n-2].keep = true
	}
	return nil
}

// finish makes a line of what is on it. It is full, if the paragraph goes on because of that.
func (p *para) finish(full bool) error {
	if p.b.meter != nil {
		p.b.meter.line(p.b, p.used+p.indent())
		p.line, p.used, p.space, p.first = p.line[:0], 0, nil, false
		return nil
	}
	height, base, spaces := p.heights()
	x, extra := p.b.x+p.indent(), 0.0
	switch free := p.room() - p.used; {
	case p.st.align == justify && full && spaces > 0 && free > 0:
		extra = free / float64(spaces)
	case p.st.align == center:
		x += max(free/2, 0)
	case p.st.align == right:
		x += max(free, 0)
	}
	l := &line{base: base, runs: runs(p.line, x, extra)}
	if m := p.b.marker; m != nil {
		p.b.marker = nil
		width := p.b.l.faces.measure(m.text, m.st)
		l.runs = append(l.runs, run{text: m.text, x: m.x - width - 0.45*m.st.size, width: width, st: m.st})
	}
	p.line, p.used, p.space, p.first = p.line[:0], 0, nil, false
	return p.b.add(strip{kind: lineStrip, h: height, line: l})
}

// heights is how high the line is, where its baseline is, and how many spaces it has.
func (p *para) heights() (height, base float64, spaces int) {
	up, down := 0.0, 0.0
	reach := func(st *style) {
		extra := (st.leading - ascent - descent) * st.size / 2
		up = max(up, ascent*st.size+extra+st.shift)
		down = max(down, descent*st.size+extra-st.shift)
	}
	if len(p.line) == 0 {
		reach(p.st)
	}
	for i := range p.line {
		it := &p.line[i]
		if it.pic != nil {
			up = max(up, it.tall)
			continue
		}
		reach(it.st)
		if it.space {
			spaces++
		}
	}
	return up + down, up, spaces
}

// runs puts pieces of the same style together, and says where they stand.
func runs(items []item, x, extra float64) []run {
	var out []run
	var text strings.Builder
	for i := 0; i < len(items); {
		r := run{x: x, st: items[i].st, extra: extra}
		if r.pic = items[i].pic; r.pic != nil {
			r.width, r.tall = items[i].width, items[i].tall
			x += r.width
			out = append(out, r)
			i++
			continue
		}
		text.Reset()
		for ; i < len(items) && items[i].st == r.st && items[i].pic == nil; i++ {
			text.WriteString(items[i].text)
			x += items[i].width
			if items[i].space {
				x += extra
			}
		}
		r.text, r.width = text.String(), x-r.x
		out = append(out, r)
	}
	return out
}
