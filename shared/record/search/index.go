package search

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	// MaxRecords is how many live records a kind may have and still be searched.
	MaxRecords = 100_000
	// MaxReads is how many calls of up to 1 MB a request may spend on reading records whose
	// entries hold only a part of their texts.
	MaxReads = 500

	// perCall is how many entries of 190 bytes fit into one answer of 1 MB for certain.
	perCall = 5000
)

// The errors of lists that are refused.
var (
	// ErrTooManyRecords refuses to search a kind with more than MaxRecords records.
	ErrTooManyRecords = fault.New(fault.Invalid, "There are too many records to search, filter or order them.").
				With("code", "too_many_records")
	// ErrTooMuchText refuses a list that would need more than MaxReads calls.
	ErrTooMuchText = fault.New(fault.Invalid, "The records with long texts are too large to search or order them by text.").
			With("code", "too_much_text")
)

// Index is the index of the records of a kind; T is their stored struct.
type Index[T any] anyIndex

// anyIndex is an Index as far as it does not know what a record is. Whatever can do without that has one of these, because each
// function that knows the type of records is in a binary once for each kind.
type anyIndex struct {
	Tenant  *table.Tenant
	Kind    kinds.Code
	Listing listing.Listing
	// TextBytes is the textBytes that New was called with; 0 means the constant TextBytes.
	TextBytes int
	// Values returns the Values that New was called with, from a record's item. Only its names
	// and texts are used. It reads only the attributes Needs of the item; without Needs it may
	// read any.
	Values func(record table.Attributes) (Values, error)
	Needs  []string
	// Digits returns the spellings, in digits only, of those numbers of an entry that are
	// searched too. A word of digits is found in any part of a spelling. nil if a kind has no
	// such numbers.
	Digits func(e Entry) []string
}

// Query is what a list asks for.
type Query struct {
	Words        []string         // the text must contain all of them; see Words
	InName       []string         // the name must contain all of them
	Filter       func(Entry) bool // nil matches every record
	Texts        []OneOf          // all of these conditions must be true
	IDs          []int64          // nil matches any id; otherwise these records are read instead of the index
	Order        []By             // equal records, and all records without an order: the newest first
	Offset, Size int
}

// Where adds a condition on entries to the existing conditions of a query.
func (q *Query) Where(fits func(Entry) bool) {
	before := q.Filter
	q.Filter = func(e Entry) bool { return (before == nil || before(e)) && fits(e) }
}

// IsAny tells whether a query matches every record.
func (q Query) IsAny() bool {
	return len(q.Words)+len(q.InName)+len(q.Texts) == 0 && q.Filter == nil && q.IDs == nil
}

// OneOf is a condition on a short text: it must be one of Texts; case does not matter.
type OneOf struct {
	Field string
	Texts []string
}

// By is a field to order by: Text (the name), ID, or the letter of a number or of a short text.
// Records without the value come last; in a descending order they come first.
type By struct {
	Field      string
	Short      bool // the field is a short text
	Descending bool
}

// errGone says that a record of the page no longer exists.
var errGone = errors.New("search: record gone")

// Page gets the records of one page of a query, and how many records match in all.
func (ix Index[T]) Page(ctx context.Context, q Query) (items []T, count int, err error) {
	records, count, err := anyIndex(ix).page(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	items, err = decoded[T](records)
	return items, count, err
}

// decoded decodes records.
func decoded[T any](records []table.Attributes) ([]T, error) {
	items := make([]T, len(records))
	for i, record := range records {
		if err := record.Decode(&items[i]); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// page gets the records of one page, which it reads again if one of them is gone.
func (ix anyIndex) page(ctx context.Context, q Query) (records []table.Attributes, count int, err error) {
	for _, again := range []bool{false, true} {
		if records, count, err = ix.begin(q, again).page(ctx); !errors.Is(err, errGone) {
			break
		}
	}
	return records, count, err
}

// search is one reading of a list.
type search struct {
	index   anyIndex
	query   Query
	again   bool // this is the second reading: read records consistently
	ranges  []listing.Range
	total   int                         // live records
	texts   map[int64]map[string][]byte // whole texts that were read; nil if the record does not exist
	records map[int64]table.Attributes
	reads   atomic.Int64 // how many reads are left
}

// begin prepares a reading.
func (ix anyIndex) begin(q Query, again bool) *search {
	s := &search{index: ix, query: q, again: again, texts: map[int64]map[string][]byte{}}
	s.reads.Store(MaxReads)
	return s
}

func (s *search) page(ctx context.Context) ([]table.Attributes, int, error) {
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
	if s.records == nil {
		get := s.fetch
		if to-from > perBatch && !s.again { // as one range, if they are close together, it is fewer calls and units
			get = s.part
		}
		if s.records, err = get(ctx, entries[from:to]); err != nil {
			return nil, 0, err
		}
	}
	records := make([]table.Attributes, 0, to-from)
	for _, e := range entries[from:to] {
		record := s.records[e.ID]
		if record == nil {
			if !s.again {
				return nil, 0, errGone
			}
			count--
			continue
		}
		records = append(records, record)
	}
	return records, count, nil
}

// text is a text of an entry as far as it is known, and whether that is the whole text.
func (s *search) text(e Entry, field string) (text []byte, whole bool) {
	if texts, known := s.texts[e.ID]; known {
		return texts[field], true
	}
	return s.index.held(e, field)
}

// held is the part of a text that an entry holds, and whether that is the whole text.
func (ix anyIndex) held(e Entry, field string) (text []byte, whole bool) {
	most := ShortBytes
	if field == Text {
		most = cmp.Or(ix.TextBytes, TextBytes)
	}
	text = e.x.Bytes(field)
	return text, len(text) < most
}
