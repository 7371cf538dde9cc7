// Package class knows the kinds of records by the names that callers use for
// them: in the object of a history, in the link of a document, in the
// references of custom fields.
//
// What never goes in here: what a record of a kind is. All that is known of one
// here is that its item keeps its name in the attribute Name.
package class

import (
	"slices"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Name is the attribute of every record's item that holds what the record is
// called.
const Name = "n"

// Class is one kind of records.
type Class struct {
	Name  string      // "rental_point"
	Model string      // "RentalPoint": the content_type of a link; empty: nothing links to one
	Label string      // "Rental point": for people
	Kind  table.Kind  // as it stands in keys
	Role  tenant.Role // the least role that may see its history
}

// All lists the classes.
func All() []Class {
	return []Class{
		{"document", "Document", "Document", table.Document, tenant.ReadOnly},
		{"rental_point", "RentalPoint", "Rental point", table.RentalPoint, tenant.ReadOnly},
		{"client", "Client", "Client", table.Client, tenant.ReadOnly},
		{"attraction_method", "AttractionMethod", "Attraction method", table.AttractionMethod, tenant.ReadOnly},
		{"agent", "Agent", "Agent", table.Agent, tenant.ReadOnly},
		{"discount", "Discount", "Discount", table.Discount, tenant.ReadOnly},
		{"category", "Category", "Category", table.Category, tenant.ReadOnly},
		{"custom_field", "", "Custom field", table.CustomField, tenant.Manager},
		{"user", "", "User", table.Staff, tenant.Manager},
		{"company", "", "Company", table.Company, tenant.Manager},
	}
}

// ByName is the class of a name; false where there is none.
func ByName(name string) (Class, bool) { return find(func(c Class) bool { return c.Name == name }) }

// ByModel is the class of a model; false where there is none.
func ByModel(model string) (Class, bool) {
	return find(func(c Class) bool { return c.Model == model && model != "" })
}

// Of is the class of a kind of records.
func Of(k table.Kind) (Class, bool) { return find(func(c Class) bool { return c.Kind == k }) }

func find(fits func(Class) bool) (Class, bool) {
	all := All()
	i := slices.IndexFunc(all, fits)
	if i < 0 {
		return Class{}, false
	}
	return all[i], true
}
