package sheets

import (
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/say"
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
	title  string  // the header that the import knows it by
}

func (p *place[T]) path() string {
	if p.custom != nil {
		return p.custom.path()
	}
	return p.Field
}

// holds says what the cells of the column hold.
func (p *place[T]) holds() Holds {
	if p.custom != nil {
		return holds(p.custom.Definition)
	}
	return p.Holds
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
	columns  []Column[T]
	custom   []custom
	others   []Column[T] // used unless a custom field has the same name
	exported []Column[T] // those of an export, some of which are for people
	need     []string    // fields that every row must have
	fits     func(found []Found) error
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
			add(c.Field, place[T]{Column: c, title: c.Title.In(say.English)})
			for _, header := range c.names() {
				add(header, place[T]{Column: c, title: header})
			}
		}
	}
	fields(h.columns)
	name, label := func(c custom) string { return c.Name }, func(c custom) string { return c.Label }
	for _, header := range []func(c custom) string{custom.path, name, label} {
		for i := range h.custom {
			add(header(h.custom[i]), place[T]{custom: &h.custom[i], title: header(h.custom[i])})
		}
	}
	fields(h.others)
	return known
}

// match finds the field of each column by its header. A column with an unknown header gets
// nil, and its header is left out. What is left out is returned with an error too.
func (h headers[T]) match(titles []string) (places []*place[T], left leftOut, err error) {
	known, taken := h.known(), map[string]int{}
	places = make([]*place[T], len(titles))
	var found []Found
	var unknown []int
	for i, title := range titles {
		p, ok := known[headerKey(title)]
		if rest, sign := headerSign(title); !ok && sign != "" {
			p, ok = known[headerKey(rest)]
			ok = ok && p.holds() == Amount
		}
		if !ok {
			if strings.TrimSpace(title) != "" {
				unknown = append(unknown, i)
			}
			continue
		}
		column := sheet.ColumnName(i + 1)
		if first, twice := taken[p.path()]; twice {
			if err == nil {
				err = BadFile(say.SheetColumnsRepeat(sheet.ColumnName(first+1), column, p.path()))
			}
			continue
		}
		taken[p.path()], places[i] = i, &p
		found = append(found, Found{Column: column, Header: quoted(title), Field: p.path(), Custom: p.custom != nil})
	}
	left = h.leftOut(known, taken, titles, unknown)
	if err != nil {
		return nil, left, err
	}
	if h.fits != nil {
		if err := h.fits(found); err != nil {
			return nil, left, err
		}
	}
	for _, field := range h.need {
		if _, ok := taken[field]; !ok {
			return nil, left, BadFile(say.SheetColumnMissing(h.titleOf(field), field, listed(titles))).With("headers", titles)
		}
	}
	return places, left, nil
}

// titleOf is the title of a field's column, or the label of a custom field; the path of a field that has neither.
func (h headers[T]) titleOf(path string) say.Message {
	for _, c := range h.columns {
		if c.Field == path {
			return c.Title
		}
	}
	for i := range h.custom {
		if h.custom[i].path() == path {
			return say.Message(h.custom[i].Label)
		}
	}
	return say.Message(path)
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
func BadFile(message say.Message) *fault.Error { return fault.Field("file", message) }

// longestHeader is how much of a header an error repeats, in characters, and
// mostHeaders how many headers.
const (
	longestHeader = 40
	mostHeaders   = 30
)

func listed(headers []string) say.Message {
	var shown []string
	for _, h := range headers {
		if h = strings.TrimSpace(h); h == "" {
			continue
		}
		if shown = append(shown, quoted(h)); len(shown) == mostHeaders {
			break
		}
	}
	if len(shown) == 0 {
		return say.SheetNoHeaders
	}
	return say.Message(strings.Join(shown, ", "))
}

// quoted is a header as an error repeats it.
func quoted(header string) string {
	return strconv.Quote(cut(strings.TrimSpace(header), longestHeader))
}

// cut is a text of at most so many characters, and an ellipsis where there are more.
func cut(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
