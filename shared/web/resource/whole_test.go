package resource_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Racks hold the ids of their boxes, the one that was added last first. One rack is shown with its boxes.

const (
	codeRack kinds.Code = "zr"
	codeBox  kinds.Code = "zb"
)

type rack struct {
	record.Meta
	Boxes []int64 `dynamo:"o"`
}

type box struct {
	record.Meta
	Rack  int64  `dynamo:"k"`
	Label string `dynamo:"l"`
}

// Rack is one as callers see it.
type Rack struct {
	ID    int64    `json:"id"`
	Boxes []string `json:"boxes" nullable:"true"`
}

// Box is one as callers see it.
type Box struct {
	ID    int64  `json:"id"`
	Label string `json:"label"`
}

type boxBody struct {
	Label decode.Optional[string] `json:"label" required:"true"`
}

func rackKind() *record.Kind[*rack] {
	return &record.Kind[*rack]{
		Kind:  kinds.Kind{Code: codeRack, Name: "sketch_rack", Label: "Rack", Many: "racks", Path: "/v1/racks/", Role: tenant.ReadOnly},
		Shown: func(r *rack) any { return Rack{ID: r.ID} },
	}
}

func boxKind() *record.Kind[*box] {
	return &record.Kind[*box]{
		Kind:  kinds.Kind{Code: codeBox, Name: "sketch_box", Label: "Box", Many: "boxes", Role: tenant.ReadOnly},
		Shown: func(b *box) any { return Box{b.ID, b.Label} },
	}
}

func newRacks(env app.Env) app.Group {
	racks := resource.Resource[*rack, struct{}, Rack]{
		Kind: rackKind(), Apply: func(*rack, *struct{}, fault.FieldErrors) {}, View: func(r *rack, _ resource.Viewer) Rack { return Rack{ID: r.ID} },
		Whole: func(ctx context.Context, w *record.Work, r *rack, view *Rack) error {
			view.Boxes = []string{}
			for _, id := range r.Boxes {
				b, err := boxKind().Read(ctx, w, id)
				if err != nil {
					return err
				}
				view.Boxes = append(view.Boxes, b.Label)
			}
			return nil
		},
	}
	boxes := resource.Under[*rack, *box, boxBody, Box]{
		Resource: resource.Resource[*box, boxBody, Box]{
			Kind: boxKind(), Apply: func(b *box, in *boxBody, _ fault.FieldErrors) { in.Label.Into(&b.Label) },
			View: func(b *box, _ resource.Viewer) Box { return Box{b.ID, b.Label} },
			Made: func(ctx context.Context, w *record.Work, b *box, _ *boxBody) error {
				if err := w.Number(ctx); err != nil {
					return err
				}
				r, err := rackKind().Edit(ctx, w, b.Rack)
				if err == nil {
					r.Boxes = append([]int64{b.ID}, r.Boxes...)
				}
				return err
			},
			Gone: func(ctx context.Context, w *record.Work, b *box) error {
				r, err := rackKind().Edit(ctx, w, b.Rack)
				if err == nil {
					r.Boxes = slices.DeleteFunc(slices.Clone(r.Boxes), func(id int64) bool { return id == b.ID })
				}
				return err
			},
		},
		Above: rackKind(), Path: "boxes", Param: "rack_id", Of: func(b *box) *int64 { return &b.Rack },
		IDs: func(r *rack) []int64 { return r.Boxes },
	}
	return app.Group{Group: web.Group{Name: "racks", Zone: inUTC, Operations: append(racks.Operations(env.Now), boxes.Operations(env.Now)...)}}
}

func racksAPI(t *testing.T) *webtest.Client {
	t.Helper()
	c := webtest.Setup{Kinds: []kinds.Kind{rackKind().Kind, boxKind().Kind}}.New(t, newRacks).As(webtest.Employee(1))
	for range 2 {
		c.Post("/v1/racks/", `{}`).Status(201)
	}
	for n, id := range []int64{1, 1, 2, 1} {
		c.Post(fmt.Sprintf("/v1/racks/%d/boxes/", id), fmt.Sprintf(`{"label":"B%d"}`, n+1)).Status(201)
	}
	return c
}

// The list of records whose ids the record above holds is in their order and consistent: nothing
// of it is in an index.
func TestRecordsWhoseIDsAreAbove(t *testing.T) {
	c := racksAPI(t)
	const boxes = "/v1/racks/1/boxes/"
	c.Get(boxes).Status(200).Calls(2).
		JSON(`{"count":3,"next":null,"previous":null,"results":[{"id":4,"label":"B4"},{"id":2,"label":"B2"},{"id":1,"label":"B1"}]}`)
	c.Get(boxes + "?page=2&pageSize=2").Status(200).
		JSON(`{"count":3,"next":null,"previous":"` + webtest.BaseURL + boxes + `?pageSize=2","results":[{"id":1,"label":"B1"}]}`)
	c.Delete(boxes + "2/").Status(204)
	c.Get(boxes).Status(200).Field("count", "2").Field("results.1.id", "1")
	c.Get(boxes + "3/").Status(404)
	c.Get("/v1/racks/3/boxes/").Status(404)
}

// One record is shown whole, as the unit of work has it, and never 304: what it shows of others
// changes without it. A list leaves that out.
func TestOneRecordIsShownWhole(t *testing.T) {
	c := racksAPI(t)
	tag := c.Get("/v1/racks/1/").Status(200).JSON(`{"id":1,"boxes":["B4","B2","B1"]}`).Get("ETag")
	c.Patch("/v1/racks/1/boxes/2/", `{"label":"second"}`).Status(200)
	c.With("If-None-Match", tag).Get("/v1/racks/1/").Status(200).Header("ETag", tag).JSON(`{"id":1,"boxes":["B4","second","B1"]}`)
	c.Patch("/v1/racks/1/", `{}`).Status(200).JSON(`{"id":1,"boxes":["B4","second","B1"]}`)
	c.Post("/v1/racks/", `{}`).Status(201).JSON(`{"id":3,"boxes":[]}`)
	c.Get("/v1/racks/").Status(200).Field("results.2.boxes", "null").NotContain("second")
}
