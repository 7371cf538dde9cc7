package layout

import (
	"strconv"
	"strings"
)

// runeSet is a set of letters of the Basic Multilingual Plane; the fonts have no others.
type runeSet [1 << 16 / 64]uint64

// add puts the letters of a text into the set, and tells whether one of them is new.
func (l *runeSet) add(text string) (isNew bool) {
	for _, r := range text {
		at, bit := r>>6&(1<<10-1), uint64(1)<<(r&63)
		isNew = isNew || l[at]&bit == 0
		l[at] |= bit
	}
	return isNew
}

// introduce writes a text with letters that its font doesn't have yet. fpdf puts into a font what went through its own
// Text, which makes several strings of each word.
func (p *painter) introduce(r *run, x, y float64) {
	if r.extra == 0 {
		p.pdf.Text(x, y, r.text)
		return
	}
	for word := range strings.SplitAfterSeq(r.text, " ") {
		// The space is written too, so that who copies the text has it.
		p.pdf.Text(x, y, word)
		x += p.faces.measure(word, r.st) + r.extra
	}
}

// show writes a text all of whose letters its font has, in one operation and without making a string.
func (p *painter) show(r *run, x, y float64) {
	_, height := p.pdf.GetPageSize()
	b := p.ops[:0]
	colored := r.st.color != rgb{}
	if colored {
		b = append(b, "q "...)
		for _, part := range []uint8{r.st.color.r, r.st.color.g, r.st.color.b} {
			b = append(number(b, float64(part)/255, 3), ' ')
		}
		b = append(b, "rg "...)
	}
	b = append(number(append(b, "BT "...), x, 2), ' ')
	b = append(number(b, height-y, 2), " Td [("...)
	for at, letter := range r.text {
		b = escaped(escaped(b, byte(letter>>8)), byte(letter))
		if letter == ' ' && r.extra != 0 && at < len(r.text)-1 {
			// A move to the left, in thousandths of the font's size.
			b = append(number(append(b, ')'), -1000*r.extra/r.st.size, 2), '(')
		}
	}
	b = append(b, ")] TJ ET"...)
	if colored {
		b = append(b, " Q"...)
	}
	p.ops = b
	p.source.Reset(b)
	p.pdf.RawWriteBuf(&p.source)
}

func number(b []byte, v float64, digits int) []byte {
	return strconv.AppendFloat(b, v, 'f', digits, 64)
}

// escaped writes a byte of a string of a PDF.
func escaped(b []byte, c byte) []byte {
	switch c {
	case '\\', '(', ')':
		b = append(b, '\\')
	case '\r':
		return append(b, '\\', 'r')
	}
	return append(b, c)
}
