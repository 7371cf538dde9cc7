// Package customfield defines the custom fields that a company adds to its resources: how their
// definitions are stored, and what a definition requires of the extra of a record.
//
// All definitions of one key, which is one kind of resources, are one item, at
// table.Tenant.Definitions. So whoever writes a record reads that item in the same batch as the
// record's references, and a name can be kept unique within its key. A key has at most
// MaxDefinitions (100), within MaxSize (16 KB). So reading them costs a writer at most 4 units.
// The definitions of all 17 keys, which lists and changes of definitions read, are at most 272
// KB in one call.
//
// A definition is enforced whenever a record is written, and never when it is read: a record
// from before the definition stays as it is until its next write. Fields of extra that have no
// definition may be anything.
//
// Lists are filtered by fields with Filter and ordered by fields with Table, also by those of parts within a record, such as
// inventory_car. Where no list is, as by fields of HTML, a definition with the flag is refused (Idle), as is a required field
// of a key that no record has. A value that is not of the field's type, or a text longer than LongestText, counts as none in lists. A
// company with more such records than one read takes waits for its segments first (shared/record/search).
//
// Extra is stored as it was sent. A value has to be of the type of its definition, and is never
// converted: an integer is 5 and not "5". HTML that may be harmful is refused, not cleaned; see
// wrongHTML.
//
// What never goes in here: who may define fields (functions/settings), and looking up the
// records that extra refers to, which its writer does together with its other references.
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

// The types of values that are not references.
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

// references are the types whose value is the id of another record; the name of the type is the
// name of the record's kind.
var references = []string{"client", "inventory", "inventory_group", "inventory_set", "service", "workshop", "document", "template"}

// Types are the types of custom fields.
func Types() []string {
	return slices.Concat([]string{
		typeString, typeHTML, typeInteger, typeDecimal, typeBoolean, typeDate, typeDatetime, typeColor,
	}, references)
}

// Referable are the names of the kinds, registered or not, whose records custom fields may refer to.
func Referable() []string { return slices.Clone(references) }
