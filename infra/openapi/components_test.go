package openapi_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/docs"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/idempotency"
)

// What components.yaml shows of faults and bounds is what the code has.
func TestComponentsAreAsTheCode(t *testing.T) {
	d := parse(t, docs.OpenAPI())
	example := func(response, name string) string {
		return "responses/" + response + "/content/application~1json/examples/" + name + "/value/"
	}
	for at, want := range map[string]any{
		example("Invalid", "taken") + "car/number":    []any{say.NotUnique},
		example("Invalid", "fields") + "name":         []any{say.Required},
		example("Invalid", "list") + "types/0":        []any{say.InvalidInteger},
		example("Unauthorized", "missing") + "detail": fault.ErrNoAuth.Detail,
		example("Unauthorized", "invalid") + "detail": fault.ErrBadToken.Detail,
		example("Unauthorized", "invalid") + "code":   fault.BadToken,
		example("Forbidden", "forbidden") + "detail":  fault.ErrForbidden.Detail,
		example("NotFound", "record") + "detail":      fault.ErrNotFound.Detail,
		example("NotFound", "page") + "detail":        fault.ErrInvalidPage.Detail,
		example("NotAcceptable", "accept") + "detail": fault.ErrNotAccepted.Detail,
		example("TooLarge", "size") + "detail":        fault.ErrBodyTooLarge.Detail,
		example("Mismatch", "key") + "detail":         idempotency.ErrMismatch.Detail,
		example("Mismatch", "key") + "code":           idempotency.ErrMismatch.Members["code"],
		example("Unavailable", "away") + "detail":     fault.ErrUnavailable.Detail,
		"parameters/pageSize/schema/maximum":          web.MaxPageSize,
		"parameters/pageSize/schema/default":          web.DefaultPageSize,
		"parameters/idempotencyKey/schema/maxLength":  idempotency.MaxKey,
	} {
		if got := find(d, "#/components/"+at); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %v, and the code has %v", at, got, want)
		}
	}
}
