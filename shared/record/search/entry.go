package search

import (
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	// TextBytes is how much of a text an entry holds. One that is longer is cut
	// at that byte, so that what is cut sorts as far as it goes.
	TextBytes = 96
	// Text is the name of the text among the fields.
	Text = "t"
	// ID is the name of the id.
	ID = "id"

	index = "search"
)

// Indexed puts a record into the index. A stored struct embeds it; a zero
// Indexed is in no index.
type Indexed struct {
	IX string           `dynamo:"ix,omitempty"`
	X  table.Attributes `dynamo:"x,omitempty"`
}

// New is the entry of a record: the text that is searched, and the numbers that
// are filtered and ordered by, under names of one letter other than Text. A time
// is a number of microseconds.
func New(t *table.Tenant, kind kinds.Code, text string, numbers map[string]int64) Indexed {
	x := table.Attributes{}
	for name, n := range numbers {
		x.SetInt(name, n)
	}
	x.SetBytes(Text, cut(encode(Fold(text))))
	return Indexed{IX: t.Records(kind), X: x}
}

func cut(encoded []byte) []byte { return encoded[:min(len(encoded), TextBytes)] }

// Entry is what the index knows of a record.
type Entry struct {
	ID   int64
	text []byte
	x    table.Attributes
}

// Number is one of the entry's numbers; 0 where it has none of that name.
func (e Entry) Number(name string) int64 { return e.x.Int(name) }

// isCut tells whether the text may go on.
func (e Entry) isCut() bool { return len(e.text) >= TextBytes }
