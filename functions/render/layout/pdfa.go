package layout

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the colour profile
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// sRGB is the profile of the colours, of the International Color Consortium.
//
//go:embed assets/sRGB2014.icc
var sRGB []byte

const producer = "Tenantry"

// describe sets what a PDF/A-3b says of itself: in /Info, and the same as XMP.
func (d *document) describe(pdf *fpdf.Fpdf) {
	at := d.page.At.UTC().Truncate(time.Second)
	if at.Year() < 1 || at.Year() > 9999 || at.IsZero() {
		at = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	title := strings.TrimSpace(strings.Map(printable, strings.ToValidUTF8(d.page.Title, "\ufffd")))
	pdf.SetCatalogSort(true)
	pdf.SetCreationDate(at)
	pdf.SetModificationDate(at)
	pdf.SetProducer(producer, true)
	if title != "" {
		pdf.SetTitle(title, true)
	}
	if isLanguage(d.page.Language) {
		pdf.SetLang(d.page.Language)
	}
	pdf.AddOutputIntent(fpdf.OutputIntentType{
		SubtypeIdent: fpdf.OutputIntent_GTS_PDFA1, OutputConditionIdentifier: "sRGB", Info: "sRGB", ICCProfile: sRGB,
	})
	pdf.SetXmpMetadata(xmp(title, at))
}

// printable leaves out what neither XML nor fpdf's texts can hold.
func printable(r rune) rune {
	if r < 0x20 || r == 0x7f || r > 0xffff || r >= 0xfffe || r >= 0xd800 && r <= 0xdfff {
		return -1
	}
	return r
}

func isLanguage(s string) bool {
	return len(s) >= 2 && len(s) <= 12 && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-'
	}) < 0
}

func xmp(title string, at time.Time) []byte {
	var b bytes.Buffer
	b.WriteString(`<?xpacket begin="` + "\ufeff" + `" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" pdfaid:part="3" pdfaid:conformance="B"/>
<rdf:Description rdf:about="" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" pdf:Producer="` + producer + `"/>
<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreateDate="`)
	when := at.Format("2006-01-02T15:04:05")
	b.WriteString(when + `" xmp:ModifyDate="` + when + `"/>
`)
	if title != "" {
		b.WriteString(`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">`)
		_ = xml.EscapeText(&b, []byte(title))
		b.WriteString(`</rdf:li></rdf:Alt></dc:title></rdf:Description>
`)
	}
	b.WriteString(`</rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`)
	return b.Bytes()
}

// identify mends the trailer. It adds the /ID that a PDF/A needs, and says where /Info is: fpdf says one too
// high where there is a colour profile. The trailer is behind all that the table of places tells of, so
// it may grow.
func identify(pdf []byte) ([]byte, error) {
	at := bytes.LastIndex(pdf, []byte("\ntrailer\n<<\n"))
	if at < 0 {
		return nil, errors.New("layout: the PDF has no trailer")
	}
	var size, root, info, places int
	_, err := fmt.Sscanf(string(pdf[at:]), "\ntrailer\n<<\n/Size %d\n/Root %d 0 R\n/Info %d 0 R\n>>\nstartxref\n%d\n",
		&size, &root, &info, &places)
	if err != nil {
		return nil, fmt.Errorf("layout: the PDF's trailer: %w", err)
	}
	if info--; !bytes.Contains(pdf, fmt.Appendf(nil, "\n%d 0 obj\n<<\n/Producer ", info)) {
		return nil, errors.New("layout: the PDF's /Info isn't where it should be")
	}
	sum := sha256.Sum256(pdf)
	return fmt.Appendf(pdf[:at:at], "\ntrailer\n<<\n/Size %d\n/Root %d 0 R\n/Info %d 0 R\n/ID [<%x> <%x>]\n>>\nstartxref\n%d\n%%%%EOF\n",
		size, root, info, sum[:16], sum[:16], places), nil
}
