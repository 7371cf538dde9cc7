package sheets

import (
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/sheet"
)

// custom is a custom field as a column.
type custom struct {
	*customfield.Definition
	field string // the free part of the record: "extra", "car.extra"
}

// path is the name of the custom field in errors.
func (c custom) path() string { return c.field + "." + c.Name }

// place is the field to which an import takes the cells of a column.
type place[T any] struct {
	Column[T]
	custom *custom // nil for a field of the row
}

func (p *place[T]) path() string {
	if p.custom != nil {
		return p.custom.path()
	}
	return p.Field
}

// Found is a column of a sheet whose header the import knows.
type Found struct {
	Column string // its letter in spreadsheets: "C"
	Header string // in quotes, and shortened if it is long
	Field  string
	Custom bool // it is a custom field
}

// headers are the headers that an import knows.
type headers[T any] struct {
	columns []Column[T]
	custom  []custom
	others  []Column[T] // used unless a custom field has the same name
	need    []string    // fields that every row must have
	fits    func(found []Found) error
}

// known returns the fields by the keys of their headers. A custom field can be named by its
// path, its name or its label.
func (h headers[T]) known() map[string]place[T] {
	known := map[string]place[T]{}
	add := func(header string, p place[T]) {
		if key := headerKey(header); key != "" {
			if _, taken := known[key]; !taken {
				known[key] = p
			}
		}
	}
	fields := func(columns []Column[T]) {
		for _, c := range columns {
			if c.ExportOnly {
				continue
			}
			for _, header := range append([]string{c.Field, c.English, c.Russian}, c.Also...) {
				add(header, place[T]{Column: c})
			}
		}
	}
	fields(h.columns)
	name, label := func(c custom) string { return c.Name }, func(c custom) string { return c.Label }
	for _, header := range []func(c custom) string{custom.path, name, label} {
		for i := range h.custom {
			add(header(h.custom[i]), place[T]{custom: &h.custom[i]})
		}
	}
	fields(h.others)
	return known
}

// match finds the field of each column by its header. A column with an unknown header gets
// nil, and its header is added to ignored.
func (h headers[T]) match(titles []string) (places []*place[T], ignored []string, err error) {
	known, taken := h.known(), map[string]int{}
	places, ignored = make([]*place[T], len(titles)), []string{}
	var found []Found
	for i, title := range titles {
		p, ok := known[headerKey(title)]
		if !ok {
			if title = strings.TrimSpace(title); title != "" {
				ignored = append(ignored, title)
			}
			continue
		}
		column := sheet.ColumnName(i + 1)
		if first, twice := taken[p.path()]; twice {
			return nil, nil, BadFile("Columns " + sheet.ColumnName(first+1) + " and " + column + " both are " + p.path() + ".")
		}
		taken[p.path()], places[i] = i, &p
		found = append(found, Found{Column: column, Header: listed(titles[i : i+1]), Field: p.path(), Custom: p.custom != nil})
	}
	if h.fits != nil {
		if err := h.fits(found); err != nil {
			return nil, nil, err
		}
	}
	for _, field := range h.need {
		if _, ok := taken[field]; !ok {
			return nil, nil, BadFile("No column is called "+field+". The headers are: "+listed(titles)+".").With("headers", titles)
		}
	}
	return places, ignored, nil
}

// titles returns a header for each custom field: its label, or its path if the label means
// another column too.
func (h headers[T]) titles() []string {
	known, titles := h.known(), make([]string, len(h.custom))
	for i, c := range h.custom {
		if titles[i] = c.path(); known[headerKey(c.Label)].custom == &h.custom[i] {
			titles[i] = c.Label
		}
	}
	return titles
}

// BadFile is the fault of a file that is refused as a whole.
func BadFile(message string) *fault.Error { return fault.Field("file", message) }

// longestHeader is how much of a header an error repeats, in characters, and
// mostHeaders how many headers.
const (
	longestHeader = 40
	mostHeaders   = 30
)

func listed(headers []string) string {
	var shown []string
	for _, h := range headers {
		if h = strings.TrimSpace(h); h == "" {
			continue
		}
		if runes := []rune(h); len(runes) > longestHeader {
			h = string(runes[:longestHeader]) + "…"
		}
		if shown = append(shown, strconv.Quote(h)); len(shown) == mostHeaders {
			break
		}
	}
	if len(shown) == 0 {
		return "none"
	}
	return strings.Join(shown, ", ")
}
