// Package kinds is the registry of the kinds of records: what each is called in
// keys, by callers and by people, and where one is read.
//
// A kind is declared here once. The keys of its records, its histories, the
// links of documents to it and the references of custom fields follow from its
// row.
//
// What never goes in here: what a record of a kind is. This package links no
// domain, so whatever knows records by their keys alone can import it.
package kinds

import (
	"slices"
	"strconv"
	"sync"

	"github.com/tenantry/tenantry/shared/tenant"
)

// Code is a kind as it stands in keys. Keys are paid for with every record, so
// codes are short. One never changes, and is never given to another kind.
type Code string

// The codes.
const (
	Document         Code = "doc"
	RentalPoint      Code = "pt"
	Client           Code = "cli"
	AttractionMethod Code = "att"
	Agent            Code = "agt"
	Discount         Code = "dis"
	Category         Code = "cat"
	Staff            Code = "stf"
	CustomField      Code = "fld" // numbered alone: definitions are stored together, see table.Tenant.Definitions
	Company          Code = "com" // for its history alone: its number is the tenant's, see table.Tenant.Company
)

// Name is the attribute of every record's item that holds what the record is
// called.
const Name = "n"

// Kind is what is known of a kind of records without knowing the records.
type Kind struct {
	Code  Code
	Name  string // as callers name it in a history or as the type of a custom field: "rental_point"
	Model string // as callers name it in the link of a document: "RentalPoint"; empty: nothing links to one
	Label string // for people: "Rental point"
	Many  string // in a sentence: "rental points"
	Path  string // of the list, below which each record has its address: "/v1/crm/rental_points/"; empty: it has none
	// Fields are the keys under which a company defines custom fields of the
	// kind's records.
	Fields []string
	Unique []string // values that no two live records of a company share: "iin"
	Sums   []string // numbers beside a record that others add to, as their attributes are named: "d"; see shared/record
	Held   bool     // a record can't go while others hold it
	// Amounts says that its records hold amounts, which would mean other money in
	// another currency of the company.
	Amounts bool
	Role    tenant.Role // the least role that may read the history of a record
}

// All lists the kinds. The list is everybody's: nobody writes to it.
func All() []Kind { return all() }

// all is made once, because a link of a document looks up its kind.
var all = sync.OnceValue(func() []Kind {
	return []Kind{
		{Code: Document, Name: "document", Model: "Document", Label: "Document", Many: "documents", Path: "/v2/documents/", Role: tenant.ReadOnly},
		{
			Code: RentalPoint, Name: "rental_point", Model: "RentalPoint", Label: "Rental point", Many: "rental points", Path: "/v1/crm/rental_points/",
			Fields: []string{"rental_point"}, Role: tenant.ReadOnly,
		},
		{
			Code: Client, Name: "client", Model: "Client", Label: "Client", Many: "clients", Path: "/v1/crm/clients/",
			Fields: []string{"client"}, Unique: []string{"iin", "bin"}, Amounts: true, Role: tenant.ReadOnly,
		},
		{
			Code: AttractionMethod, Name: "attraction_method", Model: "AttractionMethod", Label: "Attraction method", Many: "attraction methods",
			Path: "/v1/crm/attraction_methods/", Unique: []string{"name"}, Role: tenant.ReadOnly,
		},
		{Code: Agent, Name: "agent", Model: "Agent", Label: "Agent", Many: "agents", Path: "/v1/crm/agents/", Role: tenant.ReadOnly},
		{Code: Discount, Name: "discount", Model: "Discount", Label: "Discount", Many: "discounts", Path: "/v1/crm/discounts/", Amounts: true, Role: tenant.ReadOnly},
		{
			Code: Category, Name: "category", Model: "Category", Label: "Category", Many: "categories", Path: "/v1/crm/categories/",
			Fields: []string{"category"}, Role: tenant.ReadOnly,
		},
		{Code: CustomField, Name: "custom_field", Label: "Custom field", Many: "custom fields", Path: "/v1/crm/settings/custom_fields/", Role: tenant.ReadOnly},
		{Code: Staff, Name: "user", Label: "User", Many: "users", Path: "/v1/crm/users/", Unique: []string{"email"}, Role: tenant.Manager},
		{Code: Company, Name: "company", Label: "Company", Many: "companies", Role: tenant.Manager},
	}
})

// Of is the kind of a code; the zero Kind where there is none.
func Of(c Code) Kind {
	k, _ := find(func(k Kind) bool { return k.Code == c })
	return k
}

// ByName is the kind of a name; false where there is none.
func ByName(name string) (Kind, bool) { return find(func(k Kind) bool { return k.Name == name }) }

// ByModel is the kind of a model class; false where there is none.
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

// One is the path of a record; empty where the kind has none.
func (k Kind) One(id int64) string {
	if k.Path == "" {
		return ""
	}
	return k.Path + strconv.FormatInt(id, 10) + "/"
}

// UniqueName is the name of one of its unique values among those of all kinds:
// "cli.iin".
func (k Kind) UniqueName(name string) string { return string(k.Code) + "." + name }

// Object is a record as histories name it: "client:15".
func (k Kind) Object(id int64) string { return k.Name + ":" + strconv.FormatInt(id, 10) }
