package segment

import "strconv"

// The names of what every record has, beside the letters of columns.
const (
	ID   = "id"   // the number of the record
	Name = "t"    // its name, to order by
	Rank = "rank" // how well it matches the words of the query, to order by: 0 for a word that is whole, 1 at a beginning, 2 in the middle
)

// Entry is what a search knows of one version of a record.
type Entry struct {
	ID int64
	// Changed is when the record was written, in microseconds since 1970. It rises with each write of a record: of
	// two entries of one record the one with the greater Changed counts.
	Changed int64
	Gone    bool // the record was deleted then; such an entry has no values
	Values
}

// Values are the searchable values of a record. All texts are folded (search.Searchable).
type Values struct {
	Name string // what the record is called
	More string // further text that is searched by words
	// Numbers and Texts are under the letters of columns. A time is a number of microseconds.
	Numbers map[string]int64
	Texts   map[string]string
	// Extra is the record's free part, an object of JSON. Columns of custom fields are made of it; segments hold nothing else of it.
	Extra []byte
	// Within are the free parts of parts of the record, by the names of the parts.
	Within map[string][]byte
}

// Column is a column that entries of a kind may have values of.
type Column struct {
	Letter string
	Text   bool     // its values are in Values.Texts, otherwise in Values.Numbers
	Digits Spelling // how a word of digits finds its numbers; the zero Spelling: words don't find them
}

// Spelling says how people write a number by whose digits records are found.
type Spelling struct {
	Width int  // zeros are put before a shorter number; 0: words of a query don't find the number
	Trunk bool // a number of eleven digits that begins with 7 is also written with 8
}

// Of returns the ways in which a number is written, in digits only; none for the zero Spelling.
func (s Spelling) Of(n int64) []string {
	if s.Width == 0 || n < 0 {
		return nil
	}
	text := strconv.FormatInt(n, 10)
	for len(text) < s.Width {
		text = "0" + text
	}
	if s.Trunk && len(text) == 11 && text[0] == '7' {
		return []string{text, "8" + text[1:]}
	}
	return []string{text}
}

// Query is what a list asks for, as data: so the same query can be asked of a segment, of changes and of records.
type Query struct {
	// Words have to be in the name or the further text, each anywhere, or in the digits of a number. InName have to be
	// in the name. Both are folded and have no spaces.
	Words  []string
	InName []string
	Where  []Condition // all of them have to be true
	Order  []By        // equal records, and all records without an order: the newest first
	Offset int
	Size   int
}

// Condition is one condition on a record. Exactly one of Any, Words or Field is set.
type Condition struct {
	Any   []Condition // one of these is true
	Words []string    // as Query.Words

	Field string // ID, or the letter of a column
	Is    Is
	Spans []Span   // Within: of numbers
	Texts []string // Among: texts that it may be, folded
	Low   *string  // Between: of texts, both ends included; nil has no end
	High  *string
	Set   []int64 // OneOf: in ascending order

	Not bool // the opposite; a record without the value then matches
}

// Is is the way in which a condition compares the field.
type Is int

// The comparisons. All but Missing are false for a record without the value.
const (
	Missing Is = iota + 1 // it has no value
	Within                // a number in one of Spans
	OneOf                 // a number of Set, which may be long
	Among                 // a text of Texts
	Between               // a text from Low to High
)

// Span is a range of numbers, both ends included.
type Span struct{ Low, High int64 }

// By is a field to order by: ID, Name, Rank or the letter of a column. Records without the value come last; in a
// descending order they come first.
type By struct {
	Field      string
	Text       bool // the field is a column of texts
	Descending bool
}
