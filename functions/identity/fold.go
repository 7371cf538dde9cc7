package identity

import "strings"

// maxAddress is the length of an e-mail address in bytes; a longer one is
// nobody's.
const maxAddress = 254

// fold is an e-mail address as accounts are known by it: in small letters. A
// code is always sent to the folded address, so whoever owns that owns the
// account, whatever letters fold to the same. An address that nobody can have
// folds to the empty one, which nobody has.
func fold(address string) string {
	address = strings.ToLower(strings.TrimSpace(address))
	if len(address) > maxAddress {
		return ""
	}
	return address
}
