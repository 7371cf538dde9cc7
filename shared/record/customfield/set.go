package customfield

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Limits of definitions; see the package.
const (
	MaxDefinitions = 100
	MaxOptions     = 4 << 10  // bytes of JSON, of one definition
	MaxSize        = 16 << 10 // bytes of a key's item
)

const version = 1

// Definition is one custom field.
type Definition struct {
	ID          int64  `dynamo:"i"`
	Revision    int64  `dynamo:"r"` // counts its writes
	Name        string `dynamo:"n"`
	Label       string `dynamo:"l"`
	Placeholder string `dynamo:"p,omitempty"`
	Type        string `dynamo:"t"`
	Required    bool   `dynamo:"q,omitempty"`
	Table       bool   `dynamo:"b,omitempty"`
	Filter      bool   `dynamo:"f,omitempty"`
	Options     string `dynamo:"o,omitempty"` // JSON; "" is null
}

// Set is the definitions of one key of a company, as one stored item. The zero Set defines
// nothing.
//
// The sort key of the item is the key. The item stays when its last definition is removed, so
// that no revision number is used twice.
type Set struct {
	table.Item
	Revision int64        `dynamo:"r"` // counts the writes of the item; each write is conditional on it
	List     []Definition `dynamo:"d"` // in the order of their ids
}

// Empty is the set of a key that has no item yet.
func Empty(t *table.Tenant, key string) Set { return Set{Item: table.At(t.Definitions(key), version)} }

// Decode reads the item of a set; a missing item is a set without definitions.
func Decode(item table.Attributes) (s Set, err error) {
	if item == nil {
		return s, nil
	}
	err = item.Decode(&s)
	return s, err
}

// Read reads the set of a key consistently.
func Read(ctx context.Context, t *table.Tenant, key string) (s Set, err error) {
	err = t.Get(ctx, t.Definitions(key), &s)
	if errors.Is(err, table.ErrNotFound) {
		return Set{}, nil
	}
	return s, err
}

// ReadAll reads the sets of some keys consistently, in one call. A key without definitions has none.
func ReadAll(ctx context.Context, t *table.Tenant, keys ...string) ([]Set, error) {
	if len(keys) == 1 {
		s, err := Read(ctx, t, keys[0])
		return []Set{s}, err
	}
	at := make([]table.Key, len(keys))
	for i, key := range keys {
		at[i] = t.Definitions(key)
	}
	found, err := t.GetMany(ctx, at...)
	if err != nil {
		return nil, err
	}
	sets := make([]Set, 0, len(found))
	for _, key := range at {
		s, err := Decode(table.Attributes(found[key]))
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// Find returns the definition with an id, or nil.
func (s Set) Find(id int64) *Definition {
	for i := range s.List {
		if s.List[i].ID == id {
			return &s.List[i]
		}
	}
	return nil
}

// With is the next revision of the set, in which d is new or replaces its previous revision.
// The error is a fault.
func (s Set) With(d Definition) (Set, error) {
	next := s.Without(d.ID)
	if err := d.check(); err != nil {
		return s, err
	}
	if slices.ContainsFunc(next.List, func(other Definition) bool { return other.Name == d.Name }) {
		return s, fault.Field(fault.NonField, say.KeyNameNotUnique)
	}
	if len(next.List) >= MaxDefinitions {
		return s, fault.Field(fault.NonField, say.TooManyCustomFields(MaxDefinitions))
	}
	at, _ := slices.BinarySearchFunc(next.List, d.ID, func(other Definition, id int64) int { return int(other.ID - id) })
	next.List = slices.Insert(next.List, at, d)
	return next, nil
}

// Without is the next revision of the set, without the definition of an id.
func (s Set) Without(id int64) Set {
	s.Revision++
	s.List = slices.DeleteFunc(slices.Clone(s.List), func(d Definition) bool { return d.ID == id })
	return s
}

// Encode is the item of the set. If the item is too large the error is a fault.
func (s Set) Encode() (table.Attributes, error) {
	s.V = version
	item, err := dynamo.MarshalItem(s)
	if err != nil {
		return nil, fmt.Errorf("customfield: definitions of %s: %w", s.SK, err)
	}
	if table.Attributes(item).Size() > MaxSize {
		return nil, fault.Field(fault.NonField, say.CustomFieldsTooLarge(MaxSize>>10))
	}
	return item, nil
}

// check refuses a definition whose options can't be stored or used, and a definition that no
// record could ever satisfy.
func (d Definition) check() error {
	if len(d.Options) > MaxOptions {
		return fault.Field("options", say.TooManyBytes(MaxOptions))
	}
	if _, ok := d.choices(); !ok {
		return fault.Field("options", say.InvalidOptions)
	}
	if _, known := kinds.ByName(d.Type); d.Required && slices.Contains(references, d.Type) && !known {
		return fault.Field("required", say.TypeWithoutRecords(d.Type))
	}
	return nil
}

// choices are the values that a text is limited to; none if it may be any text. Only a list
// defines choices: other options, and options of other types, don't limit the value. ok is
// false for a list of anything but choices.
func (d Definition) choices() (values []string, ok bool) {
	if d.Type != typeString || d.Options == "" {
		return nil, true
	}
	tree, err := decode.Parse(decode.TypeJSON, []byte(d.Options), []string{decode.TypeJSON})
	if err != nil {
		return nil, false
	}
	list, ok := tree.([]any)
	if !ok {
		return nil, true
	}
	for _, choice := range list {
		if object, ok := choice.(map[string]any); ok {
			if label, labelled := object["label"]; labelled && !isText(label) {
				return nil, false
			}
			choice = object["value"]
		}
		value, ok := choice.(string)
		if !ok || value == "" {
			return nil, false
		}
		values = append(values, value)
	}
	return values, true
}

func isText(v any) bool { _, ok := v.(string); return ok }
