package sheet

import (
	"fmt"
	"strconv"
	"strings"
)

// Texts of a workbook spell characters that XML can't hold as _xHHHH_, and an
// underscore that would begin such a spelling as _x005F_.

const spelled = len("_x005F_")

func isSpelled(s string) (rune, bool) {
	if len(s) < spelled || s[:2] != "_x" || s[spelled-1] != '_' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

func unescapedXML(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if r, ok := isSpelled(s[i:]); ok {
			out.WriteRune(r)
			i += spelled - 1
		} else {
			out.WriteByte(s[i])
		}
	}
	return out.String()
}

// escapedXML is a text as the XML of a workbook holds it.
func escapedXML(s string) string {
	var out strings.Builder
	s = strings.ToValidUTF8(s, "\uFFFD")
	for i, r := range s {
		_, spelling := isSpelled(s[i:])
		switch {
		case r == '<':
			out.WriteString("&lt;")
		case r == '&':
			out.WriteString("&amp;")
		case r == '>':
			out.WriteString("&gt;")
		case r == '_' && spelling:
			out.WriteString("_x005F_")
		case r < ' ' && r != '\t' && r != '\n', r == 0xFFFE, r == 0xFFFF:
			fmt.Fprintf(&out, "_x%04X_", r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
