package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
)

// Why a file can't be read.
var (
	ErrSyntax     = errors.New("pdf: it can't be read")
	ErrXRefStream = errors.New("pdf: it has cross-reference streams")
	ErrEncrypted  = errors.New("pdf: it is encrypted")
)

const (
	maxSections = 64      // of the cross-reference table
	maxObjects  = 1 << 20 // of a file
	tail        = 1024    // bytes at the end, among which the table's place is named
	maxAgain    = 8       // times that a file's bytes are read; objects could lie inside each other
)

// File is a PDF that was read. Its objects are read when they are asked for.
type File struct {
	Data    []byte
	Trailer Dict // of the newest section
	Table   int  // where the newest section of the cross-reference table begins
	entries map[int]entry
	spent   int // bytes of objects that were read, some more than once
}

type entry struct {
	at, generation int
	used           bool
}

// Read reads the cross-reference table of a file.
func Read(data []byte) (*File, error) {
	if !bytes.HasPrefix(data, []byte("%PDF-")) {
		return nil, fmt.Errorf("%w: it doesn't begin as a PDF", ErrSyntax)
	}
	end := data[max(0, len(data)-tail):]
	i := bytes.LastIndex(end, []byte("startxref"))
	if i < 0 {
		return nil, fmt.Errorf("%w: it doesn't end as a PDF", ErrSyntax)
	}
	f := &File{Data: data, entries: map[int]entry{}}
	p := f.parser(len(data) - len(end) + i)
	if err := p.keyword("startxref"); err != nil {
		return nil, err
	}
	at, err := p.integer()
	if err != nil {
		return nil, err
	}
	f.Table = at
	seen := map[int]bool{}
	for at > 0 {
		if seen[at] || len(seen) == maxSections {
			return nil, fmt.Errorf("%w: too many sections", ErrSyntax)
		}
		seen[at] = true
		if at, err = f.section(at); err != nil {
			return nil, err
		}
	}
	if _, ok := f.Trailer["Root"].(Ref); !ok {
		return nil, fmt.Errorf("%w: no catalog", ErrSyntax)
	}
	return f, nil
}

// section reads one section of the table and its trailer, and returns where the one before is.
func (f *File) section(at int) (before int, err error) {
	if at >= len(f.Data) {
		return 0, fmt.Errorf("%w: a section past the end", ErrSyntax)
	}
	p := f.parser(at)
	if !p.Next("xref") {
		if _, err := p.integer(); err == nil {
			return 0, ErrXRefStream
		}
		return 0, p.fail("no section")
	}
	p.At += len("xref")
	for p.Space(); !p.Next("trailer"); p.Space() {
		if err := f.subsection(p); err != nil {
			return 0, err
		}
	}
	p.At += len("trailer")
	v, err := p.value()
	if err != nil {
		return 0, err
	}
	trailer, ok := v.(Dict)
	switch {
	case !ok:
		return 0, p.fail("no trailer")
	case trailer["XRefStm"] != nil:
		return 0, ErrXRefStream
	case trailer["Encrypt"] != nil:
		return 0, ErrEncrypted
	}
	if f.Trailer == nil {
		f.Trailer = trailer
	}
	if trailer["Prev"] == nil {
		return 0, nil
	}
	raw, _ := trailer["Prev"].(Raw)
	if before, ok = raw.Int(); !ok || before <= 0 {
		return 0, p.fail("no section before")
	}
	return before, nil
}

func (f *File) subsection(p *parser) error {
	first, err := p.integer()
	if err != nil {
		return err
	}
	count, err := p.integer()
	if err != nil {
		return err
	}
	if first > maxObjects || count > maxObjects || first+count > maxObjects {
		return p.fail("too many objects")
	}
	for number := first; number < first+count; number++ {
		var e entry
		if e.at, err = p.integer(); err != nil {
			return err
		}
		if e.generation, err = p.integer(); err != nil {
			return err
		}
		kind, err := p.word()
		if err != nil || kind != "n" && kind != "f" {
			return p.fail("no entry")
		}
		e.used = kind == "n"
		if _, newer := f.entries[number]; !newer {
			f.entries[number] = e
		}
	}
	return nil
}

// Object returns what a reference refers to; Null if there is no such object.
func (f *File) Object(r Ref) (Value, error) {
	e, ok := f.entries[r.Number]
	if !ok || !e.used || e.generation != r.Generation {
		return Null, nil
	}
	if e.at >= len(f.Data) {
		return nil, fmt.Errorf("%w: object %d is past the end", ErrSyntax, r.Number)
	}
	p := f.parser(e.at)
	defer func() { f.spent += p.At - e.at }()
	if f.spent/maxAgain > len(f.Data) {
		return nil, p.fail("too much to read")
	}
	number, err := p.integer()
	if err != nil {
		return nil, err
	}
	generation, err := p.integer()
	if err != nil {
		return nil, err
	}
	if number != r.Number || generation != r.Generation {
		return nil, p.fail("another object")
	}
	if err := p.keyword("obj"); err != nil {
		return nil, err
	}
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	p.Space()
	if d, ok := v.(Dict); ok && p.Next("stream") {
		return f.stream(p, d)
	}
	return v, p.keyword("endobj")
}

func (f *File) stream(p *parser, d Dict) (Value, error) {
	p.At += len("stream")
	switch {
	case p.Next("\r\n"):
		p.At += 2
	case p.Next("\n"):
		p.At++
	default:
		return nil, p.fail("a stream without its line")
	}
	length, ok := f.length(d["Length"])
	if !ok || length > len(p.Data)-p.At {
		return nil, p.fail("a stream without its length")
	}
	s := &Stream{Dict: d, Data: p.Data[p.At : p.At+length]}
	p.At += length
	return s, p.keyword("endstream")
}

// length reads a stream's length, which may be an object of its own.
func (f *File) length(v Value) (int, bool) {
	if r, ok := v.(Ref); ok {
		e := f.entries[r.Number]
		if !e.used || e.generation != r.Generation || e.at >= len(f.Data) {
			return 0, false
		}
		p := f.parser(e.at)
		for _, want := range []string{strconv.Itoa(r.Number), strconv.Itoa(r.Generation), "obj"} {
			if p.keyword(want) != nil {
				return 0, false
			}
		}
		n, err := p.integer()
		return n, err == nil
	}
	raw, _ := v.(Raw)
	n, ok := raw.Int()
	return n, ok && n >= 0
}

// Resolve follows references until there is a value that is none.
func (f *File) Resolve(v Value) (Value, error) {
	for range maxDepth {
		r, ok := v.(Ref)
		if !ok {
			return v, nil
		}
		var err error
		if v, err = f.Object(r); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: references in a circle", ErrSyntax)
}

// Dict returns the dictionary that a value is or refers to; nil if it is none.
func (f *File) Dict(v Value) (Dict, error) {
	v, err := f.Resolve(v)
	d, _ := v.(Dict)
	return d, err
}

// Array returns the array that a value is or refers to; nil if it is none.
func (f *File) Array(v Value) (Array, error) {
	v, err := f.Resolve(v)
	a, _ := v.(Array)
	return a, err
}

// Int returns the integer that a value is or refers to.
func (f *File) Int(v Value) (int, bool, error) {
	v, err := f.Resolve(v)
	raw, _ := v.(Raw)
	n, ok := raw.Int()
	return n, ok, err
}

// Objects lists the references to all objects of the file, by number.
func (f *File) Objects() iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		for _, number := range slices.Sorted(maps.Keys(f.entries)) {
			e := f.entries[number]
			if e.used && !yield(Ref{Number: number, Generation: e.generation}) {
				return
			}
		}
	}
}

// At returns where an object begins.
func (f *File) At(r Ref) int { return f.entries[r.Number].at }
