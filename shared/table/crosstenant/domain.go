package crosstenant

import (
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// DomainItem says to which company a host name belongs. A host name has one only while the company
// has proven it, or while it is a label below the platform's own.
type DomainItem struct {
	table.Item
	Tenant tenant.ID `dynamo:"t"`
}

// DomainVersion is the schema version of a DomainItem.
const DomainVersion = 1
