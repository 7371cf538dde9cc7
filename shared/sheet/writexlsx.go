package sheet

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// The styles of cells, by their place in the list of styles.
const (
	styleHeader = 1
	styleDate   = 2
	styleMoment = 3
)

// minWidth is how many digits fit into the narrowest column: a day with a time does, which programs don't show at all if it doesn't.
const minWidth = 20

const (
	sheetName = "{name}"
	xmlHead   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainNS    = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	officeNS  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packageNS = "http://schemas.openxmlformats.org/package/2006/"
	mediaType = "application/vnd.openxmlformats-officedocument.spreadsheetml."
)

// fixedParts are the same in every file, but for the sheet's name.
var fixedParts = [][2]string{
	{"[Content_Types].xml", `<Types xmlns="` + packageNS + `content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="` + mediaType + `sheet.main+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + mediaType + `worksheet+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="` + mediaType + `styles+xml"/></Types>`},
	{"_rels/.rels", `<Relationships xmlns="` + packageNS + `relationships">` +
		`<Relationship Id="rId1" Type="` + officeNS + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/workbook.xml", `<workbook ` + mainNS + ` xmlns:r="` + officeNS + `">` +
		`<sheets><sheet name="` + sheetName + `" sheetId="1" r:id="rId1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + packageNS + `relationships">` +
		`<Relationship Id="rId1" Type="` + officeNS + `/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Type="` + officeNS + `/styles" Target="styles.xml"/></Relationships>`},
	{"xl/styles.xml", `<styleSheet ` + mainNS + `><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/>` +
		`<numFmt numFmtId="165" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/></numFmts>` +
		`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		`<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
		`<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>` +
		`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
		`<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>` +
		`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`},
}

type xlsxFile struct {
	zip  *zip.Writer
	out  *bufio.Writer
	rows int
}

func newXLSX(w io.Writer, name string, header []string) (*xlsxFile, error) {
	f := &xlsxFile{zip: zip.NewWriter(w)}
	for _, part := range fixedParts {
		out, err := f.zip.Create(part[0])
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(out, xmlHead+strings.Replace(part[1], sheetName, escapedXML(name), 1)); err != nil {
			return nil, err
		}
	}
	out, err := f.zip.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		return nil, err
	}
	f.out = bufio.NewWriter(out)
	f.print(xmlHead + `<worksheet ` + mainNS + `><sheetViews><sheetView workbookViewId="0">` +
		`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`)
	for i, name := range header {
		if i == 0 {
			f.print("<cols>")
		}
		width := min(max(utf8.RuneCountInString(name)+4, minWidth), 40)
		f.print(fmt.Sprintf(`<col min="%d" max="%d" width="%d" customWidth="1"/>`, i+1, i+1, width))
		if i == len(header)-1 {
			f.print("</cols>")
		}
	}
	f.print("<sheetData>")
	cells := make([]Cell, len(header))
	for i, name := range header {
		cells[i] = Text(name)
	}
	return f, f.styled(cells, styleHeader)
}

// print ignores its error, because the writer below keeps it and returns it later.
func (f *xlsxFile) print(s string) { _, _ = f.out.WriteString(s) }

func (f *xlsxFile) row(cells []Cell) error { return f.styled(cells, 0) }

func (f *xlsxFile) styled(cells []Cell, style int) error {
	f.rows++
	f.print(fmt.Sprintf(`<row r="%d">`, f.rows))
	for i, c := range cells {
		at := fmt.Sprintf(`<c r="%s%d"`, ColumnName(i+1), f.rows)
		switch c.kind {
		case isNumber:
			f.print(at + `><v>` + c.value + `</v></c>`)
		case isDate, isMoment:
			if number, of, ok := serial(c.value); ok {
				f.print(fmt.Sprintf(`%s s="%d"><v>%s</v></c>`, at, of, number))
				continue
			}
			f.text(at, style, c.value)
		case isTexts:
			f.text(at, style, c.value)
		}
	}
	_, err := f.out.WriteString("</row>")
	return err
}

func (f *xlsxFile) text(at string, style int, s string) {
	f.print(fmt.Sprintf(`%s s="%d" t="inlineStr"><is><t xml:space="preserve">`, at, style))
	f.print(escapedXML(marked(shortened(s))))
	f.print(`</t></is></c>`)
}

func (f *xlsxFile) close() error {
	f.print("</sheetData></worksheet>")
	if err := f.out.Flush(); err != nil {
		return err
	}
	return f.zip.Close()
}

// serial is a day as Excel counts it, with the time of a moment as its fraction, and the style that shows it. Excel counts so from 1 March
// 1900 on: before that it counts a day too many, and the date is written as a text.
func serial(date string) (number string, style int, ok bool) {
	at, err := time.Parse(time.DateTime, date)
	format, style := "%.6f", styleMoment // six digits are a tenth of a second
	if err != nil {
		at, err = time.Parse(time.DateOnly, date)
		format, style = "%.0f", styleDate
	}
	days := float64(at.Unix()-day0().Unix()) / secondsOfDay
	return fmt.Sprintf(format, days), style, err == nil && days >= leapDay1900+1 && days < lastDay+1
}

// shortened cuts a text so that it fits a cell: programs report a workbook with longer
// texts as broken.
func shortened(s string) string {
	if !tooLong(s) {
		return s
	}
	n := 0
	for i, r := range s {
		if n += utf16Length(r); n >= maxCell {
			return s[:i] + "…"
		}
	}
	return s
}
