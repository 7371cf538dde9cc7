package sheets

import (
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/sheet"
	"github.com/tenantry/tenantry/shared/spelling"
)

// leftOut is what an import leaves out of what was sent, because no field is called so. A dry
// run and an import tell it alike, whether anything is wrong or not.
type leftOut struct {
	ignored []string // headers of a sheet, or names in rows of JSON
	similar []Similar
}

// Similar is a name that is left out and that is nearly the name of a field.
type Similar struct {
	Name   string  `json:"name" doc:"The header of the column, or the name in a row of JSON, as it was sent."`
	Column *string `json:"column" nullable:"true" doc:"The column's letter in spreadsheets; null without a sheet."`
	Meant  string  `json:"meant" doc:"The name that it was most likely meant to be."`
	Field  string  `json:"field" doc:"The field that this one sets."`
}

// mostUnknown is how many names of rows in JSON are told.
const mostUnknown = 256

// lists returns both lists as they are answered, never nil.
func (l leftOut) lists() ([]string, []Similar) {
	return append([]string{}, l.ignored...), append([]Similar{}, l.similar...)
}

// tell adds to a fault what is left out, if anything is: to one of what was sent, and to one of what other records have.
func (l leftOut) tell(err error) error {
	f, ok := fault.As(err)
	if !ok || f.Code != fault.Invalid && f.Code != fault.Conflict || len(l.ignored) == 0 {
		return err
	}
	ignored, similar := l.lists()
	return f.With("ignored", ignored).With("similar", similar)
}

// leftOut returns the headers that mean nothing. One that is nearly a header of a field is
// similar to it, unless another column is that field already.
func (h headers[T]) leftOut(known map[string]place[T], taken map[string]int, titles []string, unknown []int) (l leftOut) {
	free := map[string]place[T]{}
	for key, p := range known {
		if _, there := taken[p.path()]; !there && p.Refuse == nil {
			free[key] = p
		}
	}
	keys := slices.Collect(maps.Keys(free))
	for _, i := range unknown {
		title, column := strings.TrimSpace(titles[i]), sheet.ColumnName(i+1)
		l.ignored = append(l.ignored, title)
		if key, ok := spelling.Typo(headerKey(title), keys); ok && !h.isExported(title) {
			p := free[key]
			l.similar = append(l.similar, Similar{Name: title, Column: &column, Meant: p.title, Field: p.path()})
		}
	}
	return l
}

// isExported tells whether a header is that of a column for people, which imports leave out.
func (h headers[T]) isExported(title string) bool {
	return slices.ContainsFunc(h.exported, func(c Column[T]) bool {
		return c.ExportOnly && slices.ContainsFunc(append(spoken(c.Title), c.Field), func(known string) bool {
			return headerKey(known) == headerKey(title)
		})
	})
}

// sent adds the unknown names of a row of JSON to what is left out. fields are those of a row.
func (l *leftOut) sent(names, fields []string) {
	for _, name := range names {
		if len(l.ignored) == mostUnknown || slices.Contains(l.ignored, name) {
			continue
		}
		l.ignored = append(l.ignored, name)
		if field, ok := spelling.Typo(strings.ToLower(name), fields); ok {
			l.similar = append(l.similar, Similar{Name: name, Meant: field, Field: field})
		}
	}
}
