package conformance_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestRoleMatrix holds what operations ask for to what roles may do: read-only
// looks at everything, an employee changes all but users,
// settings, the company and its money, a manager all of these but feed tokens.
func TestRoleMatrix(t *testing.T) {
	matrix := map[string]struct{ reads, changes tenant.Role }{ // by the beginning of the path; the longest counts
		"/":                        {tenant.ReadOnly, tenant.Employee},
		"/v1/finances/":            {tenant.Manager, tenant.Manager},
		"/v1/crm/users/":           {tenant.ReadOnly, tenant.Manager}, // who is there, and how to reach them from manager up
		"/v1/crm/metrics/":         {tenant.Manager, tenant.Manager},
		"/v1/crm/metrics/rebuild/": {tenant.Manager, tenant.Owner},
		"/v1/crm/settings/":        {tenant.ReadOnly, tenant.Manager}, // forms are drawn by custom fields
		"/v1/crm/price_rules/":     {tenant.ReadOnly, tenant.Manager},

		// What leaves the company's accounts for good, unlike deposits, which are the client's.
		"/v1/crm/requests/referrals/{id}/pay/":       {tenant.Manager, tenant.Manager},
		"/v1/crm/requests/referrals/{id}/take_back/": {tenant.Manager, tenant.Manager},
		"/v1/crm/requests/inventories/{id}/reopen/":  {tenant.Manager, tenant.Manager},

		"/v1/crm/settings/feed_tokens/": {tenant.Owner, tenant.Owner},
		"/v1/keys/":                     {tenant.Owner, tenant.Owner},
		"/v1/webhooks/":                 {tenant.Owner, tenant.Owner}, // they carry all that happens to somebody else
		"/v1/sms/account/top_up/":       {tenant.Owner, tenant.Owner}, // it spends the company's money
	}
	tried := map[string]int{}
	for _, op := range operations() {
		if !inTenant(op) {
			continue
		}
		beginning := "/"
		for prefix := range matrix {
			if strings.HasPrefix(op.Path, prefix) && len(prefix) > len(beginning) {
				beginning = prefix
			}
		}
		tried[beginning]++
		want := matrix[beginning].changes
		if op.Method == "GET" {
			want = matrix[beginning].reads
		}
		if got := op.LeastRole(); got != want {
			t.Errorf("%s asks for %s, not %s", op.ID, got, want)
		}
	}
	for beginning := range matrix {
		if tried[beginning] == 0 {
			t.Errorf("no operation is below %s", beginning)
		}
	}
}

// TestHistoriesAreRead: a history says what its record says, so no lower role may read it.
func TestHistoriesAreRead(t *testing.T) {
	reads := map[string]tenant.Role{} // by the path of a list: the role of the operation that reads one of its records, or else the list
	for _, op := range operations() {
		if op.Method != "GET" || !inTenant(op) {
			continue
		}
		if one := strings.TrimSuffix(op.Path, "{id}/"); one != op.Path || reads[op.Path] == "" {
			reads[one] = op.LeastRole()
		}
	}
	held := 0
	for _, k := range kinds.All() {
		role, known := reads[k.Path]
		if !known {
			continue
		}
		held++
		if !k.Role.Covers(role) {
			t.Errorf("the history of a %s is for %s, the record for %s", k.Name, k.Role, role)
		}
	}
	if held < 20 {
		t.Errorf("%d kinds have operations that read them", held)
	}
}

// readsFinance tells whether an operation reads the money of a company, which an accountant may.
func readsFinance(op operation) bool {
	return op.Method == "GET" && (strings.HasPrefix(op.Path, "/v1/finances/") || strings.HasPrefix(op.Path, "/v1/crm/metrics/"))
}

// TestAccountants walks through every operation as a member who may only look, but at finance, too:
// what reads money admits the accountant, and everything else answers as it does to others who may
// only look.
func TestAccountants(t *testing.T) {
	together(t, inTenant, func(t *testing.T, api *webtest.API, op operation) {
		api.Join(webtest.Accountant(1))
		a := api.As(webtest.Accountant(1)).Do(op.Method, op.path()+op.asked(), op.sent())
		reads := readsFinance(op)
		if op.Finance != reads {
			t.Errorf("Finance of the operation is %v, not %v", op.Finance, reads)
		}
		admitted := reads || tenant.ReadOnly.Covers(op.LeastRole())
		if forbidden := a.Code() == 403; forbidden == admitted {
			t.Errorf("status %d", a.Code())
		}
		if reads {
			api.As(webtest.ReadOnly(1)).Do(op.Method, op.path()+op.asked(), op.sent()).Status(403)
			api.As(webtest.Accountant(1)).With("X-Tenant-Id", "2").Do(op.Method, op.path()+op.asked(), op.sent()).Status(403)
		}
	})
}
