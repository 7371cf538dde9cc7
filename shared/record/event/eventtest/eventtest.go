// Package eventtest tests what a domain declares of its events.
//
// What never goes in here: which events there are.
package eventtest

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/record/event"
)

// usual is how many bytes the data of an event has at most as a rule.
const usual = 1 << 10

// Check checks the events that a domain declares: exactly the named ones, each with a sentence that says what it is, and an example
// that can be stored, whose fields all say what they are.
func Check(t *testing.T, samples []event.Sample, want ...event.Name) {
	t.Helper()
	names := make([]event.Name, len(samples))
	for i, s := range samples {
		names[i] = s.Event.Name()
		for _, problem := range problems(s) {
			t.Errorf("%s: %s", s.Event.Name(), problem)
		}
	}
	if !slices.Equal(names, want) {
		t.Errorf("the events %q, want %q", names, want)
	}
}

// form is how an event is called: its kind, perhaps a part of it, and a verb.
var form = regexp.MustCompile(`^[a-z_]+(\.[a-z_]+){1,2}$`)

func problems(s event.Sample) (list []string) {
	if !form.MatchString(string(s.Event.Name())) {
		list = append(list, "this is no name of an event")
	}
	if s.Event.Name().Kind().Code == "" {
		list = append(list, "its name begins with no kind")
	}
	for _, c := range []event.Change{event.Created, event.Updated, event.Deleted, event.Imported} {
		if s.Event.Name() == c.Of(s.Event.Name().Kind()) {
			list = append(list, "it comes by itself")
		}
	}
	if !isSentence(s.Doc) {
		list = append(list, "its doc is no sentence")
	}
	said, err := event.Say(s.Event)
	switch {
	case err != nil:
		list = append(list, err.Error())
	case len(said.Data) > usual:
		list = append(list, "its example has more than 1 KB")
	case said.ID == 0:
		list = append(list, "its example is about no record")
	}
	return append(list, undocumented(reflect.TypeOf(s.Event), "")...)
}

func isSentence(text string) bool { return begins(text) && strings.HasSuffix(text, ".") }

func begins(text string) bool { return text != "" && strings.ToUpper(text[:1]) == text[:1] }

// undocumented are the fields of a struct, and of those in it, that have no name in JSON or say nothing of themselves.
func undocumented(of reflect.Type, path string) (list []string) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[event.On]() {
		return nil
	}
	for field := range of.Fields() {
		at := path + field.Name
		switch name, _, _ := strings.Cut(field.Tag.Get("json"), ","); {
		case field.Anonymous:
			list = append(list, undocumented(field.Type, at+".")...)
		case !field.IsExported():
		case name == "" || name == "-" || strings.ToLower(name) != name:
			list = append(list, at+" has no name in JSON")
		case !begins(field.Tag.Get("doc")):
			list = append(list, at+" has no doc")
		case isOurs(field.Type):
			list = append(list, undocumented(field.Type, at+".")...)
		}
	}
	return list
}

// isOurs tells whether a type is a struct whose own fields are seen: one that writes its JSON by itself has none.
func isOurs(of reflect.Type) bool {
	_, writes := reflect.New(of).Interface().(interface{ MarshalJSON() ([]byte, error) })
	_, texts := reflect.New(of).Interface().(interface{ MarshalText() ([]byte, error) })
	return !writes && !texts
}
