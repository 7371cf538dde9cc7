// Package pdf reads the objects of a PDF, and makes the bytes of an incremental update that is
// appended to it.
//
// It knows files with a classic cross-reference table alone, as go-pdf/fpdf and pdfcpu write them.
// Files with cross-reference streams and encrypted ones are refused, and nothing is repaired: two
// readers that repair a broken file differently would show two different documents under one seal.
//
// What never goes in here: what pages show, and signatures.
package pdf

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Value is an object: Raw, Name, Ref, Array, Dict or *Stream.
type Value any

// Raw is a number, a string, a boolean or null, as it is written.
type Raw string

// Name is a name without its slash and its escapes.
type Name string

// Ref refers to an object of the file.
type Ref struct{ Number, Generation int }

// Array is a list of values.
type Array []Value

// Dict is a dictionary.
type Dict map[Name]Value

// Stream is a dictionary with bytes, as they are stored.
type Stream struct {
	Dict Dict
	Data []byte
}

// Null is what refers to no object.
const Null Raw = "null"

// Int is an integer.
func Int(n int) Raw { return Raw(strconv.Itoa(n)) }

// Hex is a string of bytes.
func Hex(b []byte) Raw { return Raw(fmt.Sprintf("<%x>", b)) }

// Text is a string of characters, which readers show.
func Text(s string) Raw {
	encoded := []byte{0xFE, 0xFF}
	for _, r := range s {
		if r > 0xFFFF {
			r -= 0x10000
			encoded = append(encoded, pair(0xD800|r>>10)...)
			r = 0xDC00 | r&0x3FF
		}
		encoded = append(encoded, pair(r)...)
	}
	return Hex(encoded)
}

func pair(r rune) []byte { return []byte{byte(r >> 8), byte(r)} }

// Int returns the integer that a value is.
func (r Raw) Int() (int, bool) {
	n, err := strconv.Atoi(string(r))
	return n, err == nil
}

// write appends a value. The keys of a dictionary are in order, so that the same value gives the
// same bytes.
func write(b *bytes.Buffer, v Value) {
	switch v := v.(type) {
	case Raw:
		b.WriteString(string(v))
	case Name:
		writeName(b, v)
	case Ref:
		fmt.Fprintf(b, "%d %d R", v.Number, v.Generation)
	case Array:
		b.WriteByte('[')
		for i, element := range v {
			if i > 0 {
				b.WriteByte(' ')
			}
			write(b, element)
		}
		b.WriteByte(']')
	case Dict:
		b.WriteString("<<")
		for _, key := range slices.Sorted(maps.Keys(v)) {
			writeName(b, key)
			b.WriteByte(' ')
			write(b, v[key])
			b.WriteByte('\n')
		}
		b.WriteString(">>")
	case *Stream:
		d := maps.Clone(v.Dict)
		d["Length"] = Int(len(v.Data))
		write(b, d)
		b.WriteString("\nstream\n")
		b.Write(v.Data)
		b.WriteString("\nendstream")
	default:
		b.WriteString(string(Null))
	}
}

func writeName(b *bytes.Buffer, n Name) {
	b.WriteByte('/')
	for _, c := range []byte(n) {
		if c <= ' ' || c > '~' || strings.IndexByte("#()<>[]{}/%", c) >= 0 {
			fmt.Fprintf(b, "#%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
}

// Mapped is a copy of a value in which each reference is another one. It asks for them in the order
// in which they are written.
func Mapped(v Value, to func(Ref) Ref) Value {
	switch v := v.(type) {
	case Ref:
		return to(v)
	case Array:
		mapped := make(Array, len(v))
		for i := range v {
			mapped[i] = Mapped(v[i], to)
		}
		return mapped
	case Dict:
		return v.Mapped(to)
	case *Stream:
		return &Stream{Dict: v.Dict.Mapped(to), Data: v.Data}
	default:
		return v
	}
}

// Mapped is Mapped of a dictionary.
func (d Dict) Mapped(to func(Ref) Ref) Dict {
	mapped := make(Dict, len(d))
	for _, key := range slices.Sorted(maps.Keys(d)) {
		mapped[key] = Mapped(d[key], to)
	}
	return mapped
}
