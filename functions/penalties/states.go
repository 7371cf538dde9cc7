package penalties

import (
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// state is what a company says about a penalty, such as that the client pays it.
type state struct {
	record.Meta
	Name   string  `dynamo:"n"`
	Colour *string `dynamo:"co,omitempty"`
}

type stateBody struct {
	Name   decode.Optional[string] `json:"name" required:"true" maxLength:"255" example:"The client pays"`
	Colour decode.Optional[string] `json:"colour" nullable:"true" pattern:"#[0-9a-fA-F]{6}" patternMessage:"invalid_colour" example:"#e53935"`
}

// PenaltyState is a state as callers see it.
type PenaltyState struct {
	ID        int64   `json:"id"`
	CreatedAt string  `json:"created_at" format:"date-time"`
	UpdatedAt string  `json:"updated_at" format:"date-time"`
	Name      string  `json:"name"`
	Colour    *string `json:"colour" nullable:"true" doc:"As #rrggbb"`
}

// states is the resource of the states of penalties. A state may be deleted while penalties
// have it: they keep its id, as records do with whatever they refer to.
func states() resource.Resource[*state, stateBody, PenaltyState] {
	return resource.Resource[*state, stateBody, PenaltyState]{
		Kind: &record.Kind[*state]{Kind: kinds.Of(kinds.PenaltyState), Name: func(s *state) string { return s.Name }},
		Apply: func(s *state, in *stateBody, _ fault.FieldErrors) {
			in.Name.Into(&s.Name)
			in.Colour.IntoNullable(&s.Colour)
		},
		View: func(s *state, _ resource.Viewer) PenaltyState {
			return PenaltyState{ID: s.ID, CreatedAt: s.CreatedAt(), UpdatedAt: s.UpdatedAt(), Name: s.Name, Colour: s.Colour}
		},
		Doc: "A state that penalties have can be deleted; they keep its id.",
	}
}
