package crosstenant

import "strings"

// Person is what the companies of a user see of the user. It is part of the
// user's item, which identity writes.
type Person struct {
	Email     string `dynamo:"em"` // folded
	FirstName string `dynamo:"fn"`
	LastName  string `dynamo:"ln,omitempty"`
	Phone     string `dynamo:"ph"`
	Revision  int64  `dynamo:"rv,omitempty"` // counts the changes
}

// ProfileChanged is the kind of message by which identity says, in the
// transaction of the change, that a Person has changed; tenants carries it out.
// Its body is a ProfileChange.
const ProfileChanged = "tenants.profile"

// ProfileChange says whose profile has changed, and by which request.
type ProfileChange struct {
	User    int64  `json:"user"`
	Request string `json:"request"`
}

// maxAddress is the length of an e-mail address in bytes; a longer one is
// nobody's.
const maxAddress = 254

// Fold is an e-mail address as accounts are known by it: in small letters. What
// is sent to somebody goes to the folded address, so whoever owns that owns the
// account, whatever letters fold to the same. An address that nobody can have
// folds to the empty one, which nobody has.
func Fold(address string) string {
	address = strings.ToLower(strings.TrimSpace(address))
	if len(address) > maxAddress {
		return ""
	}
	return address
}
