package webtest

import (
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

// refusals checks the refusals of the platform's own groups. Groups that are made for a test have texts of their own.
func refusals(t testing.TB, groups []app.New) func(*fault.Error) {
	for _, g := range groups {
		if !strings.Contains(runtime.FuncForPC(reflect.ValueOf(g).Pointer()).Name(), "/functions/") {
			return nil
		}
	}
	return func(f *fault.Error) { Refusal(t, f) }
}

// Refusal checks that each text of a refusal is a row of the catalogue, so that it has a code and is said in each language, and that
// the member "code" is the code of that row. Texts that people have written, such as why a company was suspended, have no row.
func Refusal(t testing.TB, f *fault.Error) {
	t.Helper()
	code, coded := f.Members["code"].(string)
	switch {
	case f.Detail.Refuses() && coded && code != f.Detail.Code():
		t.Errorf("the refusal %v has the code %q, and its text %q", f, code, f.Detail.Code())
	case f.Detail != "" && !f.Detail.Refuses() && !coded:
		t.Errorf("the text of the refusal %v is no row of shared/say/catalogue that refuses", f)
	}
	if coded && say.Codes()[code] == nil {
		t.Errorf("the refusal %v has the code %q, which no row has", f, code)
	}
	refusalOfFields(t, f.Fields)
}

func refusalOfFields(t testing.TB, errs any) {
	t.Helper()
	switch errs := errs.(type) {
	case fault.FieldErrors:
		for _, e := range errs {
			refusalOfFields(t, e)
		}
	case []fault.FieldErrors:
		for _, row := range errs {
			refusalOfFields(t, row)
		}
	case []say.Message:
		for _, m := range errs {
			if !m.Refuses() {
				t.Errorf("the error %q of a field is no row of shared/say/catalogue that refuses", m)
			}
		}
	default:
		t.Errorf("the errors of a field are of the type %T", errs)
	}
}
