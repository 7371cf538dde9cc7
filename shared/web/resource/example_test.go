package resource_test

import (
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// A depot is a stored record, a depotBody what callers send of one, and a Depot what they are shown.
type depot struct {
	record.Meta
	Name  string `dynamo:"n"`
	Opens *int64 `dynamo:"o,omitempty"`
	Shuts *int64 `dynamo:"s,omitempty"`
}

type depotBody struct {
	Name  decode.Optional[string] `json:"name" required:"true" maxLength:"100"`
	Opens decode.Optional[int64]  `json:"opens" nullable:"true" minimum:"0" maximum:"24" doc:"An hour"`
	Shuts decode.Optional[int64]  `json:"shuts" nullable:"true" minimum:"0" maximum:"24" doc:"An hour"`
}

type Depot struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Opens *int64 `json:"opens" nullable:"true"`
	Shuts *int64 `json:"shuts" nullable:"true"`
}

// applyDepot is the rule of the resource: a plain function of values, which adds what is wrong to errs. What the decoder has refused
// is there already.
func applyDepot(d *depot, in *depotBody, errs fault.FieldErrors) {
	in.Name.Into(&d.Name)
	in.Opens.IntoNullable(&d.Opens)
	in.Shuts.IntoNullable(&d.Shuts)
	if d.Opens != nil && d.Shuts != nil && *d.Shuts <= *d.Opens && !errs.Has("opens") && !errs.Has("shuts") {
		errs.Add("shuts", "Ensure this value is after opens.")
	}
}

// A resource is a kind, a rule and a view. It makes the operations, with Idempotency-Key, ETag, search and history.
func ExampleResource() {
	depots := resource.Resource[*depot, depotBody, Depot]{
		Kind:  &record.Kind[*depot]{Kind: kinds.Of(kinds.RentalPoint), Name: func(d *depot) string { return d.Name }},
		Apply: applyDepot,
		View:  func(d *depot, _ resource.Viewer) Depot { return Depot{d.ID, d.Name, d.Opens, d.Shuts} },
	}
	for _, op := range depots.Operations(time.Now) {
		fmt.Println(op.Method, op.Path)
	}
	errs := fault.FieldErrors{}
	applyDepot(&depot{}, &depotBody{Opens: decode.Some(int64(9)), Shuts: decode.Some(int64(8))}, errs)
	fmt.Println(errs["shuts"])
	// Output:
	// GET /v1/crm/rental_points/
	// POST /v1/crm/rental_points/
	// GET /v1/crm/rental_points/{id}/
	// PUT /v1/crm/rental_points/{id}/
	// PATCH /v1/crm/rental_points/{id}/
	// DELETE /v1/crm/rental_points/{id}/
	// [Ensure this value is after opens.]
}
