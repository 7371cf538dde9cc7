package crosstenant

import (
	"strings"

	"github.com/tenantry/tenantry/shared/say"
)

// Person is what the companies of a user see of the user. It is part of the user's item, which
// identity writes.
type Person struct {
	Email     string `dynamo:"em"` // folded
	FirstName string `dynamo:"fn"`
	LastName  string `dynamo:"ln,omitempty"`
	Phone     string `dynamo:"ph"`
	// Language is the one in which the person is written to; empty if the person has chosen none.
	Language say.Language `dynamo:"la,omitempty"`
	Revision int64        `dynamo:"rv,omitempty"` // counts the changes
}

// ProfileChanged is the kind of message that identity leaves, in the transaction of the change,
// when a Person has changed; tenants carries it out. Its body is a ProfileChange.
const ProfileChanged = "tenants.profile"

// ProfileChange says which user's profile has changed, and by which request.
type ProfileChange struct {
	User    int64  `json:"user"`
	Request string `json:"request"`
}

// maxAddress is the greatest length of an e-mail address in bytes; no account has a longer one.
const maxAddress = 254

// Fold is the form of an e-mail address by which accounts are known: in small letters. E-mails
// are sent to the folded address. So whoever owns that address owns the account, even if
// different letters fold to the same. An address that nobody can have folds to the empty one,
// which no account has.
func Fold(address string) string {
	address = strings.ToLower(strings.TrimSpace(address))
	if len(address) > maxAddress {
		return ""
	}
	return address
}
