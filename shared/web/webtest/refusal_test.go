package webtest

import (
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

// recorder is a test that notes whether it has failed.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(string, ...any) { r.failed = true }

// Each refusal without a row, or with another code than its row's, is found, and none that is right.
func TestRefusal(t *testing.T) {
	for name, c := range map[string]struct {
		of    *fault.Error
		wrong bool
	}{
		"a row":                     {fault.ErrNotFound, false},
		"a row with its code":       {fault.New(fault.Conflict, say.Held).Coded(), false},
		"a row with another code":   {fault.New(fault.Conflict, say.Held).With("code", "locked"), true},
		"a text":                    {fault.New(fault.Conflict, "Busy."), true},
		"a text of people":          {fault.New(fault.Forbidden, "The bill is open.").With("code", "suspended"), false},
		"a code that no row has":    {fault.New(fault.Forbidden, "The bill is open.").With("code", "nothing"), true},
		"what refuses nothing":      {fault.New(fault.Conflict, say.TitleInvalid), true},
		"a field":                   {fault.Field("a", say.Required), false},
		"a field's text":            {fault.Field("a", "Wrong."), true},
		"a field within another":    {(&fault.Error{Fields: fault.FieldErrors{"a": []fault.FieldErrors{{"b": []say.Message{"Wrong."}}}}}), true},
		"errors that are no errors": {(&fault.Error{Fields: fault.FieldErrors{"a": []string{"Wrong."}}}), true},
	} {
		r := &recorder{TB: t}
		if Refusal(r, c.of); r.failed != c.wrong {
			t.Errorf("%s: found %v", name, r.failed)
		}
	}
}
