package fault

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/say"
)

// AddAt adds an error at a path. A dot is a step into an object or a list: "individual.iin",
// "data.3.name". "types.2" is a value in a list of scalars, and "data.3.non_field_errors" an
// object in a list as a whole.
func (f FieldErrors) AddAt(path string, message say.Message) {
	object, field := f.walk(path)
	object.Add(field, message)
}

// At returns the errors of the object at a path, to add to them; "" is the whole body. If
// something on the way has an error as a whole, what is added is dropped.
func (f FieldErrors) At(path string) FieldErrors {
	if path == "" {
		return f
	}
	object, _ := f.walk(path + ".")
	return object
}

// Has tells whether there is an error at a path, inside of it, or in an object or list around
// it as a whole. A rule that needs the value at that path then can't be applied.
func (f FieldErrors) Has(path string) bool {
	field, rest, nested := strings.Cut(path, ".")
	if !nested {
		return isWrong(f[field])
	}
	switch e := f[field].(type) {
	case []say.Message:
		return true
	case FieldErrors:
		return isWrong(e[NonField]) || e.Has(rest)
	case []FieldErrors:
		step, after, deeper := strings.Cut(rest, ".")
		i, err := strconv.Atoi(step)
		switch {
		case err != nil || i < 0 || i >= len(e):
			return false
		case !deeper:
			return e[i].Any()
		}
		return isWrong(e[i][NonField]) || e[i].Has(after)
	}
	return false
}

// Merge adds errors to the errors of the object at a path; "" is the whole body. The names in errs are not paths,
// because a caller may have chosen a name with dots.
func (f FieldErrors) Merge(path string, errs FieldErrors) {
	if errs.Any() {
		f.At(path).merge(errs)
	}
}

func (f FieldErrors) merge(errs FieldErrors) {
	for name, e := range errs {
		switch e := e.(type) {
		case []say.Message:
			if !isWrong(f[name]) {
				f[name] = e
			}
		case FieldErrors:
			if e.Any() {
				f.inner(name).merge(e)
			}
		case []FieldErrors:
			for i, row := range e {
				f.element(name, i).merge(row)
			}
		}
	}
}

// InStep gives the errors the shape of the body that was sent: a list of objects has as many
// entries of errors as objects, with {} for an object without errors.
func (f FieldErrors) InStep(sent map[string]any) FieldErrors {
	shaped := make(FieldErrors, len(f))
	for name, e := range f {
		shaped[name] = inStep(e, sent[name])
	}
	return shaped
}

func inStep(errs, sent any) any {
	object, _ := sent.(map[string]any)
	list, _ := sent.([]any)
	switch errs := errs.(type) {
	case FieldErrors:
		if ofElements(errs) && slices.ContainsFunc(list, isObject) {
			return inStep(rows(errs), list)
		}
		return errs.InStep(object)
	case []FieldErrors:
		shaped := make([]FieldErrors, max(len(errs), len(list)))
		for i := range shaped {
			var row map[string]any
			if i < len(list) {
				row, _ = list[i].(map[string]any)
			}
			shaped[i] = FieldErrors{}
			if i < len(errs) {
				shaped[i] = errs[i].InStep(row)
			}
		}
		return shaped
	}
	return errs
}

func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// walk returns the object that a path leads to, and the last step of the path. If something on
// the way has an error as a whole, it returns a detached object.
func (f FieldErrors) walk(path string) (object FieldErrors, field string) {
	field, rest, nested := strings.Cut(path, ".")
	if !nested {
		return f, field
	}
	step, after, deeper := strings.Cut(rest, ".")
	i, err := strconv.Atoi(step)
	switch _, isList := f[field].([]FieldErrors); {
	case err != nil || i < 0:
		return f.inner(field).walk(rest)
	case deeper:
		return f.element(field, i).walk(after)
	case isList:
		return f.element(field, i), NonField
	}
	return f.inner(field), step
}

// inner returns the errors of a nested object, or of a list of scalars.
func (f FieldErrors) inner(field string) FieldErrors {
	switch e := f[field].(type) {
	case FieldErrors:
		return e
	case nil:
		inner := FieldErrors{}
		f[field] = inner
		return inner
	}
	return FieldErrors{}
}

// element returns the errors of an object in a list.
func (f FieldErrors) element(field string, i int) FieldErrors {
	list, ok := f[field].([]FieldErrors)
	if whole, is := f[field].(FieldErrors); is && (!whole.Any() || ofElements(whole)) {
		list, ok = rows(whole), true
	}
	if !ok && isWrong(f[field]) {
		return FieldErrors{}
	}
	for len(list) <= i {
		list = append(list, FieldErrors{})
	}
	f[field] = list
	return list[i]
}

// mostElements is the largest number that is taken as an index, because a caller may have
// chosen a number as a name.
const mostElements = 10_000

// ofElements tells whether errors belong to the elements of a list: then their names are indexes.
func ofElements(errs FieldErrors) bool {
	for name := range errs {
		if i, err := strconv.Atoi(name); err != nil || i < 0 || i >= mostElements {
			return false
		}
	}
	return len(errs) > 0
}

// rows converts errors by index into a list, with the errors of each object in its place.
func rows(errs FieldErrors) (list []FieldErrors) {
	for name, e := range errs {
		i, _ := strconv.Atoi(name) // see ofElements
		for len(list) <= i {
			list = append(list, FieldErrors{})
		}
		if inner, ok := e.(FieldErrors); ok {
			list[i] = inner
		} else {
			list[i][NonField] = e
		}
	}
	return list
}

// tidy removes the entries that At has made and that nothing was added to.
func (f FieldErrors) tidy() FieldErrors {
	clean := maps.Clone(f)
	maps.DeleteFunc(clean, func(_ string, e any) bool { return !isWrong(e) })
	for name, e := range clean {
		switch e := e.(type) {
		case FieldErrors:
			clean[name] = e.tidy()
		case []FieldErrors:
			list := make([]FieldErrors, len(e))
			for i := range e {
				list[i] = e[i].tidy()
			}
			clean[name] = list
		}
	}
	return clean
}
