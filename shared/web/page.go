package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
)

// Sizes of a page.
const (
	DefaultPageSize = 10
	MaxPageSize     = 1000
)

// ListInput is the query of every paginated list that can be searched.
type ListInput struct {
	Page     string `query:"page"`
	PageSize string `query:"pageSize"`
	Search   string `query:"search"`
	Ordering string `query:"ordering"`
}

// List is the envelope of every paginated list.
type List[T any] struct {
	Count    int     `json:"count"`
	Next     *string `json:"next" format:"uri"`
	Previous *string `json:"previous" format:"uri"`
	Results  []T     `json:"results"`
}

// paged marks lists: see Operation.paged.
func (List[T]) paged() {}

// Page is the page that a caller asks for.
type Page struct {
	Number int // from 1; 0 where Last
	Last   bool
	Size   int
}

// Offset is the number of records before the page, in a list of count records.
func (p Page) Offset(count int) int {
	if p.Last {
		return max(0, (count-1)/p.Size*p.Size)
	}
	return (p.Number - 1) * p.Size
}

// PageOf reads page and pageSize. It fails with ErrInvalidPage for a page that no list can
// have.
func (r *Request) PageOf() (Page, error) {
	p := Page{Number: 1, Size: DefaultPageSize}
	size := strings.TrimSpace(r.Param("pageSize"))
	if n, err := strconv.Atoi(size); err == nil && n > 0 {
		p.Size = min(n, MaxPageSize)
	} else if err != nil && decode.IsDigits(size) {
		p.Size = MaxPageSize // a number beyond an integer is still over the maximum
	}
	switch number := strings.TrimSpace(r.Param("page")); {
	case number == "last":
		p.Number, p.Last = 0, true
	case number == "":
	default:
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > 1_000_000_000_000/p.Size {
			return p, fault.ErrInvalidPage
		}
		p.Number = n
	}
	return p, nil
}

// Envelope puts one page of a list into its envelope. It fails with ErrInvalidPage for a page
// past the end, except for the first page of an empty list.
func Envelope[T any](r *Request, p Page, count int, results []T) (List[T], error) {
	offset := p.Offset(count)
	number := offset/p.Size + 1
	if number > 1 && offset >= count {
		return List[T]{}, fault.ErrInvalidPage
	}
	list := List[T]{Count: count, Results: results}
	if list.Results == nil {
		list.Results = []T{}
	}
	if offset+p.Size < count {
		list.Next = r.pageURL(number + 1)
	}
	if number > 1 {
		list.Previous = r.pageURL(number - 1)
	}
	return list, nil
}

// pageURL returns the URL of the request with another page. As in Django REST Framework, page
// 1 has no parameter.
func (r *Request) pageURL(number int) *string {
	query := make(url.Values, len(r.query)+1)
	for k, v := range r.query {
		query[k] = v
	}
	if number == 1 {
		query.Del("page")
	} else {
		query.Set("page", strconv.Itoa(number))
	}
	u := r.BaseURL + (&url.URL{Path: r.path}).EscapedPath()
	if len(query) > 0 {
		u += "?" + query.Encode()
	}
	return &u
}

// Ordering reads the ordering parameter: names of fields, each with a direction. Unknown names
// are ignored.
func (r *Request) Ordering(known ...string) []Order {
	var list []Order
	for term := range strings.SplitSeq(r.Param("ordering"), ",") {
		name, desc := strings.CutPrefix(strings.TrimSpace(term), "-")
		// A field that is named again changes nothing, but costs a comparison each time.
		if slices.Contains(known, name) && !slices.ContainsFunc(list, func(o Order) bool { return o.Field == name }) {
			list = append(list, Order{Field: name, Desc: desc})
		}
	}
	return list
}

// Order is one term of an ordering.
type Order struct {
	Field string
	Desc  bool
}
