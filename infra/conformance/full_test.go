package conformance_test

import (
	"slices"
	"testing"

	"github.com/tenantry/tenantry/functions/tenants/usage"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// goesOn says which operations make records that a plan counts, and are not refused to a company that has all of them; and why.
func goesOn() map[string]string {
	return map[string]string{
		"orders-pay":          "books money that has been paid",
		"deposits-create":     "books money that has been taken",
		"deposits-return":     "books money that is given back",
		"refunds-create":      "books money that is given back",
		"referrals-pay":       "books money that has been paid",
		"penalties-create":    "changes known ones, too; it refuses new ones by itself",
		"sms-account-top-up":  "books money that has been paid",
		"sms-messages-create": "has a limit of its own: segments",
		"users-create":        "has a limit of its own: members and invitations",
	}
}

// TestWhatAFullCompanyIsRefused: a company that has all the records of its plan is refused exactly what is there to make records that are
// counted, before anything is read; all else goes on. What an operation makes is found by counting, as the operator does at night.
func TestWhatAFullCompanyIsRefused(t *testing.T) {
	why := goesOn()
	changing := func(op operation) bool { return inTenant(op) && op.Method != "GET" && !op.OnlyReads }
	each(t, changing, func(t *testing.T, api *webtest.API, op operation) {
		r := op.request(t, api)
		before := counted(t, api)
		full := r
		full.caller.Standing = tenant.Standing{Full: 1}
		if op.MakesRecords {
			full.send(api, idempotencyKey, "full").Status(403).Calls(0).Field("code", `"plan"`).Field("limit", `"records"`)
			full = r
		}
		// Of a penalty nobody knows beforehand whether it is new.
		if op.ID == "penalties-create" {
			full.send(api, idempotencyKey, "full").Status(403).Field("code", `"plan"`)
			full = r
		}
		want := op.Success()
		if other, ok := map[string]int{"penalties-uncharge": 404, "documents-eds-sign": 409}[op.ID]; ok {
			want = other // there is no charge, and no such provider
		}
		full.send(api, idempotencyKey, "key").Status(want)
		_, exempt := why[op.ID]
		switch makes := counted(t, api) > before; {
		case makes && !op.MakesRecords && !exempt:
			t.Error("it makes records that a plan counts, and doesn't say so (web.Operation.MakesRecords)")
		case !makes && op.MakesRecords:
			t.Error("it says that it makes records that a plan counts, and makes none")
		case exempt && (op.MakesRecords || !makes):
			t.Errorf("it is said to go on although it makes records, and makes records: %v, is refused: %v", makes, op.MakesRecords)
		}
	})
	for id := range why {
		if !slices.ContainsFunc(operations(), func(op operation) bool { return op.ID == id && changing(op) }) {
			t.Errorf("there is no %s", id)
		}
	}
	for _, op := range operations() {
		if op.MakesRecords && !changing(op) {
			t.Errorf("%s makes records, and is no change in a company", op.ID)
		}
	}
}

// counted is how many records company 1 has to its plan.
func counted(t *testing.T, api *webtest.API) int64 {
	t.Helper()
	stored, err := usage.Count(t.Context(), table.Of(api.Env.Table, 1))
	if err != nil {
		t.Fatal(err)
	}
	return stored.Records
}
