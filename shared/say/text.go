package say

import (
	"encoding/json"
	"strconv"
	"strings"
)

// fill puts values into a text. {name} is the value of a parameter. {name|one|other}, and in Russian {name|one|few|many}, is the
// form of a word that goes with the number of that parameter, without the number. {name:moment}, {name:size} and {name:decimal} are
// values as people write them.
func fill(text string, by voice, params []byte) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		inside, after, ok := strings.Cut(rest, "}")
		if !ok {
			b.WriteString("{" + rest)
			return b.String()
		}
		if forms := strings.Split(inside, "|"); len(forms) > 1 {
			n, _ := strconv.ParseInt(string(valueOf(params, forms[0])), 10, 64)
			b.WriteString(forms[1:][min(form(by.language, n), len(forms)-2)])
		} else {
			name, kind, _ := strings.Cut(inside, ":")
			b.WriteString(by.written(shown(valueOf(params, name), by), kind))
		}
		text = after
	}
}

// valueOf is the value of a parameter in the JSON object that with has made, whose names have no escapes and which has no spaces
// outside values. It is nil if there is no such parameter. It reads no further than it has to: a price has hundreds of messages.
func valueOf(params []byte, name string) []byte {
	for len(params) > 1 {
		end := 1 + closing(params[1:]) // past the brace or comma, and the name
		if end+1 >= len(params) {
			return nil
		}
		found := string(params[2:end-1]) == name
		params = params[end+1:]
		size := sizeOf(params)
		if found {
			return params[:size]
		}
		params = params[size:]
	}
	return nil
}

// sizeOf is the length of the JSON value at the beginning of a text.
func sizeOf(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += closing(text[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// shown is a value as a text holds it: a message in the voice's language, a text without its quotes, all else as JSON has it.
func shown(value []byte, by voice) string {
	var text string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return Message(text).by(by)
}

// form is the place of the form that goes with a whole number, by CLDR's rules for cardinals: one, other in English and Kazakh;
// one, few, many in Russian.
func form(language Language, n int64) int {
	if n < 0 {
		n = -n
	}
	if language != Russian {
		if n == 1 {
			return 0
		}
		return 1
	}
	switch ten, hundred := n%10, n%100; {
	case ten == 1 && hundred != 11:
		return 0
	case ten >= 2 && ten <= 4 && (hundred < 12 || hundred > 14):
		return 1
	}
	return 2
}
