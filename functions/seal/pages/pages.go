// Package pages draws the pages of a signing record: who signed a document, how and when, with hashes
// and a code that leads to the verification.
//
// What never goes in here: where the pages go.
package pages

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"rsc.io/qr"

	"github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/shared/font"
)

// Attachment is a file inside the sealed one.
type Attachment struct {
	Name   string
	Size   int
	SHA256 []byte
}

// Record is what the pages show.
type Record struct {
	job.Record
	Language    string
	VerifyURL   string
	At          time.Time
	Attachments []Attachment
}

// Sizes, in mm.
const (
	pageWidth, pageHeight = 210.0, 297.0
	margin                = 16.0
	bottom                = pageHeight - 18
	inner                 = pageWidth - 2*margin
	qrSize                = 34.0
	labelWidth            = 50.0
	overlap               = 1.04
)

// Sizes of letters, in points, and how many mm a line of one point needs.
const (
	small, normal, large, huge = 6.5, 8.5, 10.0, 16.0
	leading                    = 0.47
)

// Draw returns a PDF with the pages. The same record gives the same bytes.
func Draw(r Record) ([]byte, error) {
	d := &drawing{pdf: fpdf.New("P", "mm", "A4", ""), words: in(r.Language), record: r}
	d.pdf.SetCatalogSort(true)
	d.pdf.SetCreationDate(r.At.UTC())
	d.pdf.SetModificationDate(r.At.UTC())
	d.pdf.SetAutoPageBreak(false, 0)
	d.pdf.AddUTF8FontFromBytes(family, "", font.Regular())
	d.pdf.AddUTF8FontFromBytes(family, "B", font.Bold())
	if err := d.head(); err != nil {
		return nil, err
	}
	for i := range r.Signs {
		d.sign(i+1, &r.Signs[i])
	}
	if len(r.Removed) > 0 {
		d.chapter(d.words.removed)
		d.font("", normal)
		d.paragraph(margin, inner, d.words.removedExplains)
	}
	for i := range r.Removed {
		d.sign(len(r.Signs)+i+1, &r.Removed[i])
	}
	d.consents()
	d.attachments()
	d.footers()
	var b bytes.Buffer
	if err := d.pdf.Output(&b); err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	return b.Bytes(), nil
}

// head draws what is said of the document, with the code beside it.
func (d *drawing) head() error {
	r, w := &d.record, d.words
	d.newPage()
	d.font("B", huge)
	d.line(margin, inner, w.title)
	d.y += 1.5
	d.font("", normal)
	d.gray(90)
	d.paragraph(margin, inner, w.explains)
	d.gray(0)
	d.y += 4

	top := d.y
	if err := d.code(pageWidth-margin-qrSize, top); err != nil {
		return err
	}
	width := inner - qrSize - 8
	company := r.Company
	if r.BIN != "" {
		company += ", " + w.bin + " " + r.BIN
	}
	for _, f := range [][2]string{
		{w.document, r.Name},
		{w.number, strconv.FormatInt(r.Number, 10) + " · " + r.Document.String()},
		{w.company, company},
		{w.created, moment(r.Created)},
		{w.pages, strconv.Itoa(r.Pages)},
		{w.finished, moment(r.At)},
		{w.original, r.Original},
		{w.stages, strconv.Itoa(r.Stages)},
		{w.head, r.Head},
	} {
		d.fact(width, f[0], f[1])
	}
	d.y = max(d.y, top+qrSize+12)
	return nil
}

// code draws the code that leads to the verification, and the same as text.
func (d *drawing) code(x, y float64) error {
	code, err := qr.Encode(d.record.VerifyURL, qr.M)
	if err != nil {
		return fmt.Errorf("pages: code: %w", err)
	}
	d.pdf.SetFillColor(0, 0, 0)
	module := qrSize / float64(code.Size)
	for row := range code.Size {
		for column := 0; column < code.Size; {
			n := 0
			for column+n < code.Size && code.Black(column+n, row) {
				n++
			}
			if n > 0 {
				// A little more than a row high, lest screens show seams.
				d.pdf.Rect(x+float64(column)*module, y+float64(row)*module, float64(n)*module, module*overlap, "F")
			}
			column += max(n, 1)
		}
	}
	from := d.y
	d.y = y + qrSize + 1.5
	d.font("B", small+0.5)
	d.paragraph(x, qrSize, d.words.verify)
	d.font("", small-1)
	d.paragraph(x, qrSize, d.record.VerifyURL)
	d.page1 = d.y // the facts beside it may end higher
	d.y = from
	return nil
}

// sign draws one signer and what happened.
func (d *drawing) sign(n int, s *job.Sign) {
	w := d.words
	d.y = max(d.y, d.page1) + 4
	d.page1 = 0
	d.room(40)
	d.rule(0.4, 60)
	d.y += 1.5
	d.font("B", large)
	d.paragraph(margin, inner, strconv.Itoa(n)+". "+s.Name)
	d.font("", normal)
	kind := w.client
	if s.Type == "company" {
		kind = w.firm
	}
	d.gray(90)
	d.line(margin, inner, kind)
	d.gray(0)
	d.y++
	if !s.SignedAt.IsZero() {
		d.fact(inner, w.signed, moment(s.SignedAt))
		d.fact(inner, w.method, at(w.methods[:], s.Method))
	}
	d.fact(inner, w.phone, text(s.Phone))
	d.fact(inner, w.email, text(s.Email))
	d.fact(inner, w.recorded, s.Staff)
	d.fact(inner, w.scan, s.Scan)
	d.fact(inner, w.removedBy, s.RemovedBy)
	d.fact(inner, w.agreed, d.agreed(s))
	if c := s.Certificate; c != nil {
		for _, f := range [][2]string{
			{w.subject, c.Subject},
			{w.iin, c.IIN},
			{w.bin, c.BIN},
			{w.serial, c.Serial},
			{w.issuer, c.Issuer},
			{w.algorithm, c.Algorithm},
			{w.until, moment(c.NotAfter)},
			{w.attachment, s.Attachment},
		} {
			d.fact(inner, f[0], f[1])
		}
	}
	d.y += 1.5
	d.elsewhere(s)
	d.stages(s)
}

// elsewhere says which of the events below were made on another installation.
func (d *drawing) elsewhere(s *job.Sign) {
	if e := s.Elsewhere; e != nil {
		d.font("", normal)
		d.paragraph(margin, inner, fmt.Sprintf(d.words.elsewhere, e.Stages, e.TakenOver.Format("02.01.2006")))
		d.y++
	}
}

// columns of the table of stages, in mm.
func columns() [6]float64 { return [6]float64{7, 40, 37, 36, 29, 29} }

// maxLines is how many lines a cell of the table has at most.
const maxLines = 6

func (d *drawing) stages(s *job.Sign) {
	w := d.words
	heads := [6]string{"№", w.time, w.event, w.address, w.evidence, w.link}
	d.row(heads, "B", nil)
	for i := range s.Stages {
		g := &s.Stages[i]
		d.row([6]string{
			strconv.FormatInt(g.ID, 10), moment(g.At), w.happened(g), g.Network, short(g.Evidence), short(g.Hash),
		}, "", &heads)
	}
}

// row draws one row of the table of stages. If it is the first of a page, the heads stand above it
// again; the row of heads leaves room for one below.
func (d *drawing) row(cells [6]string, style string, heads *[6]string) {
	d.font(style, small)
	var lines [6][]string
	rows := 1
	for i, width := range columns() {
		all := d.broken(cells[i], width-1.5)
		lines[i] = all[:min(len(all), maxLines)]
		rows = max(rows, len(lines[i]))
	}
	height := float64(rows)*lineHeight(small) + 0.8
	switch {
	case heads == nil:
		d.room(2 * height)
	case d.full(height):
		d.newPage()
		d.row(*heads, "B", nil)
		d.font(style, small)
	}
	x, top := margin, d.y
	for i, width := range columns() {
		for n, line := range lines[i] {
			d.y = top + float64(n)*lineHeight(small)
			d.write(x, line)
		}
		x += width
	}
	d.y = top + height - 0.4
	d.rule(0.1, 190)
	d.y += 0.4
}

// agreed names the text to which a signer has agreed: the language, and where it has one its id.
func (d *drawing) agreed(s *job.Sign) string {
	for _, c := range d.record.Consent {
		if s.Consent != "" && c.SHA256 == s.Consent {
			return strings.TrimSuffix(c.Language+", "+c.ID, ", ")
		}
	}
	return ""
}

func (d *drawing) consents() {
	if len(d.record.Consent) == 0 {
		return
	}
	d.chapter(d.words.consent)
	for _, c := range d.record.Consent {
		d.font("", normal)
		d.paragraph(margin, inner, c.Text)
		d.font("", small)
		d.gray(90)
		d.paragraph(margin, inner, strings.TrimPrefix(c.ID+" · SHA-256 "+c.SHA256, " · "))
		d.gray(0)
		d.y++
	}
}

func (d *drawing) attachments() {
	if len(d.record.Attachments) == 0 {
		return
	}
	d.chapter(d.words.attachments)
	d.font("", normal)
	d.paragraph(margin, inner, d.words.attachmentsExplains)
	d.y++
	for _, a := range d.record.Attachments {
		d.fact(inner, a.Name, fmt.Sprintf("%d %s, SHA-256 %x", a.Size, d.words.size, a.SHA256))
	}
}

func (d *drawing) chapter(title string) {
	d.y += 4
	d.room(24)
	d.rule(0.4, 60)
	d.y += 1.5
	d.font("B", large)
	d.line(margin, inner, title)
	d.y++
}

// footers draws what stands at the foot of each page, when it is known how many there are.
func (d *drawing) footers() {
	count := d.pdf.PageCount()
	for page := 1; page <= count; page++ {
		d.pdf.SetPage(page)
		// A font that is in use already wouldn't be named on this page.
		d.font("B", small)
		d.font("", small)
		d.gray(90)
		d.y = pageHeight - 12
		left := d.words.title + " · " + d.record.Document.String()
		d.write(margin, left)
		right := fmt.Sprintf("%s %d %s %d", d.words.page, page, d.words.of, count)
		d.write(pageWidth-margin-d.pdf.GetStringWidth(right), right)
	}
}

// moment writes a time with its zone.
func moment(t time.Time) string {
	if _, offset := t.Zone(); offset == 0 {
		return t.Format("02.01.2006 15:04:05") + " UTC"
	}
	return t.Format("02.01.2006 15:04:05 -07:00")
}

// short is the beginning of a hash.
func short(hash string) string {
	const most = 12
	if len(hash) <= most {
		return hash
	}
	return hash[:most] + "…"
}

// at is a word of a list; the number where the list doesn't know it.
func at(list []string, n int64) string {
	if n < 0 || n >= int64(len(list)) {
		return strconv.FormatInt(n, 10)
	}
	return list[n]
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
