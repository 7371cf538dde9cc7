package conformance_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/tenant"
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

		// What leaves the company's accounts for good, unlike deposits, which are the client's.
		"/v1/crm/requests/referrals/{id}/pay/":       {tenant.Manager, tenant.Manager},
		"/v1/crm/requests/referrals/{id}/take_back/": {tenant.Manager, tenant.Manager},

		"/v1/crm/settings/feed_tokens/": {tenant.Owner, tenant.Owner},
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
