// Package scope is what a key for programs may do: the scopes that an owner gives it, such as
// clients:read, and that operations ask for. A scope is a resource and one of two verbs; to write a
// resource does not include to read it.
//
// What never goes in here: which operation asks for which scope. The route tables of the groups say
// that (web.Operation).
package scope

import (
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/enum"
)

// Resource is what a scope is about, in the words of an integrator.
type Resource string

// The resources. A name is stored with each key that has it, so it never changes its meaning.
const (
	Clients      Resource = "clients"       // with what describes them: agents, categories, discounts, ways of attraction
	CustomFields Resource = "custom_fields" // the definitions
	Documents    Resource = "documents"     // with their files
	Events       Resource = "events"        // the log of what happened
	Finance      Resource = "finance"       // accounts and what is posted into them
	History      Resource = "history"       // of those records that the key may read
	Inventory    Resource = "inventory"     // items, groups, tariffs, states, blocks
	Leads        Resource = "leads"         // with funnels and stages
	Metrics      Resource = "metrics"
	Orders       Resource = "orders" // with their lines, services, deposits, fees and referrals
	Penalties    Resource = "penalties"
	RentalPoints Resource = "rental_points"
	Services     Resource = "services"
	Settings     Resource = "settings" // how a company rents out
	Signing      Resource = "signing"  // signs of documents: to ask for signatures, never to give them
	SMS          Resource = "sms"
	Templates    Resource = "templates"
)

// Scope is a resource and a verb, as callers write it: "clients:read".
type Scope string

const (
	reads  = ":read"
	writes = ":write"
)

// Read is the scope of operations that read a resource.
func Read(r Resource) Scope { return Scope(r) + reads }

// Write is the scope of operations that change a resource.
func Write(r Resource) Scope { return Scope(r) + writes }

// resources lists the resources that have scopes, ordered by name: those to read and write, and those that tell of the past and can only
// be read.
func resources() (both, told []Resource) {
	return []Resource{
		Clients, CustomFields, Documents, Finance, Inventory, Leads, Orders, Penalties, RentalPoints, Services, Settings, Signing,
		SMS, Templates,
	}, []Resource{Events, History, Metrics}
}

// All lists the scopes in the order of their texts.
func All() (list []Scope) {
	both, told := resources()
	for _, r := range both {
		list = append(list, Read(r), Write(r))
	}
	for _, r := range told {
		list = append(list, Read(r))
	}
	slices.Sort(list)
	return list
}

// Values are the scopes.
func (Scope) Values() []enum.Value { return enum.Named(All()...) }

// Known tells whether there is such a scope.
func (s Scope) Known() bool { return slices.Contains(All(), s) }

// Set is the scopes of a key: their texts in order, each once, with a space between two. In this form they are stored beside the key
// and travel from the authorizer to a function.
type Set string

// Of is the set of some scopes.
func Of(list ...Scope) Set {
	sorted := slices.Compact(slices.Sorted(slices.Values(list)))
	texts := make([]string, len(sorted))
	for i, s := range sorted {
		texts[i] = string(s)
	}
	return Set(strings.Join(texts, " "))
}

// List lists the scopes of a set.
func (s Set) List() []Scope {
	list := []Scope{}
	for text := range strings.FieldsSeq(string(s)) {
		list = append(list, Scope(text))
	}
	return list
}

// Has tells whether a scope is in the set.
func (s Set) Has(one Scope) bool { return one != "" && slices.Contains(s.List(), one) }

// Without lists those scopes of the set that another one has not.
func (s Set) Without(other Set) []Scope {
	return slices.DeleteFunc(s.List(), other.Has)
}
