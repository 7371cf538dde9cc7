package texts

import (
	"os"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/phrases/catalogue"
	"github.com/tenantry/tenantry/infra/source"
)

// values are the functions that make messages of texts which people gave, or which are numbers.
var values = map[string]string{
	"functions/orders/order.signs":        "the name of a signer",
	"functions/orders/order.event":        "the name of a signer",
	"shared/fault/faulttest.english":      "messages that were said in English, for tests",
	"functions/orders/pricing.tariffText": "an amount",
	"functions/tenants/company.Mention":   "a company's host",
	"shared/web/resource/sheets.listed":   "headers of a sheet",
	"shared/web/resource/sheets.titleOf":  "the label of a custom field, and the name of a field that has no column",
	"shared/web/resource/sheets.title":    "the header of a column",
	"shared/web/resource/sheets.Sample":   "numbers, dates and names in templates",
}

func TestThePlatform(t *testing.T) {
	r, err := source.New(t.Context(), "functions/...", "shared/...")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := r.Packages()
	if err != nil {
		t.Fatal(err)
	}
	if len(ours) < 100 {
		t.Errorf("only %d packages", len(ours))
	}
	for _, fault := range Faults(r.Fset, ours, values) {
		t.Error(fault)
	}
	rows, err := catalogue.Read(os.DirFS("../../shared/say/catalogue"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, row := range rows {
		names[row.Name()] = row.ID
	}
	for _, id := range Unused(ours, names) {
		t.Errorf("no code says the row %s", id)
	}
}

// Each fault that the rules are there for is found, and nothing that is allowed.
func TestPlantedFaults(t *testing.T) {
	r, err := source.New(t.Context(), "shared/fault")
	if err != nil {
		t.Fatal(err)
	}
	for line, fault := range map[string]bool{
		`errs.Add("a", say.Required)`:                                          false,
		`errs.Add("a", say.TooLong(5))`:                                        false,
		`errs.Add("a", say.Named("required"))`:                                 false,
		`errs.Add("a", "")`:                                                    false, // none
		`errs.Add("a", say.Of(err))`:                                           false,
		`errs["a"] = []say.Message{say.Required}`:                              false,
		`_ = fault.New(fault.Conflict, cmp.Or(notice, say.CompanyClosed))`:     false,
		`_ = fault.New(fault.Conflict, say.Required).With("why", "some text")`: false,
		`errs.Add("a", "This is wrong.")`:                                      true,
		`errs.Add("a", text)`:                                                  true,
		`errs.Add("a", "This is " + text)`:                                     true,
		`errs.Add("a", say.Message("wrong"))`:                                  true,
		`errs.Add("a", say.Message(fmt.Sprintf("%d", 1)))`:                     true,
		`errs.Add("a", say.Message(err.Error()))`:                              true,
		`errs.Add("a", say.Required + say.Required)`:                           true,
		`errs.Add("a", say.Required + ".")`:                                    true,
		`errs.Add("a", say.Of(errors.New("wrong")))`:                           true,
		`errs["a"] = []say.Message{"This is wrong."}`:                          true,
		`errs["a"] = []string{"This is wrong."}`:                               true,
		`errs = fault.FieldErrors{"a": []string{"This is wrong."}}`:            true,
		`errs = fault.FieldErrors{"a": "This is wrong."}`:                      true,
		`_ = fault.New(fault.Conflict, "This is wrong.")`:                      true,
		`_ = fault.New(fault.Conflict, cmp.Or(notice, "This is wrong."))`:      true,
		`_ = fault.Error{Detail: "This is wrong."}`:                            true,
		`_ = fault.Field("a", "This is wrong.")`:                               true,
		`notice = "This is wrong."`:                                            true,
		`_ = map[int]say.Message{1: "This is wrong."}`:                         true,
		`_ = func() say.Message { return "This is wrong." }`:                   true,
	} {
		p, err := r.Planted(planted(line))
		if err != nil {
			t.Fatal(line, err)
		}
		if got := Faults(r.Fset, []source.Package{p}, nil); (len(got) > 0) != fault {
			t.Errorf("%s: %q", line, got)
		}
	}
	p, err := r.Planted(planted(`notice = say.Message(err.Error())`))
	if err != nil {
		t.Fatal(err)
	}
	if got := Faults(r.Fset, []source.Package{p}, map[string]string{"planted.planted": "a value"}); len(got) != 0 {
		t.Errorf("a value that may be said: %q", got)
	}
	if got := Faults(r.Fset, []source.Package{p}, map[string]string{"planted.planted": "a value", "planted.gone": "a value"}); len(got) != 1 {
		t.Errorf("a function that is not there: %q", got)
	}
}

func planted(line string) string {
	return `package planted
import ("cmp"; "errors"; "fmt"; "github.com/tenantry/tenantry/shared/fault"; "github.com/tenantry/tenantry/shared/say")
const text = "a text"
var _, _, _ = cmp.Compare[int], errors.New, fmt.Sprint
type body struct { A string ` + "`patternMessage:\"invalid_colour\"`" + ` }
func planted(errs fault.FieldErrors, err error, notice say.Message) { ` + line + " }\n"
}

func TestUnusedRowsAreFound(t *testing.T) {
	r, err := source.New(t.Context(), "shared/fault")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"Required": "required", "TooLong": "too_long", "InvalidColour": "invalid_colour", "Null": "null"}
	for line, unused := range map[string]string{
		``:                                     "null required too_long",
		`errs.Add("a", say.Required)`:          "null too_long",
		`errs.Add("a", say.TooLong(5))`:        "null required",
		`errs.Add("a", say.Named("null"))`:     "required too_long",
		`errs.Add("null", say.Named(text))`:    "null required too_long",
		`errs.Add("required", say.Of(err))`:    "null required too_long",
		`type t struct { Null, Required int }`: "null required too_long",
	} {
		p, err := r.Planted(planted(line))
		if err != nil {
			t.Fatal(line, err)
		}
		if got := strings.Join(Unused([]source.Package{p}, names), " "); got != unused {
			t.Errorf("%s: %q are unused, want %q", line, got, unused)
		}
	}
}
