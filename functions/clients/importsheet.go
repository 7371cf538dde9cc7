package clients

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/sheet"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	// maxRows is how many rows an import has at most.
	maxRows     = 1000
	tooManyRows = "Ensure this field has no more than 1000 elements."
	// maxColumns leaves room for every custom field beside our own columns.
	maxColumns = 256
)

// readSheet takes the rows out of a file.
func (a *attempt[In, Out]) readSheet(ctx context.Context, file decode.File) (err error) {
	if file.Data == nil {
		file.Data, file.Name, err = a.uploads.Read(ctx, a.r.Table, file.URI)
		if errors.Is(err, files.ErrTooLarge) {
			return badSheet("The file is larger than 25 MB.")
		}
		if err != nil {
			return err
		}
	}
	content, err := sheet.Read(file.Name, file.ContentType, file.Data, sheet.Limits{Rows: maxRows, Columns: maxColumns, MinColumns: 2})
	if err != nil {
		return refused(err)
	}
	if len(content.Rows) == 0 {
		return badData("This list may not be empty.")
	}
	var set table.Attributes
	err = a.r.Table.Get(ctx, a.r.Table.Definitions("client"), &set)
	if err != nil && !errors.Is(err, table.ErrNotFound) {
		return err
	}
	custom, err := customfield.Decode(set)
	if err != nil {
		return err
	}
	a.custom = &custom
	places, ignored, err := match(a.name, content.Header, custom)
	if err != nil {
		return err
	}
	a.origin, a.ignored = originOf(places), ignored
	a.rows = make([]row, len(content.Rows))
	for i, cells := range content.Rows {
		if a.rows[i], err = a.sheetRow(cells, places); err != nil {
			return err
		}
	}
	return nil
}

// refused is the fault of a file that is no sheet, or not one that can be read.
func refused(err error) error {
	var e *sheet.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Rows {
		return badData(tooManyRows)
	}
	f := badSheet(e.Error())
	if e.Row > 0 {
		f = f.With("row", e.Row)
	}
	if e.Column > 0 {
		f = f.With("column", sheet.ColumnName(e.Column))
	}
	return f
}

// sheetRow is a row of a sheet as a row of the import.
func (a *attempt[In, Out]) sheetRow(from sheet.Row, places []*place) (row, error) {
	sent, extra, kind := map[string]any{}, map[string]any{}, ""
	var foreign []string
	dates, customDates := fault.FieldErrors{}, fault.FieldErrors{}
	for i, p := range places {
		s := strings.TrimSpace(from.Cells[i])
		switch {
		case p == nil || s == "":
		case p.foreign:
			foreign = append(foreign, p.field)
		case p.custom != nil:
			extra[p.custom.Name] = customValue(p.custom, s)
			if problem := refusedDate(s); problem != "" && p.custom.Type == "date" {
				customDates.Add(p.custom.Name, problem)
			}
		case p.field == fieldType:
			kind = kindOf(s)
		default:
			sent[p.field] = p.is.value(s)
			if problem := refusedDate(s); problem != "" && p.is == date {
				dates.Add(p.field, problem)
			}
		}
	}
	if len(extra) > 0 {
		sent["extra"] = extra
	}
	var in decode.Row[In]
	if err := decode.Struct(sent, &in.Value, false); err != nil {
		f, ok := fault.As(err)
		if !ok {
			return row{}, err
		}
		in.Errors = f.Fields
	}
	r := a.row(from.Number, &in)
	maps.Copy(r.errs, dates) // instead of what the decoder says of them
	r.dates = customDates
	for _, field := range foreign {
		r.errs.Add(field, "Clients of the type "+a.name+" have no such field.")
	}
	if kind != "" && kind != a.name {
		r.errs.Add(fieldType, "This row is of another type than the import, which is of the type "+a.name+".")
	}
	return r, nil
}

// kindOf is the import that a type of clients belongs to, as people write it;
// "" where it can't be told.
func kindOf(s string) string {
	switch headerKey(s) {
	case "0", "individual", "физическоелицо", "физлицо", "жеке":
		return "individual"
	case "1", "legal", "legalentity", "юридическоелицо", "юрлицо":
		return "legal"
	}
	return ""
}

// origin is where the fields of rows stand in a sheet.
type origin struct{ columns map[string]string } // by path

func originOf(places []*place) *origin {
	o := &origin{columns: map[string]string{}}
	for i, p := range places {
		if p != nil {
			o.columns[p.path()] = sheet.ColumnName(i + 1)
		}
	}
	return o
}

// cellError is what is wrong with one cell.
type cellError struct {
	Row     int     `json:"row"`
	Column  *string `json:"column"` // as sheets name it; null where the sheet has no such column
	Field   string  `json:"field"`
	Message string  `json:"message"`
}

// errors are those of rows, cell by cell.
func (o *origin) errors(rows []row) []cellError {
	list := []cellError{}
	var add func(number int, path string, e any)
	add = func(number int, path string, e any) {
		switch e := e.(type) {
		case []string:
			for _, message := range e {
				list = append(list, cellError{Row: number, Column: orNull(o.columns[path]), Field: path, Message: message})
			}
		case fault.FieldErrors:
			names := make([]string, 0, len(e))
			for name := range e {
				names = append(names, name)
			}
			slices.Sort(names)
			for _, name := range names {
				inner := name
				if path != "" {
					inner = path + "." + name
				}
				add(number, inner, e[name])
			}
		}
	}
	for i := range rows {
		add(rows[i].number, "", rows[i].errs)
	}
	return list
}
