package customfield_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/say"
)

// TestSettle: a date-time without an offset is the company's local time, and is stored as the moment that it is. All else is stored as
// it was sent.
func TestSettle(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	zone := func() (*time.Location, error) { asked++; return berlin, nil }
	set := customfield.Set{List: []customfield.Definition{{Name: "at", Type: "datetime"}, {Name: "b", Type: "datetime"}, {Name: "s", Type: "string"}}}
	gap := say.NoSuchTime("Europe/Berlin")
	for sent, want := range map[string]struct {
		stored string
		wrong  fault.FieldErrors
		asks   bool
	}{
		`{"at":"2026-01-10T09:00:00"}`:       {`{"at":"2026-01-10T08:00:00Z"}`, nil, true},
		`{"at":"2026-07-10 09:00"}`:          {`{"at":"2026-07-10T07:00:00Z"}`, nil, true},
		`{"at":"2026-07-10T09:00:00.25"}`:    {`{"at":"2026-07-10T07:00:00.250000Z"}`, nil, true},
		`{"at":"2026-10-25T02:30:00"}`:       {`{"at":"2026-10-25T00:30:00Z"}`, nil, true}, // of two the first
		`{"at":"2026-03-29T02:30:00","b":5}`: {`{"at":"2026-03-29T02:30:00","b":5}`, fault.FieldErrors{"at": []say.Message{gap}}, true},
		`{ "z" : 1.50 ,"at":"2026-01-10T09:00:00", "s":"2026-01-10T09:00:00","b" : "2026-01-11T09:00" ,"c":[ ]}`: {
			`{ "z" : 1.50 ,"at":"2026-01-10T08:00:00Z", "s":"2026-01-10T09:00:00","b" : "2026-01-11T08:00:00Z" ,"c":[ ]}`, nil, true,
		},
		`{"at":"2026-01-10T09:00:00+05:00"}`: {`{"at":"2026-01-10T09:00:00+05:00"}`, nil, false},
		`{"at":"2026-01-10"}`:                {`{"at":"2026-01-10"}`, nil, false},
		`{"at":null,"b":7}`:                  {`{"at":null,"b":7}`, nil, false},
		`{"s":"2026-01-10T09:00:00"}`:        {`{"s":"2026-01-10T09:00:00"}`, nil, false},
		`[]`:                                 {`[]`, nil, false},
		`null`:                               {`null`, nil, false},
		``:                                   {``, nil, false},
	} {
		asked = 0
		stored, wrong, err := set.Settle(decode.JSON(sent), zone)
		if err != nil || string(stored) != want.stored || len(wrong) != len(want.wrong) ||
			len(wrong) > 0 && !reflect.DeepEqual(wrong, want.wrong) || (asked > 0) != want.asks {
			t.Errorf("%s: %s, %v, %v, asked %d times", sent, stored, wrong, err, asked)
		}
	}
	const local = `{"at":"2026-01-10T09:00:00"}`
	if stored, wrong, err := set.Settle(decode.JSON(local), nil); string(stored) != local || wrong != nil || err != nil {
		t.Errorf("without a zone: %s %v %v", stored, wrong, err)
	}
	failed := errors.New("failed")
	if _, _, err := set.Settle(decode.JSON(local), func() (*time.Location, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
}
