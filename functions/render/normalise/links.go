package normalise

import (
	"bytes"
	"strings"
	"unicode/utf16"
)

// leadsAway tells whether a value is an action that leads to an address which readers may carry out, or open on the reader's own
// computer: any but those of the web, of mail and of telephones. It is left out of what is written, wherever it stands.
func (f *file) leadsAway(v any) bool {
	d := f.dict(v)
	switch address := f.resolve(d.get("URI")).(type) {
	case nil:
		return false
	case token:
		return !isText(address) || !isHarmless(plain(address))
	case name:
		return true
	default: // a resource may be named so
		return f.resolve(d.get("S")) == name("URI")
	}
}

// isHarmless tells whether an address has a scheme that may stay. One that begins with anything else, be it a space, has none: what
// readers make of it differs.
func isHarmless(address string) bool {
	scheme, _, _ := strings.Cut(address, ":")
	switch strings.ToLower(scheme) {
	case "http", "https", "mailto", "tel":
		return true
	}
	return false
}

// withoutLinks is what a page notes beside its content, without the links that lead away.
func (f *file) withoutLinks(annotations any) any {
	list, ok := f.resolve(annotations).(array)
	if !ok {
		return annotations
	}
	kept := make(array, 0, len(list))
	for _, v := range list {
		if d := f.dict(v); !f.leadsAway(d.get("A")) && !f.leadsAway(d.get("PA")) {
			kept = append(kept, v)
		}
	}
	if len(kept) == len(list) {
		return annotations
	}
	return kept
}

// plain is the text that a string stands for: with its escapes or hexadecimal digits resolved, and in UTF-8 where a mark at its
// beginning says in what else it is.
func plain(t token) string {
	text := unescaped(t)
	for mark, high := range map[string]int{"\xfe\xff": 0, "\xff\xfe": 1} {
		if rest, ok := bytes.CutPrefix(text, []byte(mark)); ok {
			units := make([]uint16, len(rest)/2)
			for i := range units {
				units[i] = uint16(rest[2*i+high])<<8 | uint16(rest[2*i+1-high])
			}
			return string(utf16.Decode(units))
		}
	}
	return strings.TrimPrefix(string(text), "\xef\xbb\xbf")
}

// unescaped is the bytes that a string stands for.
func unescaped(t token) (out []byte) {
	if hex, ok := strings.CutPrefix(string(t), "<"); ok {
		return unhex(hex)
	}
	s := strings.TrimSuffix(strings.TrimPrefix(string(t), "("), ")")
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case c >= '0' && c <= '7': // up to three octal digits
			n, end := 0, min(i+3, len(s))
			for ; i < end && s[i] >= '0' && s[i] <= '7'; i++ {
				n = n<<3 | int(s[i]-'0')
			}
			i--
			out = append(out, byte(n))
		case c == '\r' && i+1 < len(s) && s[i+1] == '\n': // a line that goes on
			i++
		case c == '\r', c == '\n':
		default:
			if at := strings.IndexByte("nrtbf", c); at >= 0 {
				c = "\n\r\t\b\f"[at]
			}
			out = append(out, c)
		}
	}
	return out
}

// unhex is the bytes that hexadecimal digits stand for. What stands between them counts for nothing, and a last one that is missing is 0.
func unhex(s string) (out []byte) {
	high := -1
	for i := range len(s) {
		digit := strings.IndexByte("0123456789abcdef", s[i]|0x20)
		if s[i] < '0' || digit < 0 {
			continue
		}
		if high < 0 {
			high = digit
			continue
		}
		out, high = append(out, byte(high<<4|digit)), -1
	}
	if high >= 0 {
		out = append(out, byte(high<<4))
	}
	return out
}
