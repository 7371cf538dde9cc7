package notify

import (
	"regexp"
	"strings"
	"unicode"
)

// MaxName is how many characters of a name an SMS shows.
const MaxName = 30

// Name is a name as an SMS shows it, at most MaxName characters; empty if nothing of it can be shown. Whoever chose the name was free
// in it, so it must not pass for other text of the message, and a telephone must make no link of it: it loses addresses, what
// begins them, the dots within words, telephone numbers, and whatever is as long as a code.
func Name(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case strings.ContainsRune(`/\@<>|`, r), strings.ContainsRune("⁄∕／＼＠", r):
			return ' '
		case !unicode.IsGraphic(r): // invisible characters, and those that change the direction of text
			return -1
		}
		return r
	}, name)
	for _, rule := range []struct{ of, to string }{
		{`(?i)\b(?:https?|ftp|tel|sms|mailto|tg|whatsapp|javascript)\s*[:：]`, " "},
		{`(?i)\bwww\b`, " "},
		{`[.․。．｡·:：]+([\pL\pM\pN])`, " $1"},
		{`\+?[\pN]{5,}`, " "},
		{`\+?[\pN](?:[\s().-]*[\pN]){6,}`, " "},
		{`\s+`, " "},
	} {
		name = regexp.MustCompile(rule.of).ReplaceAllString(name, rule.to)
	}
	name = strings.TrimSpace(name)
	if long := []rune(name); len(long) > MaxName {
		name = strings.TrimSpace(string(long[:MaxName]))
	}
	return name
}
