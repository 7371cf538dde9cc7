package audit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/encode"
)

const (
	maxValue   = 2 << 10  // bytes of a value's JSON
	maxChanges = 64 << 10 // bytes of all values of an audit record
	minValue   = 128      // bytes; a smaller value is not longer than its digest
	maxDepth   = 4        // how deep the fields of nested objects are listed one by one
)

// null is the JSON of a field without a value.
const null = "null"

// unseen tells whether a field is left out of changes: its value says nothing about the change,
// as the history itself says when it happened.
func unseen(field string) bool {
	return field == "id" || field == "created_at" || field == "updated_at"
}

// View is what callers see of a record. It becomes a JSON object; without a record it is nil.
type View struct {
	Fields any
	Lists  Lists
}

// Lists are the elements of a record's lists, by the list's name and the element's id. A change
// names the element that it changed: "tarifs.3.price". An element that is new or removed is
// told as a whole.
type Lists map[string]map[int64]any

// diff returns the fields in which two views differ, ordered by name. If listing the fields of
// nested objects one by one would be too large, each nested object is one value.
func diff(before, after View) ([]Change, error) {
	for _, depth := range []int{maxDepth, 1} {
		changes, err := compare(before.Fields, after.Fields, depth)
		if err != nil {
			return nil, err
		}
		elements, err := compareLists(before.Lists, after.Lists, depth)
		if err != nil {
			return nil, err
		}
		changes = append(changes, elements...)
		if ok, err := bound(changes); ok || err != nil {
			return changes, err
		}
	}
	return nil, fmt.Errorf("audit: the fields of a view take more than %d bytes", maxChanges)
}

// compareLists compares the lists element by element, ordered by list name and element id.
func compareLists(before, after Lists, depth int) (changes []Change, err error) {
	for _, name := range union(before, after) {
		from, to := before[name], after[name]
		for _, id := range union(from, to) {
			was, is := from[id], to[id]
			path := name + "." + strconv.FormatInt(id, 10)
			if was == nil || is == nil {
				c, err := whole(path, was, is)
				if err != nil {
					return nil, err
				}
				changes = append(changes, c)
				continue
			}
			fields, err := compare(was, is, depth)
			if err != nil {
				return nil, err
			}
			for _, c := range fields {
				c.Field = path + "." + c.Field
				changes = append(changes, c)
			}
		}
	}
	return changes, nil
}

// union returns the keys of both maps, sorted.
func union[K cmp.Ordered, V any](a, b map[K]V) []K {
	all := maps.Clone(a)
	if all == nil {
		all = map[K]V{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// whole is the change of an element that is new or removed.
func whole(path string, was, is any) (c Change, err error) {
	c = Change{Field: path}
	if c.From, err = encode.JSON(was); err == nil {
		c.To, err = encode.JSON(is)
	}
	if err != nil {
		return c, fmt.Errorf("audit: encode: %w", err)
	}
	return c, nil
}

func compare(before, after any, depth int) ([]Change, error) {
	from, err := fields(before, depth)
	if err != nil {
		return nil, err
	}
	to, err := fields(after, depth)
	if err != nil {
		return nil, err
	}
	var changes []Change
	for name, value := range to {
		was, ok := from[name]
		if !ok {
			was = json.RawMessage(null)
		}
		if !bytes.Equal(was, value) && (ok || !isFilled(value, name, from)) {
			changes = append(changes, Change{Field: name, From: was, To: value})
		}
	}
	for name, was := range from {
		if _, ok := to[name]; !ok && string(was) != null && !isFilled(was, name, to) {
			changes = append(changes, Change{Field: name, From: was, To: json.RawMessage(null)})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Compare(a.Field, b.Field) })
	return changes, nil
}

// isFilled tells whether a value is an empty object that has fields in the other view. Then the
// changes of these fields already tell the difference.
func isFilled(value json.RawMessage, name string, other map[string]json.RawMessage) bool {
	if string(value) != "{}" {
		return false
	}
	for field := range other {
		if strings.HasPrefix(field, name+".") {
			return true
		}
	}
	return false
}

// fields splits a view into its values by field name. A field of a nested object has the
// object's name before its own.
func fields(view any, depth int) (map[string]json.RawMessage, error) {
	flat := map[string]json.RawMessage{}
	if view == nil {
		return flat, nil
	}
	encoded, err := encode.JSON(view)
	if err != nil {
		return nil, fmt.Errorf("audit: encode: %w", err)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &object); err != nil {
		return nil, fmt.Errorf("audit: a view is no object: %w", err)
	}
	for name, value := range object {
		if !unseen(name) {
			if err := flatten(flat, name, value, depth-1); err != nil {
				return nil, err
			}
		}
	}
	return flat, nil
}

func flatten(flat map[string]json.RawMessage, name string, value json.RawMessage, depth int) error {
	if depth > 0 && value[0] == '{' && len(value) > len("{}") {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(value, &object); err != nil {
			return fmt.Errorf("audit: %s: %w", name, err)
		}
		for inner, v := range object {
			if err := flatten(flat, name+"."+inner, v, depth-1); err != nil {
				return err
			}
		}
		return nil
	}
	flat[name] = value
	return nil
}

// bound replaces values that are too large by their digests: first values of more than maxValue
// bytes, and smaller ones too if all together take more than maxChanges. ok tells whether the
// changes then fit into maxChanges.
func bound(changes []Change) (ok bool, err error) {
	for most := maxValue; most >= minValue; most /= 2 {
		size := 0
		for i := range changes {
			c := &changes[i]
			if c.From, err = digest(c.From, most); err != nil {
				return false, err
			}
			if c.To, err = digest(c.To, most); err != nil {
				return false, err
			}
			size += len(c.From) + len(c.To) + 2*len(c.Field) + 32 // a name may be longer as JSON
		}
		if size <= maxChanges {
			return true, nil
		}
	}
	return false, nil
}

// large stands for a value that is too large to be stored.
type large struct {
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func digest(value json.RawMessage, most int) (json.RawMessage, error) {
	if len(value) <= most {
		return value, nil
	}
	sum := sha256.Sum256(value)
	short, err := encode.JSON(large{Bytes: len(value), SHA256: hex.EncodeToString(sum[:])})
	if err != nil {
		return nil, fmt.Errorf("audit: digest: %w", err)
	}
	return short, nil
}
