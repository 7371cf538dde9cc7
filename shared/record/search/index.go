package search

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	// MaxRecords is how many live records a kind may have and still be searched.
	MaxRecords = 100_000
	// MaxReads is how many calls of up to 1 MB a request may spend on records
	// whose entries don't hold their whole texts.
	MaxReads = 500

	// perCall is how many entries of 190 bytes an answer of 1 MB is sure to hold.
	perCall = 5000
)

// The lists that are refused.
var (
	// ErrTooManyRecords refuses a kind of more than MaxRecords.
	ErrTooManyRecords = fault.New(fault.Invalid, "There are too many records to search, filter or order them.").
				With("code", "too_many_records")
	// ErrTooMuchText refuses a list that would need more than MaxReads.
	ErrTooMuchText = fault.New(fault.Invalid, "The records with long texts are too large to search or order them by text.").
			With("code", "too_much_text")
)

// Index is the index of the records of a kind; T is their stored struct.
type Index[T any] struct {
	Tenant  *table.Tenant
	Kind    kinds.Code
	Listing listing.Listing
	// Text is the text that New was given, from a record's item, of which it
	// looks at the attributes Needs alone.
	Text  func(record table.Attributes) string
	Needs []string
	// Digits are numbers of an entry that are searched too, in all their
	// spellings of digits alone: a word of digits is found in any part of one.
	// nil where there are none.
	Digits func(e Entry) []string
}

// Query is what a list asks for.
type Query struct {
	Words        []string         // all of which the text must hold; see Words
	InText       []string         // all of which the text itself must hold, whatever its numbers have
	Filter       func(Entry) bool // nil takes every record
	Order        []By             // ties, and an empty order: the newest first
	Offset, Size int
}

// By is a field to order by: Text, ID or the name of a number.
type By struct {
	Field      string
	Descending bool
}

// errGone says that a record of the page is there no more.
var errGone = errors.New("search: record gone")

// Page gets the records that a query asks for, and how many match it.
func (ix Index[T]) Page(ctx context.Context, q Query) (items []T, count int, err error) {
	for _, again := range []bool{false, true} {
		s := search[T]{index: ix, query: q, again: again, texts: map[int64][]byte{}}
		s.reads.Store(MaxReads)
		if items, count, err = s.page(ctx); !errors.Is(err, errGone) {
			break
		}
	}
	return items, count, err
}

// search is one reading of a list.
type search[T any] struct {
	index   Index[T]
	query   Query
	again   bool // the second time: read records consistently
	ranges  []listing.Range
	total   int              // live records
	texts   map[int64][]byte // whole texts that were read; nil where there is no record
	records map[int64]table.Attributes
	reads   atomic.Int64 // that are left
}

func (s *search[T]) page(ctx context.Context) ([]T, int, error) {
	entries, err := s.read(ctx)
	if err != nil {
		return nil, 0, err
	}
	if entries, err = s.match(ctx, entries); err != nil {
		return nil, 0, err
	}
	count := len(entries)
	from := min(max(s.query.Offset, 0), count)
	to := from + min(max(s.query.Size, 0), count-from)
	if err := s.sort(ctx, entries, from, to); err != nil {
		return nil, 0, err
	}
	if s.records, err = s.fetch(ctx, entries[from:to]); err != nil {
		return nil, 0, err
	}
	items := make([]T, 0, to-from)
	for _, e := range entries[from:to] {
		record := s.records[e.ID]
		if record == nil {
			if !s.again {
				return nil, 0, errGone
			}
			count--
			continue
		}
		var item T
		if err := record.Decode(&item); err != nil {
			return nil, 0, err
		}
		items = append(items, item)
	}
	return items, count, nil
}

// match keeps the entries that the query asks for.
func (s *search[T]) match(ctx context.Context, entries []Entry) ([]Entry, error) {
	words := encodeWords(s.query.Words)
	for _, w := range encodeWords(s.query.InText) {
		w.digits = "" // nowhere else
		words = append(words, w)
	}
	var perhaps []Entry
	entries = slices.DeleteFunc(entries, func(e Entry) bool {
		if s.query.Filter != nil && !s.query.Filter(e) {
			return true
		}
		if s.holds(e, e.text, words) {
			return false
		}
		if e.isCut() {
			perhaps = append(perhaps, e)
		}
		return true
	})
	if err := s.verify(ctx, perhaps); err != nil {
		return nil, err
	}
	for _, e := range perhaps {
		if full := s.texts[e.ID]; full != nil && s.holds(e, full, words) {
			entries = append(entries, e)
		} else {
			delete(s.texts, e.ID)
		}
	}
	return entries, nil
}

// holds tells whether an entry has all the words, in a text or in its numbers.
func (s *search[T]) holds(e Entry, text []byte, words []word) bool {
	var spellings []string // once they are needed
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

// full is the text of an entry as far as it is known.
func (s *search[T]) full(e Entry) []byte {
	if full := s.texts[e.ID]; full != nil {
		return full
	}
	return e.text
}

// sort orders the entries; beyond what they hold only those from one position
// to another, which are asked for.
func (s *search[T]) sort(ctx context.Context, entries []Entry, from, to int) error {
	byText := slices.IndexFunc(s.query.Order, func(by By) bool { return by.Field == Text })
	slices.SortFunc(entries, func(a, b Entry) int {
		return compare(s.query.Order, a, b, a.text, b.text)
	})
	if byText < 0 {
		return nil
	}
	var runs [][]Entry
	var unknown []Entry
	// A run of entries that are equal up to the text, as far as they hold it.
	equal := func(a, b Entry) bool {
		return ordered(s.query.Order[:byText+1], a, b, a.text, b.text) == 0 && a.isCut() && b.isCut()
	}
	for start := 0; start < to; {
		end := start + 1
		for end < len(entries) && equal(entries[start], entries[end]) {
			end++
		}
		if end-start > 1 && end > from {
			runs = append(runs, entries[start:end])
			for _, e := range entries[start:end] {
				if _, known := s.texts[e.ID]; !known {
					unknown = append(unknown, e)
				}
			}
		}
		start = end
	}
	if err := s.verify(ctx, unknown); err != nil {
		return err
	}
	for _, run := range runs {
		slices.SortFunc(run, func(a, b Entry) int {
			return compare(s.query.Order, a, b, s.full(a), s.full(b))
		})
	}
	return nil
}

// compare orders two entries of the given texts; no two are equal.
func compare(order []By, a, b Entry, textA, textB []byte) int {
	if c := ordered(order, a, b, textA, textB); c != 0 {
		return c
	}
	return cmp.Compare(b.ID, a.ID)
}

func ordered(order []By, a, b Entry, textA, textB []byte) (c int) {
	for _, by := range order {
		switch by.Field {
		case Text:
			c = bytes.Compare(textA, textB)
		case ID:
			c = cmp.Compare(a.ID, b.ID)
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
