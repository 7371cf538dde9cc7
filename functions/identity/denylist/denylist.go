// Package denylist knows the passwords that most people choose, which are what somebody tries first at other people's accounts.
//
// They are in a Bloom filter, so that the list itself is not part of the program: a password of the list is always found, and
// of all others one in some 100,000 is found too, which its owner changes a little. infra/passwords makes the filter.
package denylist

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// Shortest is how many characters a password has at least that is in the filter: shorter ones are refused for that.
const Shortest = 8

// The size of the filter: 24 bits a password, of which each sets 16.
const (
	size   = 25_000 // bytes
	hashes = 16
)

//go:embed passwords.bloom
var filter string

// Has tells whether a password is a common one. Case, and spaces around it, don't make it another one.
func Has(password string) bool {
	for _, bit := range bitsOf(password) {
		if filter[bit/8]&(1<<(bit%8)) == 0 {
			return false
		}
	}
	return true
}

// Filter returns the filter of a list, as it is stored.
func Filter(list []string) []byte {
	made := make([]byte, size)
	for _, password := range list {
		if utf8.RuneCountInString(password) < Shortest {
			continue
		}
		for _, bit := range bitsOf(password) {
			made[bit/8] |= 1 << (bit % 8)
		}
	}
	return made
}

// bitsOf are the bits of the filter that a password sets, by two hashes that are combined.
func bitsOf(password string) (bits [hashes]uint64) {
	sum := sha256.Sum256([]byte(strings.TrimSpace(strings.ToLower(password))))
	a, b := binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])
	for i := range bits {
		bits[i] = (a + uint64(i)*b) % (8 * size)
	}
	return bits
}
