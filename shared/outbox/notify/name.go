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
// begins them, the dots within words, telephone numbers, and, however they are apart, as many digits as a code has.
func Name(name string) string {
	name = visible(name, "/\\@<>|⁄∕／＼＠")
	for _, rule := range []struct{ of, to string }{
		{`(?i)\b(?:https?|ftp|tel|sms|mailto|tg|whatsapp|javascript)\s*[:：]`, " "},
		{`(?i)\bwww\b`, " "},
		{`[.․。．｡·:：]+([\pL\pM\pN])`, " $1"},
		{`\+?[\pN]{5,}`, " "},
		{`\+?[\pN](?:[^\pL\pN]*[\pN]){5,}\pM*`, " "},
		{`^((?:[^\pN]*\pN){5}[^\pN]*)\pN.*$`, "$1"},
		{`\s+`, " "},
	} {
		name = regexp.MustCompile(rule.of).ReplaceAllString(name, rule.to)
	}
	return shorten(strings.TrimSpace(name), MaxName, "")
}

// MaxMailName is how many characters of a name an e-mail shows.
const MaxMailName = 100

// MailName is a name as an e-mail shows it, in one line, at most MaxMailName characters and then "…"; empty if nothing of it can be
// shown. It must not pass for other text of the message, and a mail program must make no link of it: it loses what makes an address one.
// whole tells whether there was none, so that somebody who need not be named by a name with an address can be named otherwise.
func MailName(name string) (shown string, whole bool) {
	name = strings.Join(strings.Fields(visible(name, "")), " ")
	whole = !regexp.MustCompile(`//|(?i:\bwww\b)|[\pL\pN-][` + dots + `]([\pL\pM]{2}|xn--|[0-9])`).MatchString(name)
	for _, rule := range []struct{ of, to string }{
		{`//+|@+|＠+|(?i)\bwww\b|(?i)\b(?:mailto|tel|sms|javascript)\s*:`, " "},
		{`[` + dots + `]+([\pL\pM]{2})`, " $1"},                                                     // a host's; 12.05.2026 is none
		{`(\pN)[` + dots + `](\pN{1,3})[` + dots + `](\pN{1,3})[` + dots + `](\pN)`, "$1 $2 $3 $4"}, // and this is one
		{`\s+`, " "},
	} {
		name = regexp.MustCompile(rule.of).ReplaceAllString(name, rule.to)
	}
	return shorten(strings.TrimSpace(name), MaxMailName, "…"), whole
}

// dots are the characters that browsers treat as a dot.
const dots = `.\x{2024}\x{3002}\x{ff0e}\x{ff61}`

// visible is a text without invisible characters and those that change its direction; spaces of any kind, and some characters more,
// are spaces.
func visible(text, more string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r), strings.ContainsRune(more, r):
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, text)
}

// shorten cuts a text that has too many characters, and says so by an end.
func shorten(text string, most int, end string) string {
	if long := []rune(text); len(long) > most {
		return strings.TrimSpace(string(long[:most])) + end
	}
	return text
}
