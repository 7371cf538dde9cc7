package search

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table"
)

// custom holds columns of custom fields, by the names of the fields. Those of one name have different classes.
type custom map[string]segment.Shape

// all are the columns, by the names of the fields and by their letters.
func (c custom) all() (columns segment.Shape) {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		columns = append(columns, c[name]...)
	}
	return columns
}

// with returns the kind with columns of custom fields.
func (k Kind) with(columns segment.Shape) Kind {
	if k.custom = nil; len(columns) == 0 {
		return k
	}
	of := custom{}
	for _, c := range columns {
		if _, name, ok := customfield.Named(c.Letter); ok && !slices.Contains(of[name], c) {
			of[name] = append(of[name], c)
			slices.SortFunc(of[name], func(a, b segment.Column) int { return strings.Compare(a.Letter, b.Letter) })
		}
	}
	values := k.Values
	k.custom, k.Values = of, func(item table.Attributes) (Values, error) {
		v, err := values(item)
		for name, scalar := range customfield.Scalars(v.Extra, v.Within) {
			of.put(name, scalar, &v)
		}
		return v, err
	}
	return k
}

// shape returns all columns: first the kind's own, then the custom fields'.
func (k Kind) shape() segment.Shape {
	return append(slices.Clip(k.Shape), k.custom.all()...)
}

// customs is a fingerprint of the columns of custom fields. Without such columns it is 0.
func (k Kind) customs() uint32 {
	if len(k.custom) == 0 {
		return 0
	}
	h := fnv.New32a()
	for _, c := range k.custom.all() {
		_, _ = h.Write(append([]byte(c.Letter), 0)) // a hash takes everything
	}
	return h.Sum32()
}

// put adds the value of a field of a free part to the field's columns.
func (c custom) put(name string, scalar any, v *Values) {
	for _, column := range c[name] {
		class, _, _ := customfield.Named(column.Letter)
		if text, ok := class.Text(scalar); ok {
			v.Texts[column.Letter] = Searchable(text)
		} else if n, ok := class.Number(scalar); ok {
			v.Numbers[column.Letter] = n
		}
	}
}

// asked returns the columns of the custom fields that a query names.
func asked(q Query) (columns segment.Shape) {
	add := func(letter string) {
		if class, _, ok := customfield.Named(letter); ok {
			columns = append(columns, segment.Column{Letter: letter, Text: class == customfield.ClassText})
		}
	}
	for _, by := range q.Order {
		add(by.Field)
	}
	var all func(where []segment.Condition)
	all = func(where []segment.Condition) {
		for _, c := range where {
			add(c.Field)
			all(c.Any)
		}
	}
	all(q.Where)
	return columns
}

// defined reads which custom fields a company has defined for a kind, and returns their columns.
func defined(ctx context.Context, t *table.Tenant, kind kinds.Code) (segment.Shape, error) {
	keys := kinds.Of(kind).Fields
	if len(keys) == 0 {
		return nil, nil
	}
	sets, err := customfield.ReadAll(ctx, t, keys...)
	return customfield.Columns(sets...), err
}

// mostScalars is how many bytes of scalars an entry has at most, so that it stays small. If a record has more, its entry leaves all of
// them out, and a query that asks for custom fields reads the record.
const mostScalars = 512

// The first byte of a stored scalar that is no number.
const (
	scalarText  = '"'
	scalarTrue  = 't'
	scalarFalse = 'f'
)

// The byte before the scalars of an entry.
const (
	without = 0 // they take too many bytes; nothing follows
	within  = 1
)

// appendScalars appends the scalars of free parts: their number, then the name and the value of each. They don't depend on which
// custom fields there are, so that a field which is defined later finds them.
func appendScalars(b []byte, v Values) []byte {
	scalars := customfield.Scalars(v.Extra, v.Within)
	packed := binary.AppendUvarint([]byte{within}, uint64(len(scalars)))
	for _, name := range slices.Sorted(maps.Keys(scalars)) {
		packed = appendText(packed, []byte(name))
		switch scalar := scalars[name].(type) {
		case string:
			packed = appendText(packed, append([]byte{scalarText}, scalar...))
		case json.Number:
			packed = appendText(packed, []byte(scalar))
		case bool:
			packed = appendText(packed, []byte{map[bool]byte{true: scalarTrue, false: scalarFalse}[scalar]})
		}
	}
	if len(packed) > mostScalars {
		return append(b, without)
	}
	return append(b, packed...)
}

// scalars reads the scalars and adds those that are columns. whole is false if the entry lacks them and they are asked for.
func (r *unpacker) scalars(of custom, v *Values) (whole bool) {
	if flag := r.skip(1); len(flag) == 1 && flag[0] == without {
		return len(of) == 0
	}
	for range r.count() {
		name, packed := r.text(), r.text()
		if len(of) == 0 || len(packed) == 0 {
			continue
		}
		var scalar any = json.Number(packed)
		switch packed[0] {
		case scalarText:
			scalar = string(packed[1:])
		case scalarTrue, scalarFalse:
			scalar = packed[0] == scalarTrue
		}
		of.put(string(name), scalar, v)
	}
	return true
}
