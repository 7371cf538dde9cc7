package conformance_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// notRepeatable says which POSTs of signed-in callers take no Idempotency-Key,
// and why.
func notRepeatable() map[string]string {
	return map[string]string{
		"documents-upload":       "answers a presigned address, which is a secret, and changes no record",
		"auth-cross-login-token": "answers a secret",
		"feed-tokens-create":     "answers a secret",
		"keys-create":            "answers a secret",
		"webhooks-secret":        "answers a secret",
		"webhooks-rotate":        "answers a secret",
		"auth-google-callback":   "takes a code that works once, and linking the same again changes nothing",
		"orders-quote":           "writes nothing",
		"orders-what-if":         "writes nothing",
		"documents-eds-sign":     "takes a CMS that signs once: what is signed already is refused",
		"templates-preview":      "writes nothing, and answers a presigned address",
	}
}

const idempotencyKey = "Idempotency-Key"

func idempotent(op operation) bool { return op.Idempotent }

func TestPostsCanBeRepeated(t *testing.T) {
	reasons := notRepeatable()
	for _, op := range operations() {
		why, exempt := reasons[op.ID]
		delete(reasons, op.ID)
		switch must := op.Method == "POST" && signedIn(op) && !exempt; {
		case must && !op.Idempotent:
			t.Errorf("%s takes no Idempotency-Key", op.ID)
		case op.Idempotent && !must:
			t.Errorf("%s takes an Idempotency-Key, but %s %s", op.ID, op.Method, why)
		}
	}
	for id := range reasons {
		t.Errorf("there is no %s", id)
	}
}

// A repeated request is answered as the first one was, and happens once.
func TestReplays(t *testing.T) {
	each(t, idempotent, func(t *testing.T, api *webtest.API, op operation) {
		r := op.request(t, api)
		first := r.send(api, idempotencyKey, "a key").Status(400).Calls(0)
		first.JSON(`{"Idempotency-Key":["Ensure this value has 1 to 255 visible ASCII characters."]}`)
		first = r.send(api, idempotencyKey, "key").Status(op.Success()).NoHeader("Idempotent-Replayed")
		again := r.send(api, idempotencyKey, "key").Status(op.Success()).Header("Idempotent-Replayed", "true").Writes(0).Calls(r.op.looks())
		if string(again.Body()) != string(first.Body()) {
			t.Errorf("answered %s, replayed %s", first.Body(), again.Body())
		}
		for _, name := range []string{"Content-Type", "ETag", "Location"} {
			again.Header(name, first.Get(name))
		}
		other := r
		other.path += "?another=request"
		other.send(api, idempotencyKey, "key").Status(422).Calls(1)
		if body, ok := r.body.(map[string]any); ok {
			other = r
			changed := maps.Clone(body)
			changed["another"] = "request"
			other.body = changed
			other.send(api, idempotencyKey, "key").Status(422).Calls(1)
		}
		// To others it is another key.
		r.caller = webtest.SignedIn(r.caller.User + 1)
		if inTenant(op) {
			r.caller = webtest.Member(r.caller.User, 1, tenant.Owner)
			theirs := r
			theirs.caller = webtest.Owner(2)
			theirs.send(api, idempotencyKey, "key").NoHeader("Idempotent-Replayed")
		}
		if a := r.send(api, idempotencyKey, "key").NoHeader("Idempotent-Replayed"); a.Code() == 422 {
			t.Errorf("another user's key is taken: %s", a.Body())
		}
	})
}

// looks are the calls of a repeated request: for the answer, and for whether the
// caller may still see it, where the operation asks.
func (op operation) looks() int {
	if op.Again != nil {
		return 2
	}
	return 1
}

// Elsewhere the header means nothing.
func TestOtherOperationsIgnoreKeys(t *testing.T) {
	each(t, func(op operation) bool { return !op.Idempotent }, func(t *testing.T, api *webtest.API, op operation) {
		want := api.As(op.caller()).Do(op.Method, op.path(), op.sent())
		other, _ := op.elsewhere(t, api)
		got := other.With(idempotencyKey, "not a key").Do(op.Method, op.path(), op.sent()).NoHeader("Idempotent-Replayed")
		if got.Code() != want.Code() {
			t.Errorf("status %d, with a key %d %s", want.Code(), got.Code(), got.Body())
		}
	})
}

// exchanged is an engine that is another one later.
type exchanged struct{ dynamodbiface.DynamoDBAPI }

// A caller who repeats until there is an answer makes one record, whatever got
// lost on the way: the answer is kept in the transaction that makes the record.
func TestALostAnswerNeverMakesTwoRecords(t *testing.T) {
	makes := func(op operation) bool {
		return op.Idempotent && inTenant(op) && op.Success() == 201 && op.group != "tenants" && listed(op) && op.ID != "documents-company-create" // one sign, at the path of the document
	}
	each(t, makes, func(t *testing.T, _ *webtest.API, op operation) {
		table, engine := &exchanged{}, dynamodbiface.DynamoDBAPI(nil)
		api := over(t, func(a dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
			table.DynamoDBAPI, engine = a, a
			return table
		})
		for seed := range uint64(4) { // in a company each, which knows nothing of the others
			company := tenant.ID(seed) + 1
			table.DynamoDBAPI = engine
			op.joinTo(t, api, company)
			op.prepare(t, api, company) // what the operation needs has the number 1, which a lost answer would skip
			c := api.As(webtest.Owner(company)).With(idempotencyKey, "key")
			had := len(records(t, c.Get(op.path()).Status(200))) // an order has come with a line
			table.DynamoDBAPI = tabletest.Wrap(engine, tabletest.Faults{Lost: 0.65}, seed)
			until := func(status int, do func() *webtest.Answer) *webtest.Answer {
				a := do()
				// Of the six calls that make a webhook all have to be answered, so it takes up to some hundred tries.
				for tries := 0; a.Code() == 503 && tries < 3000; tries++ {
					a = do()
				}
				if a.Code() != status {
					t.Fatalf("status %d %s", a.Code(), a.Body())
				}
				return a
			}
			post := func() *webtest.Answer { return c.Post(op.path(), op.nth(1)) }
			first := until(op.Success(), post)
			if again := until(op.Success(), post); string(again.Body()) != string(first.Body()) { // it did not reach the caller
				t.Errorf("answered %s, then %s", first.Body(), again.Body())
			}
			list := until(200, func() *webtest.Answer { return c.Get(op.path()) })
			if n := len(records(t, list)); n != had+1 {
				t.Errorf("%d records after %d: %s", n, had, list.Body())
			}
		}
	})
}

// records returns the records in the answer of a list, whether the list has pages or not.
func records(t *testing.T, list *webtest.Answer) []json.RawMessage {
	t.Helper()
	var page struct{ Results []json.RawMessage }
	into := any(&page)
	if strings.HasPrefix(string(list.Body()), "[") {
		into = &page.Results
	}
	if err := json.Unmarshal(list.Body(), into); err != nil {
		t.Fatal(err)
	}
	return page.Results
}

// listed tells whether the path of an operation has a list.
func listed(op operation) bool {
	return slices.ContainsFunc(operations(), func(other operation) bool { return other.Method == "GET" && other.Path == op.Path })
}
