package search

import (
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/search/segment"
	"github.com/tenantry/tenantry/shared/table"
)

// The attributes of an entry; ix and xm are the keys of the index "changes".
const (
	changes          = "changes"
	kindAttribute    = "ix"
	changedAttribute = "xm"
	packedAttribute  = "x"
)

// Values are the searchable values of a record.
type Values = segment.Values

// Indexed puts a record into the index of changes. A stored struct embeds it. A record with a zero Indexed is not in the index, and
// neither is the record of an import: it has only X, because a segment takes it from the record itself.
type Indexed struct {
	IX      string `dynamo:"ix,omitempty"`
	Changed int64  `dynamo:"xm,omitempty"` // microseconds since 1970; it rises with each write of the record
	X       Packed `dynamo:"x,omitempty"`
}

// Packed is the stored form of Values. An entry in the index without one says that its record was deleted.
type Packed []byte

// New returns the entry of a record that was written at a time, in microseconds since 1970.
func New(t *table.Tenant, k Kind, v Values, changed int64) Indexed {
	return Indexed{IX: t.Records(k.Code), Changed: changed, X: Encode(k, v)}
}

// gone tells whether the entry says that its record was deleted.
func (i Indexed) gone() bool { return len(i.X) == 0 }

// Gone returns the entry of a record that was deleted at a time, in microseconds since 1970.
func Gone(t *table.Tenant, kind kinds.Code, changed int64) Indexed {
	return Indexed{IX: t.Records(kind), Changed: changed}
}

// Kind is a kind of records as far as a search knows it.
type Kind struct {
	Code  kinds.Code
	Shape segment.Shape
	// Version is to be raised when the same record has other values than before: entries and segments from before are made
	// anew then, as they are where columns come and go.
	Version byte
	// Values returns the values of a record's item. It is for items whose entry has another shape, and for checking
	// whether entries tell the truth.
	Values func(item table.Attributes) (Values, error)

	custom custom // the columns of custom fields that are asked for, or that segments are made with
}

// packedVersion is the version of the stored form. It is a part of the fingerprint.
const packedVersion = 1

// fingerprint tells the shape of a kind's entries, and the version of their stored form.
func (k Kind) fingerprint() uint32 {
	h := fnv.New32a()
	write := func(b ...byte) { _, _ = h.Write(b) } // a hash takes everything
	write(packedVersion, k.Version)
	for _, c := range k.Shape {
		write([]byte(c.Letter)...)
		text, trunk := byte(0), byte(0)
		if c.Text {
			text = 1
		}
		if c.Digits.Trunk {
			trunk = 1
		}
		write(0, text, byte(c.Digits.Width), trunk)
	}
	return h.Sum32()
}

// Encode returns the stored form of values: the fingerprint, the two texts, the numbers, the short texts and the scalars.
// docs/search-format.md describes it.
func Encode(k Kind, v Values) Packed {
	b := binary.LittleEndian.AppendUint32(nil, k.fingerprint())
	b = appendText(b, segment.Encode(v.Name))
	b = appendText(b, segment.Encode(v.More))
	b = binary.AppendUvarint(b, uint64(len(v.Numbers)))
	for _, letter := range slices.Sorted(maps.Keys(v.Numbers)) {
		b = binary.AppendVarint(appendText(b, []byte(letter)), v.Numbers[letter])
	}
	b = binary.AppendUvarint(b, uint64(len(v.Texts)))
	for _, letter := range slices.Sorted(maps.Keys(v.Texts)) {
		b = appendText(appendText(b, []byte(letter)), segment.Encode(v.Texts[letter]))
	}
	return appendScalars(b, v)
}

func appendText(b, text []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// Decode reads values. ok is false if they are of another shape, can't be read, or lack what a column of a custom field is made of, and
// then only the record itself tells them.
func Decode(k Kind, p Packed) (v Values, ok bool) {
	if len(p) < 4 || binary.LittleEndian.Uint32(p) != k.fingerprint() {
		return v, false
	}
	r := unpacker{rest: p[4:]}
	v = Values{Name: segment.Decode(r.text()), More: segment.Decode(r.text()), Numbers: map[string]int64{}, Texts: map[string]string{}}
	for range r.count() {
		letter := string(r.text())
		n, size := binary.Varint(r.rest)
		r.skip(size)
		v.Numbers[letter] = n
	}
	for range r.count() {
		letter := string(r.text())
		v.Texts[letter] = segment.Decode(r.text())
	}
	if whole := r.scalars(k.custom, &v); !whole || r.broken || len(r.rest) > 0 {
		return Values{}, false
	}
	return v, true
}

// unpacker reads a stored entry from the front. After a fault everything it returns is empty.
type unpacker struct {
	rest   []byte
	broken bool
}

func (r *unpacker) skip(n int) []byte {
	if n <= 0 || n > len(r.rest) {
		r.rest, r.broken = nil, r.broken || n != 0
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *unpacker) count() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.rest, r.broken = nil, true
		return 0
	}
	r.rest = r.rest[size:]
	if n > uint64(len(r.rest)) {
		r.rest, r.broken = nil, true
		return 0
	}
	return n
}

func (r *unpacker) text() []byte {
	n := r.count()
	if n == 0 {
		return nil
	}
	return r.skip(int(n)) // it is at most the number of bytes that are left
}
