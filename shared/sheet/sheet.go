// Package sheet reads tables in .xlsx and .csv files, and writes them. A file can come from
// anybody, so there are limits for what is unpacked, scanned and kept, and nothing in a file
// is executed: a formula counts as its last calculated value. Files that are written have no
// cell that a program would take for a formula.
//
// What never goes in here: the meaning of columns, which columns are needed, and whether a
// value is valid. A leading zero that the sheet has dropped from a number is not restored
// here.
//
// An .xlsx file is a zip of XML. It is read with the standard library, in one pass over each
// part. The library xuri/excelize is used only in the tests, for comparison: it adds 2.4 ms to
// the 4.8 ms that a function takes to start, does not report a sheet whose XML is cut off, and
// keeps every shared text in memory.
package sheet

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tenantry/tenantry/shared/say"
)

// Format is a kind of file.
type Format string

// The kinds of files.
const (
	XLSX Format = "xlsx"
	CSV  Format = "csv"
)

// ContentType is the media type of the format.
func (f Format) ContentType() string {
	if f == XLSX {
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	}
	return "text/csv; charset=utf-8"
}

// Limits are the limits of a caller. 0 means the package's own limit.
type Limits struct {
	Rows       int // of data, beside the header
	Columns    int
	MinColumns int // fewer are an error: the separator was not found
}

const (
	maxRows    = 1000
	maxColumns = 100
	// maxScanned bounds the rows that are looked at, empty ones with them.
	maxScanned = 100_000
	// maxTitles bounds the rows of one cell above the headers.
	maxTitles = 5
	// maxCell is what a cell holds in Excel, counted as it counts.
	maxCell = 32_767
	// maxText bounds the texts of all cells together, in bytes.
	maxText = 32 << 20
)

// Table is the content of a file: the row with the headers, and those below it that are not empty. The headers are the first row that
// is not empty, or one of the next few if all before it have a single cell, such as a title.
type Table struct {
	Header []string
	Rows   []Row
}

// Row is one row of data. It has as many cells as the header.
type Row struct {
	Number int // as a spreadsheet shows it, from 1
	Cells  []string
	Beside map[int]string // by index of Cells: what the number format of a cell shows beside its number, such as "₸"
}

// Error says what is wrong with a file, in words for its sender.
type Error struct {
	Row    int // from 1; 0 if no row is meant
	Column int // from 1; 0 if no column is meant
	Text   say.Message
	Rows   bool // it has more rows than Limits allow
}

// Message says where, and what.
func (e *Error) Message() say.Message {
	switch {
	case e.Row > 0 && e.Column > 0:
		return say.SheetAtCell(e.Row, ColumnName(e.Column), e.Text)
	case e.Row > 0:
		return say.SheetAtRow(e.Row, e.Text)
	}
	return e.Text
}

// Error is the message in English.
func (e *Error) Error() string { return e.Message().Error() }

// Unwrap returns the message, for say.Of.
func (e *Error) Unwrap() error { return e.Message() }

func wrong(row, column int, text say.Message) *Error {
	return &Error{Row: row, Column: column, Text: text}
}

// tooMany is the error of a sheet of more rows than its reader takes.
func tooMany(rows int) *Error {
	e := wrong(0, 0, say.SheetTooManyRows(rows))
	e.Rows = true
	return e
}

// ColumnName is what a spreadsheet calls a column, counted from 1: A, Z, AA.
func ColumnName(column int) string {
	name := ""
	for ; column > 0; column = (column - 1) / 26 {
		name = string(rune('A'+(column-1)%26)) + name
	}
	return name
}

// Read reads a file. Its content decides which format it is. It is an error if the extension
// of its name, or its media type if it has no name, says another format. All errors have the
// type *Error.
//
// Dates are YYYY-MM-DD, with HH:MM:SS behind where the cell shows a time,
// booleans true and false, numbers plain digits without an exponent, to the 15
// digits that Excel keeps. Of a workbook the first visible sheet counts that is not empty.
func Read(name, contentType string, data []byte, limits Limits) (Table, error) {
	if limits.Rows == 0 {
		limits.Rows = maxRows
	}
	if limits.Columns == 0 {
		limits.Columns = maxColumns
	}
	format, err := detect(name, contentType, data)
	if err != nil {
		return Table{}, err
	}
	rows := collector{limits: limits, short: say.SheetHeaderShort[int, int]}
	if rows.sparse = format == XLSX; rows.sparse {
		err = readXLSX(data, &rows)
	} else {
		rows.short = say.SheetHeaderShortCSV[int, int]
		err = readCSV(data, &rows)
	}
	if err != nil {
		return Table{Header: rows.header()}, err
	}
	return rows.table()
}

// collector takes rows in their order and checks the limits.
type collector struct {
	limits  Limits
	short   func(has, least int) say.Message // for a header of too few columns
	sparse  bool                             // rows end with their last filled cell, so a title's row may have that cell alone
	scanned int
	text    int
	rows    []Row // the header first
	title   error // what is wrong with the first row, if it has too few columns for a header and may be a title
	titles  int
}

// some tells whether a row was taken, if only for a title.
func (c *collector) some() bool { return len(c.rows) > 0 || c.title != nil }

// add takes one row as it stands in the file.
func (c *collector) add(number int, cells []string) error {
	if err := c.scan(number); err != nil {
		return err
	}
	last, filled := 0, 0
	for i, cell := range cells {
		if err := checkCell(number, i+1, cell); err != nil {
			return err
		}
		if strings.TrimSpace(cell) != "" {
			last, filled = i+1, filled+1
		}
		c.text += len(cell)
	}
	switch {
	case last == 0:
		return nil
	case last > c.limits.Columns:
		return wrong(number, last, say.SheetTooManyColumns(c.limits.Columns))
	case c.text > maxText:
		return wrong(number, 0, say.SheetTooLarge(maxText>>20))
	case len(c.rows) > c.limits.Rows:
		return tooMany(c.limits.Rows)
	case len(c.rows) == 0:
		if filled < c.limits.MinColumns {
			isTitle := filled == 1 && (c.sparse || len(cells) >= c.limits.MinColumns)
			return c.passOver(wrong(number, 0, c.short(filled, c.limits.MinColumns)), isTitle)
		}
		c.rows = append(c.rows, Row{Number: number, Cells: trimmed(cells[:last])})
		return nil
	}
	header := c.header()
	row := make([]string, len(header))
	for i, cell := range cells[:last] {
		if strings.TrimSpace(cell) == "" {
			continue
		}
		if i >= len(header) || header[i] == "" {
			return wrong(number, i+1, say.SheetNoHeader) // which nobody could tell from what is left out
		}
		row[i] = unescaped(cell)
	}
	c.rows = append(c.rows, Row{Number: number, Cells: row})
	return nil
}

// passOver skips a row above the headers that is a title. The error short says why the row is no header; the first one is the file's if no
// header follows.
func (c *collector) passOver(short error, isTitle bool) error {
	if c.title == nil {
		c.title = short
	}
	if c.titles++; !isTitle || c.titles > maxTitles {
		return c.title
	}
	return nil
}

// scan counts a row that is looked at, if only to find it empty.
func (c *collector) scan(number int) error {
	if c.scanned++; c.scanned > maxScanned {
		return tooEmpty(number)
	}
	return nil
}

func tooEmpty(row int) *Error {
	return wrong(row, 0, say.SheetTooManyEmptyRows(maxScanned))
}

// header returns the first row, nil if none was taken yet.
func (c *collector) header() []string {
	if len(c.rows) == 0 {
		return nil
	}
	return c.rows[0].Cells
}

func (c *collector) table() (Table, error) {
	switch {
	case len(c.rows) == 0 && c.title != nil:
		return Table{}, c.title
	case len(c.rows) == 0:
		return Table{}, wrong(0, 0, say.SheetEmpty)
	}
	return Table{Header: c.header(), Rows: c.rows[1:]}, nil
}

func trimmed(cells []string) []string {
	out := make([]string, len(cells))
	for i, cell := range cells {
		out[i] = strings.TrimSpace(unescaped(cell))
	}
	return out
}

func checkCell(row, column int, cell string) error {
	if tooLong(cell) {
		return longCell(row, column)
	}
	for _, r := range cell {
		if r == utf8.RuneError || r < ' ' && r != '\t' && r != '\n' && r != '\r' {
			return wrong(row, column, say.SheetNoText(strconv.QuoteRuneToASCII(r)))
		}
	}
	return nil
}

func longCell(row, column int) *Error {
	return wrong(row, column, say.SheetCellTooLong(maxCell))
}

func tooLong(cell string) bool {
	if len(cell) <= maxCell {
		return false
	}
	n := 0
	for _, r := range cell {
		n += utf16Length(r)
	}
	return n > maxCell
}

// utf16Length counts as Excel does.
func utf16Length(r rune) int { return max(1, utf16.RuneLen(r)) }
