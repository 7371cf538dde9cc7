package tenants

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tenantry/tenantry/shared/say"
)

// domain is a host name that a company asks for.
type domain struct {
	host     string // lower case
	foreign  bool   // not below the platform's domain, so it has to be proven
	reserved bool   // no company may have it
}

const (
	badDomain = say.DomainWrong
	noDomain  = say.DomainReserved

	maxHost  = 253
	maxLabel = 63
)

// reserved lists the labels that no company may have: names that the platform uses or may use,
// and names that visitors could take for the platform's own.
const reserved = " abuse account accounts admin administrator api app apps assets auth autoconfig autodiscover billing blog " +
	"cdn console dashboard dev dns docs email files ftp gateway graphql health help hostmaster id imap info internal local " +
	"localhost login mail metrics mx my ns ns1 ns2 oauth pay payments pop portal postmaster private public root secure " +
	"security sign signin sms smtp sso stage staging static status support system tenant tenantry verify vpn web webmail " +
	"webmaster wpad www "

// parseDomain reads the domain that a company asks for: a label below the platform's domain,
// or a full host name. message says what is wrong with it. Letters outside of ASCII are
// refused before the text is converted to lower case, because the lower case of the Kelvin
// sign is a plain k.
func parseDomain(text, platform string) (d domain, message say.Message) {
	name := strings.TrimSpace(text)
	if strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) {
		return domain{}, badDomain
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if under, ok := strings.CutSuffix(name, "."+platform); ok {
		name = under
		if strings.Contains(name, ".") { // a certificate covers one label
			return domain{}, badDomain
		}
	}
	if name == platform || name == "amazonaws.com" || strings.HasSuffix(name, ".amazonaws.com") {
		return domain{reserved: true}, noDomain
	}
	if !strings.Contains(name, ".") {
		switch {
		case !isLabel(name), len(name) > 3 && name[2:4] == "--": // a name in another alphabet, which could look like a different name
			return domain{}, badDomain
		case strings.Contains(reserved, " "+name+" "):
			return domain{reserved: true}, noDomain
		}
		return domain{host: name + "." + platform}, ""
	}
	labels := strings.Split(name, ".")
	top := labels[len(labels)-1]
	if len(name) > maxHost || slices.ContainsFunc(labels, func(l string) bool { return !isLabel(l) }) ||
		len(top) < 2 || strings.Trim(top, "0123456789") == "" {
		return domain{}, badDomain
	}
	return domain{host: name, foreign: true}, ""
}

// isLabel tells whether s is one part of a host name.
func isLabel(s string) bool {
	return s != "" && len(s) <= maxLabel && s[0] != '-' && s[len(s)-1] != '-' &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
