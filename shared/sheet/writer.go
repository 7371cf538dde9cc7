package sheet

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
)

// Cell is one cell of what is written. Its zero value is an empty one.
type Cell struct {
	kind  kind
	value string
}

// String is the value of the cell as it stands in a sheet.
func (c Cell) String() string { return c.value }

type kind uint8

const (
	empty kind = iota
	isTexts
	isNumber
	isDate
	isMoment
)

// Text is a cell with a text, whatever it looks like. Control characters, which
// no sheet can hold, become spaces.
func Text(s string) Cell {
	return Cell{isTexts, strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' {
			return ' '
		}
		return r
	}, s)}
}

// Number is a cell with a number in plain digits, such as -10.50. If s is not such a
// number, it is written as text.
func Number(s string) Cell {
	whole, fraction, point := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	const digits = "0123456789"
	if whole == "" || point && fraction == "" || len(whole)+len(fraction) > 15 || strings.Trim(whole+fraction, digits) != "" {
		return Text(s)
	}
	return Cell{isNumber, s}
}

// Date is a cell with a day, YYYY-MM-DD. If s is not a day, it is written as text.
func Date(s string) Cell {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return Text(s)
	}
	return Cell{isDate, s}
}

// Moment is a cell with a day and the time of a clock, YYYY-MM-DD HH:MM:SS: sheets know no zones. If s is not that, it is written as text.
func Moment(s string) Cell {
	if _, err := time.Parse(time.DateTime, s); err != nil {
		return Text(s)
	}
	return Cell{isMoment, s}
}

// Writer writes a file row by row. It keeps no rows in memory.
type Writer struct {
	rows interface {
		row(cells []Cell) error
		close() error
	}
	columns int
	written int
}

// NewWriter begins a file with its header.
//
// An .xlsx file has typed cells and no formulas. A CSV file is in UTF-8 with a
// byte order mark, its rows end with CR and LF. Where a text in it could begin
// a formula, and so in telephone numbers such as +77011234567, an apostrophe
// stands before the sign; Read takes it away.
func NewWriter(w io.Writer, format Format, header []string) (*Writer, error) {
	return NewNamedWriter(w, format, "Sheet1", header)
}

// NewNamedWriter is NewWriter with a name for the sheet of a workbook, of at most 31 characters.
func NewNamedWriter(w io.Writer, format Format, name string, header []string) (*Writer, error) {
	out := &Writer{columns: len(header)}
	var err error
	switch format {
	case XLSX:
		out.rows, err = newXLSX(w, name, header)
	case CSV:
		out.rows, err = newCSV(w, header)
	default:
		return nil, fmt.Errorf("sheet: no format %q", format)
	}
	if err != nil {
		return nil, fmt.Errorf("sheet: %w", err)
	}
	return out, nil
}

var (
	errTooWide = errors.New("sheet: a row has more cells than the header")
	errTooLong = errors.New("sheet: more rows than a sheet holds")
)

// Row writes a row. It has no more cells than the header.
func (w *Writer) Row(cells []Cell) error {
	const longest = 1<<20 - 1 // beside the header
	switch w.written++; {
	case len(cells) > w.columns:
		return errTooWide
	case w.written > longest:
		return errTooLong
	}
	if err := w.rows.row(cells); err != nil {
		return fmt.Errorf("sheet: %w", err)
	}
	return nil
}

// Close ends the file. It does not close the io.Writer below.
func (w *Writer) Close() error {
	if err := w.rows.close(); err != nil {
		return fmt.Errorf("sheet: %w", err)
	}
	return nil
}

// Write writes a whole file.
func Write(w io.Writer, format Format, header []string, rows [][]Cell) error {
	out, err := NewWriter(w, format, header)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := out.Row(row); err != nil {
			return err
		}
	}
	return out.Close()
}
