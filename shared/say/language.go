package say

import (
	"slices"

	"golang.org/x/text/language"

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

// Preferred returns the language that a caller likes best, as an Accept-Language header says it, among those that are allowed.
// If there is none, it is the first one that is allowed. A header that can't be read counts as none.
func Preferred(header string, allowed []Language) Language {
	if len(allowed) < 2 || header == "" || len(header) > 200 {
		return first(allowed)
	}
	tags, weights, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return first(allowed)
	}
	for i, tag := range tags {
		base, _ := tag.Base()
		if l := Language(base.String()); weights[i] > 0 && slices.Contains(allowed, l) {
			return l
		}
	}
	return first(allowed)
}

func first(allowed []Language) Language {
	if len(allowed) == 0 {
		return English
	}
	return allowed[0]
}
