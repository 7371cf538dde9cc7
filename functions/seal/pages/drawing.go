package pages

import (
	"strings"

	"codeberg.org/go-pdf/fpdf"

	"github.com/tenantry/tenantry/shared/font/letters"
)

const family = "noto"

// drawing is where the next line goes.
type drawing struct {
	pdf    *fpdf.Fpdf
	words  words
	record Record
	y      float64
	size   float64
	page1  float64 // where the column beside the facts of the first page ends
}

func lineHeight(size float64) float64 { return size * leading }

func (d *drawing) newPage() {
	d.pdf.AddPage()
	d.y = margin
	if d.size > 0 { // a page doesn't know what was set on the one before
		d.gray(0)
	}
}

func (d *drawing) font(style string, size float64) {
	d.pdf.SetFont(family, style, size)
	d.size = size
}

func (d *drawing) gray(level int) { d.pdf.SetTextColor(level, level, level) }

// full tells whether so many mm don't fit on the page any more.
func (d *drawing) full(height float64) bool { return d.y+height > bottom }

// room begins a new page if so many mm don't fit.
func (d *drawing) room(height float64) {
	if d.full(height) {
		d.newPage()
	}
}

// rule draws a line over the whole width.
func (d *drawing) rule(width float64, level int) {
	d.pdf.SetDrawColor(level, level, level)
	d.pdf.SetLineWidth(width)
	d.pdf.Line(margin, d.y, pageWidth-margin, d.y)
}

// write writes what fits on the line, which isn't left.
func (d *drawing) write(x float64, s string) {
	if s = clean(s); s != "" {
		d.pdf.Text(x, d.y+lineHeight(d.size)*0.76, s)
	}
}

// line writes one line, and ends it.
func (d *drawing) line(x, width float64, s string) {
	if lines := d.broken(s, width); len(lines) > 0 {
		d.write(x, lines[0])
	}
	d.y += lineHeight(d.size)
}

// paragraph writes a text in as many lines as it needs, on as many pages.
func (d *drawing) paragraph(x, width float64, s string) {
	for _, line := range d.broken(s, width) {
		if d.full(lineHeight(d.size)) {
			d.newPage()
		}
		d.write(x, line)
		d.y += lineHeight(d.size)
	}
}

// fact writes what something is, and its value; nothing if there is no value.
func (d *drawing) fact(width float64, label, value string) {
	if value == "" {
		return
	}
	d.room(lineHeight(normal))
	d.font("", normal)
	d.gray(90)
	top := d.y
	d.paragraph(margin, labelWidth-2, label)
	end, page := d.y, d.pdf.PageNo()
	d.gray(0)
	d.y = top
	d.paragraph(margin+labelWidth, width-labelWidth, value)
	if d.pdf.PageNo() == page {
		d.y = max(d.y, end)
	}
	d.y += 0.5
}

// broken breaks a text into lines of at most a width. A word that is wider is broken too.
func (d *drawing) broken(s string, width float64) (lines []string) {
	line, used := "", 0.0
	space := d.pdf.GetStringWidth(" ")
	flush := func() {
		if line != "" {
			lines = append(lines, line)
		}
		line, used = "", 0
	}
	for _, word := range strings.FieldsFunc(clean(s), func(r rune) bool { return r == ' ' || r == '\n' }) {
		wide := d.pdf.GetStringWidth(word)
		if line != "" && used+space+wide > width {
			flush()
		}
		if line != "" {
			line += " "
			used += space
		}
		for used+wide > width {
			part := d.fitting(word, width-used)
			line += part
			flush()
			word = word[len(part):]
			wide = d.pdf.GetStringWidth(word)
		}
		line += word
		used += wide
	}
	flush()
	return lines
}

// fitting is as much of a word as a width holds, at least one letter.
func (d *drawing) fitting(word string, width float64) string {
	used := 0.0
	for i, r := range word {
		used += d.pdf.GetStringWidth(string(r))
		if i > 0 && used > width {
			return word[:i]
		}
	}
	return word
}

// clean makes a text one that the fonts can show: a PDF/A may show no other. Names are looked at before anybody signs, so what they don't
// have is only in a name that was given since.
func clean(s string) string { return letters.Drawn(s) }
