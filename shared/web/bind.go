package web

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

type binder func(r *Request, in reflect.Value, media []string, partial bool) error

// binderOf reads the tags of an input struct once. A field that it does not
// understand is a mistake in our code and stops the start.
func binderOf(t reflect.Type, path string) binder {
	var steps []binder
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Tag.Get("path") != "":
			steps = append(steps, pathStep(i, f.Type, placeOf(path, f.Tag.Get("path"))))
		case f.Tag.Get("query") != "":
			name := f.Tag.Get("query")
			steps = append(steps, func(r *Request, in reflect.Value, _ []string, _ bool) error {
				in.Field(i).SetString(r.Param(name))
				return nil
			})
		case f.Tag.Get("header") != "":
			name := f.Tag.Get("header")
			steps = append(steps, func(r *Request, in reflect.Value, _ []string, _ bool) error {
				in.Field(i).SetString(r.http.Header.Get(name))
				return nil
			})
		case f.Name == rowsField:
			limitOf(f) // what it holds is in the Body's step
		case f.Name == "Body":
			decode.Describe(f.Type)
			rows, hasRows := t.FieldByName(rowsField)
			steps = append(steps, func(r *Request, in reflect.Value, media []string, partial bool) error {
				tree, err := decode.Parse(r.http.Header.Get("Content-Type"), r.body, media)
				if err != nil {
					return err
				}
				if list, ok := tree.([]any); ok && hasRows {
					return r.bindRows(list, in.FieldByIndex(rows.Index), limitOf(rows))
				}
				r.sent = func() map[string]any { return decode.Outline(f.Type, tree) }
				if err := r.found(decode.StructIn(tree, in.Field(i).Addr().Interface(), partial, r.Zone())); err != nil {
					return err
				}
				return r.meant(tree)
			})
		default:
			panic("web: " + t.String() + "." + f.Name + " has no source")
		}
	}
	return func(r *Request, in reflect.Value, media []string, partial bool) error {
		for _, step := range steps {
			if err := step(r, in, media, partial); err != nil {
				return err
			}
		}
		return nil
	}
}

// rowsField is the field of an input that takes a body that is a list of what Body is.
const rowsField = "Rows"

// limitOf reads how many objects a list may have.
func limitOf(f reflect.StructField) int {
	n, err := strconv.Atoi(f.Tag.Get("maxItems"))
	if err != nil || n < 1 {
		panic("web: the list of a body has no limit")
	}
	return n
}

// bindRows reads a body that is a list of objects, each with errors of its own.
func (r *Request) bindRows(list []any, to reflect.Value, most int) error {
	switch {
	case len(list) == 0:
		return fault.Field(fault.NonField, say.EmptyList)
	case len(list) > most:
		return fault.Field(fault.NonField, say.TooManyItems(most))
	}
	if err := decode.Each(list, to.Addr().Interface(), r.Zone()); err != nil {
		return err
	}
	for i, row := range list {
		if _, ok := row.(map[string]any); !ok || r.Table == nil {
			continue // what is no object has its error already
		}
		if f, wrong := fault.As(r.otherCompany(row)); wrong {
			to.Index(i).Field(1).Set(reflect.ValueOf(f.Fields)) // of the Row
		}
	}
	return nil
}

// PathName returns the parameter of a path that a path tag means. The tag gives the
// parameter's name or, where many operations share an input, its position, counted from 1.
func PathName(path, tag string) string {
	return parameters(path)[placeOf(path, tag)]
}

// placeOf returns the position of the parameter that a path tag means, counted from 0.
func placeOf(path, tag string) int {
	names := parameters(path)
	place := slices.Index(names, tag)
	if n, err := strconv.Atoi(tag); err == nil {
		place = n - 1
	}
	if place < 0 || place >= len(names) {
		panic("web: " + path + " has no parameter " + tag)
	}
	return place
}

// pathStep takes a parameter of the path by its position, because several paths of one shape name theirs differently.
func pathStep(i int, t reflect.Type, place int) binder {
	of := func(r *Request) string { return chi.RouteContext(r.http.Context()).URLParams.Values[place] }
	switch kindOf(t) {
	case aNumber:
		return func(r *Request, in reflect.Value, _ []string, _ bool) error {
			id, ok := ParseID(of(r))
			if !ok {
				return fault.ErrNotFound
			}
			in.Field(i).SetInt(id)
			return nil
		}
	case aUUID:
		return func(r *Request, in reflect.Value, _ []string, _ bool) error {
			id, ok := parseUUID(of(r))
			if !ok {
				return fault.ErrNotFound
			}
			in.Field(i).Set(reflect.ValueOf(id))
			return nil
		}
	default:
		return func(r *Request, in reflect.Value, _ []string, _ bool) error {
			in.Field(i).SetString(of(r))
			return nil
		}
	}
}

// parseUUID reads a uuid in its usual form, of 36 characters, and in no other.
func parseUUID(s string) (uuid.UUID, bool) {
	id, err := uuid.Parse(s)
	return id, err == nil && len(s) == 36
}

// idDigits is the largest number of digits in an id. It is larger than the number of a record
// needs, because the id of a part of a record is composed of the record's number and the
// part's own (see table.SortID). An id below EndOfIDs always fits an int64. An id that no
// record can have is simply not found.
const (
	idDigits       = 18
	EndOfIDs int64 = 1_000_000_000_000_000_000 // 10 to the power of idDigits
)

// ParseID reads an id: digits only, above zero, without leading zeros.
func ParseID(s string) (int64, bool) {
	if !decode.IsDigits(s) || s[0] == '0' || len(s) > idDigits {
		return 0, false
	}
	id, err := strconv.ParseInt(s, 10, 64)
	return id, err == nil && id > 0
}
