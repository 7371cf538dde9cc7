package say

import (
	"encoding/json"
	"strconv"
	"strings"
)

// fill puts values into a text. {name} is the value of a parameter. {name|one|other}, and in Russian {name|one|few|many}, is the
// form of a word that goes with the number of that parameter, without the number.
func fill(text string, language Language, params map[string]json.RawMessage) string {
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
			n, _ := strconv.ParseInt(string(params[forms[0]]), 10, 64)
			b.WriteString(forms[1:][min(form(language, n), len(forms)-2)])
		} else {
			b.WriteString(shown(params[inside], language))
		}
		text = after
	}
}

// shown is a value as a text holds it: a message in its language, a text without its quotes, all else as JSON has it.
func shown(value json.RawMessage, language Language) string {
	var text string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return Message(text).In(language)
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
