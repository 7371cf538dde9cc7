// Package settings is what a company configures for itself: the custom fields of its resources, how
// it rents out and its price rules, the tokens of feeds that write into it, and the keys of its own programs.
//
// A definition is enforced by the code that writes a record of its key, from the next write on
// (see shared/record/customfield). Deleting a definition changes no record: values stored
// under its name stay, and are no longer checked.
//
// What never goes in here: the check of a value against a definition
// (shared/record/customfield), users and companies (identity, tenants), what the settings of rentals and price rules do (orders), and what
// a feed may do with its token (web.Operation.Feed), or a program with its key (web.Group.Scope).
package settings

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
)

// service has the handlers of the group.
type service struct{ now func() time.Time }

const (
	all = "/v1/crm/settings/custom_fields_list/"
	one = "/v1/crm/settings/custom_fields/{id}/"

	rentalPath = "/v1/crm/settings/rental/"
)

// New is the group of settings. Only managers may change settings. Every member may read them,
// because a member who fills in a form has to know its fields. Feed tokens and keys for programs are the owner's alone.
func New(env app.Env) app.Group {
	s := &service{now: env.Now}
	changing := []fault.Code{fault.Conflict, fault.Precondition}
	operations := []web.Operation{
		web.Op(web.Operation{
			ID: "custom-fields-list", Method: http.MethodGet, Path: all, Summary: "List custom fields",
			Doc: "All of them, of all keys, ordered by id; the list is not paginated, and may lag a second behind changes.",
		}, s.list),
		web.Op(web.Operation{
			ID:         "custom-fields-create",
			Thorough:   true,
			Method:     http.MethodPost,
			Path:       all,
			Role:       tenant.Manager,
			Status:     http.StatusCreated,
			Idempotent: true,
			Faults:     []fault.Code{fault.Conflict},
			Summary:    "Define a custom field",
			Doc: "From then on the `extra` of each record of its key is checked when it is written: `required`, the type, and for " +
				"strings the choices, if `options` is a list: of texts, or of objects with a `value` and a `label`. HTML may have " +
				"structure, emphasis, tables and links, and nothing else. A reference is the id of a record; while there are no " +
				"records of its type, it can't be required. Records that are there already stay as they are until their `extra` is " +
				"sent. A key and name can be defined once; a key has at most " + strconv.Itoa(customfield.MaxDefinitions) + " fields.",
		}, s.create),
		web.Op(web.Operation{
			ID: "custom-fields-read", Method: http.MethodGet, Path: one, Summary: "Read a custom field",
			Doc: "The ETag of the answer can be sent as If-Match with a change.",
		}, s.read),
		web.Op(web.Operation{
			ID: "custom-fields-update", Thorough: true, Method: http.MethodPut, Path: one, Role: tenant.Manager, Faults: changing,
			Summary: "Change a custom field",
			Doc:     "Fields that are left out keep their value.",
		}, s.update),
		web.Op(web.Operation{
			ID: "custom-fields-patch", Thorough: true, Method: http.MethodPatch, Path: one, Role: tenant.Manager, Faults: changing,
			Summary: "Change a part of a custom field",
		}, s.update),
		web.Op(web.Operation{
			ID: "custom-fields-delete", Method: http.MethodDelete, Path: one, Role: tenant.Manager, Status: http.StatusNoContent,
			Faults: changing, Summary: "Delete a custom field",
			Doc: "Records keep what they have in `extra`, and it is not checked any more.",
		}, s.remove),
		web.Op(web.Operation{
			ID: "rental-settings-read", Resource: scope.Settings, Method: http.MethodGet, Path: rentalPath,
			Summary: "Read how the company rents out",
			Doc:     "The ETag of the answer is that of the company: each change of the company or of these settings is a revision of it.",
		}, s.readRental),
		web.Op(web.Operation{
			ID: "rental-settings-update", Resource: scope.Settings, Thorough: true, Method: http.MethodPut, Path: rentalPath,
			Role: tenant.Manager, Faults: changing,
			Summary: "Change how the company rents out",
			Doc: "Fields that are left out keep their value. What is late by no more than late_grace costs nothing. Later, with late " +
				"pro_rata, it costs the price of the tariff (of a sum, of the longest one) × floor((late - late_grace) / late_step) / " +
				"ceil(duration / late_step); with tariffs, what the rental would have cost until then, less what it costs until its end, " +
				"both before discounts. Of that late_percent is charged, and at most late_day_cap for each begun 24 hours. " +
				"tax_percent and tax_included are for new orders that don't say; a 0 that an order sends is 0. No change of settings " +
				"changes the price of an order that is there. The change is in the history of the company.",
		}, s.updateRental),
	}
	return app.Group{Group: web.Group{
		Name: "settings", Resource: scope.CustomFields,
		Doc: "Settings of a company: its custom fields, how it rents out, its price rules, the tokens of its feeds, and keys for " +
			"programs.",
		Zone:       company.ZoneOf,
		Operations: slices.Concat(operations, newFeeds(env).operations(), newPrograms(env).operations(), priceRules(env.Now)),
	}}
}
