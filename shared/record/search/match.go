package search

import (
	"bytes"
	"context"
	"slices"
	"strings"
)

// verdict is the result of checking a condition against an entry.
type verdict int

// The verdicts. The verdict of several conditions is the largest one.
const (
	yes     verdict = iota
	perhaps         // the entry holds only a part of a text, so the record must be read
	no
)

func of(fits, whole bool) verdict {
	switch {
	case fits:
		return yes
	case whole:
		return no
	}
	return perhaps
}

// wanted are the words and texts of a query in their encoded form.
type wanted struct {
	words, inName []word
	texts         []encodedOneOf
}

type encodedOneOf struct {
	field string
	texts [][]byte
}

func (q Query) wanted() wanted {
	w := wanted{words: encodeWords(q.Words), inName: encodeWords(q.InName)}
	for _, one := range q.Texts {
		texts := make([][]byte, len(one.Texts))
		for i, text := range one.Texts {
			texts[i] = encode(Fold(text))
		}
		w.texts = append(w.texts, encodedOneOf{one.Field, texts})
	}
	return w
}

// match keeps the entries that match the query.
func (s *search) match(ctx context.Context, entries []Entry) ([]Entry, error) {
	want := s.query.wanted()
	var unsure []Entry
	entries = slices.DeleteFunc(entries, func(e Entry) bool {
		if s.query.Filter != nil && !s.query.Filter(e) {
			return true
		}
		v := s.fits(e, want)
		if v == perhaps {
			unsure = append(unsure, e)
		}
		return v != yes
	})
	if err := s.verify(ctx, unsure); err != nil {
		return nil, err
	}
	for _, e := range unsure {
		if s.texts[e.ID] != nil && s.fits(e, want) == yes {
			entries = append(entries, e)
		} else {
			delete(s.texts, e.ID)
		}
	}
	return entries, nil
}

// fits tells whether an entry has all the words and texts.
func (s *search) fits(e Entry, want wanted) verdict {
	v := yes
	for _, one := range want.texts {
		v = max(v, s.isOneOf(e, one))
	}
	if v == no || len(want.words)+len(want.inName) == 0 {
		return v
	}
	text, whole := s.text(e, Text)
	if len(want.words) > 0 {
		v = max(v, of(s.holds(e, text, want.words), whole))
	}
	if len(want.inName) > 0 {
		part, ends := name(text)
		nowhere := func(word) bool { return false }
		v = max(v, of(contain(part, want.inName, nowhere), whole || ends))
	}
	return v
}

func (s *search) isOneOf(e Entry, one encodedOneOf) verdict {
	if !e.Has(one.field) {
		return no
	}
	text, whole := s.text(e, one.field)
	if whole {
		return of(slices.ContainsFunc(one.texts, func(t []byte) bool { return bytes.Equal(t, text) }), true)
	}
	if slices.ContainsFunc(one.texts, func(t []byte) bool { return bytes.HasPrefix(t, text) }) {
		return perhaps
	}
	return no
}

// holds tells whether an entry has all the words, in a text or in its numbers.
func (s *search) holds(e Entry, text []byte, words []word) bool {
	var spellings []string // computed when first needed
	return contain(text, words, func(w word) bool {
		if w.digits == "" || s.index.Digits == nil {
			return false
		}
		if spellings == nil {
			spellings = s.index.Digits(e)
		}
		return slices.ContainsFunc(spellings, func(spelling string) bool { return strings.Contains(spelling, w.digits) })
	})
}
