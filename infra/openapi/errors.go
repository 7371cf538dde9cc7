package openapi

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource/sheets"
)

// faults describes the answers to errors that an operation can give. They are those of components.yaml, by their names there.
func (d *document) faults(op web.Operation, to map[string]*huma.Response) {
	_, body := bodyOf(op)
	inTenant := op.Access == web.InTenant
	for _, f := range []struct {
		status   int
		name     string
		possible bool
	}{
		{http.StatusBadRequest, "Invalid", true}, // Prefer: handling=strict refuses unknown query parameters everywhere
		{
			http.StatusUnauthorized, "Unauthorized",
			op.Access != web.Public || hasFault(op, fault.Unauthenticated) || hasFault(op, fault.BadToken),
		},
		{http.StatusForbidden, "Forbidden", inTenant || hasFault(op, fault.Forbidden)},
		{http.StatusNotFound, "NotFound", strings.Contains(op.Path, "{") || isList(op) || hasFault(op, fault.NotFound)},
		{http.StatusNotAcceptable, "NotAcceptable", op.Produces == nil || hasFault(op, fault.NotAcceptable)},
		{http.StatusConflict, "Conflict", hasFault(op, fault.Conflict) || op.Idempotent},
		{http.StatusGone, "Gone", hasFault(op, fault.Gone)},
		{http.StatusPreconditionFailed, "PreconditionFailed", hasFault(op, fault.Precondition)},
		{http.StatusRequestEntityTooLarge, "TooLarge", body},
		{http.StatusUnsupportedMediaType, "UnsupportedMediaType", body},
		{http.StatusUnprocessableEntity, "Mismatch", op.Idempotent},
		// Who needs a token may send only so many requests. Public operations that tell about accounts or send messages are throttled.
		{http.StatusTooManyRequests, "Throttled", hasFault(op, fault.Throttled) || op.Access != web.Public},
		{http.StatusInternalServerError, "ServerError", true},
		{http.StatusServiceUnavailable, "Unavailable", true},
	} {
		status := strconv.Itoa(f.status)
		if page := to[status]; !f.possible || page != nil && page.Content != nil { // a page says it to people
			continue
		}
		switch f.status { // what components.yaml refers to
		case http.StatusBadRequest:
			d.outputs.schema(reflect.TypeFor[sheets.CellError](), "")
			d.outputs.schema(reflect.TypeFor[sheets.Similar](), "")
			d.outputs.schema(reflect.TypeFor[sheets.TakenValue](), "")
		case http.StatusConflict:
			d.outputs.schema(reflect.TypeFor[calendar.ItemConflict](), "ItemConflict")
		}
		to[status] = &huma.Response{Ref: components + "responses/" + f.name}
		d.Components.Responses[f.name] = d.errors[f.name]
	}
}
