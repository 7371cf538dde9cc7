package kinds

import (
	"github.com/tenantry/tenantry/shared/tenant/principal"
	"github.com/tenantry/tenantry/shared/tenant/scope"
)

// IsReadBy tells whether a caller may read histories of the kind: whoever has the role, and of money also who may read finance. A
// program reads what its key has the scope to read of.
func (k Kind) IsReadBy(p principal.Principal) bool {
	if p.Key != 0 {
		of := k.Resource()
		return of != "" && p.Scopes.Has(scope.Read(of))
	}
	return p.Role.Covers(k.Role) || k.Finance && p.Finance
}

// Resource is what a key for programs needs the scope to read of, to read histories of the kind; "" if no key reads them. Kinds that
// are used for ids only have no histories.
func (k Kind) Resource() scope.Resource {
	switch k.Code {
	case Document:
		return scope.Documents
	case Template:
		return scope.Templates
	case RentalPoint:
		return scope.RentalPoints
	case Client, AttractionMethod, Agent, Discount, Category:
		return scope.Clients
	case Service:
		return scope.Services
	case InventoryGroup, Inventory, InventoryState:
		return scope.Inventory
	case Account, Transaction, Exchange:
		return scope.Finance
	case SMSMessage, SMSOperation:
		return scope.SMS
	case Order, OrderInventory, OrderService, Referral, Swap:
		return scope.Orders
	case MetricRow:
		return scope.Metrics
	case Funnel, Stage, Lead:
		return scope.Leads
	case Penalty, PenaltyState:
		return scope.Penalties
	case CustomField:
		return scope.CustomFields
	case PriceRule:
		return scope.Settings
	}
	return ""
}
