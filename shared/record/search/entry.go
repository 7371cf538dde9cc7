package search

import (
	"bytes"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	// EntryBytes is the largest size of an entry with its keys, so that perCall of them fit
	// into one answer of 1 MB.
	EntryBytes = 190
	// TextBytes is how many bytes of the text an entry holds, if its other values leave room
	// for them. A longer text is cut at that byte; the part that is kept still sorts correctly
	// as far as it goes.
	TextBytes = 96
	// ShortBytes is how many bytes of each short text an entry holds.
	ShortBytes = 24
	// Text is the name of the text among the fields.
	Text = "t"
	// ID is the name of the id.
	ID = "id"

	index = "search"

	// apart separates the name of a record from the other text that is searched. It sorts
	// before every letter.
	apart = "\x01"
)

// Indexed puts a record into the index. A stored struct embeds it; with a zero Indexed a record
// is not in the index.
type Indexed struct {
	IX string           `dynamo:"ix,omitempty"`
	X  table.Attributes `dynamo:"x,omitempty"`
}

// Values are the searchable values of a record: its name, further text that is searched by
// words, and the numbers and short texts for filters and orders, under names of one letter
// other than Text. A time is a number of microseconds.
type Values struct {
	Name, More string
	Numbers    map[string]int64
	Texts      map[string]string
}

// New is the entry of a record. It holds up to textBytes bytes of the name and the further
// text.
func New(t *table.Tenant, kind kinds.Code, v Values, textBytes int) Indexed {
	x := table.Attributes{}
	for name, n := range v.Numbers {
		x.SetInt(name, n)
	}
	texts := v.encode()
	for name, text := range texts {
		most := ShortBytes
		if name == Text {
			most = textBytes
		}
		if len(text) > 0 {
			x.SetBytes(name, text[:min(len(text), most)])
		}
	}
	return Indexed{IX: t.Records(kind), X: x}
}

// encode returns the whole texts in their stored form.
func (v Values) encode() map[string][]byte {
	texts := make(map[string][]byte, 1+len(v.Texts))
	for name, text := range v.Texts {
		texts[name] = encode(Fold(text))
	}
	text := encode(Fold(v.Name))
	if more := encode(Fold(v.More)); len(more) > 0 {
		text = append(append(text, apart...), more...)
	}
	texts[Text] = text
	return texts
}

// Entry is what the index stores about a record.
type Entry struct {
	ID int64
	x  table.Attributes
}

// Entry is the entry of a record as a list reads it.
func (i Indexed) Entry(id int64) Entry { return Entry{ID: id, x: i.X} }

// Number is one of the entry's numbers; 0 if it has no number of that name.
func (e Entry) Number(name string) int64 { return e.x.Int(name) }

// Has tells whether the entry has a value of that name.
func (e Entry) Has(name string) bool { return e.x[name] != nil }

// name is the part of a stored text that is the record's name, and whether the name is complete
// within the text.
func name(text []byte) (part []byte, ends bool) {
	if i := bytes.IndexByte(text, apart[0]); i >= 0 {
		return text[:i], true
	}
	return text, false
}
