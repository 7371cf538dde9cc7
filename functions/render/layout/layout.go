// Package layout makes a PDF/A-3b of a small part of HTML: what a contract needs.
//
//	h1 to h6, p, div and its like, br, hr, pre, blockquote       b, strong, i, em, u, ins, s, del, mark, small, sub, sup, span, a
//	ul, ol (start, type, value), dl                              img: data URIs of PNG and JPEG
//	table: caption, colgroup, thead (on each page), tbody, tfoot, tr, td, th, with colspan, rowspan, width, align, valign, border
//
// and of CSS, in style attributes: text-align, text-indent, text-decoration, line-height, font-size, font-weight, font-style, color,
// background-color, white-space, vertical-align, width, height, margin, padding, border, page-break-before, -after and -inside.
//
// A document is a list of strips (a line, a margin, a row of a table), each as wide as the page
// allows. Pages are filled with strips, then drawn.
//
// Whoever writes the HTML is any user of any company. Nothing is read but the bytes that are
// given; depth, elements, columns, images, pages and time are bounded; the same input becomes
// the same bytes.
//
// What never goes in here: where the input comes from, sanitising it, the bucket.
package layout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"codeberg.org/go-pdf/fpdf"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/say"
)

// Renderer makes PDFs. It is safe for concurrent use.
type Renderer struct {
	faces func() (*faces, error)
}

// New returns a Renderer. It reads its fonts when they are first needed.
func New() *Renderer { return &Renderer{faces: sync.OnceValues(loadFaces)} }

// PDF lays a page out. Its error is a *job.Problem where the page is to blame, and the context's if it took
// too long.
func (r *Renderer) PDF(ctx context.Context, page *job.Page) (pdf []byte, pages int, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			pdf, pages, err = nil, 0, fmt.Errorf("layout: panic: %v", cause)
		}
	}()
	faces, err := r.faces()
	if err != nil {
		return nil, 0, err
	}
	d, err := newDocument(ctx, page, faces)
	if err != nil {
		return nil, 0, err
	}
	if err := d.compose(); err != nil {
		return nil, 0, err
	}
	pdf, err = d.draw()
	return pdf, len(d.pages), err
}

// document is one that is made.
type document struct {
	layouter
	page          *job.Page
	width, height float64 // of a page
	left, right   float64 // its margins
	top, bottom   float64 // what is free above and below the content
	header        *node
	footer        *node
	body          *node
	pages         [][]strip
}

// Header and footer: how far from the edge of the page, how far from the content, and how much of the page
// both may take.
const (
	edgeOfPage = 8 * mm
	beside     = 3 * mm
	mostBeside = 0.4
)

func newDocument(ctx context.Context, page *job.Page, faces *faces) (*document, error) {
	d := &document{page: page, layouter: layouter{ctx: ctx, faces: faces, images: &images{known: map[string]*picture{}}}}
	var ok bool
	if d.width, d.height, ok = size(page.Format); !ok {
		return nil, job.Refuse(job.BadPage, say.PrintFormatWrong)
	}
	for _, margin := range []float64{page.Margins.Top, page.Margins.Right, page.Margins.Bottom, page.Margins.Left} {
		if !(margin >= 0 && margin <= 200) {
			return nil, job.Refuse(job.BadPage, say.PrintMarginWrong)
		}
	}
	d.left, d.right, d.top, d.bottom = page.Margins.Left*mm, page.Margins.Right*mm, page.Margins.Top*mm, page.Margins.Bottom*mm
	if len(page.HTML)+len(page.Header)+len(page.Footer) > job.MostPage {
		return nil, job.Refuse(job.TooLarge, say.PrintHTMLOrImagesTooLarge)
	}
	text := 0
	for _, part := range []struct {
		source string
		into   **node
	}{{page.HTML, &d.body}, {page.Header, &d.header}, {page.Footer, &d.footer}} {
		n, err := parse(ctx, part.source)
		if err != nil {
			return nil, err
		}
		*part.into = n
		text += len(part.source) - addresses(n)
	}
	if text > job.MostHTML {
		return nil, job.Refuse(job.TooLarge, say.PrintHTMLTooLarge)
	}
	return d, nil
}

// addresses is how much of HTML is the addresses of images.
func addresses(n *node) int {
	sum := 0
	if n.tag == "img" {
		sum = len(n.attr("src"))
	}
	for _, kid := range n.kids {
		sum += addresses(kid)
	}
	return sum
}

// size is that of a page, in points.
func size(format string) (width, height float64, ok bool) {
	switch format {
	case "A3":
		return 841.89, 1190.55, true
	case "A4":
		return 595.28, 841.89, true
	case "A5":
		return 419.53, 595.28, true
	case "Letter":
		return 612, 792, true
	case "Legal":
		return 612, 1008, true
	}
	return 0, 0, false
}

// build lays HTML out in a width.
func (d *document) build(n *node, st style) ([]strip, error) {
	b := builder{l: &d.layouter, w: d.width - d.left - d.right, block: &st}
	if err := b.walk(n, &st); err != nil {
		return nil, err
	}
	if err := b.flush(); err != nil {
		return nil, err
	}
	return b.out, nil
}

// numbered lays a header or footer out for a page.
func (d *document) numbered(n *node, page, pages string) ([]strip, error) {
	if len(n.kids) == 0 {
		return nil, nil
	}
	d.numbers = strings.NewReplacer("{page}", page, "{pages}", pages)
	defer func() { d.numbers = nil }()
	return d.build(n, style{size: baseSize * 0.8, leading: leading, color: rgb{64, 64, 64}})
}

// compose makes the pages.
func (d *document) compose() error {
	d.tallest = d.height * mostBeside / 2
	for _, one := range []struct {
		n      *node
		margin *float64
	}{{d.header, &d.top}, {d.footer, &d.bottom}} {
		strips, err := d.numbered(one.n, "199", "199")
		if err != nil {
			return err
		}
		h := tall(strips)
		if h > d.height*mostBeside/2 {
			return job.Refuse(job.BadPage, say.PrintHeaderTooTall)
		}
		if h > 0 {
			*one.margin = max(*one.margin, edgeOfPage+h+beside)
		}
	}
	room := d.height - d.top - d.bottom
	if room < 100 || d.width-d.left-d.right < 100 {
		return job.Refuse(job.BadPage, say.PrintNoRoom)
	}
	d.tallest = room - 24
	d.layouter.height = 0
	rest, err := d.build(d.body, style{size: baseSize, leading: leading})
	if err != nil {
		return err
	}
	goesOn := false
	for {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		var first []strip
		before := rest
		if first, rest, _ = take(rest, room, goesOn, true); len(first) == 0 && len(rest) > 0 && len(rest) == len(before) {
			return errors.New("layout: nothing fits onto a page")
		}
		if len(first) > 0 || len(d.pages) == 0 {
			d.pages = append(d.pages, first)
		}
		if len(d.pages) > job.MostPages {
			return job.Refuse(job.TooManyPages, say.PrintTooManyPages(job.MostPages))
		}
		if goesOn = true; len(rest) == 0 {
			return nil
		}
	}
}

// draw writes the PDF.
func (d *document) draw() ([]byte, error) {
	pdf := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: d.width, Ht: d.height}})
	pdf.SetMargins(0, 0, 0)
	pdf.SetAutoPageBreak(false, 0)
	d.describe(pdf)
	p := &painter{pdf: pdf, faces: d.faces, left: d.left, pics: map[string]bool{}}
	pages := strconv.Itoa(len(d.pages))
	for i, strips := range d.pages {
		if err := d.ctx.Err(); err != nil {
			return nil, err
		}
		pdf.AddPage()
		p.text.is = false
		p.strips(strips, d.top)
		header, err := d.numbered(d.header, strconv.Itoa(i+1), pages)
		if err != nil {
			return nil, err
		}
		p.strips(header, edgeOfPage)
		footer, err := d.numbered(d.footer, strconv.Itoa(i+1), pages)
		if err != nil {
			return nil, err
		}
		p.strips(footer, d.height-edgeOfPage-tall(footer))
		if err := pdf.Error(); err != nil {
			return nil, fmt.Errorf("layout: %w", err)
		}
	}
	var out bytes.Buffer
	if err := pdf.Output(&out); err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	return identify(out.Bytes())
}
