package console

import (
	"net/http"

	"github.com/tenantry/tenantry/shared/kinds"
)

// kind is what the console needs to know about a kind of records beyond the description of the API.
type kind struct {
	Name     string   `json:"name"`
	Model    string   `json:"model"`  // class name in documents; empty if none can belong to the kind
	List     string   `json:"list"`   // path of the list; empty if its records are listed within others, or nowhere
	Path     string   `json:"path"`   // of the records; empty as above
	Fields   []string `json:"fields"` // keys of custom fields: of `extra`, and the others of `extra` within
	Within   string   `json:"within"`
	History  bool     `json:"history"`
	Timeline bool     `json:"timeline"`
}

// elsewhere are the kinds whose list isn't at the path of their records.
func elsewhere() map[kinds.Code]kind {
	return map[kinds.Code]kind{
		kinds.CustomField: {List: "/v1/crm/settings/custom_fields_list/", Path: "/v1/crm/settings/custom_fields/"},
		kinds.Company:     {List: "/v1/tenant/", Path: "/v1/tenant/"},
	}
}

// registered is the registry of kinds, in its order.
func registered() (list []kind) {
	for _, k := range kinds.All() {
		one := kind{List: k.Path, Path: k.Path}
		if other, ok := elsewhere()[k.Code]; ok {
			one = other
		}
		one.Name, one.Model, one.Fields, one.Within = k.Name, k.Model, append([]string{}, k.Fields...), k.Within
		one.History, one.Timeline = !k.NoHistory, k.Timeline
		list = append(list, one)
	}
	return list
}

func listKinds(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, registered()) }
