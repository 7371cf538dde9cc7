package sheet

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/tenantry/tenantry/shared/say"
)

const (
	// Bounds of a workbook. Real ones have some dozens of parts, and shrink to a
	// tenth or a thirtieth.
	maxParts    = 2000
	maxUnpacked = 200 << 20 // all parts together
	maxRatio    = 200       // of a part over a megabyte
	maxRead     = 64 << 20  // of the parts that are read
	maxDepth    = 32
	maxElements = 500_000 // of one part
	// maxToken bounds what the XML decoder keeps at once: a tag with its
	// attributes, or a text with all its characters spelled as references.
	maxToken = 12 * maxCell
)

// parts are the files within a workbook.
type parts struct {
	named map[string]*zip.File
	left  *int // how many bytes may still be unpacked
}

// openParts reads the directory of a workbook. It refuses a workbook that unpacks to more
// than the bounds above.
func openParts(data []byte) (parts, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return parts{}, broken("its end is missing, or it is no .xlsx file")
	}
	if len(r.File) > maxParts {
		return parts{}, hostile()
	}
	left := maxRead
	p := parts{named: make(map[string]*zip.File, len(r.File)), left: &left}
	unpacked := uint64(0)
	for _, f := range r.File {
		unpacked += min(f.UncompressedSize64, maxUnpacked+1)
		packedTight := f.UncompressedSize64 > 1<<20 && f.UncompressedSize64/maxRatio > f.CompressedSize64
		name := strings.ToLower(f.Name)
		switch {
		case unpacked > maxUnpacked, packedTight:
			return parts{}, hostile()
		case f.Flags&1 != 0:
			return parts{}, wrong(0, 0, say.SheetPassword)
		case p.named[name] != nil:
			return parts{}, broken("it has " + name + " twice")
		}
		p.named[name] = f
	}
	return p, nil
}

func hostile() *Error {
	return wrong(0, 0, say.SheetHostile)
}

func broken(why string) *Error {
	return wrong(0, 0, say.SheetBroken(why))
}

func (p parts) has(name string) bool { return p.named[strings.ToLower(name)] != nil }

// walk reads a part as XML and hands each piece of it to visit with the names
// of the elements that it is in: a start and an end have their own name last.
// What it reads is bounded; that the XML is whole is checked up to its end.
func (p parts) walk(name string, visit func(within []string, token xml.Token) error) error {
	f := p.named[strings.ToLower(name)]
	if f == nil {
		return broken("it has no " + name)
	}
	content, err := f.Open()
	if err != nil {
		return broken(name + " can't be unpacked")
	}
	defer content.Close()
	in := &source{from: content, part: *p.left}
	defer func() { *p.left -= in.base + in.pos }()
	dec := xml.NewDecoder(in)
	within := make([]string, 0, maxDepth)
	elements := 0
	for {
		in.next()
		token, err := dec.Token()
		switch {
		case errors.Is(err, io.EOF) && elements > 0:
			return nil
		case errors.Is(err, errLongToken):
			return errLongToken
		case errors.Is(err, errLongParts):
			return hostile()
		case err != nil:
			return broken(name + " is not well-formed")
		}
		switch t := token.(type) {
		case xml.Directive: // it could declare entities
			return broken(name + " has a document type")
		case xml.StartElement:
			within = append(within, t.Name.Local)
			if elements++; len(within) > maxDepth || elements > maxElements {
				return hostile()
			}
			err = visit(within, t)
		case xml.EndElement:
			err = visit(within, t)
			within = within[:len(within)-1]
		case xml.CharData:
			err = visit(within, t)
		}
		if err != nil {
			return err
		}
	}
}

var (
	errLongToken = errors.New("sheet: a tag or text is too long")
	errLongParts = errors.New("sheet: the parts are too long")
)

// source gives the decoder single bytes, so that it can count how many bytes the decoder
// reads for one token.
type source struct {
	from     io.Reader
	buffer   [32 << 10]byte
	base     int // where the buffer begins, counted from the beginning of the part
	pos, end int // in the buffer: what is to be given next, and what was read
	stop     int // in the buffer: where to look again
	token    int // in the part: where the token has to end
	part     int // and the part
}

// next begins another token.
func (s *source) next() {
	s.token = s.base + s.pos + maxToken
	s.stop = min(s.end, min(s.token, s.part)-s.base)
}

// ReadByte gives the next byte.
func (s *source) ReadByte() (byte, error) {
	if s.pos >= s.stop {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	b := s.buffer[s.pos]
	s.pos++
	return b, nil
}

func (s *source) fill() error {
	for s.pos == s.end {
		n, err := s.from.Read(s.buffer[:])
		if n == 0 && err != nil {
			return err
		}
		s.base += s.end
		s.pos, s.end = 0, n
	}
	switch at := s.base + s.pos; {
	case at >= s.token:
		return errLongToken
	case at >= s.part:
		return errLongParts
	}
	s.stop = min(s.end, min(s.token, s.part)-s.base)
	return nil
}

// Read is for an io.Reader; the decoder calls ReadByte alone.
func (s *source) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := s.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = b
	return 1, nil
}

func attr(e xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

// target is the part that a relationship points to. The argument of is the part that has
// the relationship.
func target(of, to string) string {
	if !strings.HasPrefix(to, "/") {
		to = path.Join("/", path.Dir(of), to)
	}
	return strings.TrimPrefix(path.Clean(to), "/")
}
