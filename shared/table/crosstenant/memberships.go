package crosstenant

import (
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// MembershipsItem is the companies of a user. Whoever changes a membership
// writes it in the same transaction; the authorizer reads it with every
// request, so a change acts at once. A user without a company has none.
type MembershipsItem struct {
	table.Item
	List []tenant.Membership `dynamo:"m"`
}

// MembershipsVersion is the schema version of a MembershipsItem.
const MembershipsVersion = 1
