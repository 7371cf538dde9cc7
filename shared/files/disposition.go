package files

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the longest file name, in bytes: file systems allow 255.
const maxName = 200

// Disposition returns the Content-Disposition of a file to be saved under a name (RFC 6266):
// in ASCII for old clients, and in full.
func Disposition(name string) string {
	name = safe(name)
	ascii := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || r == '%' { // some clients decode percent signs here
			return '_'
		}
		return r
	}, name)
	return `attachment; filename="` + ascii + `"; filename*=UTF-8''` + extended(name)
}

// safe removes from a name what a file system, a shell or a reader could misinterpret:
// separators, quotes, control and invisible characters, and leading dots.
func safe(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`/\:*?"<>|;`, r), unicode.IsControl(r):
			return '_'
		case r == utf8.RuneError, unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, name)
	name = strings.Join(strings.Fields(name), " ")
	name = strings.TrimRight(strings.TrimLeft(name, ". "), ". ")
	if len(name) > maxName {
		stem, extension := split(name)
		name = cut(stem, maxName-len(extension)) + extension
	}
	if name == "" {
		return "file"
	}
	return name
}

// split takes a short extension off a name.
func split(name string) (stem, extension string) {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 || len(name)-i > 12 {
		return name, ""
	}
	return name[:i], name[i:]
}

// cut shortens a text to at most n bytes, between characters.
func cut(s string, n int) string {
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimRight(s[:min(n, len(s))], ". ")
}

// extended returns an RFC 8187 value: every byte that is not an attr-char is escaped.
func extended(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("!#$&+-.^_`|~", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}
