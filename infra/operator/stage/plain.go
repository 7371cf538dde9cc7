package stage

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Plain is a text of somebody else, such as a company's name, as a terminal may show it within a line: what is no letter, mark, number,
// sign or simple space is written as \n, \x1b or \u202e, so that it neither forges another line nor changes what is shown.
func Plain(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// Printable is an error if the text of a flag, which people are to read, has what Plain would not leave as it is. Lines may end.
func Printable(flag, text string) error {
	if plain := strings.ReplaceAll(text, "\n", ""); Plain(plain) != plain {
		return fmt.Errorf("%s has characters that can't be shown: %s", flag, Plain(text))
	}
	return nil
}
