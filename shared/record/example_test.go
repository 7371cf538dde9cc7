package record_test

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
)

// A place is a stored record: what every record carries, and its own fields under short names.
type place struct {
	record.Meta
	Name  string      `dynamo:"n"`
	City  *string     `dynamo:"ci,omitempty"`
	Extra decode.JSON `dynamo:"e"`
}

// places is the kind of places. It is declared when it is first asked for, once in a process.
func places() *record.Kind[*place] { return declared.Get(declare) }

var declared record.Declared[*place]

func declare() record.Kind[*place] {
	return record.Kind[*place]{
		Kind:    kinds.Of(kinds.RentalPoint),
		Name:    func(p *place) string { return p.Name },
		Shown:   func(p *place) any { return map[string]any{"name": p.Name, "city": p.City} },
		Columns: []column.Column[*place]{column.Text("city", "c", func(p *place) *string { return p.City }).Doc("Where it is")},
		Extras:  record.Free("rental_point", func(p *place) decode.JSON { return p.Extra }),
	}
}

// A kind says what is special about its records. Lists, search, history and unique values follow from that.
func ExampleKind() {
	fmt.Println(places().Kind.Path, places().IsSearched())
	for _, f := range places().Fields() {
		if !f.Hidden {
			fmt.Println(f.Name)
		}
	}
	// Output:
	// /v1/crm/rental_points/ true
	// id
	// created_at
	// updated_at
	// city
}

// move moves a place to another city, and leaves a new one where it was. It is a verb: it works in whichever unit of work it is given.
func move(ctx context.Context, w *record.Work, id int64, city string) error {
	p, err := places().Edit(ctx, w, id)
	if err != nil {
		return err // fault.ErrNotFound if no place has the id
	}
	left := places().Empty()
	left.Name, left.City, left.Extra = p.Name, p.City, decode.JSON("{}")
	places().Create(w, "", left)
	p.City = &city
	return nil
}

// A unit of work is decided by a function and written as one transaction, with the history. If another request was faster, it is decided
// anew.
func ExampleScope_Do() {
	renovate := func(ctx context.Context, s record.Scope) error {
		return s.Do(ctx, nil, func(w *record.Work) error {
			if err := move(ctx, w, 1, "Almaty"); err != nil {
				return err
			}
			return move(ctx, w, 2, "Astana")
		})
	}
	_ = renovate // a Scope comes from a request (resource.Scope) or a message
}
