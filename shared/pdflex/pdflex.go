// Package pdflex reads the smallest pieces of a PDF: white space, words, names and strings.
//
// What is made of the pieces, and what of a broken file is borne, is left to those who read: functions/render/normalise bears much,
// because people upload what other programs make, and functions/seal/pdf nothing, because it reads what is sealed.
package pdflex

import (
	"bytes"
	"strconv"
	"strings"
)

// IsSpace tells whether a byte is white space.
func IsSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

// IsDelimiter tells whether a byte ends a word without being white space.
func IsDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

// Lexer reads Data from the place At, which is never behind the end.
type Lexer struct {
	Data []byte
	At   int
}

// Next tells whether a text comes next, without passing it.
func (l *Lexer) Next(text string) bool { return bytes.HasPrefix(l.Data[l.At:], []byte(text)) }

// Space passes white space and comments.
func (l *Lexer) Space() {
	for l.At < len(l.Data) {
		switch c := l.Data[l.At]; {
		case IsSpace(c):
			l.At++
		case c == '%':
			for l.At < len(l.Data) && l.Data[l.At] != '\n' && l.Data[l.At] != '\r' {
				l.At++
			}
		default:
			return
		}
	}
}

// Word reads a number or a keyword; it is empty where something else comes next.
func (l *Lexer) Word() string {
	from := l.At
	for l.At < len(l.Data) && !IsSpace(l.Data[l.At]) && !IsDelimiter(l.Data[l.At]) {
		l.At++
	}
	return string(l.Data[from:l.At])
}

// Name reads a name, of which the slash comes next, and resolves its escapes.
func (l *Lexer) Name() string {
	l.At++
	written := l.Word()
	if !strings.Contains(written, "#") {
		return written
	}
	name := make([]byte, 0, len(written))
	for i := 0; i < len(written); i++ {
		if written[i] == '#' && i+2 < len(written) {
			if c, err := strconv.ParseUint(written[i+1:i+3], 16, 8); err == nil {
				name = append(name, byte(c))
				i += 2
				continue
			}
		}
		name = append(name, written[i])
	}
	return string(name)
}

// Text reads a string in parentheses as it is written. Without its end, ok is false, and everything has been read.
func (l *Lexer) Text() (text string, ok bool) {
	from, open := l.At, 0
	for ; l.At < len(l.Data); l.At++ {
		switch l.Data[l.At] {
		case '\\':
			l.At++
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				l.At++
				return string(l.Data[from:l.At]), true
			}
		}
	}
	l.At = len(l.Data)
	return "", false
}

// Hex reads a string of hexadecimal digits as it is written. Without its end, ok is false, and nothing has been read.
func (l *Lexer) Hex() (text string, ok bool) {
	n := bytes.IndexByte(l.Data[l.At:], '>')
	if n < 0 {
		return "", false
	}
	from := l.At
	l.At += n + 1
	return string(l.Data[from:l.At]), true
}
