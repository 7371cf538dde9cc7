// Package kinds is the registry of the kinds of records: the name of each kind in keys, for
// callers and for people, and the path of its records.
//
// A kind is declared once, in this registry. The keys of its records, their histories, the
// links from documents and the references of custom fields follow from its entry.
//
// What never goes in here: what a record of a kind is. This package imports no domain, so code
// that knows records only by their keys can import it.
package kinds

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tenantry/tenantry/shared/tenant"
)

// Code is a kind's name in keys. Keys are paid for with every record, so codes are short. A
// code never changes, and is never given to another kind.
type Code string

// The codes.
const (
	Document         Code = "doc"
	Template         Code = "tpl"
	RentalPoint      Code = "pt"
	Client           Code = "cli"
	AttractionMethod Code = "att"
	Agent            Code = "agt"
	Discount         Code = "dis"
	PriceRule        Code = "prl"
	Category         Code = "cat"
	Service          Code = "svc"
	Tariff           Code = "tar" // used for ids only: tariffs lie inside services and inventory groups
	InventoryGroup   Code = "grp"
	Inventory        Code = "inv"
	InventoryState   Code = "ist"
	Block            Code = "blk" // used for ids only: blocks lie inside inventory items
	Move             Code = "mov" // used for ids only: they order the moves of inventory items between groups, and between rental points
	Account          Code = "acc"
	Transaction      Code = "trn"
	Exchange         Code = "exc"
	SMSMessage       Code = "sms"
	SMSOperation     Code = "smo"
	Order            Code = "ord"
	OrderInventory   Code = "oin"
	OrderService     Code = "osv"
	Referral         Code = "rfr"
	Swap             Code = "swp"
	Deposit          Code = "dpt" // used for ids only: deposits lie inside orders
	Fee              Code = "fee" // used for ids only: fees lie inside orders
	MetricRow        Code = "met" // its ids follow from those of other records; see functions/metrics/row
	Funnel           Code = "fun"
	Stage            Code = "stg"
	Lead             Code = "led"
	Penalty          Code = "pen"
	PenaltyState     Code = "pst"
	Staff            Code = "stf"
	CustomField      Code = "fld" // used for ids only: definitions are stored together, see table.Tenant.Definitions
	FeedToken        Code = "ftk"
	Key              Code = "key"
	Webhook          Code = "whk"
	Company          Code = "com" // used for its history only: its id is the tenant's, see table.Tenant.Company
)

// Name is the attribute, in the item of every record, that holds what the record is called.
const Name = "n"

// Kind is what is known about a kind of records without knowing the records.
type Kind struct {
	Code  Code
	Name  string // for callers, in a history or as the type of a custom field: "rental_point"
	Model string // for callers, in the link of a document: "RentalPoint"; empty if no document can link to the kind
	Label string // for people: "Rental point"
	Many  string // in a sentence: "rental points"
	Path  string // path of the list, with the records below it: "/v1/crm/rental_points/"; empty if it has none
	// Fields are the keys under which a company defines custom fields of the
	// kind's records: the first one of their free part `extra`, the others of parts within them.
	Fields []string
	// Within is the part of a record that has the free part of the other Fields: "car".
	Within string
	// Array says that the list is an array of all records, which has no filters and no orders.
	Array  bool
	Unique []string // values that no two live records of a company share: "iin"
	Sums   []string // attributes of the sums beside a record: "d"; see shared/record
	// Entries is how many entries there may be beside a record; see shared/record.
	Entries int
	Held    bool // a record can't be removed while others hold it
	// Amounts says that its records hold amounts of money. If the company changed its currency,
	// these would become wrong.
	Amounts bool
	Role    tenant.Role // the least role that may read the history of a record
	// Finance says that its records are the company's money: who may read finance may read their history, whatever the role is.
	Finance bool
	// NoHistory says that no record of the kind has a history of its own: it is told in the history of the record around it, follows from
	// other records, or is never changed. So the events created, updated and deleted don't come by themselves.
	NoHistory bool
	// Unlisted says that the ids of its records follow from those of others, so that no sequence gives them out and no counters count them.
	Unlisted bool
	// Timeline says that what happens to other records and concerns one of the kind is told of it too; see shared/record/eventlog.
	Timeline bool
	// Secret is a member of the elements of a list that no history shows: "signs.uuid". What is written now leaves it out; what
	// was written before may hold it.
	Secret string
}

// Extra is the key of the custom fields in the free part `extra` of the kind's records; "" if they can have none.
func (k Kind) Extra() string {
	if len(k.Fields) == 0 {
		return ""
	}
	return k.Fields[0]
}

// ByField is the kind with a key of custom fields, and the part of its records in which their free part is, "" for the record itself;
// false if no records have the key.
func ByField(key string) (k Kind, part string, ok bool) {
	k, ok = find(func(k Kind) bool { return slices.Contains(k.Fields, key) })
	if ok && key != k.Extra() {
		part = k.Within
	}
	return k, part, ok
}

// All lists the kinds. The list is shared: nobody may write to it.
func All() []Kind { return all() }

// all is made once, because each link of a document looks up its kind.
var all = sync.OnceValue(func() []Kind {
	return []Kind{
		{
			Code: Document, Name: "document", Model: "Document", Label: "Document", Many: "documents", Path: "/v2/documents/",
			Role: tenant.ReadOnly, Secret: "signs.uuid",
		},
		{
			Code: Template, Name: "template", Label: "Template", Many: "templates", Path: "/v2/documents/templates/",
			Fields: []string{"template"}, Array: true, Role: tenant.ReadOnly,
		},
		{
			Code: RentalPoint, Name: "rental_point", Model: "RentalPoint", Label: "Rental point", Many: "rental points",
			Path: "/v1/crm/rental_points/", Fields: []string{"rental_point"}, Role: tenant.ReadOnly,
		},
		{
			Code: Client, Name: "client", Model: "Client", Label: "Client", Many: "clients", Path: "/v1/crm/clients/",
			Fields: []string{"client"}, Unique: []string{"iin", "bin"}, Sums: []string{"c", "a", "p", "d"}, Entries: 20, Held: true,
			Amounts: true,
			Role:    tenant.ReadOnly,
		},
		{
			Code: AttractionMethod, Name: "attraction_method", Model: "AttractionMethod", Label: "Attraction method",
			Many: "attraction methods", Path: "/v1/crm/attraction_methods/", Unique: []string{"name"}, Role: tenant.ReadOnly,
		},
		{Code: Agent, Name: "agent", Model: "Agent", Label: "Agent", Many: "agents", Path: "/v1/crm/agents/", Role: tenant.ReadOnly},
		{
			Code: Discount, Name: "discount", Model: "Discount", Label: "Discount", Many: "discounts", Path: "/v1/crm/discounts/",
			Amounts: true, Role: tenant.ReadOnly,
		},
		{
			Code: PriceRule, Name: "price_rule", Label: "Price rule", Many: "price rules", Path: "/v1/crm/price_rules/",
			Amounts: true, Role: tenant.ReadOnly,
		},
		{
			Code: Category, Name: "category", Model: "Category", Label: "Category", Many: "categories", Path: "/v1/crm/categories/",
			Fields: []string{"category"}, Role: tenant.ReadOnly,
		},
		{
			Code: Service, Name: "service", Model: "Service", Label: "Service", Many: "services", Path: "/v1/crm/services/",
			Fields: []string{"service"}, Unique: []string{"slug"}, Amounts: true, Role: tenant.ReadOnly,
		},
		{Code: Tariff, Name: "tariff", Label: "Tariff", Many: "tariffs", Role: tenant.ReadOnly, NoHistory: true},
		{
			Code: InventoryGroup, Name: "inventory_group", Model: "InventoryGroup", Label: "Inventory group", Many: "inventory groups",
			Path:   "/v1/crm/groups/",
			Fields: []string{"inventory_group"}, Unique: []string{"name"}, Held: true, Amounts: true, Role: tenant.ReadOnly,
		},
		{
			Code: Inventory, Name: "inventory", Model: "Inventory", Label: "Inventory item", Many: "inventory items",
			Path: "/v1/crm/inventories/", Unique: []string{"unique_id", "number"},
			Fields: []string{"inventory", "inventory_car", "inventory_scooter", "inventory_motorcycle"}, Within: "car",
			Amounts: true, Role: tenant.ReadOnly,
		},
		{
			Code: InventoryState, Name: "inventory_state", Label: "Inventory state", Many: "inventory states",
			Path: "/v1/crm/inventories/states/", Role: tenant.ReadOnly,
		},
		{Code: Block, Name: "block", Label: "Block", Many: "blocks", Role: tenant.ReadOnly, NoHistory: true},
		{Code: Move, Name: "inventory_move", Label: "Move", Many: "moves", Role: tenant.ReadOnly, NoHistory: true},
		{
			Code: Account, Name: "account", Label: "Account", Many: "accounts", Path: "/v1/finances/accounts/", Sums: []string{"t"},
			Entries: 100, Held: true, Amounts: true, Role: tenant.Manager, Finance: true,
		},
		{
			Code: Transaction, Name: "transaction", Label: "Transaction", Many: "transactions", Path: "/v1/finances/transactions/",
			Amounts: true, Role: tenant.Manager, Finance: true,
		},
		{
			Code: Exchange, Name: "exchange", Label: "Exchange", Many: "exchanges", Path: "/v1/finances/exchanges/",
			Amounts: true, Role: tenant.Manager, Finance: true,
		},
		{
			Code: SMSMessage, Name: "sms_message", Label: "SMS message", Many: "SMS messages", Path: "/v1/sms/messages/",
			Amounts: true, Role: tenant.ReadOnly, NoHistory: true,
		},
		{
			Code: SMSOperation, Name: "sms_operation", Label: "SMS account operation", Many: "SMS account operations",
			Path: "/v1/sms/account/history/", Amounts: true, Role: tenant.ReadOnly, NoHistory: true,
		},
		{
			Code: Order, Name: "order", Model: "OrderRequest", Label: "Order", Many: "orders", Path: "/v1/crm/requests/",
			Fields: []string{"order"}, Unique: []string{"unique_id"}, Amounts: true, Role: tenant.ReadOnly, Timeline: true,
		},
		{
			Code: OrderInventory, Name: "order_inventory", Label: "Order line", Many: "order lines",
			Path: "/v1/crm/requests/inventories/", Fields: []string{"order_inventory"}, Amounts: true,
			Role: tenant.ReadOnly, NoHistory: true,
		},
		{
			Code: OrderService, Name: "order_service", Label: "Order service", Many: "order services",
			Path: "/v1/crm/requests/services/", Fields: []string{"order_service"}, Amounts: true, Role: tenant.ReadOnly, NoHistory: true,
		},
		{
			Code: Referral, Name: "referral", Label: "Referral", Many: "referrals", Path: "/v1/crm/requests/referrals/",
			Amounts: true, Role: tenant.ReadOnly, NoHistory: true,
		},
		{
			Code: Swap, Name: "request_exchange", Label: "Exchange of an item", Many: "exchanges of items",
			Path: "/v1/crm/requests/exchanges/", Role: tenant.ReadOnly, NoHistory: true,
		},
		{Code: Deposit, Name: "deposit", Label: "Deposit", Many: "deposits", Role: tenant.ReadOnly, NoHistory: true},
		{Code: Fee, Name: "fee", Label: "Fee", Many: "fees", Role: tenant.ReadOnly, NoHistory: true},
		{
			Code: MetricRow, Name: "metric", Label: "Metric", Many: "metrics", Role: tenant.Manager, NoHistory: true, Finance: true,
			Unlisted: true,
		},
		{Code: Funnel, Name: "funnel", Label: "Funnel", Many: "funnels", Path: "/v1/sales/funnels/", Role: tenant.ReadOnly},
		{
			Code: Stage, Name: "stage", Label: "Stage", Many: "stages", Sums: []string{"s"}, Held: true, Role: tenant.ReadOnly,
			NoHistory: true,
		},
		{
			Code: Lead, Name: "lead", Model: "Lead", Label: "Lead", Many: "leads", Path: "/v1/sales/leads/",
			Fields: []string{"funnel_lead"}, Amounts: true, Role: tenant.ReadOnly,
		},
		{
			Code: Penalty, Name: "penalty", Model: "Penalty", Label: "Penalty", Many: "penalties", Path: "/v1/cars/penalties/",
			Unique: []string{"outer_id"}, Amounts: true, Role: tenant.ReadOnly,
		},
		{
			Code: PenaltyState, Name: "penalty_state", Label: "Penalty state", Many: "penalty states", Path: "/v1/cars/states/",
			Role: tenant.ReadOnly,
		},
		{
			Code: CustomField, Name: "custom_field", Label: "Custom field", Many: "custom fields",
			Path: "/v1/crm/settings/custom_fields/", Role: tenant.ReadOnly,
		},
		{
			Code: FeedToken, Name: "feed_token", Label: "Feed token", Many: "feed tokens", Path: "/v1/crm/settings/feed_tokens/",
			Role: tenant.Owner,
		},
		{Code: Key, Name: "key", Label: "Key", Many: "keys", Path: "/v1/keys/", Role: tenant.Owner},
		{
			Code: Webhook, Name: "webhook", Label: "Webhook", Many: "webhooks", Path: "/v1/webhooks/", Array: true, Role: tenant.Owner,
		},
		{Code: Staff, Name: "user", Label: "User", Many: "users", Path: "/v1/crm/users/", Unique: []string{"email"}, Role: tenant.Manager},
		{Code: Company, Name: "company", Label: "Company", Many: "companies", Role: tenant.Manager},
	}
})

// Of is the kind with a code; the zero Kind if there is none.
func Of(c Code) Kind {
	k, _ := find(func(k Kind) bool { return k.Code == c })
	return k
}

// ByName is the kind with a name; false if there is none.
func ByName(name string) (Kind, bool) { return find(func(k Kind) bool { return k.Name == name }) }

// ByModel is the kind with a model class; false if there is none.
func ByModel(model string) (Kind, bool) {
	return find(func(k Kind) bool { return k.Model == model && model != "" })
}

func find(fits func(Kind) bool) (Kind, bool) {
	i := slices.IndexFunc(all(), fits)
	if i < 0 {
		return Kind{}, false
	}
	return all()[i], true
}

// One is the path of a record; empty if the kind has none.
func (k Kind) One(id int64) string {
	if k.Path == "" {
		return ""
	}
	return k.Path + strconv.FormatInt(id, 10) + "/"
}

// UniqueName is the name of one of the kind's unique values, unique among all kinds: "cli.iin".
func (k Kind) UniqueName(name string) string { return string(k.Code) + "." + name }

// Object is the name of a record in histories: "client:15".
func (k Kind) Object(id int64) string { return k.Name + ":" + strconv.FormatInt(id, 10) }

// ParseObject reads the name of a record that Object has made.
func ParseObject(object string) (k Kind, id int64, ok bool) {
	name, number, _ := strings.Cut(object, ":")
	if k, ok = ByName(name); !ok {
		return k, 0, false
	}
	id, err := strconv.ParseInt(number, 10, 64)
	return k, id, err == nil && id > 0
}
