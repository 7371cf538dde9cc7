package crosstenant

import (
	"time"

	"github.com/tenantry/tenantry/shared/table"
)

// FamilyItem is one sign-in of a user: the family of tokens that descend from it. Identity
// writes it; the authorizer reads it with every request.
type FamilyItem struct {
	table.Item
	Generation int64 `dynamo:"g"`             // of the refresh token that is valid
	Rotated    int64 `dynamo:"r"`             // when that one was given out, in Unix milliseconds
	Expires    int64 `dynamo:"e"`             // Unix seconds
	Revoked    int64 `dynamo:"x,omitempty"`   // when it ended before its time, in Unix seconds
	Epoch      int64 `dynamo:"ep,omitempty"`  // the user's epoch when the sign-in began
	TTL        int64 `dynamo:"ttl,omitempty"` // Unix seconds; only sweeps, readers look at Expires
}

// FamilyVersion is the schema version of a FamilyItem.
const FamilyVersion = 1

// Alive tells whether tokens of the family are still valid. epoch is the user's current epoch:
// a sign-in of an earlier epoch is over.
func (f FamilyItem) Alive(now time.Time, epoch int64) bool {
	return f.V > 0 && f.Revoked == 0 && f.Epoch == epoch && now.Unix() < f.Expires
}
