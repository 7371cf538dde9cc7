package layout

import (
	"errors"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/font/letters"
)

// What is said of the faces is what is in them, in all four.
func TestFacesHaveTheirLetters(t *testing.T) {
	faces, err := loadFaces()
	if err != nil {
		t.Fatal(err)
	}
	for r := rune(0); r < 0x10000; r++ {
		for i := range faces {
			if has := faces[i].width[r] > 0 && r >= ' ' && r != softHyphen; has != letters.Has(r) {
				t.Errorf("%U in face %d: %t, and %t is said", r, i, has, letters.Has(r))
			}
		}
	}
}

// The alphabets of the languages in which people of the region write, with capitals, are drawn.
func TestAlphabets(t *testing.T) {
	for language, alphabet := range map[string]string{
		"Russian":             "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдеёжзийклмнопрстуфхцчшщъыьэюя",
		"Ukrainian":           "ҐЄІЇґєії’ʼ",
		"Belarusian":          "ЎўІі",
		"Kazakh":              "ӘҒҚҢӨҰҮҺІәғқңөұүһі",
		"Kazakh, Latin":       "ÄÁǴĞİIıÍŊÑŃÓÖŞŪÚÜÝäáǵğiíŋñńóöşūúüý",
		"Kyrgyz":              "ҢӨҮңөү",
		"Uzbek":               "ЎҚҒҲўқғҳ",
		"Uzbek, Latin":        "OʻzbekistonGʻgʻSanʼat",
		"Karakalpak":          "ӘҒҚҢӨҮЎҲәғқңөүўҳ",
		"Karakalpak, Latin":   "ÁǴÍŃÓÚİıáǵíńóú",
		"Tajik":               "ҒӢҚӮҲҶғӣқӯҳҷ",
		"Turkmen":             "ÇÄŽŇÖŞÜÝçäžňöşüý",
		"Turkish":             "ÇĞIİÖŞÜÂÎÛçğıiöşüâîû",
		"Azerbaijani":         "ƏĞIİÖŞÜÇəğıiöşüç",
		"Mongolian":           "ӨҮөү",
		"Tatar":               "ӘӨҮҖҢҺәөүҗңһ",
		"Tatar, Latin":        "ƏƟŊĞÄÖÜÇŞəɵŋğäöüçş",
		"Bashkir":             "ҒҘҠҢӨҪҮҺӘғҙҡңөҫүһә",
		"Chuvash":             "ӐӖҪӲӑӗҫӳ",
		"Yakut":               "ҔҤӨҺҮҕҥөһү",
		"Buryat, Kalmyk":      "ӨҮҺӘҖҢөүһәҗң",
		"Uyghur":              "ҒҖҚҢӨҮҺӘғҗқңөүһә",
		"Uyghur, Latin":       "ÉËÖÜéëöü",
		"Tuvan, Altai":        "ҢӨҮЈӦӰңөүјӧӱ",
		"Ossetian":            "Ӕӕ",
		"Chechen, Avar":       "ӀӏӀ",
		"Abkhaz":              "ҔҔҾҼҲҦӠӶԤҽҿҳҧӡӷԥ",
		"Crimean Tatar":       "ÂÇĞIİÑÖŞÜâçğıñöşü",
		"Gagauz, Romanian":    "ĂÂÊÎȘȚŢŞăâêîșțţş",
		"Kurdish":             "ÇÊÎŞÛçêîşû",
		"Serbian, Macedonian": "ЂЈЉЊЋЏЃЅЌѐѝђјљњћџѓѕќ",
		"German":              "ÄÖÜẞäöüß",
		"French, Polish":      "ÀÂÇÉÈÊËÎÏÔŒÙÛÜŸĄĆĘŁŃÓŚŹŻàâçéèêëîïôœùûüÿąćęłńóśźż",
		"Baltic":              "ĀČĒĢĪĶĻŅŠŪŽĖĮŲÕāčēģīķļņšūžėįųõ",
		"signs of contracts":  "№ ₸ ₽ € $ £ ₺ ₼ ₾ ₴ « » „ “ ” ‘ ’ — – … § ° ± × ÷ ½ ² ³ ™ © ®",
		"what isn't seen":     "a\u00adb\u200bc\u200dd\u2060e\ufefff\u00a0g\u202fh\u200ei\u202ej\u2028k",
		"marks of a letter":   "и\u0306 е\u0308 o\u0308",
	} {
		t.Run(language, func(t *testing.T) {
			if p, found := letters.Missing(alphabet); found {
				t.Fatal(p)
			}
			if strings.ContainsRune(letters.Drawn(alphabet), '\ufffd') {
				t.Errorf("drawn as %q", letters.Drawn(alphabet))
			}
			for _, tag := range []string{"p", "b", "i"} {
				if _, _, err := New().PDF(t.Context(), plain("<"+tag+">"+alphabet+"</"+tag+">")); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// What can't be drawn is refused wherever it stands, with the first such letter and its place.
func TestLettersThatCannotBeDrawn(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"Chinese", "Клиент: 王小明", `"王" (U+738B), which is number 9 of "Клиент: 王小明"`},
		{"Georgian", "ქართული", `"ქ" (U+10E5), which is number 1 of`},
		{"Arabic", "a سلام", `(U+0633), which is number 3 of`},
		{"an emoji", "ok 👍", `(U+1F44D), which is number 4 of`},
		{"a mark of no letter", "б\u0301", `(U+0301), which is number 1 of`},
		{"far on", strings.Repeat("щ", 300) + "漢" + strings.Repeat("щ", 300), `number 301 of "` + strings.Repeat("щ", 20) + "漢" + strings.Repeat("щ", 20) + `"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plain("<p>fine</p><table><tr><td>" + c.text + "</td></tr></table>")
			_, _, err := New().PDF(t.Context(), p)
			problem, ok := errors.AsType[*job.Problem](err)
			if !ok || problem.Code != job.NoLetter || !strings.Contains(problem.Text.Error(), c.want) {
				t.Errorf("%v", err)
			}
			p = plain("<p>fine</p>")
			p.Footer = c.text
			if _, _, err := New().PDF(t.Context(), p); err == nil {
				t.Error("it is taken in a footer")
			}
		})
	}
}
