package search

import (
	"bytes"
	"cmp"
	"context"
	"slices"
)

// isText tells whether the order is by a text, of which an entry may hold only a part.
func (by By) isText() bool { return by.Field == Text || by.Short }

// sort orders the entries. Where the order depends on more text than the entries hold, it is
// exact only for the positions between from and to, which are asked for.
func (s *search) sort(ctx context.Context, entries []Entry, from, to int) error {
	slices.SortFunc(entries, func(a, b Entry) int { return s.compare(a, b, stored) })
	for i, by := range s.query.Order {
		if !by.isText() {
			continue
		}
		if err := s.refine(ctx, entries, s.query.Order[:i+1], from, to); err != nil {
			return err
		}
	}
	return nil
}

// refine orders entries that are equal so far. The last field of the order is a text of which
// these entries hold only a part; refine orders them by the whole texts.
func (s *search) refine(ctx context.Context, entries []Entry, order []By, from, to int) error {
	field := order[len(order)-1].Field
	equal := func(a, b Entry) bool {
		return s.ordered(order[:len(order)-1], a, b, known) == 0 && s.ordered(order[len(order)-1:], a, b, stored) == 0 &&
			a.Has(field) && b.Has(field) && !s.isWhole(a, field) && !s.isWhole(b, field)
	}
	var runs [][]Entry
	var unknown []Entry
	for start := 0; start < to; {
		end := start + 1
		for end < len(entries) && equal(entries[start], entries[end]) {
			end++
		}
		if end-start > 1 && end > from {
			runs = append(runs, entries[start:end])
			unknown = append(unknown, entries[start:end]...)
		}
		start = end
	}
	if err := s.verify(ctx, unknown); err != nil {
		return err
	}
	for _, run := range runs {
		slices.SortFunc(run, func(a, b Entry) int { return s.compare(a, b, known) })
	}
	return nil
}

// look says which texts a comparison uses.
type look int

const (
	stored look = iota // the texts as far as the entries hold them
	known              // the whole texts, if they are known of both entries
)

// isWhole tells whether an entry holds all of a text that an order compares.
func (s *search) isWhole(e Entry, field string) bool {
	_, whole := s.ofText(e, field, stored)
	return whole
}

// ofText is the part of a text that an order compares, and whether that is complete.
func (s *search) ofText(e Entry, field string, at look) (text []byte, whole bool) {
	if at == known {
		text, whole = s.text(e, field)
	} else {
		text, whole = s.index.held(e, field)
	}
	if field != Text {
		return text, whole
	}
	part, ends := name(text)
	return part, whole || ends
}

// compare orders two entries; no two are equal.
func (s *search) compare(a, b Entry, at look) int {
	if c := s.ordered(s.query.Order, a, b, at); c != 0 {
		return c
	}
	return cmp.Compare(b.ID, a.ID)
}

func (s *search) ordered(order []By, a, b Entry, at look) (c int) {
	for _, by := range order {
		switch {
		case by.Field == ID:
			c = cmp.Compare(a.ID, b.ID)
		case by.Field != Text && (!a.Has(by.Field) || !b.Has(by.Field)):
			c = absentLast(a.Has(by.Field), b.Has(by.Field))
		case by.isText():
			c = s.compareTexts(by.Field, a, b, at)
		default:
			c = cmp.Compare(a.Number(by.Field), b.Number(by.Field))
		}
		if by.Descending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

func (s *search) compareTexts(field string, a, b Entry, at look) int {
	textA, wholeA := s.ofText(a, field, at)
	textB, wholeB := s.ofText(b, field, at)
	if at == known && !(wholeA && wholeB) {
		textA, _ = s.ofText(a, field, stored)
		textB, _ = s.ofText(b, field, stored)
	}
	return bytes.Compare(textA, textB)
}

// absentLast puts a record with a value before one without.
func absentLast(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
