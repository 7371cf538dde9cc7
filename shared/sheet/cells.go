package sheet

import (
	"encoding/xml"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/say"
)

// sheet reads the cells of one sheet. Shared texts are in another part, so
// cells that refer to one are completed after it was read.
type sheet struct {
	dates  dates
	shared map[int]*text
	rows   *collector
	kept   []keptRow

	row  int
	cell cell
	now  []keptCell // of the row
}

// cell is what is known of the cell that is being read.
type cell struct {
	open    bool
	column  int
	kind    string // attribute t
	style   string
	formula bool
	has     bool // a value
	value   strings.Builder
}

type keptRow struct {
	number int
	cells  []keptCell
}

type keptCell struct {
	column int
	value  string
	beside string // what the number format shows beside the number
	shared *text
}

func (s *sheet) read(p parts, name string) error {
	err := p.walk(name, s.visit)
	if errors.Is(err, errLongToken) && s.cell.open {
		return longCell(s.row, s.cell.column)
	}
	return err
}

// visit follows worksheet/sheetData/row/c, and v, f and is within c.
func (s *sheet) visit(within []string, token xml.Token) error {
	if len(within) < 3 || within[1] != "sheetData" || within[2] != "row" {
		return nil
	}
	if len(within) == 3 {
		switch t := token.(type) {
		case xml.StartElement:
			return s.beginRow(t)
		case xml.EndElement:
			return s.endRow()
		}
		return nil
	}
	if within[3] != "c" {
		return nil
	}
	switch t := token.(type) {
	case xml.StartElement:
		switch {
		case len(within) == 4:
			return s.beginCell(t)
		case len(within) == 5 && t.Name.Local == "f":
			s.cell.formula = true
		case len(within) == 5 && (t.Name.Local == "v" || t.Name.Local == "is"):
			s.cell.has = true
		}
	case xml.CharData:
		inner := within[4:]
		if slices.Equal(inner, []string{"v"}) || len(inner) > 1 && inner[0] == "is" && isText(inner[1:]) {
			if s.cell.value.Len()+len(t) > maxCellBytes {
				return longCell(s.row, s.cell.column)
			}
			s.cell.value.Write(t)
		}
	case xml.EndElement:
		if len(within) == 4 {
			return s.endCell()
		}
	}
	return nil
}

func (s *sheet) beginRow(e xml.StartElement) error {
	number := s.row + 1
	if r := attr(e, "r"); r != "" {
		n, err := strconv.Atoi(r)
		if err != nil || n < number || n > 1<<20 {
			return broken("its rows are out of order")
		}
		number = n
	}
	s.row, s.cell, s.now = number, cell{}, s.now[:0]
	return s.rows.scan(number)
}

func (s *sheet) beginCell(e xml.StartElement) error {
	column := s.cell.column + 1
	if r := attr(e, "r"); r != "" {
		n := columnNumber(strings.TrimRight(r, "0123456789"))
		if n < column || n > widest {
			return broken("the cells of row " + strconv.Itoa(s.row) + " are out of order")
		}
		column = n
	}
	s.cell = cell{open: true, column: column, kind: attr(e, "t"), style: attr(e, "s")}
	return nil
}

// columnNumber returns the number of a column, counted from 1, or 0 if the name is not a column's.
func columnNumber(name string) int {
	n := 0
	for _, c := range []byte(name) {
		if c < 'A' || c > 'Z' || n > widest {
			return 0
		}
		n = n*26 + int(c-'A') + 1
	}
	return n
}

func (s *sheet) endCell() error {
	c := &s.cell
	c.open = false
	raw := c.value.String()
	switch {
	case c.formula && c.kind != "str" && strings.TrimSpace(raw) == "": // a text may be empty
		return wrong(s.row, c.column, say.SheetFormulaUnsaved)
	case !c.has:
		return nil
	}
	kept := keptCell{column: c.column}
	var err error
	switch c.kind {
	case "s":
		kept.shared, err = s.refer(strings.TrimSpace(raw))
	case "str", "inlineStr":
		kept.value = unescapedXML(raw)
	case "b":
		kept.value = strconv.FormatBool(isTrue(strings.TrimSpace(raw)))
	case "e":
		err = wrong(s.row, c.column, say.SheetCellError(strings.TrimSpace(raw)))
	case "d": // as ISO 8601 writes it
		kept.value = strings.Replace(strings.TrimSuffix(strings.TrimSpace(raw), "T00:00:00"), "T", " ", 1)
	default:
		kept.value, kept.beside, err = s.number(strings.TrimSpace(raw))
	}
	if err != nil || kept.shared == nil && kept.value == "" {
		return err
	}
	if c.column > s.rows.limits.Columns {
		return wrong(s.row, c.column, say.SheetTooManyColumns(s.rows.limits.Columns))
	}
	if s.rows.text += len(kept.value); s.rows.text > maxText {
		return wrong(s.row, 0, say.SheetTooLarge(maxText>>20))
	}
	s.now = append(s.now, kept)
	return nil
}

func (s *sheet) refer(index string) (*text, error) {
	n, err := strconv.Atoi(index)
	if err != nil || n < 0 {
		return nil, broken("a cell refers to a text that is not there")
	}
	t := s.shared[n]
	if t == nil {
		t = &text{row: s.row, column: s.cell.column}
		s.shared[n] = t
	}
	return t, nil
}

// number returns a number or a date, and the text that a number's format shows beside it.
func (s *sheet) number(raw string) (value, beside string, err error) {
	if raw == "" {
		return "", "", nil
	}
	number, ok := plainNumber(raw)
	if !ok {
		return "", "", broken("a number in row " + strconv.Itoa(s.row) + " is none")
	}
	format := s.dates.of(s.cell.style)
	if format.shows == 0 {
		return number, format.text, nil
	}
	date, ok := s.dates.date(raw, format.shows)
	if !ok {
		return "", "", wrong(s.row, s.cell.column, say.SheetNumberNoDate(number))
	}
	return date, "", nil
}

func (s *sheet) endRow() error {
	if len(s.now) == 0 {
		return nil
	}
	if len(s.kept) > s.rows.limits.Rows {
		return tooMany(s.rows.limits.Rows)
	}
	s.kept = append(s.kept, keptRow{s.row, slices.Clone(s.now)})
	return nil
}

// deliver hands on the rows once the shared texts are known.
func (s *sheet) deliver() error {
	s.rows.scanned, s.rows.text = 0, 0
	for _, row := range s.kept {
		cells := make([]string, row.cells[len(row.cells)-1].column)
		var beside map[int]string
		for _, c := range row.cells {
			if c.beside != "" {
				if beside == nil {
					beside = map[int]string{}
				}
				beside[c.column-1] = c.beside
			}
			if c.shared != nil {
				c.value = c.shared.whole
			}
			cells[c.column-1] = c.value
		}
		if err := s.rows.add(row.number, cells); err != nil {
			return err
		}
		if last := len(s.rows.rows) - 1; last >= 0 && s.rows.rows[last].Number == row.number {
			s.rows.rows[last].Beside = beside
		}
	}
	return nil
}
