package spelling_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/spelling"
)

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "ab", 2},
		{"ab", "", 2},
		{"phone", "phone", 0},
		{"phone", "phnoe", 2},
		{"phone", "phon", 1},
		{"phone", "phones", 1},
		{"телефон", "телефонн", 1},
		{"телефон", "тилефон", 1},
		{"kitten", "sitting", 3},
		{strings.Repeat("a", 1000), strings.Repeat("a", 1000) + "b", 0}, // what is longer is not compared
	} {
		if got := spelling.Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"search", "pageSize", "page", "номер"}
	for s, want := range map[string]string{"serach": "search", "PAGESIZE": "pageSize", "номре": "номер", "": "page", "zzzz": "page"} {
		if got := spelling.Nearest(s, known); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
	if got := spelling.Nearest("x", nil); got != "" {
		t.Errorf("of none it is %q", got)
	}
}

func TestTypo(t *testing.T) {
	known := []string{"телефон", "phone", "iin", "bik", "bank", "name", "documentnumber"}
	for s, want := range map[string]string{
		"телефонн": "телефон", "phon": "phone", "phnoe": "", "iim": "", "bin": "", "bamk": "bank", "documnetnumber": "documentnumber",
		"phone": "", "": "", "notes": "",
	} {
		if got, ok := spelling.Typo(s, known); got != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
	if got, _ := spelling.Typo("pages", []string{"rages", "cages"}); got != "cages" {
		t.Errorf("of two it is %q", got)
	}
}
