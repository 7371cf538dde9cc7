package sms

import (
	"strings"
	"unicode"
	"unicode/utf16"
)

// maxSegments is how many segments a message may take: what is longer is no short message.
const maxSegments = 10

// What one SMS carries, and what each of several joined ones carries besides the header that joins
// them: septets of the GSM alphabet, or UTF-16 units where the text has any other character.
const (
	gsmSingle, gsmJoined   = 160, 153
	ucs2Single, ucs2Joined = 70, 67
)

// The alphabet of GSM 03.38. Characters of the extension take two septets.
const (
	gsmBasic = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
		"¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	gsmExtension = "^{}\\[~]|€"
)

// segments is how many SMS a text takes.
func segments(text string) int64 {
	if sizes, ok := septets(text); ok {
		return fill(sizes, gsmSingle, gsmJoined)
	}
	sizes := make([]int, 0, len(text))
	for _, r := range text {
		sizes = append(sizes, utf16.RuneLen(r))
	}
	return fill(sizes, ucs2Single, ucs2Joined)
}

// septets are the septets of each character of a text; false if the alphabet lacks one of them.
func septets(text string) (sizes []int, ok bool) {
	for _, r := range text {
		switch {
		case strings.ContainsRune(gsmBasic, r):
			sizes = append(sizes, 1)
		case strings.ContainsRune(gsmExtension, r):
			sizes = append(sizes, 2)
		default:
			return nil, false
		}
	}
	return sizes, true
}

// fill is how many segments characters of these sizes take. Telephones keep a character whole: where
// only half of it would fit, it begins the next segment.
func fill(sizes []int, single, joined int) (n int64) {
	sum, last := 0, joined
	for _, size := range sizes {
		sum += size
		if last += size; last > joined {
			n, last = n+1, size
		}
	}
	if sum <= single {
		return 1
	}
	return n
}

// lines writes the ends of a text's lines as one character each.
func lines(text string) string { return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text) }

// canBeSent tells whether a text, made by lines, has no control characters: telephones show nothing for them.
func canBeSent(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && unicode.IsControl(r) })
}
