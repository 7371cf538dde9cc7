package conformance_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// one tells whether an operation is about one record by its number.
func one(op operation) bool {
	return signedIn(op) && withIDs(op) && op.Path == op.collection()+"{id}/"
}

func readsOne(op operation) bool   { return one(op) && op.Method == "GET" && answersJSON(op) }
func changesOne(op operation) bool { return one(op) && op.Method != "GET" }

// Each record has an ETag, by which nobody gets it again who has it, unless the answer shows other records' values too.
func TestIfNoneMatch(t *testing.T) {
	each(t, readsOne, func(t *testing.T, api *webtest.API, op operation) {
		r := op.request(t, api)
		first := r.send(api, "If-None-Match", "").Status(200)
		tag := first.Get("ETag")
		if tag == "" {
			t.Fatal("no ETag")
		}
		for _, has := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
			if op.Mixed {
				r.send(api, "If-None-Match", has).Status(200).Header("ETag", tag)
				continue
			}
			r.send(api, "If-None-Match", has).Status(304).Empty().Header("ETag", tag).
				Header("Cache-Control", ofStaff).NoHeader("Content-Type")
			api.As(r.caller).With("If-None-Match", has).Head(r.path).Status(304).Header("ETag", tag)
		}
		r.send(api, "If-None-Match", `"other"`).Status(200).Header("ETag", tag)
	})
}

// A change that was decided on another revision is refused, and changes nothing.
func TestIfMatch(t *testing.T) {
	each(t, changesOne, func(t *testing.T, api *webtest.API, op operation) {
		if !slices.Contains(op.Faults, fault.Precondition) {
			t.Error("it does not say that it obeys If-Match")
		}
		r := op.request(t, api)
		before := api.As(r.caller).Get(r.path).Status(200)
		tag := before.Get("ETag")
		for _, other := range []string{`"999"`, "W/" + tag, "other"} {
			r.send(api, "If-Match", other).Status(412).Writes(0).Field("etag", fmt.Sprintf("%q", tag)).Field("detail", `"<string>"`)
		}
		after := api.As(r.caller).Get(r.path).Status(200).Header("ETag", tag)
		if string(after.Body()) != string(before.Body()) {
			t.Errorf("it was %s and is %s", before.Body(), after.Body())
		}
		r.send(api, "If-Match", `"other", `+tag).Status(op.Success())
	})
}

// Every change leaves an audit record that says who made it and by which
// request; what changes nothing or is refused leaves none.
func TestHistory(t *testing.T) {
	told := func(op operation) bool { return changesOne(op) && inTenant(op) && !below(op) } // a company's history is its own
	each(t, told, func(t *testing.T, api *webtest.API, op operation) {
		r := op.request(t, api)
		id := strings.TrimSuffix(strings.TrimPrefix(r.path, op.collection()), "/")
		object := op.recorded(t, api, id)
		revision := func() string { return api.As(r.caller).Get(r.path).Get("ETag") }
		before := revision()
		r.send(api, "If-Match", `"999"`).Status(412)
		history(api, object).Field("count", "1").Field("results.0.action", `"created"`)
		changed := r.send(api, "If-Match", "").Status(op.Success())
		action := "changed"
		switch {
		case op.Method == "DELETE":
			action = "deleted"
		case revision() == before: // it had these values already
			history(api, object).Field("count", "1")
			return
		}
		history(api, object).Field("count", "2").Field("results.0.action", `"`+action+`"`).
			Field("results.0.user", fmt.Sprint(r.caller.User)).Field("results.0.request_id", `"`+changed.Get("X-Request-Id")+`"`)
	})
}

// below tells whether the records that an operation is about stand below others. An order tells what happened to its
// lines, whose paths are their own too.
func below(op operation) bool {
	return strings.Contains(op.collection(), "{") ||
		slices.Contains([]string{"/v1/crm/requests/inventories/", "/v1/crm/requests/services/", "/v1/crm/requests/referrals/"}, op.collection())
}

// Each change of a record that stands below another leaves one audit record: in its own history or the other's.
func TestHistoryBelow(t *testing.T) {
	told := func(op operation) bool { return changesOne(op) && inTenant(op) && below(op) }
	each(t, told, func(t *testing.T, api *webtest.API, op operation) {
		r := op.request(t, api)
		revision := func() string { return api.As(r.caller).Get(r.path).Get("ETag") }
		tag, before := revision(), revisions(t, api)
		r.send(api, "If-Match", `"999"`).Status(412)
		if after := revisions(t, api); !maps.Equal(after, before) {
			t.Errorf("refused, it leaves %v after %v", after, before)
		}
		changed := r.send(api, "If-Match", "").Status(op.Success())
		more := 0
		for object, n := range revisions(t, api) {
			if n == before[object] || strings.HasPrefix(object, "transaction:") { // what is posted with it has a history of its own
				continue
			}
			more += n - before[object]
			history(api, object).Field("count", strconv.Itoa(n)).Field("results.0.user", fmt.Sprint(r.caller.User)).Field("results.0.request_id", `"`+changed.Get("X-Request-Id")+`"`)
		}
		if want := map[bool]int{true: 1}[op.Method == "DELETE" || revision() != tag]; more != want {
			t.Errorf("it leaves %d audit records, not %d", more, want)
		}
	})
}

// revisions counts the audit records of each record of company 1, as they are in the table: to ask the API for the history
// of each record that may have one would be more than a hundred requests.
func revisions(t *testing.T, api *webtest.API) map[string]int {
	t.Helper()
	all := map[string]int{}
	for _, key := range api.Keys() {
		own, of := strings.CutPrefix(key.PK, table.Prefix(1))
		code, number, log := strings.Cut(own, "#log#")
		if !of || !log {
			continue
		}
		id, err := table.ParseSortID(number)
		k := kinds.Of(kinds.Code(code))
		if err != nil || k.Name == "" {
			t.Fatalf("%s is the history of nothing: %v", key.PK, err)
		}
		all[k.Object(id)]++
	}
	if len(all) == 0 {
		t.Fatal("nothing has a history: the test looks in the wrong place")
	}
	return all
}

func history(api *webtest.API, object string) *webtest.Answer {
	return api.As(webtest.Owner(1)).Get("/v1/crm/history/?object=" + object).Status(200)
}

// recorded names the one record with a number that has a history, among those that the operation is about.
func (op operation) recorded(t *testing.T, api *webtest.API, id string) (object string) {
	t.Helper()
	for _, c := range kinds.All() {
		if c.Path != op.collection() || history(api, c.Name+":"+id).Int("count") == 0 {
			continue
		}
		if object != "" {
			t.Fatalf("%s and %s:%s have a history", object, c.Name, id)
		}
		object = c.Name + ":" + id
	}
	if object == "" {
		t.Fatal("the record that was made has no history")
	}
	return object
}
