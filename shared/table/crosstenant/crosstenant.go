// Package crosstenant is the table as the platform itself sees it: users, e-mail addresses,
// domains, challenges, and what a worker must find whatever company it belongs to. It exists
// for registration, sign-in, the authorizer, domains and the delivery of messages; a lint rule
// prevents every other package from importing it.
//
// The keys are listed in shared/table/keyspace and docs/keys.md.
package crosstenant

import (
	"strconv"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/internal/conn"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Table reaches every partition. It can be made only from a connection, and a request's handler
// never gets one.
type Table struct{ conn.Handle }

// Open gives the platform's view of the table.
func Open(c *table.Conn) Table {
	return Table{conn.Open(c, allKeys{c.Space()})}
}

// allKeys are all registered keys.
type allKeys struct{ *keyspace.Space }

// Reads lets the platform read every index.
func (a allKeys) Reads(index, hash string) bool { return a.Index(index, hash) }

// Enters lets the platform write into every index.
func (a allKeys) Enters(index, hash string) bool { return a.Index(index, hash) }

// Keys of items that belong to no company.

// User is the key of a person.
func User(id int64) table.Key { return table.Key{PK: userPartition(id), SK: "user"} }

// Memberships is the key of the list of a user's companies.
func Memberships(user int64) table.Key {
	return table.Key{PK: userPartition(user), SK: "memberships"}
}

// Family is the key of one sign-in of a user.
func Family(user int64, id string) table.Key {
	return table.Key{PK: userPartition(user), SK: "family#" + id}
}

func userPartition(id int64) string { return "U#" + strconv.FormatInt(id, 10) }

// Email is the key of the item that says which user has an address; the address is folded.
func Email(address string) table.Key { return table.Key{PK: "E#" + address, SK: "email"} }

// Replay is the key of an answer that is stored for an Idempotency-Key of a user, by the hash
// of its scope.
func Replay(user int64, hash string) table.Key {
	return table.Key{PK: userPartition(user), SK: "replay#" + hash}
}

// Invitations is the partition of the invitations of an address, which is folded. Their sort
// keys have the prefix InvitationPrefix.
func Invitations(address string) string { return "E#" + address }

// InvitationPrefix is the prefix of the sort keys of invitations.
const InvitationPrefix = "invite#"

// Invitation is the key of the invitation of an address into a company.
func Invitation(address string, company tenant.ID) table.Key {
	return table.Key{PK: Invitations(address), SK: InvitationPrefix + company.String()}
}

// Domain is the key of the item that says which company has a host name; the host is lower
// case.
func Domain(host string) table.Key { return table.Key{PK: "D#" + host, SK: "domain"} }

// Challenge is the key of the one-time code last sent to an address for a
// purpose.
func Challenge(purpose, address string) table.Key {
	return table.Key{PK: "C#" + purpose + "#" + address, SK: "challenge"}
}

// Cross is the key of a cross-login token. The text of the token is stored nowhere, not even in
// the key, which has its hash.
func Cross(hash string) table.Key { return table.Key{PK: "X#" + hash, SK: "cross"} }

// Feed is the key of a feed token, by its hash (FeedHash).
func Feed(hash string) table.Key { return table.Key{PK: "F#" + hash, SK: "feed"} }

// Key is the key of a key for programs, by its hash (KeyHash).
func Key(hash string) table.Key { return table.Key{PK: "K#" + hash, SK: "key"} }

// State is the key of a way to an issuer of identities, by the hash of its state.
func State(hash string) table.Key { return table.Key{PK: "O#" + hash, SK: "state"} }

// Identity is the key of the item that says which user an identity belongs to, by the hash of its
// issuer and subject.
func Identity(hash string) table.Key { return table.Key{PK: "I#" + hash, SK: "identity"} }

// Link is the key of the identity that a user has at an issuer, by the hash of the issuer.
func Link(user int64, issuer string) table.Key {
	return table.Key{PK: userPartition(user), SK: "identity#" + issuer}
}

// Throttle is the key of a rule's count for a subject within a window of time.
func Throttle(rule, subject, window string) table.Key {
	return table.Key{PK: "R#" + rule + "#" + subject, SK: window}
}

// UserRate is the key of a user's bucket of requests. It is apart from what else is known of the user, because the authorizer
// may write it.
func UserRate(user int64) table.Key {
	return table.Key{PK: "L#" + strconv.FormatInt(user, 10), SK: "rate"}
}

// Users is the key of the counter that numbers users.
func Users() table.Key { return table.Key{PK: "G#user", SK: "seq"} }

// Tenants is the key of the counter that numbers companies.
func Tenants() table.Key { return table.Key{PK: "G#tenant", SK: "seq"} }

// Message is the key of a message that belongs to no company.
func Message(id string) table.Key { return table.Key{PK: "G#outbox", SK: "outbox#" + id} }
