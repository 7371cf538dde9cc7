package say

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/enum"
)

// Language is a language in which the platform speaks, as BCP 47 writes it.
type Language string

// The languages of the catalogue.
const (
	English Language = "en"
	Russian Language = "ru"
	Kazakh  Language = "kk"
)

// Languages are all languages of the catalogue, the default one first.
func Languages() []Language { return []Language{English, Russian, Kazakh} }

// Values are those that a person or a company may choose (shared/enum).
func (Language) Values() []enum.Value { return enum.Named(Languages()...) }

// OrNull is the language as an answer shows it where there may be none.
func (l Language) OrNull() *Language {
	if l == "" {
		return nil
	}
	return &l
}

// Preferred returns the language that a caller likes best among the allowed ones, by an Accept-Language header, or the first allowed one if
// the header names none of them. It passes over terms that it can't read. It takes "kz" for Kazakh, because people write the country's
// code for the language's.
func Preferred(header string, allowed []Language) Language {
	best, weight := first(allowed), 0.0
	for term := range strings.SplitSeq(header, ",") {
		tag, params, _ := strings.Cut(term, ";")
		primary, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
		l := Language(primary)
		switch primary {
		case "kz":
			l = Kazakh
		case "*":
			l = first(allowed)
		}
		if q := quality(params); q > weight && slices.Contains(allowed, l) {
			best, weight = l, q
		}
	}
	return best
}

// quality is the weight of a term, by its parameters: 1 without one, and 0 if it can't be read.
func quality(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		if name, value, ok := strings.Cut(strings.TrimSpace(p), "="); ok && strings.EqualFold(name, "q") {
			q, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return 0
			}
			return q
		}
	}
	return 1
}

func first(allowed []Language) Language {
	if len(allowed) == 0 {
		return English
	}
	return allowed[0]
}
