package crosstenant

import (
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// MembershipsItem is what the authorizer reads of a user with every request, so
// that a change acts at once: the companies, which whoever changes a membership
// writes in the same transaction, and the epoch. A user has none before the
// first company or the first end of an epoch.
//
// An epoch ends when all of a user's sign-ins do, as a new password makes them:
// each sign-in carries the number of the one that it began in. So none has to
// be found, and one that begins at the same moment, by what was true before,
// can't escape.
type MembershipsItem struct {
	table.Item
	List  []tenant.Membership `dynamo:"m"`
	Epoch int64               `dynamo:"ep,omitempty"`
}

// MembershipsVersion is the schema version of a MembershipsItem.
const MembershipsVersion = 1
