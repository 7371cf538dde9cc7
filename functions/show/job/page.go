package job

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/tenant"
)

// PageRequest asks for the records of a kind, in the order of their ids, with the lists below each of them. An empty kind means what a
// company has one of, such as its settings.
type PageRequest struct {
	Company tenant.ID  `json:"company"`
	Base    string     `json:"base"`  // as in Request
	Page    bool       `json:"page"`  // always true: it tells this request from a Request
	Kind    kinds.Code `json:"kind"`  // one of Kinds
	After   int64      `json:"after"` // the id after which the page begins
}

// Page is what a PageRequest is answered.
type Page struct {
	Records []Exported `json:"records"`
	After   int64      `json:"after"` // the last id that was looked at: the next page begins after it
	Last    bool       `json:"last"`  // there is nothing after it
}

// Exported is a record as GET of its path, or of the list that it is in, answers an owner.
type Exported struct {
	Of     string          `json:"of"` // what it is one of, such as "client" or "inventory_group_tariff"
	ID     int64           `json:"id,omitempty"`
	Record json.RawMessage `json:"record,omitempty"`
	Fails  bool            `json:"fails,omitempty"` // it can't be shown, and the function's log says why
}

// Kinds lists the kinds of records that an export has, in its order. The empty one at the end stands for what a company has one of.
func Kinds() []kinds.Code {
	return []kinds.Code{
		kinds.RentalPoint, kinds.AttractionMethod, kinds.Agent, kinds.Discount, kinds.Category, kinds.Client, kinds.Service,
		kinds.InventoryGroup, kinds.InventoryState, kinds.Inventory, kinds.PriceRule, kinds.Order, kinds.OrderInventory,
		kinds.OrderService, kinds.Referral, kinds.Swap, kinds.Account, kinds.Transaction, kinds.Exchange, kinds.Funnel, kinds.Lead,
		kinds.PenaltyState, kinds.Penalty, kinds.Template, kinds.Document, kinds.SMSMessage, kinds.SMSOperation, kinds.Staff,
		kinds.FeedToken, kinds.Key, kinds.Webhook, "",
	}
}

// Next asks the function for a page.
func Next(ctx context.Context, f invoke.Function, r PageRequest) (p Page, err error) {
	r.Page = true
	if err := f.Ask(ctx, r, &p); err != nil {
		return p, fmt.Errorf("show: records of %q after %d: %w", r.Kind, r.After, err)
	}
	return p, nil
}
