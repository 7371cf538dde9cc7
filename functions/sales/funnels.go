package sales

import (
	"context"
	"net/http"

	"github.com/tenantry/tenantry/functions/sales/lead"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type funnelBody struct {
	Name decode.Optional[string] `json:"name" required:"true" maxLength:"255" example:"Rentals"`
}

// Funnel is a funnel as callers see it.
type Funnel struct {
	ID        int64              `json:"id"`
	CreatedAt string             `json:"created_at" format:"date-time"`
	UpdatedAt string             `json:"updated_at" format:"date-time"`
	Name      string             `json:"name"`
	Stages    []lead.FunnelStage `json:"stages" doc:"In their order"`
}

// Board is a funnel with what is in its stages.
type Board struct {
	ID        int64             `json:"id"`
	CreatedAt string            `json:"created_at" format:"date-time"`
	UpdatedAt string            `json:"updated_at" format:"date-time"`
	Name      string            `json:"name"`
	Stages    []lead.BoardStage `json:"stages" doc:"In their order"`
}

func funnels() resource.Resource[*lead.Funnel, funnelBody, Funnel] {
	return resource.Resource[*lead.Funnel, funnelBody, Funnel]{
		Kind:  lead.Funnels(),
		Doc:   "A funnel is deleted with its stages. With leads in any of them that is 409 with the code held, and held_by says how many.",
		Apply: func(f *lead.Funnel, in *funnelBody, _ fault.FieldErrors) { in.Name.Into(&f.Name) },
		View: func(f *lead.Funnel, _ resource.Viewer) Funnel {
			return Funnel{
				ID: f.ID, CreatedAt: f.CreatedAt(), UpdatedAt: f.UpdatedAt(), Name: f.Name,
				Stages: append([]lead.FunnelStage{}, f.Stages...), // never null
			}
		},
		Gone: lead.Clear,
	}
}

// board is the operation that shows how many leads are in each stage, and what they are worth.
func board(env app.Env) web.Operation {
	return web.Op(web.Operation{
		ID: "funnels-board", Method: http.MethodGet, Path: funnels().Path() + "{id}/board/", Summary: "Read the board of a funnel",
		Doc: "Each stage with the number of its leads and the sum of their prices. It does not lag behind changes, and shows all stages " +
			"as they were at one moment.",
	}, func(ctx context.Context, r *web.Request, in *struct {
		ID int64 `path:"id"`
	},
	) (*Board, error) {
		f, tallies, err := lead.Board(ctx, resource.Scope(r, env.Now), in.ID)
		if err != nil {
			return nil, err
		}
		return &Board{ID: f.ID, CreatedAt: f.CreatedAt(), UpdatedAt: f.UpdatedAt(), Name: f.Name, Stages: tallies}, nil
	})
}

// Stage is a stage as callers see it.
type Stage struct{ lead.ShownStage }

type stageBody struct {
	Name     decode.Optional[string]         `json:"name" required:"true" maxLength:"255" example:"Negotiations"`
	Type     decode.Optional[lead.StageType] `json:"type" default:"DEFAULT" doc:"A lead that comes into a stage of the type CANCEL needs a cancel_reason; one that is there when it becomes such a stage needs none."`
	Colour   decode.Optional[string]         `json:"colour" nullable:"true" pattern:"^#[0-9a-fA-F]{6}$" patternMessage:"invalid_colour" example:"#2f80ed"`
	Ordering decode.Optional[int64]          `json:"ordering" minimum:"0" maximum:"2147483647" doc:"A new stage without one comes after the others."`
}

type arrangement struct {
	Stages decode.Optional[[]int64] `json:"stages" required:"true" maxItems:"25" example:"[1]" doc:"The ids of all stages of the funnel, each once"`
}

func stages() resource.Under[*lead.Funnel, *lead.Stage, stageBody, Stage] {
	changed := func(ctx context.Context, w *record.Work, s *lead.Stage, _ *stageBody) error {
		return lead.Keep(ctx, w, s)
	}
	return resource.Under[*lead.Funnel, *lead.Stage, stageBody, Stage]{
		Resource: resource.Resource[*lead.Stage, stageBody, Stage]{
			Kind: lead.Stages(), Apply: applyStage, View: func(s *lead.Stage, _ resource.Viewer) Stage { return Stage{s.Shown()} },
			Made: changed, Changed: changed, Gone: lead.Drop,
		},
		Above: lead.Funnels(), Path: "stages", Param: "funnel_id", Of: func(s *lead.Stage) *int64 { return &s.Funnel },
	}
}

func applyStage(s *lead.Stage, in *stageBody, _ fault.FieldErrors) {
	if s.ID == 0 {
		s.Type, s.Ordering = lead.Default, lead.Last
	}
	in.Name.Into(&s.Name)
	in.Type.Into(&s.Type)
	in.Colour.IntoNullable(&s.Colour)
	in.Ordering.Into(&s.Ordering)
}

// stageOperations returns the operations on stages. Listing them returns all stages of the funnel, in its
// order and not in pages.
func stageOperations(env app.Env) []web.Operation {
	list := stages().Operations(env.Now)
	all := list[0].Path
	list[0] = web.Op(web.Operation{
		ID: list[0].ID, Method: http.MethodGet, Path: all, Summary: list[0].Summary, Doc: "In their order; at most 25.",
	}, func(ctx context.Context, r *web.Request, in *struct {
		Above int64 `path:"1"`
	},
	) ([]Stage, error) {
		w := resource.Scope(r, env.Now).Reading()
		f, err := lead.Funnels().Read(ctx, w, in.Above)
		if err != nil {
			return nil, err
		}
		list, err := lead.StagesOf(ctx, w, f)
		return shown(list), err
	})
	return append(list, web.Op(web.Operation{
		ID: "funnel-stages-arrange", Method: http.MethodPut, Path: all, Summary: "Put the stages of a funnel into an order", Thorough: true,
		Doc: "Their orderings are 0, 1, 2 … from then on. The answer is the list.",
	}, func(ctx context.Context, r *web.Request, in *struct {
		Above int64 `path:"1"`
		Body  arrangement
	},
	) ([]Stage, error) {
		var list []*lead.Stage
		err := resource.Scope(r, env.Now).Do(ctx, nil, func(w *record.Work) error {
			f, err := lead.Funnels().Edit(ctx, w, in.Above)
			if err == nil {
				list, err = lead.Arrange(ctx, w, f, in.Body.Stages.Value, "stages")
			}
			return err
		})
		return shown(list), err
	}))
}

func shown(list []*lead.Stage) []Stage {
	views := make([]Stage, len(list))
	for i, s := range list {
		views[i] = Stage{s.Shown()}
	}
	return views
}
