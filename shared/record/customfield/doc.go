// Package customfield knows the custom fields that a company gives its
// resources: how their definitions are stored, and what a definition asks of
// the extra of a record.
//
// All definitions of one key, which is one kind of resources, are one item, at
// table.Tenant.Definitions: whoever writes a record reads it in the batch that
// looks up the record's references, and a key and name is unique within one
// item. So a key has at most MaxDefinitions (100), within MaxSize (16 KB): reading
// them takes that writer at most 4 units, and the definitions of all 17 keys, which
// lists and changes of definitions read, are at most 272 KB in one call.
//
// A definition is enforced whenever a record is written, and never when it is
// read: a record from before the definition stays as it is until then. Fields of
// extra that nobody has defined may be anything.
//
// Extra is kept as it was sent, so a value has to be what its type says, and is
// never converted: an integer is 5 and not "5". HTML that is not harmless is
// refused, not cleaned; see wrongHTML.
//
// What never goes in here: who may define fields (functions/settings), and
// looking up the records that extra refers to, which its writer does together
// with its other references.
package customfield

import "slices"

// Keys are the kinds of resources that can have custom fields.
func Keys() []string {
	return []string{
		"client", "service", "inventory", "inventory_car", "inventory_scooter", "inventory_motorcycle", "inventory_set",
		"inventory_group", "rental_point", "category", "order", "order_inventory", "order_service", "funnel_lead",
		"workshop", "document", "template",
	}
}

// The types of values that are no references.
const (
	typeString   = "string"
	typeHTML     = "html"
	typeInteger  = "integer"
	typeDecimal  = "decimal"
	typeBoolean  = "boolean"
	typeDate     = "date"
	typeDatetime = "datetime"
	typeColor    = "color"
)

// references are the types whose value is the id of another record: each is the
// name of its kind.
var references = []string{"client", "inventory", "inventory_group", "inventory_set", "service", "workshop", "document", "template"}

// Types are the types of custom fields.
func Types() []string {
	return slices.Concat([]string{
		typeString, typeHTML, typeInteger, typeDecimal, typeBoolean, typeDate, typeDatetime, typeColor,
	}, references)
}
