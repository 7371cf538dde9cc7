package conformance_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

func TestUnreadableBodies(t *testing.T) {
	first := map[string]string{} // the first operation of each group with a body
	for _, op := range slices.Backward(operations()) {
		if takesBody(op) {
			first[op.group] = op.ID
		}
	}
	together(t, takesBody, func(t *testing.T, api *webtest.API, op operation) {
		c := api.As(op.caller())
		send := func(body any) *webtest.Answer { return c.Do(op.Method, op.path(), body) }
		raw := func(data string) webtest.Payload {
			return webtest.Payload{Type: "application/json", Data: []byte(data)}
		}
		for _, body := range []string{
			`{`, `{"a":}`, `{} {}`, ` `, `{'a':1}`, `{"a":NaN}`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`,
			strings.Repeat(`[`, 60_000), strings.Repeat(`{"a":`, 65) + `1` + strings.Repeat(`}`, 65),
		} {
			if a := send(raw(body)).Status(400).Calls(0); !strings.HasPrefix(a.Text("detail"), "JSON parse error - ") {
				t.Errorf("%.20s: %s", body, a.Body())
			}
		}
		for body, kind := range map[string]string{`[]`: "list", `"x"`: "str", `5`: "int", `5.5`: "float", `true`: "bool"} {
			message := "Invalid data. Expected a dictionary, but got " + kind + "."
			if kind == "list" && op.takesRows() {
				message = "This list may not be empty."
			}
			send(raw(body)).Status(400).Calls(0).JSON(`{"non_field_errors":["` + message + `"]}`)
		}
		send(raw(`null`)).Status(400).Calls(0).JSON(`{"non_field_errors":["No data provided"]}`)
		for _, media := range []string{"text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json; charset=utf-16"} {
			name, _, _ := strings.Cut(media, ";")
			if name != decode.TypeJSON && slices.Contains(op.MediaTypes(), name) {
				continue
			}
			send(webtest.Payload{Type: media, Data: []byte("a=b")}).Status(415).Calls(0).
				JSON(`{"detail":"Unsupported media type \"` + media + `\" in request."}`)
		}
		if first[op.group] != op.ID {
			return
		}
		// A group refuses a body of 4 MB before it looks for an operation, as the path without one shows. So one operation of it is enough.
		large := raw(`{"x":"` + strings.Repeat("x", 4<<20) + `"}`)
		for _, path := range []string{op.path(), op.path() + "no/such/thing/"} {
			c.Do(op.Method, path, large).Status(413).Calls(0).JSON(`{"detail":"Request body exceeds 4 MB."}`)
		}
	})
}

func TestRequiredFields(t *testing.T) {
	together(t, withRequired, func(t *testing.T, api *webtest.API, op operation) {
		for _, body := range []any{nil, `{}`, `{"unknown":1,"created_at":7}`} {
			a := api.As(op.caller()).Do(op.Method, op.path(), body)
			var got map[string]any
			_ = json.Unmarshal(a.Body(), &got)
			for _, name := range required(op.body()) {
				missing := reflect.DeepEqual(got[name], []any{say.Required.Error()})
				if op.Method == "PATCH" && missing || op.Method != "PATCH" && (!missing || a.Code() != 400) {
					t.Errorf("%v: %s: status %d, %s", body, name, a.Code(), a.Body())
				}
			}
			if op.Method != "PATCH" {
				a.Writes(0).Calls(op.askedToRefuse())
			}
		}
	})
}

// Every field refuses what it can't be, in the words of the contract, and
// beside all others that are wrong. What a thorough operation's rules find wrong with
// other fields stands beside it, nothing is written, and a number that was reserved
// would be.
func TestFields(t *testing.T) {
	together(t, takesBody, func(t *testing.T, api *webtest.API, op operation) {
		for name, wrong := range map[string]func(f *decode.Field) (value, message any){"type": wrongType, "null": wrongNull, "bound": wrongBound} {
			body, want := sample(op.body()), map[string]any{}
			for _, f := range decode.Describe(op.body()) {
				if value, message := wrong(&f); message != nil {
					body[f.Name], want[f.Name] = value, message
				}
			}
			if len(want) == 0 {
				continue
			}
			encoded, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(name, func(t *testing.T) {
				a := api.As(op.caller()).In(t).Do(op.Method, op.path(), body).Status(400).Writes(0).Calls(op.askedToRefuse())
				if !op.Thorough {
					a.JSON(string(encoded))
					return
				}
				for name, message := range want {
					one, err := json.Marshal(message)
					if err != nil {
						t.Fatal(err)
					}
					a.Field(name, string(one))
				}
			})
		}
	})
}

// askedToRefuse is how often the table is asked before a body is refused whose fields
// are wrong: not at all, but where rules look at the rest of it. They need the record
// that is changed, and what it refers to with the custom fields; and how many there
// are of what there may be only so many.
func (op operation) askedToRefuse() int {
	if op.Thorough {
		return 3
	}
	return 0
}

func wrongType(f *decode.Field) (value, message any) {
	object := map[string]any{"a": 1}
	switch f.Type {
	case reflect.TypeFor[decode.JSON]():
		return nil, nil
	case reflect.TypeFor[string](), reflect.TypeFor[int64]():
		if f.Enum != nil {
			return "no such", []string{say.InvalidChoice("no such").Error()}
		}
		if f.Type.Kind() == reflect.Int64 {
			return object, []string{say.InvalidInteger.Error()}
		}
		return object, []string{say.InvalidString.Error()}
	case reflect.TypeFor[bool]():
		return object, []string{say.InvalidBoolean.Error()}
	case reflect.TypeFor[money.Amount]():
		return object, []string{say.InvalidNumber.Error()}
	case reflect.TypeFor[decode.Date]():
		return object, []string{say.InvalidDate.Error()}
	case reflect.TypeFor[decode.Time]():
		return object, []string{say.InvalidTime.Error()}
	case reflect.TypeFor[decode.DateTime]():
		return object, []string{say.InvalidDatetime.Error()}
	case reflect.TypeFor[decode.Duration]():
		return object, []string{say.InvalidDuration.Error()}
	case reflect.TypeFor[uuid.UUID]():
		return object, []string{say.InvalidUUID.Error()}
	case reflect.TypeFor[decode.File]():
		return object, []string{say.InvalidString.Error()}
	}
	if f.Type.Kind() != reflect.Slice {
		return []any{}, map[string]any{fault.NonField: []string{say.WrongType("dictionary", "list").Error()}}
	}
	const list = "Expected a list of items but got type \"dict\"."
	if k := f.Type.Elem().Kind(); k == reflect.Struct && f.Type.Elem() != reflect.TypeFor[decode.File]() {
		return object, map[string]any{fault.NonField: []string{list}}
	}
	return object, []string{list}
}

func wrongNull(f *decode.Field) (value, message any) {
	if f.Nullable {
		return nil, nil
	}
	return nil, []string{say.Null.Error()}
}

func wrongBound(f *decode.Field) (value, message any) {
	switch {
	case f.Type == reflect.TypeFor[string]() && f.MaxLength > 0 && f.Enum == nil:
		return strings.Repeat("ж", f.MaxLength+1), []string{say.TooLong(f.MaxLength).Error()}
	case f.Type == reflect.TypeFor[string]() && f.Enum == nil && !f.Blank:
		return " \t", []string{say.Blank.Error()}
	case f.Type == reflect.TypeFor[money.Amount]() && f.Maximum != nil:
		return *f.Maximum + 1, []string{fmt.Sprintf("Ensure this value is less than or equal to %d.", *f.Maximum)}
	case f.Type == reflect.TypeFor[money.Amount]() && f.Minimum != nil:
		return *f.Minimum - 1, []string{fmt.Sprintf("Ensure this value is greater than or equal to %d.", *f.Minimum)}
	case f.Type == reflect.TypeFor[money.Amount]():
		return "0.001", []string{say.TooManyDecimals.Error()}
	case f.Type == reflect.TypeFor[decode.Date]():
		return "2023-02-29", []string{say.InvalidDate.Error()}
	case f.Type == reflect.TypeFor[decode.Time]():
		return "24:00", []string{say.InvalidTime.Error()}
	case f.Type == reflect.TypeFor[decode.DateTime]():
		return "2024-02-29", []string{say.InvalidDatetime.Error()}
	case f.Type == reflect.TypeFor[decode.Duration]():
		return "1 day", []string{say.InvalidDuration.Error()}
	case f.Type == reflect.TypeFor[int64]() && f.Enum == nil:
		most := int64(math.MaxInt64)
		if f.Maximum != nil {
			most = *f.Maximum
		}
		return json.Number("9223372036854775808"), []string{fmt.Sprintf("Ensure this value is less than or equal to %d.", most)}
	}
	return nil, nil
}

// A body can name no company but the request's own, whether the operation shows
// it or not.
func TestForeignTenantInABody(t *testing.T) {
	of := func(op operation) bool { return inTenant(op) && takesBody(op) }
	each(t, of, func(t *testing.T, api *webtest.API, op operation) {
		for sent, message := range map[any]string{
			2: say.DoesNotExist(2).Error(), "999999": say.DoesNotExist(999999).Error(), 0: say.DoesNotExist(0).Error(), "x": say.InvalidInteger.Error(), nil: say.Null.Error(),
		} {
			body := sample(op.body())
			body["tenant"] = sent
			api.As(op.caller()).Do(op.Method, op.path(), body).Status(400).JSON(fmt.Sprintf(`{"tenant":[%q]}`, message)).Calls(0).Writes(0)
		}
		body := sample(op.body())
		want := api.As(op.caller()).Do(op.Method, op.path(), body)
		other, company := op.elsewhere(t, api)
		body["tenant"] = company.String()
		if got := other.Do(op.Method, op.path(), body); got.Code() != want.Code() || got.Code() >= 400 && string(got.Body()) != string(want.Body()) {
			t.Errorf("status %d %s, with its own company %d %s", want.Code(), want.Body(), got.Code(), got.Body())
		}
	})
}

// Keys that the operation does not know change nothing.
func TestUnknownKeysAreIgnored(t *testing.T) {
	each(t, takesBody, func(t *testing.T, api *webtest.API, op operation) {
		plain, more := sample(op.body()), sample(op.body())
		known := decode.Describe(op.body())
		for _, name := range []string{"id", "uuid", "created_at", "unknown", "__proto__", "pk"} {
			if !slices.ContainsFunc(known, func(f decode.Field) bool { return f.Name == name }) {
				more[name] = map[string]any{"a": []any{1}}
			}
		}
		want := api.As(op.caller()).Do(op.Method, op.path(), plain)
		other, _ := op.elsewhere(t, api)
		got := other.Do(op.Method, op.path(), more).NotContain("__proto__", "unknown")
		if got.Code() != want.Code() || want.Code() >= 400 && string(got.Body()) != string(want.Body()) {
			t.Errorf("status %d %s, with more keys %d %s", want.Code(), want.Body(), got.Code(), got.Body())
		}
	})
}

func TestRecordNumbers(t *testing.T) {
	together(t, withIDs, func(t *testing.T, api *webtest.API, op operation) {
		for _, name := range op.ids() {
			before, _, _ := strings.Cut(op.Path, "{"+name+"}")
			above := strings.Count(before, "{") // that there is the record above may be looked up
			for _, id := range []string{"0", "-1", "+1", "01x", "x", "1.0", "1e3", "%20", "%00", "1%2F2", "%25", "%3F", "٣", "9999999999999", "99999999999999999999", "null", ".."} {
				a := api.As(op.caller()).Do(op.Method, op.with("{"+name+"}", id)+op.asked(), op.sent())
				if a.Code() == 405 && id == "1%2F2" { // another operation's path
					continue
				}
				a.Status(404).JSON(notFound).Calls(min(above, 1))
			}
		}
	})
}

func TestTrailingSlash(t *testing.T) {
	together(t, withSlash, func(t *testing.T, api *webtest.API, op operation) {
		status := 308
		if op.Method == "GET" {
			status = 301
			api.As(webtest.Nobody()).Head(strings.TrimSuffix(op.path(), "/")).Status(301).Empty()
		}
		api.As(webtest.Nobody()).Do(op.Method, strings.TrimSuffix(op.path(), "/")+"?a=b%20c&page=2", op.sent()).
			Status(status).Header("Location", op.path()+"?a=b%20c&page=2").Calls(0)
	})
	together(t, func(op operation) bool { return !withSlash(op) }, func(t *testing.T, api *webtest.API, op operation) {
		api.As(op.caller()).Do(op.Method, op.path()+"/", op.sent()).Status(404).JSON(notFound)
	})
}

func TestMethods(t *testing.T) {
	all := operations()
	begins := func(op operation) bool { return op.ID == "auth-google-auth-url" } // each answer to it is a beginning, which is kept
	test := func(t *testing.T, api *webtest.API, op operation) {
		allowed := map[string]bool{"OPTIONS": true}
		for _, other := range all {
			if other.Shape() == op.Shape() {
				allowed[other.Method] = true
				if other.Method == "GET" {
					allowed["HEAD"] = true
				}
			}
		}
		nobody, caller := api.As(webtest.Nobody()), api.As(op.caller())
		allow := nobody.Options(op.path()).Status(204).Empty().Calls(0).Get("Allow")
		if got := strings.Split(allow, ", "); len(got) != len(allowed) || slices.ContainsFunc(got, func(m string) bool { return !allowed[m] }) {
			t.Errorf("Allow is %q, want %v", allow, allowed)
		}
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND"} {
			if !allowed[method] {
				a := caller.Do(method, op.path(), nil).Status(405).Header("Allow", allow).Calls(0)
				if method != "HEAD" {
					a.JSON(`{"detail":"Method \"` + method + `\" not allowed."}`)
				}
			}
		}
		if op.Method == "GET" {
			get, head := caller.Get(op.path()), caller.Head(op.path()).Empty()
			if head.Code() != get.Code() {
				t.Errorf("HEAD answers %d, GET %d", head.Code(), get.Code())
			}
			for _, name := range []string{"Content-Type", "ETag", "Location", "Cache-Control"} {
				if name == "Location" && begins(op) {
					continue
				}
				if head.Get(name) != get.Get(name) {
					t.Errorf("%s is %q for HEAD and %q for GET", name, head.Get(name), get.Get(name))
				}
			}
		}
	}
	together(t, func(op operation) bool { return !begins(op) }, test)
	each(t, begins, test)
}

func TestAccept(t *testing.T) {
	together(t, answersJSON, func(t *testing.T, api *webtest.API, op operation) {
		for _, accept := range []string{"text/html", "application/xml;q=0.9, image/*", "application/json;q=0", "*/*;q=0"} {
			api.As(op.caller()).With("Accept", accept).Do(op.Method, op.path(), op.sent()).
				Status(406).JSON(`{"detail":"Could not satisfy the request Accept header."}`).Calls(0)
		}
	})
}
