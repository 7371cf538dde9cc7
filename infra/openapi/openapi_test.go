package openapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/docs"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/openapi"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/tenant/scope"
	"github.com/tenantry/tenantry/shared/web"
)

type object = map[string]any

func TestCommittedIsGenerated(t *testing.T) {
	got, err := openapi.Describe(groups.All())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, docs.OpenAPI()) {
		t.Error("docs/openapi.json is not what the code says: run `make openapi`")
	}
	again, err := openapi.Describe(groups.All())
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("the description is another one each time (%v)", err)
	}
}

// walk visits every object of a document with its place.
func walk(v any, at string, visit func(o object, at string)) {
	switch v := v.(type) {
	case object:
		visit(v, at)
		for _, k := range slices.Sorted(maps.Keys(v)) {
			walk(v[k], at+"/"+k, visit)
		}
	case []any:
		for i, item := range v {
			walk(item, fmt.Sprintf("%s/%d", at, i), visit)
		}
	}
}

func find(d object, ref string) any {
	var v any = d
	for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		if list, ok := v.([]any); ok {
			if i, err := strconv.Atoi(step); err == nil && i < len(list) {
				v = list[i]
				continue
			}
		}
		o, _ := v.(object)
		v = o[strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")]
	}
	return v
}

var parameter = regexp.MustCompile(`\{(\w+)\}`)

// An amount that is sent has a minimum, which its pattern shows, or says in words which sign it may have.
var (
	sent    = regexp.MustCompile(`^#/components/schemas/\w*Request\w*/`)
	bounded = regexp.MustCompile(`negative|Above 0`)
)

// check lists what is wrong with a description.
func check(d object) (problems []string) {
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if d["openapi"] != "3.1.0" {
		say("openapi is %v", d["openapi"])
	}
	used := map[string]bool{}
	walk(d, "#", func(o object, at string) {
		if strings.Contains(at, "/examples/") {
			return
		}
		if ref, ok := o["$ref"].(string); ok {
			used[ref] = true
			if find(d, ref) == nil {
				say("%s: %s leads nowhere", at, ref)
			}
			if len(o) > 1 && !strings.HasPrefix(ref, "#/components/schemas/") {
				say("%s: members beside a reference are lost", at)
			}
		}
		if _, isText := o["default"].(string); o["default"] != nil && !isText && o["type"] == "string" {
			say("%s: the default %v is no text", at, o["default"])
		}
		if o["default"] != nil && strings.HasPrefix(at, "#/components/schemas/") && !strings.HasSuffix(at, "/properties") {
			say("%s: generated types would require what has a default", at)
		}
		if one, _ := o["oneOf"].([]any); len(one) == 2 && reflect.DeepEqual(one[0], one[1]) {
			say("%s: nothing is one of two that are the same", at)
		}
		if pattern, _ := o["pattern"].(string); o["format"] == "decimal" && strings.HasPrefix(pattern, "^-") && sent.MatchString(at) {
			if text, _ := o["description"].(string); !bounded.MatchString(text) {
				say("%s: an amount that says neither how small it may be nor that it may be negative", at)
			}
		}
		if required, ok := o["required"].([]any); ok {
			properties, _ := o["properties"].(object)
			for _, name := range required {
				if properties[name.(string)] == nil {
					say("%s: %s is required and not described", at, name)
				}
			}
		}
	})
	for kind, list := range d["components"].(object) {
		for name := range list.(object) {
			if ref := "#/components/" + kind + "/" + name; kind != "securitySchemes" && !used[ref] {
				say("%s is used nowhere", ref)
			}
		}
	}
	ids := map[string]string{}
	forms := map[string]string{}
	for path, item := range d["paths"].(object) {
		form := parameter.ReplaceAllString(path, "{}")
		if other, taken := forms[form]; taken {
			say("%s and %s are one path", path, other)
		}
		forms[form] = path
		for method, op := range item.(object) {
			at, op := method+" "+path, op.(object)
			id, _ := op["operationId"].(string)
			if other, taken := ids[id]; taken || id == "" {
				say("%s: operationId %q, as %s", at, id, other)
			}
			ids[id] = at
			if op["summary"] == nil || op["description"] == nil {
				say("%s: no summary or description", at)
			}
			inPath := map[string]bool{}
			seen := map[string]bool{}
			parameters, _ := op["parameters"].([]any)
			for _, p := range parameters {
				p := p.(object)
				if ref, ok := p["$ref"].(string); ok {
					p, _ = find(d, ref).(object)
				}
				name := fmt.Sprint(p["in"], " ", p["name"])
				if seen[name] || p["schema"] == nil || p["description"] == nil && p["in"] != "path" {
					say("%s: parameter %s twice, without schema or without description", at, name)
				}
				seen[name] = true
				if p["in"] == "path" {
					inPath[p["name"].(string)] = p["required"] == true
				}
			}
			for _, m := range parameter.FindAllStringSubmatch(path, -1) {
				if !inPath[m[1]] {
					say("%s: {%s} is not described", at, m[1])
				}
				delete(inPath, m[1])
			}
			if len(inPath) > 0 {
				say("%s: parameters %v are not in the path", at, inPath)
			}
			if op["responses"].(object)["400"] == nil { // Prefer: handling=strict refuses unknown query parameters of every operation
				say("%s: no answer to a wrong request", at)
			}
			success := false
			for status, r := range op["responses"].(object) {
				success = success || status[0] == '2'
				if r := r.(object); r["$ref"] == nil && r["description"] == "" {
					say("%s: %s has no description", at, status)
				}
			}
			if !success {
				say("%s: no answer of success", at)
			}
		}
	}
	slices.Sort(problems)
	return problems
}

func parse(t *testing.T, description []byte) object {
	t.Helper()
	var d object
	if err := json.Unmarshal(description, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDescriptionHolds(t *testing.T) {
	d := parse(t, docs.OpenAPI())
	for _, p := range check(d) {
		// Responses and parameters are for all groups to come.
		if !strings.HasSuffix(p, "is used nowhere") || !strings.Contains(p, "/parameters/") {
			t.Error(p)
		}
	}
}

// One of several inventories is an inventory, and a list begins with the name of the package that its records come from.
func TestNamesOfSchemas(t *testing.T) {
	d := parse(t, docs.OpenAPI())
	for _, name := range []string{"OrdersCreateRequestInventory", "OrdersCreateRequestService", "ExchangeList", "OrdersExchangeList"} {
		if find(d, "#/components/schemas/"+name) == nil {
			t.Errorf("there is no %s", name)
		}
	}
}

// Each check is worth having: it fails where its fault is planted.
func TestChecksFail(t *testing.T) {
	for want, plant := range map[string]func(d object){
		"leads nowhere": func(d object) { delete(d["components"].(object)["schemas"].(object), "Health") },
		"used nowhere":  func(d object) { d["components"].(object)["schemas"].(object)["Lost"] = object{} },
		"not described": func(d object) {
			d["components"].(object)["schemas"].(object)["Health"].(object)["required"] = []any{"more"}
		},
		"is no text": func(d object) {
			d["components"].(object)["schemas"].(object)["Health"].(object)["extra"] = object{"type": "string", "default": 0.0}
		},
		"that are the same": func(d object) {
			d["components"].(object)["schemas"].(object)["Lost"] = object{"oneOf": []any{object{"type": "string"}, object{"type": "string"}}}
		},
		"would require": func(d object) {
			find(d, "#/components/schemas/AccountsCreateRequest/properties/default").(object)["default"] = false
		},
		"how small it may be": func(d object) {
			amount := find(d, "#/components/schemas/InventoryItemsCreateRequest/properties/buy_price").(object)
			amount["pattern"] = "^-?" + strings.TrimPrefix(amount["pattern"].(string), "^")
		},
		"operationId": func(d object) {
			d["paths"].(object)["/health/"].(object)["get"].(object)["operationId"] = "openapi"
		},
		"are one path": func(d object) {
			d["paths"].(object)["/v2/documents/{other}/"] = d["paths"].(object)["/v2/documents/{id}/"]
		},
		"no answer of success": func(d object) {
			d["paths"].(object)["/health/"].(object)["get"].(object)["responses"] = object{}
		},
		"no answer to a wrong request": func(d object) {
			delete(d["paths"].(object)["/health/"].(object)["get"].(object)["responses"].(object), "400")
		},
		"is not described": func(d object) {
			d["paths"].(object)["/{x}/"] = d["paths"].(object)["/health/"]
			delete(d["paths"].(object), "/health/")
		},
	} {
		t.Run(want, func(t *testing.T) {
			d := parse(t, docs.OpenAPI())
			plant(d)
			if got := strings.Join(check(d), "\n"); !strings.Contains(got, want) {
				t.Errorf("%q is not among %q", want, got)
			}
		})
	}
}

// What follows shows each kind of field in the description.

type sampleOut struct {
	ID    int64       `json:"id"`
	Name  string      `json:"name"`
	Kind  *int64      `json:"kind" enum:"0,1"`
	Extra decode.JSON `json:"extra"`
	Inner sampleIn    `json:"inner"`
	Tags  []string    `json:"tags"`

	Other *sampleIn     `json:"other"`
	Price *money.Amount `json:"price" nullable:"true"`
	Day   decode.Date   `json:"day"`
	Size  *size         `json:"size" nullable:"true" doc:"Of the parcel: {values}"`
	Moods []mood        `json:"moods"`
}

// size and mood are types that state their values.
type (
	size int64
	mood string
)

func (size) Values() []enum.Value {
	return enum.Numbers(map[size]string{0: "small", 1: "large"})
}

func (mood) Values() []enum.Value { return enum.Named[mood]("good", "bad") }

type sampleIn struct {
	At string `json:"at" format:"date-time"`
}

type sampleBody struct {
	Name   decode.Optional[string]      `json:"name" required:"true" maxLength:"9" doc:"What it is called."`
	Secret decode.Optional[string]      `json:"secret" nullable:"true" blank:"true" pattern:"a+"`
	Kind   decode.Optional[int64]       `json:"kind" enum:"0,1" nullable:"true"`
	N      decode.Optional[int64]       `json:"n" minimum:"0" maximum:"32767"`
	On     decode.Optional[bool]        `json:"on"`
	Key    decode.Optional[uuid.UUID]   `json:"key"`
	Extra  decode.Optional[decode.JSON] `json:"extra" nullable:"true"`
	File   decode.Optional[decode.File] `json:"file"`
	Types  decode.Optional[[]int64]     `json:"types" minimum:"1"`
	Size   decode.Optional[size]        `json:"size" nullable:"true" required:"true" doc:"{values}"`
	Moods  decode.Optional[[]mood]      `json:"moods"`
	Rows   decode.Optional[[]struct {
		A decode.Optional[string] `json:"a" required:"true"`
	}] `json:"rows"`
	Price decode.Optional[money.Amount]   `json:"price" nullable:"true" minimum:"0"`
	Sums  decode.Optional[[]money.Amount] `json:"sums"`
	Day   decode.Optional[decode.Date]    `json:"day" nullable:"true"`
	Legal decode.Optional[struct {
		Bin decode.Optional[string] `json:"bin" required:"true" format:"email"`
	}] `json:"legal" nullable:"true"`
}

func samples(app.Env) app.Group {
	answer := func(context.Context, *web.Request, *struct {
		ID   int64 `path:"id"`
		Body sampleBody
	},
	) (sampleOut, error) {
		return sampleOut{}, nil
	}
	list := func(context.Context, *web.Request, *struct {
		Search string `query:"search"`
		Kind   string `query:"kind" doc:"One kind alone."`
	},
	) (web.List[sampleOut], error) {
		return web.List[sampleOut]{}, nil
	}
	read := func(context.Context, *web.Request, *struct {
		ID int64 `path:"id"`
	},
	) (sampleOut, error) {
		return sampleOut{}, nil
	}
	made := func(context.Context, *web.Request, *struct{}) (sampleOut, error) { return sampleOut{}, nil }
	media := []string{decode.TypeJSON, decode.TypeMultipart}
	return app.Group{Group: web.Group{Name: "samples", Doc: "Samples.", Operations: []web.Operation{
		web.Op(web.Operation{ID: "samples-list", Method: "GET", Path: "/samples/", Summary: "List", Query: []web.Param{
			{Name: "type", Doc: "Its type.", Enum: []string{"0", "1"}}, {Name: "born", Doc: "Its day.", Format: "date"}, {Name: "ordering"},
		}}, list),
		web.Op(web.Operation{ID: "samples-post", Method: "POST", Path: "/samples/", Summary: "Make", Status: 201, Idempotent: true, Feed: true}, made),
		web.Op(web.Operation{ID: "samples-get", Method: "GET", Path: "/samples/{id}/", Summary: "Read", Resource: scope.Clients}, read),
		web.Op(web.Operation{
			ID: "samples-put", Method: "PUT", Path: "/samples/{id}/", Summary: "Change", Media: media,
			Faults: []fault.Code{fault.Precondition},
		}, answer),
		web.Op(web.Operation{ID: "mixed-get", Method: "GET", Path: "/mixed/{id}/", Summary: "Read", Mixed: true}, read),
		web.Op(web.Operation{
			ID: "mixed-put", Method: "PUT", Path: "/mixed/{id}/", Summary: "Change", Faults: []fault.Code{fault.Precondition},
		}, answer),
		web.Op(web.Operation{ID: "samples-patch", Method: "PATCH", Path: "/samples/{id}/", Summary: "Change", Answers: []web.Answer{
			{Status: 202, Doc: "Later.", Header: map[string]string{"Location": "Where it will be."}},
		}}, answer),
	}}}
}

func TestEveryKindOfField(t *testing.T) {
	description, err := openapi.Describe(map[string]app.New{"samples": samples})
	if err != nil {
		t.Fatal(err)
	}
	d := parse(t, description)
	for _, c := range []struct{ at, want string }{
		{"paths/~1samples~1/get/tags", `["samples"]`},
		{"paths/~1samples~1/get/security", `[{"bearer":[]}]`},
		{"paths/~1samples~1/post/security", `[{"bearer":[]},{"feed":[]}]`},
		{"paths/~1samples~1/post/description", `"Needs a token and a company, and there at least the role ` + "`employee`" + `; or a feed token of the company."`},
		{"paths/~1samples~1/get/x-scope", `null`},
		{"paths/~1samples~1{id}~1/get/x-scope", `"clients:read"`},
		{"paths/~1samples~1{id}~1/get/security", `[{"bearer":[]},{"key":["clients:read"]}]`},
		{"paths/~1samples~1{id}~1/get/description", `"Needs a token and a company, and there at least the role ` + "`read-only`; or a key with the scope `clients:read`" + `."`},
		{"paths/~1samples~1/get/parameters", `[{"$ref":"#/components/parameters/tenant"},{"$ref":"#/components/parameters/page"},{"$ref":"#/components/parameters/pageSize"},` +
			`{"name":"search","in":"query","description":"Finds records whose name has every word, anywhere and in any case; where more than the name is searched, the operation says so.","schema":{"type":"string"}},` +
			`{"name":"kind","in":"query","description":"One kind alone.","schema":{"type":"string"}},` +
			`{"name":"type","in":"query","description":"Its type.","schema":{"type":"string","enum":["0","1"]}},` +
			`{"name":"born","in":"query","description":"Its day.","schema":{"type":"string","format":"date"}},` +
			`{"name":"ordering","in":"query","description":"Field names, comma-separated, each with ` + "`-`" + ` before it for descending. Unknown names are ignored. Default: newest first.","schema":{"type":"string"}}]`},
		{"paths/~1samples~1/post/parameters/1", `{"$ref":"#/components/parameters/idempotencyKey"}`},
		{"paths/~1samples~1/post/responses/422", `{"$ref":"#/components/responses/Mismatch"}`},
		{"paths/~1samples~1/post/responses/409", `{"$ref":"#/components/responses/Conflict"}`},
		{"components/schemas/Conflict/required", `["detail","code"]`},
		{"components/schemas/Conflict/properties/conflicts/items", `{"$ref":"#/components/schemas/ItemConflict"}`},
		{"components/schemas/Conflict/properties/allowed/items", `{"type":"integer","format":"int64"}`},
		{"components/schemas/ItemConflict/required", `["line","request","block","inventory","start_at","end_at","overdue"]`},
		{"paths/~1samples~1/post/responses/201/headers", `{"X-Request-Id":{"$ref":"#/components/headers/X-Request-Id"},"Idempotent-Replayed":{"$ref":"#/components/headers/Idempotent-Replayed"},` +
			`"ETag":{"$ref":"#/components/headers/ETag"},"Location":{"$ref":"#/components/headers/Location"}}`},
		{"paths/~1samples~1{id}~1/get/parameters/1", `{"$ref":"#/components/parameters/ifNoneMatch"}`},
		{"paths/~1samples~1{id}~1/get/responses/304/headers/ETag", `{"$ref":"#/components/headers/ETag"}`},
		{"paths/~1samples~1{id}~1/get/responses/200/headers/ETag", `{"$ref":"#/components/headers/ETag"}`},
		{"paths/~1mixed~1{id}~1/get/parameters/1/name", `"id"`},
		{"paths/~1mixed~1{id}~1/get/responses/304", `null`},
		{"paths/~1mixed~1{id}~1/get/responses/200/headers/ETag", `{"$ref":"#/components/headers/ETag"}`},
		{"paths/~1samples~1{id}~1/put/parameters/1", `{"$ref":"#/components/parameters/ifMatch"}`},
		{"paths/~1samples~1{id}~1/put/responses/200/headers/ETag", `{"$ref":"#/components/headers/ETag"}`},
		{"paths/~1samples~1{id}~1/put/responses/412", `{"$ref":"#/components/responses/PreconditionFailed"}`},
		{"paths/~1samples~1{id}~1/put/responses/422", `null`},
		{"paths/~1samples~1{id}~1/patch/responses/412", `null`},
		{"paths/~1samples~1/get/responses/304", `null`},
		{"paths/~1samples~1{id}~1/put/requestBody/required", `true`},
		{"paths/~1samples~1{id}~1/patch/requestBody/required", `null`},
		{"paths/~1samples~1{id}~1/patch/responses/202", `{"description":"Later.","headers":{"X-Request-Id":{"$ref":"#/components/headers/X-Request-Id"},"Location":{"description":"Where it will be.","schema":{"type":"string"}}}}`},
		{"paths/~1samples~1{id}~1/put/requestBody/content/multipart~1form-data/schema", `{"$ref":"#/components/schemas/SamplesPutRequestMultipart"}`},
		{"components/schemas/SampleOutList/properties/results", `{"type":"array","items":{"$ref":"#/components/schemas/SampleOut"}}`},
		{"components/schemas/SampleOutList/properties/next", `{"type":["string","null"],"format":"uri"}`},
		{"components/schemas/SampleOut/required", `["id","name","kind","extra","inner","tags","other","price","day","size","moods"]`},
		{"components/schemas/SampleOut/properties/id", `{"type":"integer","format":"int64","readOnly":true}`},
		{"components/schemas/SampleOut/properties/name", `{"type":"string"}`},
		{"components/schemas/SampleOut/properties/kind", `{"oneOf":[{"type":"integer","format":"int64","enum":[0,1]},{"type":"null"}]}`},
		{"components/schemas/SampleOut/properties/extra", `{}`},
		{"components/schemas/SampleOut/properties/inner", `{"allOf":[{"$ref":"#/components/schemas/SampleIn"}],"readOnly":true}`},
		{"components/schemas/SampleOut/properties/other", `{"oneOf":[{"$ref":"#/components/schemas/SampleIn"},{"type":"null"}],"readOnly":true}`},
		{"components/schemas/SampleOut/properties/tags", `{"type":"array","items":{"type":"string"},"readOnly":true}`},
		{"components/schemas/SampleOut/properties/price", `{"type":["string","null"],"format":"decimal","pattern":"^-?(\\d{1,14}(\\.\\d{0,2})?|\\.\\d{1,2})$"}`},
		{"components/schemas/SampleOut/properties/day", `{"type":"string","format":"date"}`},
		{"components/schemas/SamplesPutRequest/properties/price", `{"type":["string","null"],"format":"decimal","pattern":"^(\\d{1,14}(\\.\\d{0,2})?|\\.\\d{1,2})$"}`},
		{"components/schemas/SamplesPutRequest/properties/sums/items", `{"type":"string","format":"decimal","pattern":"^-?(\\d{1,14}(\\.\\d{0,2})?|\\.\\d{1,2})$"}`},
		{"components/schemas/SamplesPutRequest/properties/day", `{"type":["string","null"],"format":"date"}`},
		{"components/schemas/SampleOut/properties/size", `{"oneOf":[{"type":"integer","format":"int64","enum":[0,1]},{"type":"null"}],"description":"Of the parcel: 0 small, 1 large"}`},
		{"components/schemas/SampleOut/properties/moods", `{"type":"array","items":{"type":"string","enum":["good","bad"]}}`},
		{"components/schemas/SamplesPutRequest/properties/size", `{"oneOf":[{"type":"integer","format":"int64","enum":[0,1]},{"type":"null"}],"description":"0 small, 1 large"}`},
		{"components/schemas/SamplesPutRequest/properties/moods", `{"type":"array","items":{"type":"string","enum":["good","bad"]}}`},
		{"components/schemas/SampleOut/additionalProperties", `null`},
		{"components/schemas/SamplesPutRequest/required", `["name","size"]`},
		{"components/schemas/SamplesPatchRequest/required", `null`},
		{"components/schemas/SamplesPutRequest/properties/name", `{"type":"string","minLength":1,"maxLength":9,"description":"What it is called."}`},
		{"components/schemas/SamplesPutRequest/properties/secret", `{"type":["string","null"],"pattern":"^(?:a+)$","writeOnly":true}`},
		{"components/schemas/SamplesPutRequest/properties/kind", `{"oneOf":[{"type":"integer","format":"int64","enum":[0,1]},{"type":"null"}]}`},
		{"components/schemas/SamplesPutRequest/properties/n", `{"type":"integer","format":"int64","minimum":0,"maximum":32767,"writeOnly":true}`},
		{"components/schemas/SamplesPutRequest/properties/on", `{"type":"boolean","writeOnly":true}`},
		{"components/schemas/SamplesPutRequest/properties/key", `{"type":"string","format":"uuid","writeOnly":true}`},
		{"components/schemas/SamplesPutRequest/properties/extra", `{}`},
		{"components/schemas/SamplesPutRequest/properties/file", `{"type":"string","format":"uri","writeOnly":true}`},
		{"components/schemas/SamplesPutRequestMultipart/properties/file", `{"type":"string","format":"binary","contentMediaType":"application/octet-stream","writeOnly":true}`},
		{"components/schemas/SamplesPutRequest/properties/types", `{"type":"array","items":{"type":"integer","format":"int64","minimum":1},"writeOnly":true}`},
		{"components/schemas/SamplesPatchRequest/properties/rows", `{"type":"array","items":{"$ref":"#/components/schemas/SamplesPatchRequestRow"},"writeOnly":true}`},
		{"components/schemas/SamplesPatchRequestRow/required", `["a"]`},
		{"components/schemas/SamplesPatchRequest/properties/legal", `{"oneOf":[{"$ref":"#/components/schemas/SamplesPatchRequestLegal"},{"type":"null"}],"writeOnly":true}`},
		{"components/schemas/SamplesPatchRequestLegal/required", `null`},
		{"components/schemas/SamplesPutRequestLegal/required", `["bin"]`},
	} {
		var want any
		if err := json.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(err)
		}
		if got := find(d, "#/"+c.at); !reflect.DeepEqual(got, want) {
			encoded, _ := json.Marshal(got)
			t.Errorf("%s\n got %s\nwant %s", c.at, encoded, c.want)
		}
	}
}
