package sheets

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/say"
)

func TestCells(t *testing.T) {
	for h, cases := range map[Holds]map[string]string{
		Text: {"a": "a", "1.0": "1.0", "45000": "45000"},
		Digits: {
			"77011234567": "77011234567", "7.7011234567E10": "77011234567", "7.7011234567E+10": "77011234567", "77011234567.0": "77011234567",
			"+7 701 123-45-67": "+7 701 123-45-67", "N123": "N123", "1.5": "1.5", "1e99": "1e99", "": "", "-": "-", ".": ".", "e": "e",
		},
		Date: {
			"2024-02-29": "2024-02-29", "29.02.2024": "2024-02-29", "9.2.2024": "2024-02-09", "29/02/2024": "2024-02-29", "29-02-2024": "2024-02-29", "02/03/2020": "02/03/2020", "02.06.1994 г.": "1994-06-02", "29.02.1024": "1024-02-29", "29.02.2104": "2104-02-29",
			"2024/2/9": "2024-02-09", "2024-02-29T00:00:00": "2024-02-29", "2024-02-29 00:00:00": "2024-02-29", "2024-02-29T00:00:00Z": "2024-02-29",
			"29.02.2024 00:00": "2024-02-29", "29.02.2024 0:00": "2024-02-29", "2024-02-29T12:00:00": "2024-02-29T12:00:00",
			"45351": "2024-02-29", "45351.0": "2024-02-29", "45351.5": "45351.5", "73415": "2100-12-31", "2958465": "9999-12-31", "2958466": "2958466",
			// Neither a year nor an ambiguous one is a date.
			"1985": "1985", "15.05.85": "15.05.85", "30.02.2024": "30.02.2024", "13/13/2024": "13/13/2024", "soon": "soon", "-45351": "-45351",
		},
	} {
		for in, want := range cases {
			if got := value(h, in); got != want {
				t.Errorf("%d: %q is %q, want %q", h, in, got, want)
			}
		}
	}
}

// What a sheet took for a number gets back the zeros that it left out.
func TestLostZeros(t *testing.T) {
	c := Column[int]{Holds: Digits, Length: 12}
	for in, want := range map[string]string{
		"850515300016": "850515300016", "10228504562": "010228504562", "1.0228504562E10": "010228504562", "123456789": "000123456789", "12345678": "12345678", "1": "1", "0": "0",
		"8505153000161": "8505153000161", "85051530001x": "85051530001x", "850515 300016": "850515 300016", "": "",
	} {
		if got := c.read(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func TestRefusedDates(t *testing.T) {
	for in, want := range map[string]say.Message{
		"1900-01-01": "", "31.12.2100": "", "73415": "", "": "", "2024/2/9": "", "29/02/2024": "", "02/29/2024": "", "05/05/2020": "", "02.06.1994 г.": "", "1994-06-02 ж.": "",
		"soon": say.SheetDate, "1985": say.SheetDate, "30-02": say.SheetDate, "1.2.3.4": say.SheetDate, "x.02.2024": say.SheetDate, "г.": "",
		"15.05.85": say.SheetDateShortYear, "04.08.96 г.": say.SheetDateShortYear, "4/8/96": say.SheetDateShortYear,
		"30.02.2024": say.SheetNoSuchDay("30.02.2024"), "31.02.1985": say.SheetNoSuchDay("31.02.1985"), "1985-02-31": say.SheetNoSuchDay("1985-02-31"), "1985/2/30": say.SheetNoSuchDay("1985/2/30"),
		"1.13.2024": say.SheetNoSuchDay("1.13.2024"), "13/13/2024": say.SheetNoSuchDay("13/13/2024"), "31/02/2024": say.SheetNoSuchDay("31/02/2024"),
		"1899-12-31": say.SheetDateYear, "2101-01-01": say.SheetDateYear, "0021-02-01": say.SheetDateYear, "1.2.0021": say.SheetDateYear, "31.12.1899 00:00": say.SheetDateYear, "73416": say.SheetDateYear, "9999-12-31": say.SheetDateYear,
		"02/03/2020": say.SheetDateUnclear, "2/3/2020": say.SheetDateUnclear, "02-03-2020": say.SheetDateUnclear,
	} {
		if got := refusedDate(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestCustomValues(t *testing.T) {
	for kind, cases := range map[string]map[string]any{
		"string":   {"007": "007", "да": "да"},
		"html":     {"<b>": "<b>"},
		"color":    {"#f0a": "#f0a"},
		"integer":  {"5": json.Number("5"), "-5": json.Number("-5"), "5.0": json.Number("5"), "007": json.Number("7"), "0": json.Number("0"), "5.5": "5.5", "five": "five", "": ""},
		"client":   {"15": json.Number("15"), "x": "x"},
		"decimal":  {"5,25": "5.25", "5.25": "5.25", "1\u00a0000,5": "1000.5", "x": "x", "1 000,50": "1000.50", "-9 000 000": "-9000000", "10 00": "10 00", "1 2345": "1 2345", "1,000.50": "1000.50", "1,234": "1.234", "5 kg": "5 kg", "12345": "12345", "": ""},
		"boolean":  {"Да": true, "НЕТ": false, "1": true, "0": false, "TRUE": true, "false": false, "иә": true, "perhaps": "perhaps"},
		"date":     {"29.02.2024": "2024-02-29", "45351": "2024-02-29", "x": "x"},
		"datetime": {"2024-02-29T12:00:00Z": "2024-02-29T12:00:00Z"},
	} {
		for in, want := range cases {
			if got := value(holds(&customfield.Definition{Type: kind}), in); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %q is %#v, want %#v", kind, in, got, want)
			}
		}
	}
	for _, kind := range customfield.Types() {
		if _, err := json.Marshal(value(holds(&customfield.Definition{Type: kind}), "007")); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
