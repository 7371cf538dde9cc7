package layout

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/tenantry/tenantry/shared/font"
	"github.com/tenantry/tenantry/shared/font/letters"
)

// faceID is bold, italic, both or neither.
type faceID uint8

const (
	regular faceID = 0
	bold    faceID = 1
	italic  faceID = 2
)

// What a line needs above and below the baseline, of its size. All faces have the same.
const (
	ascent  = 1.069
	descent = 0.293
)

// face is a font: how wide its letters are, in thousandths of its size.
type face struct {
	style string // as fpdf names it
	ttf   []byte
	width map[rune]float64
}

// faces are the four, by faceID.
type faces [4]face

func loadFaces() (*faces, error) {
	all := &faces{
		regular: {style: "", ttf: font.Regular()}, bold: {style: "B", ttf: font.Bold()},
		italic: {style: "I", ttf: font.Italic()}, bold | italic: {style: "BI", ttf: font.BoldItalic()},
	}
	for i := range all {
		width, err := readWidths(all[i].ttf)
		if err != nil {
			return nil, fmt.Errorf("layout: font %d: %w", i, err)
		}
		all[i].width = width
	}
	return all, nil
}

// has tells whether the fonts can show a letter.
func (f *faces) has(r rune) bool { return f[regular].width[r] > 0 }

// measure is how wide a text is.
func (f *faces) measure(s string, st *style) float64 {
	width, sum := f[st.face].width, 0.0
	for _, r := range s {
		sum += width[r]
	}
	return sum * st.size / 1000
}

// clean makes a text, of valid UTF-8, one that the fonts can show. The letters of a PDF/A must all be in its fonts.
func (f *faces) clean(s string) string {
	fine := true
	for _, r := range s {
		if r >= 0x80 && r != '\u200b' && (r == softHyphen || !f.has(r)) || r < 0x20 && !isSpace(r) || r == 0x7f {
			fine = false
			break
		}
	}
	if fine {
		return s
	}
	var out strings.Builder
	for _, r := range norm.NFC.String(s) {
		switch {
		case r == '\u200b' || isSpace(r) || f.has(r) && r != softHyphen:
			out.WriteRune(r)
		default:
			stands, ok := letters.StandIn(r)
			if !ok { // a bullet of a list: what is written was looked at before
				stands = "\ufffd"
			}
			out.WriteString(stands)
		}
	}
	return out.String()
}

const softHyphen = '\u00ad'

// isSpace tells whether a letter is white space that may be put together.
func isSpace(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' }

var errFont = errors.New("no TrueType font")

// readWidths reads the widths of a font's letters from its tables cmap (format 4) and hmtx.
func readWidths(ttf []byte) (map[rune]float64, error) {
	tables := map[string][]byte{}
	if len(ttf) < 12 {
		return nil, errFont
	}
	for i := range int(binary.BigEndian.Uint16(ttf[4:])) {
		entry := ttf[12+16*i:]
		at, n := binary.BigEndian.Uint32(entry[8:]), binary.BigEndian.Uint32(entry[12:])
		tables[string(entry[:4])] = ttf[at : at+n]
	}
	head, hhea, hmtx, cmap := tables["head"], tables["hhea"], tables["hmtx"], tables["cmap"]
	if len(head) < 20 || len(hhea) < 36 || len(hmtx) == 0 || len(cmap) < 4 {
		return nil, errFont
	}
	unit := float64(binary.BigEndian.Uint16(head[18:]))
	last := int(binary.BigEndian.Uint16(hhea[34:])) - 1
	width := map[rune]float64{}
	for i := range int(binary.BigEndian.Uint16(cmap[2:])) {
		sub := cmap[binary.BigEndian.Uint32(cmap[4+8*i+4:]):]
		if binary.BigEndian.Uint16(sub) != 4 {
			continue
		}
		n := int(binary.BigEndian.Uint16(sub[6:])) // twice the number of segments
		for s := 0; s < n; s += 2 {
			end, start := int(binary.BigEndian.Uint16(sub[14+s:])), int(binary.BigEndian.Uint16(sub[16+n+s:]))
			delta, offset := int(binary.BigEndian.Uint16(sub[16+2*n+s:])), int(binary.BigEndian.Uint16(sub[16+3*n+s:]))
			for c := start; c <= end && c < 0xffff; c++ {
				glyph := c
				if offset != 0 {
					glyph = int(binary.BigEndian.Uint16(sub[16+3*n+s+offset+2*(c-start):]))
				}
				if glyph = (glyph + delta) & 0xffff; glyph != 0 {
					width[rune(c)] = float64(binary.BigEndian.Uint16(hmtx[4*min(glyph, last):])) * 1000 / unit
				}
			}
		}
	}
	if len(width) == 0 {
		return nil, errFont
	}
	return width, nil
}
