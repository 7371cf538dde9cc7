package notify_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/outbox/notify"
)

func TestNamesAreNoLinks(t *testing.T) {
	for name, want := range map[string]string{
		"ТОО «Ромашка»":              "ТОО «Ромашка»",
		"А. Б. Прокат":               "А. Б. Прокат",
		"evil.kz":                    "evil kz",
		"Приз на выигрыш.рф":         "Приз на выигрыш рф",
		"сыйлық.қаз/win":             "сыйлық қаз win",
		"https://evil.kz/a?b=c":      "evil kz a?b=c",
		"HTTP : evil":                "evil",
		"www.evil.kz":                "evil kz",
		"a.b.c.d.kz":                 "a b c d kz",
		"evil。kz":                    "evil kz",
		"evil．kz":                    "evil kz",
		"me@evil.kz":                 "me evil kz",
		"1.2.3.4:80":                 "",
		"1.2.3.4":                    "1 2 3 4",
		"Звоните +7 (701) 123-45-67": "Звоните",
		"Ваш код 123456":             "Ваш код",
		"Код 123-456":                "Код",
		"Код 123 456!":               "Код !",
		"12-34-56":                   "",
		"1 2 3 4 5 6":                "",
		"1–2—3_4*5·6":                "",
		"1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣": "",
		"1a2b3c4d5e6f":                     "1a2b3c4d5e",
		"Rent 24 7, since 98":              "Rent 24 7, since 98",
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
	for _, name := range []string{"a.b.c", "x..y", "a.．b", "１２３４５６", "12-34-56", "1 2 3 a 4 5 6", "w.w.w.k.z", "h\u200bttp://a", "a./b"} {
		f.Add(name)
	}
	link := regexp.MustCompile(`(?i)https?:|\bwww\b|[\pL\pM\pN-][.․。．｡]+[\pL\pM\pN]|[/\\@]|\pN{5,}`)
	digits := regexp.MustCompile(`(\pN[^\pN]*){6}`)
	f.Fuzz(func(t *testing.T, name string) {
		got := notify.Name(name)
		if digits.MatchString(got) || link.MatchString(got) || len([]rune(got)) > notify.MaxName || strings.ContainsAny(got, "\n\r\x00") {
			t.Errorf("%q: %q", name, got)
		}
	})
}

func TestNamesInMail(t *testing.T) {
	type mail struct {
		shown string
		whole bool
	}
	for name, want := range map[string]mail{
		"Acme":         {"Acme", true},
		"А. Б. Прокат": {"А. Б. Прокат", true},
		"Договор № 5 от 12.05.2026.pdf": {"Договор № 5 от 12.05.2026 pdf", false},
		"evil.com":               {"evil com", false},
		"a.bc.de":                {"a bc de", false},
		"ev\u200bil.\u200bcom":   {"evil com", false},
		"пример。рф":              {"пример рф", false},
		"https://evil.test/x":    {"https: evil test/x", false},
		"login@evil.com":         {"login evil com", false},
		"www evil":               {"evil", false},
		"10.0.0.1":               {"10 0 0 1", false},
		" a\r\nb\u202ec\x00 ":    {"a bc", true},
		"\u200b":                 {"", true},
		strings.Repeat("ж", 101): {strings.Repeat("ж", 100) + "…", true},
	} {
		var got mail
		if got.shown, got.whole = notify.MailName(name); got != want {
			t.Errorf("%q: %+v, want %+v", name, got, want)
		}
	}
}

// Nothing in a name is what a mail program makes a link of.
func FuzzMailName(f *testing.F) {
	for _, name := range []string{"a.b.c", "x..yz", "1.2.3.4.5", "w.w.w.k.z", "h\u200bttp://a", "a./b", "a@@b"} {
		f.Add(name)
	}
	link := regexp.MustCompile(`(?i)//|\bwww\b|[\pL\pN-][.․。．｡]+[\pL\pM]{2}|[@＠]|\pN\.\pN{1,3}\.\pN{1,3}\.\pN`)
	f.Fuzz(func(t *testing.T, name string) {
		got, _ := notify.MailName(name)
		if link.MatchString(got) || len([]rune(got)) > notify.MaxMailName+1 || strings.ContainsAny(got, "\n\r\x00") {
			t.Errorf("%q: %q", name, got)
		}
	})
}
