package notify_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/outbox/notify"
)

func TestNamesAreNoLinks(t *testing.T) {
	for name, want := range map[string]string{
		"ТОО «Ромашка»":                    "ТОО «Ромашка»",
		"А. Б. Прокат":                     "А. Б. Прокат",
		"evil.kz":                          "evil kz",
		"Приз на выигрыш.рф":               "Приз на выигрыш рф",
		"сыйлық.қаз/win":                   "сыйлық қаз win",
		"https://evil.kz/a?b=c":            "evil kz a?b=c",
		"HTTP : evil":                      "evil",
		"www.evil.kz":                      "evil kz",
		"a.b.c.d.kz":                       "a b c d kz",
		"evil。kz":                          "evil kz",
		"evil．kz":                          "evil kz",
		"me@evil.kz":                       "me evil kz",
		"1.2.3.4:80":                       "1 2 3 4 80",
		"Звоните +7 (701) 123-45-67":       "Звоните",
		"Ваш код 123456":                   "Ваш код",
		"Car 24":                           "Car 24",
		"line\nbreak\x00\u202e\u200bend":   "line break end",
		"evil.\u200bkz":                    "evil kz",
		"tel:112":                          "112",
		" ":                                "",
		"":                                 "",
		strings.Repeat("ж", 31):            strings.Repeat("ж", 30),
		strings.Repeat("ж", 29) + " конец": strings.Repeat("ж", 29),
	} {
		if got := notify.Name(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// Whatever is a name, nothing in it is what a telephone makes a link of.
func FuzzName(f *testing.F) {
	for _, name := range []string{"a.b.c", "x..y", "a.．b", "１２３４５６", "w.w.w.k.z", "h\u200bttp://a", "a./b"} {
		f.Add(name)
	}
	link := regexp.MustCompile(`(?i)https?:|\bwww\b|[\pL\pM\pN-][.․。．｡]+[\pL\pM\pN]|[/\\@]|\pN{5,}`)
	f.Fuzz(func(t *testing.T, name string) {
		got := notify.Name(name)
		if link.MatchString(got) || len([]rune(got)) > notify.MaxName || strings.ContainsAny(got, "\n\r\x00") {
			t.Errorf("%q: %q", name, got)
		}
	})
}
