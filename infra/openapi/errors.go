package openapi

import (
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tenantry/tenantry/functions/inventory/calendar"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/idempotency"
)

// response is one of the answers that operations share.
type response struct {
	status   int
	name     string
	text     string
	schema   string
	headers  []string // besides the headers that every answer has
	examples map[string]any
}

func detail(text string) map[string]any { return map[string]any{"detail": text} }

// responses returns the answers to errors, ordered by status.
func responses() []response {
	return []response{
		{
			status: http.StatusBadRequest, name: "Invalid", schema: fieldsSchema,
			text: "The request is wrong. Errors stand under the names of their fields.",
			examples: map[string]any{
				"taken": map[string]any{
					"car": map[string]any{"number": []string{fault.NotUnique}}, "taken_by": map[string]int64{"car.number": 7},
				},
				"fields":    map[string]any{"name": []string{fault.Required}},
				"list":      map[string]any{"types": map[string]any{"0": []string{fault.BadInteger}}},
				"malformed": detail("JSON parse error - unexpected end of JSON input"),
			},
		},
		{
			status: http.StatusUnauthorized, name: "Unauthorized", schema: tokenSchema, headers: []string{"WWW-Authenticate"},
			text: "No token, or one that does not hold.",
			examples: map[string]any{
				"missing": detail(fault.ErrNoAuth.Detail),
				"invalid": map[string]any{
					"detail": fault.ErrBadToken.Detail,
					"code":   string(fault.BadToken),
					"messages": []map[string]string{
						{"token_class": "AccessToken", "token_type": "access", "message": "Token is invalid or expired"},
					},
				},
			},
		},
		{
			status: http.StatusForbidden, name: "Forbidden", schema: detailSchema,
			text: "The caller's role does not suffice, or the company is not the caller's; whether it exists is not told.",
			examples: map[string]any{
				"forbidden": detail(fault.ErrForbidden.Detail),
				"company":   map[string]any{"detail": "You belong to several companies. …", "code": "company_required"},
			},
		},
		{
			status: http.StatusNotFound, name: "NotFound", schema: detailSchema,
			text: "There is no such record in this company, or no such page.",
			examples: map[string]any{
				"record": detail(fault.ErrNotFound.Detail), "page": detail(fault.ErrInvalidPage.Detail),
			},
		},
		{
			status: http.StatusNotAcceptable, name: "NotAcceptable", schema: detailSchema,
			text: "The caller accepts no JSON.",
			examples: map[string]any{
				"accept": detail(fault.ErrNotAccepted.Detail),
			},
		},
		{
			status: http.StatusConflict, name: "Conflict", schema: conflictSchema,
			text: "The state of the record does not allow it, or a request with the Idempotency-Key is under way.",
			examples: map[string]any{
				"conflict":    map[string]any{"detail": "A company keeps at least one owner.", "code": "last_owner"},
				"in_progress": map[string]any{"detail": "A request with this Idempotency-Key is in progress.", "code": "in_progress"},
			},
		},
		{
			status: http.StatusPreconditionFailed, name: "PreconditionFailed", schema: revisionSchema,
			text: "The record is not the one of If-Match.",
			examples: map[string]any{
				"changed": map[string]any{"detail": "The record has changed since it was read.", "etag": `"7"`},
			},
		},
		{
			status: http.StatusRequestEntityTooLarge, name: "TooLarge", schema: detailSchema,
			text: "The body is too large; files travel by an upload.",
			examples: map[string]any{
				"size": detail(fault.ErrBodyTooLarge.Detail),
			},
		},
		{
			status: http.StatusUnsupportedMediaType, name: "UnsupportedMediaType", schema: detailSchema,
			text: "The operation does not take this media type.",
			examples: map[string]any{
				"type": detail(`Unsupported media type "text/plain" in request.`),
			},
		},
		{
			status: http.StatusUnprocessableEntity, name: "Mismatch", schema: conflictSchema,
			text: "The Idempotency-Key stands for another request.",
			examples: map[string]any{
				"key": map[string]any{"detail": idempotency.ErrMismatch.Detail, "code": idempotency.ErrMismatch.Members["code"]},
			},
		},
		{
			status: http.StatusTooManyRequests, name: "Throttled", schema: detailSchema,
			headers: []string{"Retry-After", "RateLimit", "RateLimit-Policy"},
			text:    "Too many tries; or nothing is left of an allowance of reads, which the header RateLimit then names.",
			examples: map[string]any{
				"wait": detail("Request was throttled. Expected available in 60 seconds."),
				"allowance": map[string]any{
					"detail": "Request was throttled. Expected available in 5 seconds.", "code": "read_allowance",
				},
			},
		},
		{
			status: http.StatusInternalServerError, name: "ServerError", schema: serverErrSchema,
			text: "A fault of the service. The request's id helps to find it.",
			examples: map[string]any{
				"error": map[string]any{"detail": "A server error occurred.", "request_id": "6f3c1a52-7a0e-4a53-9d55-0d9a1f1f3b4e"},
			},
		},
		{
			status: http.StatusServiceUnavailable, name: "Unavailable", schema: detailSchema, headers: []string{"Retry-After"},
			text: "The service can't answer now. What a changing request did is unknown: look before it is repeated, " +
				"or repeat it with its Idempotency-Key.",
			examples: map[string]any{
				"away": detail(fault.ErrUnavailable.Detail),
			},
		},
	}
}

func (d *document) errorResponse(r response) *huma.Response {
	headers := requestID()
	for _, name := range r.headers {
		headers[name] = &huma.Header{Ref: components + "headers/" + name}
	}
	examples := map[string]*huma.Example{}
	for name, value := range r.examples {
		examples[name] = &huma.Example{Value: value}
	}
	if r.schema == conflictSchema {
		d.outputs.schema(reflect.TypeFor[calendar.ItemConflict](), itemConflictSchema)
	}
	for name, s := range errorSchemas(r.schema) {
		d.outputs.registry.Map()[name] = s
	}
	return &huma.Response{
		Description: r.text, Headers: headers,
		Content: map[string]*huma.MediaType{decode.TypeJSON: {Schema: &huma.Schema{Ref: schemas + r.schema}, Examples: examples}},
	}
}

// The schemas of errors.
const (
	detailSchema    = "Detail"
	fieldsSchema    = "FieldErrors"
	messagesSchema  = "FieldMessages"
	tokenSchema     = "TokenError"
	conflictSchema  = "Conflict"
	revisionSchema  = "RevisionError"
	serverErrSchema = "ServerError"
)

// itemConflictSchema is the schema of calendar.ItemConflict.
const itemConflictSchema = "ItemConflict"

// errorSchemas returns the schema with a name and the schemas that it refers to. An error has one detail, with members
// for programs; a 400 has messages by field instead.
func errorSchemas(name string) map[string]*huma.Schema {
	text := func(doc string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: doc} }
	s := &huma.Schema{
		Type:     huma.TypeObject,
		Required: []string{"detail"},
		Properties: map[string]*huma.Schema{
			"detail": text("What is wrong, for people."),
			"code":   text("What is wrong, for machines, where the status does not say it all."),
		},
	}
	all := map[string]*huma.Schema{name: s}
	switch name {
	case tokenSchema:
		s.Properties["messages"] = &huma.Schema{Type: huma.TypeArray, Description: "Of a token that does not hold.", Items: &huma.Schema{
			Type: huma.TypeObject, Required: []string{"token_class", "token_type", "message"},
			Properties: map[string]*huma.Schema{"token_class": text(""), "token_type": text(""), "message": text("")},
		}}
	case conflictSchema:
		s.Required = append(s.Required, "code")
		number := func(doc string) *huma.Schema {
			return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Description: doc}
		}
		s.Properties["conflicts"] = &huma.Schema{
			Type: huma.TypeArray, Items: &huma.Schema{Ref: schemas + itemConflictSchema},
			Description: "What has the items, with the codes overlap and in_use.",
		}
		s.Properties["status"] = number("The status that the order has, with the code status.")
		s.Properties["allowed"] = &huma.Schema{
			Type: huma.TypeArray, Items: number(""),
			Description: "The statuses to which an action may bring the order, with the code status.",
		}
		s.Properties["line"] = number("Id of the line that can't be removed, with the code out.")
		s.Properties["request"] = number("Id of the order that the lead has, with the code request.")
		s.Properties["held_by"] = &huma.Schema{
			Type: huma.TypeObject, AdditionalProperties: number(""),
			Description: "How many records of each kind need this one, with the code held.",
		}
	case revisionSchema:
		s.Properties["etag"] = text("The record's own, as it is now.")
		s.Required = append(s.Required, "etag")
	case serverErrSchema:
		s.Properties["request_id"] = text("That of X-Request-Id.")
	case fieldsSchema:
		s.Required = nil
		s.Description = "Messages under the names of their fields; `non_field_errors` are those of the whole object. Or one detail."
		s.AdditionalProperties = &huma.Schema{Ref: schemas + messagesSchema}
		for _, name := range []string{"detail", "code"} { // a body may have a field of that name
			s.Properties[name] = &huma.Schema{Description: s.Properties[name].Description, OneOf: []*huma.Schema{
				{Type: huma.TypeString}, {Ref: schemas + messagesSchema},
			}}
		}
		s.Properties["errors"] = &huma.Schema{
			Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Ref: schemas + messagesSchema},
			Description: "The messages of all fields, where a field has the name of another member, such as code.",
		}
		s.Properties["taken_by"] = &huma.Schema{
			Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeInteger, Format: "int64"},
			Description: "Ids of the records that have the values that must be unique, by field: `{\"unique_id\": 7, \"car.number\": 7}`.",
		}
		within := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Ref: schemas + messagesSchema}}
		all[messagesSchema] = &huma.Schema{
			Description: "Messages of a field; of a nested object or a list of values the same by name or index; of a list of " +
				"objects a list in step with its rows, {} for a good one.",
			OneOf: []*huma.Schema{
				{Type: huma.TypeArray, Items: &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeString}, within}}},
				within,
			},
		}
	}
	return all
}

// faults returns the errors with which an operation can be answered.
func faults(op web.Operation) []response {
	_, body := bodyOf(op)
	inTenant, signedIn := op.Access == web.InTenant, op.Access != web.Public
	possible := map[int]bool{
		http.StatusBadRequest:            body || inTenant || op.Named || op.Idempotent || hasFault(op, fault.Invalid),
		http.StatusUnauthorized:          signedIn,
		http.StatusForbidden:             inTenant || hasFault(op, fault.Forbidden),
		http.StatusNotFound:              strings.Contains(op.Path, "{") || isList(op) || hasFault(op, fault.NotFound),
		http.StatusNotAcceptable:         op.Produces == nil,
		http.StatusRequestEntityTooLarge: body,
		http.StatusUnsupportedMediaType:  body,
		http.StatusInternalServerError:   true,
		http.StatusServiceUnavailable:    true,
		// Public operations that tell about accounts or send messages are throttled.
		http.StatusTooManyRequests:    hasFault(op, fault.Throttled) || op.Draws,
		http.StatusConflict:           hasFault(op, fault.Conflict) || op.Idempotent,
		http.StatusPreconditionFailed: hasFault(op, fault.Precondition),

		http.StatusUnprocessableEntity: op.Idempotent,
	}
	if hasFault(op, fault.Unauthenticated) || hasFault(op, fault.BadToken) {
		possible[http.StatusUnauthorized] = true
	}
	var list []response
	for _, r := range responses() {
		if possible[r.status] {
			list = append(list, r)
		}
	}
	return list
}
