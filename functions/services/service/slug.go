package service

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	slugName = "slug"
	noSlug   = "service" // of a name without a letter or digit that has a Latin form
	mostSlug = 64        // characters, without the suffix
	suffixes = 20        // how many slugs of one name are looked at in one call
)

// GiveSlug gives a slug to a new service whose name is set. It is the name's slug if no live service
// of the company has that, else the name's slug with the first free of the suffixes -2 to -20. If all of them are
// taken, the suffix is a random number up to 200, then up to 2,000 and so on, so that the
// thousandth service of one name takes a few calls more and not fifty.
//
// The slug stays when the name changes, because addresses have been made with it.
func GiveSlug(ctx context.Context, w *record.Work, s *Service) error {
	slug := SlugOf(s.Name)
	err := w.Check(ctx, reservation(w, slug))
	if w.Errors("").Any() {
		return nil // nothing will be written, and the errors are reported with others that are still to be found
	}
	if err != nil {
		return err
	}
	s.Slug, err = free(ctx, w, slug)
	return err
}

// free is a slug that no live service has. If a transaction fails because another request was
// faster, there may be many such requests. So the second try picks one of the first four slugs
// that are free, and each further try one of four times as many.
func free(ctx context.Context, w *record.Work, slug string) (string, error) {
	list, err := untaken(ctx, w, slug)
	for first, last := 2, suffixes; len(list) == 0 && err == nil; first, last = last+1, 10*last {
		all, start := last-first+1, 0
		if all > suffixes {
			start = rand.N(all) //nolint:gosec // no secret
		}
		candidates := make([]string, min(all, suffixes))
		for i := range candidates {
			candidates[i] = slug + "-" + strconv.Itoa(first+(start+i)%all)
		}
		list, err = untaken(ctx, w, candidates...)
	}
	if err != nil {
		return "", err
	}
	return list[rand.N(min(len(list), 1<<(2*w.Try()-2)))], nil //nolint:gosec // no secret
}

// untaken returns the slugs in a list that no live service has.
func untaken(ctx context.Context, w *record.Work, slugs ...string) (list []string, err error) {
	keys := make([]table.Key, len(slugs))
	for i, slug := range slugs {
		keys[i] = reservation(w, slug)
	}
	if err := w.Load(ctx, keys...); err != nil {
		return nil, err
	}
	for _, slug := range slugs {
		item, err := w.Item(ctx, reservation(w, slug))
		if err != nil {
			return nil, err
		}
		if item == nil {
			list = append(list, slug)
		}
	}
	return list, nil
}

func reservation(w *record.Work, slug string) table.Key {
	return unique.Value{Kind: kinds.Service, Name: slugName, Value: slug}.Key(w.Scope().Table)
}

// SlugOf is a name in lower-case Latin letters and digits, with one hyphen between words. Russian
// and Kazakh letters are transliterated, other Latin ones lose their accents; apostrophes
// vanish, and everything else separates words.
func SlugOf(name string) string {
	var slug strings.Builder
	word := false // there is a word before, so a hyphen comes before the next one
	for _, r := range strings.ToLower(norm.NFKC.String(name)) {
		latin, isLetter := latinOf(r)
		switch {
		case !isLetter:
			word = slug.Len() > 0
		case latin != "":
			if word {
				slug.WriteByte('-')
			}
			slug.WriteString(latin)
			word = false
		}
	}
	if slug.Len() == 0 {
		return noSlug
	}
	return shortened(slug.String())
}

// shortened cuts a slug that is too long, at the end of a word unless that is far away.
func shortened(slug string) string {
	if len(slug) <= mostSlug {
		return slug
	}
	if end := strings.LastIndexByte(slug[:mostSlug+1], '-'); end > mostSlug/2 {
		return slug[:end]
	}
	return slug[:mostSlug]
}

// latinOf is a lower-case character in Latin letters; it is empty for one that is written
// without any, such as the soft sign. It is false for what separates words.
func latinOf(r rune) (latin string, ok bool) {
	switch {
	case r >= '0' && r <= '9' || r >= 'a' && r <= 'z':
		return string(r), true
	case r == '\'' || r == '’' || r == 'ʼ' || unicode.Is(unicode.Mn, r):
		return "", true
	}
	if latin, ok = letter(r); ok {
		return latin, true
	}
	base, _ := utf8.DecodeRuneInString(norm.NFKD.String(string(r)))
	if base >= 'a' && base <= 'z' {
		return string(base), true
	}
	return "", false
}

// letter transliterates a Russian or Kazakh letter, or a Latin letter that does not become plain by
// losing an accent, such as ß.
func letter(r rune) (latin string, ok bool) {
	const russian = 'а'
	if r >= russian && r <= 'я' {
		return strings.Split("a b v g d e zh z i y k l m n o p r s t u f kh ts ch sh shch  y  e yu ya", " ")[r-russian], true
	}
	for _, pair := range strings.Fields("ёyo әa ғg қq ңn өo ұu үu һh іi ßss æae œoe øo đd łl ıi þth ðd") {
		if of, size := utf8.DecodeRuneInString(pair); of == r {
			return pair[size:], true
		}
	}
	return "", false
}
