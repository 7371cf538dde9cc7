package decode

import (
	"net/url"
	"strings"

	"github.com/tenantry/tenantry/shared/decode/kz"
	"github.com/tenantry/tenantry/shared/say"
)

// Formats lists the formats that the tag format of a text can name.
func Formats() []string { return []string{"email", "uri", "phone", "iin", "bin", "iban", "bik"} }

// usual returns a text in the usual spelling of the field's format, or what is wrong with it.
func (f *Field) usual(s string) (usual string, message say.Message) {
	as := func(normal func(string) (string, bool), wrong say.Message) (string, say.Message) {
		usual, ok := normal(s)
		if !ok {
			return "", wrong
		}
		return usual, ""
	}
	if s == "" { // only allowed if the field may be blank
		return s, ""
	}
	switch f.Format {
	case "email":
		return as(func(s string) (string, bool) { return s, isEmail(s) }, say.InvalidEmail)
	case "uri":
		return as(func(s string) (string, bool) { return s, isURI(s) }, say.InvalidURL)
	case "phone":
		return as(kz.Phone, say.InvalidPhone)
	case "iin":
		return as(kz.IIN, say.InvalidIIN)
	case "bin":
		return as(kz.BIN, say.InvalidBIN)
	case "iban":
		return as(kz.IBAN, say.InvalidIBAN)
	case "bik":
		return as(kz.BIK, say.InvalidBIK)
	}
	return s, ""
}

// isEmail accepts a plain address: no display name, no quotes, a domain of at least two
// labels. A domain in another alphabet has to be spelled in ASCII (xn--…), because mail can't
// be sent to it otherwise. It uses no regular expression, because compiling one would add half
// a millisecond to each start of each function.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at <= 0 || at > 64 || len(s) > 254 {
		return false
	}
	for part := range strings.SplitSeq(s[:at], ".") {
		if part == "" ||
			strings.ContainsFunc(part, func(r rune) bool { return !isAlnum(r) && !strings.ContainsRune("-!#$%&'*+/=?^_`{}|~", r) }) {
			return false
		}
	}
	labels := strings.Split(s[at+1:], ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.ContainsFunc(label, func(r rune) bool { return !isAlnum(r) && r != '-' }) {
			return false
		}
	}
	return len(labels) > 1 && len(labels[len(labels)-1]) > 1
}

func isAlnum(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
