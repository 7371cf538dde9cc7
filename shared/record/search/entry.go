package search

import (
	"bytes"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
)

const (
	// EntryBytes is how large an entry may be with its keys, so that an answer of
	// 1 MB is sure to hold perCall of them.
	EntryBytes = 190
	// TextBytes is how much of the text an entry holds where its other values leave
	// room for it. One that is longer is cut at that byte, so that what is cut sorts
	// as far as it goes.
	TextBytes = 96
	// ShortBytes is how much an entry holds of each of its short texts.
	ShortBytes = 32
	// Text is the name of the text among the fields.
	Text = "t"
	// ID is the name of the id.
	ID = "id"

	index = "search"

	// apart stands between the name of a record and what else of it is searched.
	// It sorts before every letter.
	apart = "\x01"
)

// Indexed puts a record into the index. A stored struct embeds it; a zero
// Indexed is in no index.
type Indexed struct {
	IX string           `dynamo:"ix,omitempty"`
	X  table.Attributes `dynamo:"x,omitempty"`
}

// Values are what is known of a record: its name, what else of it is searched
// by words, and the numbers and short texts that are filtered and ordered by, under
// names of one letter other than Text. A time is a number of microseconds.
type Values struct {
	Name, More string
	Numbers    map[string]int64
	Texts      map[string]string
}

// New is the entry of a record, of whose name and more it holds so many bytes.
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

// encode gives the whole texts as they are stored.
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

// Entry is what the index knows of a record.
type Entry struct {
	ID int64
	x  table.Attributes
}

// Entry is the entry of a record as a list reads it.
func (i Indexed) Entry(id int64) Entry { return Entry{ID: id, x: i.X} }

// Number is one of the entry's numbers; 0 where it has none of that name.
func (e Entry) Number(name string) int64 { return e.x.Int(name) }

// Has tells whether the entry has a value of that name.
func (e Entry) Has(name string) bool { return e.x[name] != nil }

// name is the part of a stored text that is the record's name, and whether it ends
// within the text.
func name(text []byte) (part []byte, ends bool) {
	if i := bytes.IndexByte(text, apart[0]); i >= 0 {
		return text[:i], true
	}
	return text, false
}
