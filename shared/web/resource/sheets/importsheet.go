package sheets

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/sheet"
)

const (
	// maxRows is how many rows an import may have.
	maxRows = 1000
	// maxColumns leaves room for every custom field besides our own columns.
	maxColumns = 256
)

// custom returns the custom fields of the records as columns.
func (s *service[T]) custom(ctx context.Context, w *record.Work) (list []custom, err error) {
	paths := map[string]bool{}
	for _, e := range s.extras {
		item, err := w.Item(ctx, w.Scope().Table.Definitions(e.Key))
		if err != nil {
			return nil, err
		}
		set, err := customfield.Decode(item)
		if err != nil {
			return nil, err
		}
		for i := range set.List {
			if c := (custom{&set.List[i], e.Field}); !paths[c.path()] {
				list, paths[c.path()] = append(list, c), true
			}
		}
	}
	return list, nil
}

// readSheet reads the rows of a file.
func (a *attempt[T, V]) readSheet(ctx context.Context, file decode.File) (err error) {
	if file.Data == nil {
		file.Data, file.Name, err = a.uploads.Read(ctx, a.scope.Table, file.URI)
		if errors.Is(err, files.ErrTooLarge) {
			return BadFile(say.SheetFileTooLarge(uploads.MaxSize >> 20))
		}
		if err != nil {
			return err
		}
	}
	content, unread := sheet.Read(file.Name, file.ContentType, file.Data, sheet.Limits{Rows: maxRows, Columns: maxColumns, MinColumns: 2})
	if content.Header == nil {
		return refused(unread)
	}
	h := headers[T]{columns: a.columns, others: a.others, exported: a.exported, need: a.need, fits: a.fits}
	if h.custom, err = a.custom(ctx, a.read); err != nil {
		return err
	}
	for i := range h.custom {
		h.custom[i].field = a.field(h.custom[i].field)
	}
	a.title = h.titleOf
	places, left, err := h.match(content.Header)
	a.left, a.origin = left, origin{} // whatever is wrong, what is left out is told
	switch {
	case unread != nil:
		return refused(unread)
	case len(content.Rows) == 0:
		return badRows(say.SheetNoRows)
	case err != nil:
		return err
	}
	if err := a.checkSigns(ctx, places, content.Header); err != nil {
		return err
	}
	for i, p := range places {
		if p != nil {
			a.origin[p.path()] = column{sheet.ColumnName(i + 1), content.Header[i]}
		}
	}
	for _, cells := range content.Rows {
		if err := a.sheetRow(ctx, cells, places); err != nil {
			return err
		}
	}
	return nil
}

// refused returns the fault of a file that is not a sheet, or that can't be read.
func refused(err error) error {
	var e *sheet.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Rows {
		return badRows(say.SheetRowsTooMany(maxRows))
	}
	f := BadFile(e.Message())
	if e.Row > 0 {
		f = f.With("row", e.Row)
	}
	if e.Column > 0 {
		f = f.With("column", sheet.ColumnName(e.Column))
	}
	return f
}

// sheetRow adds a row of a sheet.
func (a *attempt[T, V]) sheetRow(ctx context.Context, from sheet.Row, places []*place[T]) error {
	sent, late, custom, texts := map[string]any{}, fault.FieldErrors{}, map[string]fault.FieldErrors{}, map[string]string{}
	for i, p := range places {
		s := strings.TrimSpace(from.Cells[i])
		if p == nil || s == "" {
			continue
		}
		texts[p.path()] = cut(s, longestCell)
		value, wrong, err := a.cell(ctx, p, s, from.Beside[i])
		if err != nil {
			return err
		}
		switch {
		case p.custom != nil:
			if custom[p.custom.field] == nil {
				custom[p.custom.field] = fault.FieldErrors{}
			}
			partAt(sent, p.custom.field)[p.custom.Name] = value
			if wrong != "" {
				custom[p.custom.field].Add(p.custom.Name, wrong)
			}
		case p.Refuse != nil:
			if message := p.Refuse(fmt.Sprint(value)); message != "" {
				late.AddAt(p.Field, message)
			}
		default:
			part, name := sent, p.Field
			if i := strings.LastIndexByte(name, '.'); i >= 0 {
				part, name = partAt(sent, name[:i]), name[i+1:]
			}
			part[name] = value
			if wrong != "" {
				late.AddAt(p.Field, wrong)
			}
		}
	}
	if err := a.addCells(from.Number, sent); err != nil {
		return err
	}
	r := &a.rows[len(a.rows)-1]
	replace(r.errs, late) // the decoder's messages about the same fields
	maps.DeleteFunc(custom, func(_ string, errs fault.FieldErrors) bool { return len(errs) == 0 })
	r.custom, r.texts = custom, texts
	return nil
}

// cell reads a cell, and says what is wrong with it if people can read it but we refuse it.
// beside is what the cell shows beside its number.
func (a *attempt[T, V]) cell(ctx context.Context, p *place[T], s, beside string) (read any, wrong say.Message, err error) {
	h := p.holds()
	switch {
	case h == Amount:
		return a.amount(ctx, s, beside, p.custom == nil)
	case p.custom != nil:
		read = value(h, s)
	default:
		read, wrong = p.read(s), p.refusedChoice(s)
	}
	if h == Date {
		wrong = refusedDate(s)
	}
	return read, wrong, nil
}

// replace puts errors in the place of those about the same fields.
func replace(errs, by fault.FieldErrors) {
	for name, e := range by {
		was, inWas := errs[name].(fault.FieldErrors)
		is, inIs := e.(fault.FieldErrors)
		if inWas && inIs {
			replace(was, is)
		} else {
			errs[name] = e
		}
	}
}

// partAt returns the object at a path of a row, and makes it if it does not exist.
func partAt(row map[string]any, path string) map[string]any {
	for name := range strings.SplitSeq(path, ".") {
		inner, ok := row[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			row[name] = inner
		}
		row = inner
	}
	return row
}
