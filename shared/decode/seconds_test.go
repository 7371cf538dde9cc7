package decode_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
)

type lease struct {
	Grace  decode.Optional[moment.Seconds]   `json:"grace" minimum:"0" maximum:"3600"`
	Length decode.Optional[moment.Seconds]   `json:"length" nullable:"true"`
	Steps  decode.Optional[[]moment.Seconds] `json:"steps" maxItems:"2" minimum:"1"`
}

// lengths is a lease whose lengths of time are plain integers.
type lengths struct {
	Grace  decode.Optional[int64]   `json:"grace" minimum:"0" maximum:"3600"`
	Length decode.Optional[int64]   `json:"length" nullable:"true"`
	Steps  decode.Optional[[]int64] `json:"steps" maxItems:"2" minimum:"1"`
}

// Seconds are taken and refused exactly as integers are, and described so.
func TestSecondsAreIntegers(t *testing.T) {
	answer := func(err error, fields ...any) string {
		if f, ok := fault.As(err); ok {
			return unescaped(t, f.Fields)
		}
		return fmt.Sprint(fields...)
	}
	for body, want := range map[string]string{
		`{}`:                            `{false false 0} {false false 0} {false false []}`,
		`{"grace":60,"length":null}`:    `{true false 60} {true true 0} {false false []}`,
		`{"grace":"60","length":1e3}`:   `{true false 60} {true false 1000} {false false []}`,
		`{"steps":[1,"2"],"length":-1}`: `{false false 0} {true false -1} {true false [1 2]}`,
		`{"grace":-1}`:                  `{"grace":["Ensure this value is greater than or equal to 0."]}`,
		`{"grace":3601}`:                `{"grace":["Ensure this value is less than or equal to 3600."]}`,
		`{"grace":1.5}`:                 `{"grace":["A valid integer is required."]}`,
		`{"grace":"00:01:00"}`:          `{"grace":["A valid integer is required."]}`,
		`{"grace":null}`:                `{"grace":["This field may not be null."]}`,
		`{"steps":[0]}`:                 `{"steps":{"0":["Ensure this value is greater than or equal to 1."]}}`,
		`{"steps":[1,2,3]}`:             `{"steps":["Ensure this field has no more than 2 elements."]}`,
	} {
		var l lease
		var n lengths
		err := decode.Struct(parse(t, body), &l, false)
		if got := answer(err, l.Grace, l.Length, l.Steps); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
		err = decode.Struct(parse(t, body), &n, false)
		if got := answer(err, n.Grace, n.Length, n.Steps); got != want {
			t.Errorf("%s as integers: %s, want %s", body, got, want)
		}
	}
	seconds, integers := decode.Describe(reflect.TypeFor[lease]()), decode.Describe(reflect.TypeFor[lengths]())
	if !reflect.DeepEqual(seconds, integers) {
		t.Errorf("described as %+v, want %+v", seconds, integers)
	}
}

type count int64

// No other integer with a name is taken: a moment is sent as a date-time, a time.Duration as a decode.Duration.
func TestOtherIntegersAreRefused(t *testing.T) {
	for name, body := range map[string]any{
		"a moment": struct {
			A decode.Optional[moment.Micros] `json:"a"`
		}{},
		"a duration of the library": struct {
			A decode.Optional[time.Duration] `json:"a"`
		}{},
		"any other": struct {
			A decode.Optional[count] `json:"a"`
		}{},
		"a list of moments": struct {
			A decode.Optional[[]moment.Micros] `json:"a"`
		}{},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("taken")
				}
			}()
			decode.Describe(reflect.TypeOf(body))
		})
	}
}
