package tenant

import "testing"

func TestRoles(t *testing.T) {
	order := []Role{ReadOnly, Employee, Manager, Owner}
	for i, r := range order {
		if !r.Valid() {
			t.Errorf("%s is no role", r)
		}
		for j, least := range order {
			if r.Covers(least) != (i >= j) {
				t.Errorf("%s covers %s: %v", r, least, r.Covers(least))
			}
		}
	}
	for _, r := range []Role{"", "admin", "OWNER", "owner "} {
		if r.Valid() || r.Covers(ReadOnly) || r.Covers("") {
			t.Errorf("%q is a role", r)
		}
	}
}
