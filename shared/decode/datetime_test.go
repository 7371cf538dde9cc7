package decode_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// Clocks leave hours out and show others twice. Almaty did the latter on 2024-03-01,
// when it went from six hours ahead to five.
func TestLocalTimes(t *testing.T) {
	for _, tt := range []struct{ name, zone, wall, want string }{
		{"before the change", "Asia/Almaty", "2024-02-29T22:59:59.999999", "2024-02-29T16:59:59.999999Z"},
		{"the first of two", "Asia/Almaty", "2024-02-29T23:00:00", "2024-02-29T17:00:00Z"},
		{"the first of two, at the end", "Asia/Almaty", "2024-02-29T23:59:59", "2024-02-29T17:59:59Z"},
		{"after the change", "Asia/Almaty", "2024-03-01T00:00:00", "2024-02-29T19:00:00Z"},
		{"long after the change", "Asia/Almaty", "2026-07-01T10:00:00", "2026-07-01T05:00:00Z"},
		{"before a gap", "Europe/Berlin", "2024-03-31T01:59:59", "2024-03-31T00:59:59Z"},
		{"the beginning of a gap", "Europe/Berlin", "2024-03-31T02:00:00", ""},
		{"the end of a gap", "Europe/Berlin", "2024-03-31T02:59:59.999999", ""},
		{"after a gap", "Europe/Berlin", "2024-03-31T03:00:00", "2024-03-31T01:00:00Z"},
		{"before a fold", "Europe/Berlin", "2024-10-27T01:59:59", "2024-10-26T23:59:59Z"},
		{"the beginning of a fold", "Europe/Berlin", "2024-10-27T02:00:00", "2024-10-27T00:00:00Z"},
		{"the end of a fold", "Europe/Berlin", "2024-10-27T02:59:59", "2024-10-27T00:59:59Z"},
		{"after a fold", "Europe/Berlin", "2024-10-27T03:00:00", "2024-10-27T02:00:00Z"},
		{"half an hour", "Australia/Lord_Howe", "2024-10-06T02:15:00", ""},
		{"half an hour twice", "Australia/Lord_Howe", "2024-04-07T01:45:00", "2024-04-06T14:45:00Z"},
		{"a day left out", "Pacific/Apia", "2011-12-30T12:00:00", ""},
		{"no changes at all", "UTC", "2024-03-31T02:00:00", "2024-03-31T02:00:00Z"},
		{"before all changes", "Europe/Berlin", "1800-01-01T00:53:28", "1800-01-01T00:00:00Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wall, err := time.Parse("2006-01-02T15:04:05", tt.wall)
			if err != nil {
				t.Fatal(err)
			}
			at, ok := decode.Local(wall, zone(t, tt.zone))
			if got := at.UTC().Format(time.RFC3339Nano); ok != (tt.want != "") || ok && got != tt.want {
				t.Errorf("got %s, %v, want %s", got, ok, tt.want)
			}
		})
	}
}

// Every minute of two years around the changes of each zone is a time or is left out,
// as the clocks that show it say.
func TestLocalTimesAreWhatClocksShow(t *testing.T) {
	for _, name := range []string{"Asia/Almaty", "Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns", "Africa/Casablanca"} {
		z, first := zone(t, name), map[string]time.Time{}
		from := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
		for at := from; at.Year() < 2025; at = at.Add(15 * time.Minute) {
			shown := at.In(z).Format("2006-01-02T15:04")
			if _, twice := first[shown]; !twice {
				first[shown] = at
			}
		}
		for wall := from.AddDate(0, 0, 2); wall.Before(from.AddDate(0, 11, 20)); wall = wall.Add(15 * time.Minute) {
			want, shown := first[wall.Format("2006-01-02T15:04")]
			if got, ok := decode.Local(wall, z); ok != shown || ok && !got.Equal(want) {
				t.Fatalf("%s: %s is %s, %v, want %s, %v", name, wall, got, ok, want, shown)
			}
		}
	}
}

type visit struct {
	At    decode.Optional[decode.DateTime]         `json:"at" nullable:"true"`
	Times decode.Optional[[]decode.DateTime]       `json:"times"`
	Lines decode.Optional[[]visitLine]             `json:"lines"`
	Rows  decode.Optional[[]decode.Row[visitLine]] `json:"rows"`
}

type visitLine struct {
	At decode.Optional[decode.DateTime] `json:"at"`
}

func TestDateTimesOfACompany(t *testing.T) {
	bad := say.InvalidDatetime.Error()
	const gap = `Invalid datetime for the timezone \"Europe/Berlin\".`
	for _, tt := range []struct {
		name, body, want string
		asked            int
	}{
		{"with an offset", `{"at":"2024-07-01T12:00:00.5+05:00"}`, `"2024-07-01T07:00:00.500000Z"`, 0},
		{"in UTC", `{"at":"2024-07-01 12:00Z"}`, `"2024-07-01T12:00:00Z"`, 0},
		{"local", `{"at":"2024-07-01T12:00"}`, `"2024-07-01T10:00:00Z"`, 1},
		{"local twice", `{"at":"2024-07-01T12:00:00","times":["2024-07-01T12:00"],"lines":[{"at":"2024-07-01T12:00"}],"rows":[{"at":"2024-07-01T12:00"}]}`, `"2024-07-01T10:00:00Z"`, 1},
		{"null", `{"at":null}`, `"0001-01-01T00:00:00Z"`, 0},
		{"a date alone", `{"at":"2024-07-01"}`, `{"at":["` + bad + `"]}`, 0},
		{"a number", `{"at":1709202030}`, `{"at":["` + bad + `"]}`, 0},
		{"left out", `{"at":"2024-03-31T02:30:00"}`, `{"at":["` + gap + `"]}`, 1},
		{
			"left out in lists", `{"times":["2024-07-01T12:00","2024-03-31T02:30"],"lines":[{},{"at":"2024-03-31T02:30"}]}`,
			`{"lines":[{},{"at":["` + gap + `"]}],"times":{"1":["` + gap + `"]}}`, 1,
		},
		{"before all years", `{"at":"0001-01-01T00:30"}`, `{"at":["` + bad + `"]}`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got visit
			asked := 0
			err := decode.StructIn(parse(t, tt.body), &got, false, func() (*time.Location, error) {
				asked++
				return zone(t, "Europe/Berlin"), nil
			})
			told, _ := json.Marshal(got.At.Value)
			if f, ok := fault.As(err); ok {
				told = []byte(unescaped(t, f.Fields))
			} else if err != nil {
				t.Fatal(err)
			}
			if string(told) != unescaped(t, json.RawMessage(tt.want)) || asked != tt.asked {
				t.Errorf("got %s, asked %d times, want %s", told, asked, tt.want)
			}
		})
	}
}

// unescaped is a value as JSON, the same for equal ones.
func unescaped(t *testing.T, v any) string {
	t.Helper()
	encoded, err := json.Marshal(v)
	var tree any
	if err == nil {
		encoded = say.Spoken(encoded, say.English, nil)
		err = json.Unmarshal(encoded, &tree)
	}
	if err == nil {
		encoded, err = json.Marshal(tree)
	}
	if err != nil {
		t.Fatal(err, v)
	}
	return string(encoded)
}

func TestDateTimesWithoutACompany(t *testing.T) {
	var got visit
	if err := decode.Struct(parse(t, `{"at":"2024-07-01T12:00"}`), &got, false); err == nil {
		t.Error("a time of nowhere was taken")
	}
	if err := decode.Struct(parse(t, `{"at":"2024-07-01T12:00Z"}`), &got, false); err != nil {
		t.Error(err)
	}
	away := errors.New("the table is away")
	err := decode.StructIn(
		parse(t, `{"at":"2024-07-01T12:00","lines":5}`), &got, false, func() (*time.Location, error) { return nil, away },
	)
	if !errors.Is(err, away) {
		t.Errorf("got %v", err)
	}
	if !decode.HasDateTime(reflect.TypeFor[visit]()) || !decode.HasDateTime(reflect.TypeFor[struct {
		A decode.Optional[[]visitLine] `json:"a"`
	}]()) || decode.HasDateTime(reflect.TypeFor[body]()) {
		t.Error("which bodies have date-times")
	}
}

func TestParseTime(t *testing.T) {
	for in, want := range map[string]string{
		"10:20": "10:20:00", "9:5": "09:05:00", "23:59:59": "23:59:59", "00:00:00.5": "00:00:00.500000", "10:20:30,123456789": "10:20:30.123456",
		"10:20:30.000000": "10:20:30",
	} {
		if got, ok := decode.ParseTime(in); !ok || string(got) != want {
			t.Errorf("%q: %q, %v", in, got, ok)
		}
	}
	for _, s := range []string{
		"", "10", "10:", ":10", "24:00", "10:60", "10:20:60", "10:20.5", "-1:00", "+1:00", "010:00", "10:20:30:40", "10:20:30.", "10:20:30.x", "10:20 ", "10:20Z",
		"10:20:30.1234567890123", "1٠:20",
	} {
		if got, ok := decode.ParseTime(s); ok {
			t.Errorf("%q is %q", s, got)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for in, want := range map[string]string{
		"86400": "1 00:00:00", "0": "00:00:00", "90": "00:01:30", "1.5": "00:00:01.500000", "01:30": "00:01:30", "1:02:03": "01:02:03",
		"1 00:00:00": "1 00:00:00", "30 12:00:00,25": "30 12:00:00.250000", "1 30": "1 00:00:30", "100:00:00": "4 04:00:00", "36500 00:00:00": "36500 00:00:00",
		"-1": "-1 23:59:59", "-1 01:00:00": "-1 01:00:00", "-00:00:00.000001": "-1 23:59:59.999999", "3153600000": "36500 00:00:00", "00:90": "00:01:30",
	} {
		got, ok := decode.ParseDuration(in)
		if !ok || got.String() != want {
			t.Errorf("%q: %s, %v, want %s", in, got, ok, want)
		}
		if again, ok := decode.ParseDuration(got.String()); !ok || again != got {
			t.Errorf("%q is answered as %s, which is %s", in, got, again)
		}
	}
	for _, s := range []string{
		"", "x", "1 day", "P1D", "1d", "1:00:00:00", "1 ", " 1", "1  2", "--1", "- 1", "1 -", "1.", "1.x", "+5", "36500 00:00:01", "3153600001", "99999999999999999999",
		"99999999999 00:00:00", "1:9999999999:00", "1e3", "1 2 3", "٣",
	} {
		if got, ok := decode.ParseDuration(s); ok {
			t.Errorf("%q is %s", s, got)
		}
	}
}

func TestClocksInBodies(t *testing.T) {
	type visit struct {
		At   decode.Optional[decode.Time]     `json:"at"`
		Long decode.Optional[decode.Duration] `json:"long" nullable:"true" minimum:"60" maximum:"86400"`
	}
	for in, want := range map[string]string{
		`{"at":"9:30","long":86400}`:      `09:30:00 1 00:00:00`,
		`{"at":"9:30","long":"00:01:00"}`: `09:30:00 00:01:00`,
		`{"at":"9:30","long":6e1}`:        `09:30:00 00:01:00`,
		`{"at":"9:30","long":60.5}`:       `09:30:00 00:01:00.500000`,
		`{"at":930}`:                      `map[at:[Time has wrong format. Use one of these formats instead: hh:mm[:ss[.uuuuuu]].]]`,
		`{"long":true}`:                   `map[long:[Duration has wrong format. Use one of these formats instead: [DD] [HH:[MM:]]ss[.uuuuuu].]]`,
		`{"long":59}`:                     `map[long:[Ensure this value is greater than or equal to 00:01:00.]]`,
		`{"long":"1 00:00:01"}`:           `map[long:[Ensure this value is less than or equal to 1 00:00:00.]]`,
	} {
		var got visit
		err := decode.Struct(parse(t, in), &got, false)
		told := fmt.Sprintf("%s %s", got.At.Value, got.Long.Value)
		if f, ok := fault.As(err); ok {
			told = fmt.Sprint(f.Fields)
		}
		if told != want {
			t.Errorf("%s: %s, want %s", in, told, want)
		}
	}
}
