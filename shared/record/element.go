package record

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Element is what every element of a list inside a record carries; a stored element embeds it.
// Its revision counts its own writes; the revision of the record counts them too.
type Element struct {
	ID       int64         `dynamo:"id"`
	Revision int64         `dynamo:"r"`
	Created  moment.Micros `dynamo:"c"`
	Updated  moment.Micros `dynamo:"m"`
}

func (e *Element) element() *Element { return e }

// elementOf is the Element of a list element. It panics for a struct that embeds none, which is
// a mistake in our code.
func elementOf[E any](e *E) *Element { return any(e).(interface{ element() *Element }).element() } //nolint:forcetypeassert // see above

// ElementOf is what an element of a list carries.
func ElementOf[E any](e *E) Element { return *elementOf(e) }

// Limits of a list inside a record, because every read of the record reads the whole list.
const (
	MaxElements     = 50
	MaxElementBytes = 64 << 10 // of all elements, as they are stored
)

// Embedded is a list inside the records of a kind, whose elements are created, changed and
// removed one by one: such as the tariffs of a service. T is the record, E the element.
type Embedded[T Stored, E any] struct {
	In *Kind[T]
	// Numbers is the kind whose sequence gives the elements their ids. Lists of several kinds
	// may share it, so that, say, no two tariffs of a company have the same id.
	Numbers kinds.Kind
	// Of is the list in a record.
	Of func(rec T) *[]E
}

// Find returns an element of a record. The error is fault.ErrNotFound if the record has no such element.
func (l Embedded[T, E]) Find(rec T, id int64) (*E, error) {
	list := *l.Of(rec)
	if i := l.index(list, id); i >= 0 {
		return &list[i], nil
	}
	return nil, fault.ErrNotFound
}

func (l Embedded[T, E]) index(list []E, id int64) int {
	return slices.IndexFunc(list, func(e E) bool { return elementOf(&e).ID == id })
}

// Add adds a new element to a record that the unit of work edits. decide fills the element, and
// reports errors with Work.Errors; only an element without errors gets an id.
func (l Embedded[T, E]) Add(ctx context.Context, w *Work, rec T, decide func(e *E) error) (*E, error) {
	e, errs := new(E), w.Errors("")
	if err := decide(e); err != nil {
		return nil, err
	}
	list := append(slices.Clone(*l.Of(rec)), *e)
	if err := l.check(list, errs); err != nil {
		return nil, err
	}
	if err := w.Number(ctx); err != nil { // returns the errors, too
		return nil, err
	}
	id, err := w.next(ctx, l.Numbers.Code, 1)
	if err != nil {
		return nil, err
	}
	*elementOf(e) = Element{ID: id, Revision: 1, Created: w.scope.moment(), Updated: w.scope.moment()}
	list[len(list)-1] = *e
	*l.Of(rec) = list
	return &list[len(list)-1], nil
}

// Change changes an element of a record that the unit of work edits. change works on a copy;
// the element gets a new revision only if the copy differs from it afterwards.
func (l Embedded[T, E]) Change(w *Work, rec T, id int64, change func(e *E) error) (*E, error) {
	was, err := l.Find(rec, id)
	if err != nil {
		return nil, err
	}
	next, errs := *was, w.Errors("")
	if err := change(&next); err != nil {
		return nil, err
	}
	same, err := sameElement(was, &next)
	if same || err != nil {
		return was, err
	}
	m := elementOf(&next)
	*m = *elementOf(was)
	m.Revision, m.Updated = m.Revision+1, max(w.scope.moment(), m.Updated)
	list := slices.Clone(*l.Of(rec))
	at := l.index(list, id)
	list[at] = next
	*l.Of(rec) = list
	return &list[at], l.check(list, errs)
}

// Remove removes an element from a record that the unit of work edits.
func (l Embedded[T, E]) Remove(rec T, id int64) error {
	list := *l.Of(rec)
	at := l.index(list, id)
	if at < 0 {
		return fault.ErrNotFound
	}
	*l.Of(rec) = slices.Delete(slices.Clone(list), at, at+1)
	return nil
}

// CreatedAt is the time of creation, as answers show it.
func (e *Element) CreatedAt() string { return encode.Instant(e.Created.Time()) }

// UpdatedAt is the time of the last change, as answers show it.
func (e *Element) UpdatedAt() string { return encode.Instant(e.Updated.Time()) }

// Lists are the elements as the history of the record shows them: for Kind.Lists.
func (l Embedded[T, E]) Lists(name string, rec T, shown func(e *E) any) audit.Lists {
	list, views := *l.Of(rec), map[int64]any{}
	for i := range list {
		views[elementOf(&list[i]).ID] = shown(&list[i])
	}
	return audit.Lists{name: views}
}

// check refuses a list that is too long or too large.
func (l Embedded[T, E]) check(list []E, errs fault.FieldErrors) error {
	many := l.Numbers.Many
	if len(list) > MaxElements {
		errs.Add(fault.NonField, say.TooManyOfKind(MaxElements, many))
	}
	stored, err := dynamo.Marshal(list)
	if err != nil {
		return fmt.Errorf("record: elements: %w", err)
	}
	if (table.Attributes{"": stored}).Size() > MaxElementBytes {
		errs.Add(fault.NonField, say.ElementsTooLarge(many, MaxElementBytes>>10))
	}
	return nil
}

func sameElement[E any](a, b *E) (bool, error) {
	bare := *b
	*elementOf(&bare) = *elementOf(a)
	x, err := dynamo.MarshalItem(a)
	if err != nil {
		return false, fmt.Errorf("record: an element: %w", err)
	}
	y, err := dynamo.MarshalItem(&bare)
	return err == nil && reflect.DeepEqual(x, y), err
}
