package sheet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/tenantry/tenantry/shared/say"
)

// readCSV reads text: comma, semicolon or tab; UTF-8, UTF-16 with a byte order
// mark, or windows-1251.
func readCSV(data []byte, to *collector) error {
	text, err := decoded(data)
	if err != nil {
		return err
	}
	head := make([]byte, maxHead)
	n, err := io.ReadFull(text, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return unreadable()
	}
	head = head[:n]
	comma := separator(head)
	if line, said, ok := declared(head); ok {
		head, comma = head[line:], said
	}
	lone := bytes.IndexByte(head, '\n') < 0
	return readRecords(&bounded{from: io.MultiReader(bytes.NewReader(head), text), comma: byte(comma), lone: lone, row: 1, column: 1}, to)
}

// maxHead is how much of a file is looked at to find its separator.
const maxHead = 1 << 20

func unreadable() *Error {
	return wrong(0, 0, say.SheetNotUtf8)
}

// decoded is the text in UTF-8, without a byte order mark.
func decoded(data []byte) (io.Reader, error) {
	r := bytes.NewReader(data)
	switch {
	case bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")):
		if !utf8.Valid(data) {
			return nil, unreadable()
		}
		return bytes.NewReader(data[3:]), nil
	case bytes.HasPrefix(data, []byte("\xFF\xFE")), bytes.HasPrefix(data, []byte("\xFE\xFF")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(r), nil
	case utf8.Valid(data):
		return r, nil
	case isWindows1251(data):
		return charmap.Windows1251.NewDecoder().Reader(r), nil
	}
	return nil, unreadable()
}

// punctuation1251 is what Russian texts have beside А-я: quotes, dashes, Ё, №
// and the like.
const punctuation1251 = "\x84\x85\x91\x92\x93\x94\x96\x97\xA0\xA7\xA8\xAB\xB8\xB9\xBB"

// isWindows1251 tells Cyrillic text in windows-1251 from other encodings of one
// byte a letter: nearly all its letters are at С0-FF, and small ones follow
// capital ones, not the other way round as in KOI8-R.
func isWindows1251(data []byte) bool {
	letters, others, falls, rises := 0, 0, 0, 0
	for i, c := range data {
		switch {
		case c == 0x98: // no character at all
			return false
		case c >= 0xC0:
			letters++
			if i > 0 && data[i-1] >= 0xC0 {
				if before := data[i-1] >= 0xE0; before && c < 0xE0 {
					rises++
				} else if !before && c >= 0xE0 {
					falls++
				}
			}
		case c >= 0x80 && strings.IndexByte(punctuation1251, c) < 0:
			others++
		}
	}
	return others*5 <= letters && rises <= falls
}

// separator is the separator that occurs most often in the first line, outside quoted
// texts.
func separator(head []byte) rune {
	counts := map[rune]int{}
	quoted, begun := false, false
	for _, c := range string(head) {
		if c == '"' {
			quoted = !quoted
		}
		if quoted {
			begun = true
			continue
		}
		switch c {
		case '\r', '\n':
			if begun {
				return most(counts)
			}
			counts = map[rune]int{}
		case ',', ';', '\t':
			counts[c]++
		case ' ':
		default:
			begun = true
		}
	}
	return most(counts)
}

func most(counts map[rune]int) rune {
	best := ','
	for _, c := range ";\t" {
		if counts[c] > 0 && counts[c] >= counts[best] {
			best = c
		}
	}
	return best
}

// declared finds the line "sep=;" that Excel writes and reads.
func declared(head []byte) (length int, comma rune, ok bool) {
	end := bytes.IndexByte(head, '\n')
	if end < 0 {
		return 0, 0, false
	}
	line := strings.TrimSuffix(string(head[:end]), "\r")
	if said, ok := strings.CutPrefix(strings.ToLower(line), "sep="); ok && (said == "," || said == ";" || said == "\t") {
		return end + 1, rune(said[0]), true
	}
	return 0, 0, false
}

func readRecords(text *bounded, to *collector) error {
	r := csv.NewReader(text)
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = rune(text.comma), -1, true
	within := 0 // lines that end within a cell, and so are no rows
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return syntax(err, within)
		}
		line, _ := r.FieldPos(0)
		if err := to.add(line-within, cells); err != nil {
			return err
		}
		for _, cell := range cells {
			within += strings.Count(cell, "\n")
		}
	}
}

func syntax(err error, within int) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	var parse *csv.ParseError
	switch {
	case !errors.As(err, &parse):
		return unreadable()
	case errors.Is(parse.Err, csv.ErrBareQuote):
		return wrong(parse.StartLine-within, 0, say.SheetQuoteWithin)
	}
	return wrong(parse.StartLine-within, 0, say.SheetQuoteOpen)
}

const (
	maxCellBytes = 3*maxCell + 2 // three bytes a character at most, and its quotes
	maxRowBytes  = 4 << 20
	widest       = 16_384 // columns that Excel has
)

// bounded passes text on until a cell or a row is longer than allowed. It is needed because
// encoding/csv keeps every whole cell and row in memory.
type bounded struct {
	from  io.Reader
	comma byte
	lone  bool // a carriage return alone ends a row

	quoted      bool
	row, column int
	rowBytes    int
	cellBytes   int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	for i, c := range p[:n] {
		if c == '\r' && b.lone {
			c = '\n'
			p[i] = c
		}
		if e := b.count(c); e != nil {
			return i, e
		}
	}
	return n, err
}

func (b *bounded) count(c byte) error {
	b.rowBytes++
	b.cellBytes++
	switch {
	case c == '"':
		b.quoted = !b.quoted
	case b.quoted:
	case c == b.comma:
		b.column++
		b.cellBytes = 0
	case c == '\n':
		b.row++
		b.column, b.cellBytes, b.rowBytes = 1, 0, 0
	}
	switch {
	case b.row > maxScanned+1: // encoding/csv passes over empty lines
		return tooEmpty(maxScanned + 1)
	case b.cellBytes > maxCellBytes && b.quoted:
		return wrong(b.row, b.column, say.SheetCellTooLongOrOpen(maxCell))
	case b.cellBytes > maxCellBytes:
		return longCell(b.row, b.column)
	case b.rowBytes > maxRowBytes:
		return wrong(b.row, 0, say.SheetRowTooLarge(maxRowBytes>>20))
	case b.column > widest:
		return wrong(b.row, 0, say.SheetTooManyColumns(widest))
	}
	return nil
}
