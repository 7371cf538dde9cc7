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
		{"phone", "phnoe", 1},
		{"phone", "phnoes", 2},
		{"phone", "hpoen", 2},
		{"phone", "ohpne", 2}, // a swap is of neighbours
		{"abc", "cba", 2},
		{"ab", "ba", 1},
		{"ca", "abc", 3}, // and what was swapped is not changed again
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
	known := []string{
		"телефон", "phone", "iin", "иин", "bik", "bank", "name", "documentnumber", "vin", "фио", "имя", "тип", "city", "id", "цена", "датарождения",
	}
	for s, want := range map[string]string{
		"телефонн": "телефон", "тлеефон": "телефон", "phon": "phone", "phnoe": "phone", "pohne": "phone", "bamk": "bank",
		"documnetnumber": "documentnumber", "documnetnmuber": "documentnumber", "датарожднеия": "датарождения",
		// Of three letters.
		"инн": "иин", "inn": "iin", "иинн": "иин", "ин": "", "ини": "иин", "фои": "фио", "тпи": "тип", "vn": "", "тиип": "тип", "nme": "name",
		// Other names, however near they are.
		"phone": "", "": "", "notes": "", "phnoes": "", "bin": "", "pin": "", "win": "", "pid": "", "иик": "", "бин": "", "пин": "", "бик": "", "пол": "", "год": "",
		"вид": "", "мин": "", "дом": "", "тир": "", "тик": "", "di": "", "ид": "", "age": "", "tag": "", "bic": "", "bag": "", "рост": "",
	} {
		if got, ok := spelling.Typo(s, known); got != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
	if got, _ := spelling.Typo("pages", []string{"rages", "cages"}); got != "cages" {
		t.Errorf("of two it is %q", got)
	}
}
