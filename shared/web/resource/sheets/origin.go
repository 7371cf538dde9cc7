package sheets

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

// origin maps the path of each field of a row to its column in the sheet.
type origin map[string]column

// column is a column of a sheet: its letter in spreadsheets, and its header.
type column struct{ letter, header string }

// longestCell is how much of a cell's text is repeated, in characters: enough to find what was
// typed.
const longestCell = 100

// CellError describes what is wrong with one cell.
type CellError struct {
	Row     int         `json:"row" doc:"As the sheet counts."`
	Column  *string     `json:"column" nullable:"true" doc:"Its letter in spreadsheets; null if the sheet has no such column."`
	Title   say.Message `json:"title" doc:"What the column is called: by its header in the sheet, or by its own title if the sheet has no such column."`
	Field   string      `json:"field"`
	Cell    *string     `json:"cell" nullable:"true" doc:"What was typed, empty if nothing was; null if the sheet has no such column."`
	Code    string      `json:"code"`
	Message say.Message `json:"message"`
}

// errors returns the errors of a row, from its first column to its last, and then those of fields that the sheet has no column for.
// The map texts has what each cell holds, by its field. The function title names a field that the sheet has no column for.
func (o origin) errors(
	number int, errs fault.FieldErrors, texts map[string]string, title func(path string) say.Message,
) (list []CellError) {
	var add func(path string, e any)
	add = func(path string, e any) {
		switch e := e.(type) {
		case []say.Message:
			column, cell := o.cell(path, texts)
			for _, message := range e {
				list = append(list, CellError{
					Row: number, Column: column, Title: o.title(path, title), Field: path, Cell: cell,
					Code: codeOf(message), Message: message,
				})
			}
		case fault.FieldErrors:
			for _, name := range slices.Sorted(maps.Keys(e)) {
				inner := name
				if path != "" {
					inner = path + "." + name
				}
				add(inner, e[name])
			}
		case []fault.FieldErrors:
			for i, inner := range e {
				add(path+"."+strconv.Itoa(i), inner)
			}
		}
	}
	add("", errs)
	slices.SortStableFunc(list, func(a, b CellError) int { return across(a.Column, b.Column) })
	return list
}

// across compares columns as they stand in a sheet: Z is before AA, and what has no column is behind all.
func across(a, b *string) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Or(cmp.Compare(len(*a), len(*b)), cmp.Compare(*a, *b))
}

// codeOf is the code of a message, which tells programs what is wrong.
func codeOf(m say.Message) string { return cmp.Or(m.Code(), string(fault.Invalid)) }

// cell returns the column of a field and what its cell holds; nil if the sheet has no such column.
func (o origin) cell(path string, texts map[string]string) (column, text *string) {
	c, ok := o[path]
	if !ok {
		return nil, nil
	}
	s := texts[path]
	return &c.letter, &s
}

// title returns what the column of a field is called; other says so of one that the sheet has no column for.
func (o origin) title(path string, other func(path string) say.Message) say.Message {
	if c, ok := o[path]; ok {
		return say.Message(cut(strings.TrimSpace(c.header), longestHeader))
	}
	return other(path)
}
