package inventory

import (
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// state is what a company says about an item, such as that it is being repaired.
type state struct {
	record.Meta
	Name   string  `dynamo:"n"`
	Colour *string `dynamo:"co,omitempty"`
}

type stateBody struct {
	Name   decode.Optional[string] `json:"name" required:"true" maxLength:"255" example:"In repair"`
	Colour decode.Optional[string] `json:"colour" nullable:"true" pattern:"#[0-9a-fA-F]{6}" patternMessage:"invalid_colour" example:"#e53935"`
}

// InventoryState is a state as callers see it.
type InventoryState struct {
	ID        int64   `json:"id"`
	CreatedAt string  `json:"created_at" format:"date-time"`
	UpdatedAt string  `json:"updated_at" format:"date-time"`
	Name      string  `json:"name"`
	Colour    *string `json:"colour" nullable:"true" doc:"As #rrggbb"`
}

// inventoryStates is the resource of the states of items. A state may be deleted while items
// have it: they keep its id, as records do with whatever they refer to.
func inventoryStates() resource.Resource[*state, stateBody, InventoryState] {
	return resource.Resource[*state, stateBody, InventoryState]{
		Kind: &record.Kind[*state]{Kind: kinds.Of(kinds.InventoryState), Name: func(s *state) string { return s.Name }},
		Apply: func(s *state, in *stateBody, _ fault.FieldErrors) {
			in.Name.Into(&s.Name)
			in.Colour.IntoNullable(&s.Colour)
		},
		View: func(s *state, _ resource.Viewer) InventoryState {
			return InventoryState{ID: s.ID, CreatedAt: s.CreatedAt(), UpdatedAt: s.UpdatedAt(), Name: s.Name, Colour: s.Colour}
		},
		Doc: "A state that items have can be deleted; they keep its id.",
	}
}
