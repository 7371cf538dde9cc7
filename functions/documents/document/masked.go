package document

import (
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"
)

// A sealed file goes to everybody who has signed. What it tells of the signers' telephones, mail and networks is only so much that
// they know their own again; the whole is in the company's evidence.

// MaskedPhone is a telephone of which its owner knows that it is his, and nobody else what it is; nil for what is too short for that.
func MaskedPhone(phone *string) *string {
	if phone == nil || len(*phone) < 6 {
		return nil
	}
	digits := *phone
	if len(digits) < 9 { // the beginning and four digits would be nearly all of it
		text := strings.Repeat("•", len(digits)-2) + digits[len(digits)-2:]
		return &text
	}
	text := digits[:2] + strings.Repeat("•", len(digits)-6) + digits[len(digits)-4:]
	return &text
}

// MaskedEmail is an e-mail address likewise: its first letter, and where it is read.
func MaskedEmail(email *string) *string {
	if email == nil {
		return nil
	}
	at := strings.LastIndexByte(*email, '@')
	if at <= 0 {
		return nil
	}
	first := ""
	if r, size := utf8.DecodeRuneInString(*email); size < at { // else the letter would be all of it
		first = string(r)
	}
	text := first + "•••" + (*email)[at:]
	return &text
}

// Bits of an address that tell the network: those of a provider or an office.
const (
	network4 = 24
	network6 = 48
)

// Network is the network of whoever did what the stage is about; empty if it is not known.
func (s Stage) Network() string {
	address, err := netip.ParseAddr(s.IP())
	if err != nil {
		return ""
	}
	bits := network6
	if address.Is4() {
		bits = network4
	}
	network, _ := address.WithZone("").Prefix(bits) // there are as many bits
	return network.String()
}

// Masked is the stage's bytes with the network in the place of the address.
func (s Stage) Masked() Stage {
	masked := slices.Clone(s)
	network, err := netip.ParsePrefix(s.Network())
	if err != nil {
		return masked
	}
	ip := network.Addr().As16()
	copy(masked[stageIP:], ip[:])
	return masked
}
