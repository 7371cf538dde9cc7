package tenants

import (
	"net/url"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/tenant"
)

// Everybody sees who is in the company; how they are reached is for managers, who
// alone find somebody by it, too.
func TestWhoSeesAddresses(t *testing.T) {
	for _, role := range []tenant.Role{tenant.ReadOnly, tenant.Employee, tenant.Manager, tenant.Owner} {
		t.Run(string(role), func(t *testing.T) {
			w := newWorld(t)
			w.hire(3, role)
			w.invite(1, 4, tenant.Employee) // who has no name yet
			long := strings.Repeat("Абылайхан ", 14)
			w.as(1).Post(people, map[string]any{"email": "longest@rent.test", "role": "employee", "first_name": long}).Status(201)
			me, sees := w.in(3, 1), role.Covers(tenant.Manager)
			email, phone := `null`, `null`
			if sees {
				email, phone = `"u1@rent.test"`, `"+77010000000"`
			}
			read := me.Get(one(1)).Status(200).
				JSON(`{"id":1,"user":1,"email":` + email + `,"first_name":"User1","last_name":"Petrov","phone":` + phone +
					`,"role":"owner","finance":false,"status":"active","created_at":"<datetime>","updated_at":"<datetime>"}`)
			list := me.Get(people+"?ordering=name").Status(200).Field("count", "4")
			if !sees {
				read.NotContain("@", "7701")
				list.NotContain("@", "7701")
			}
			for search, found := range map[string][2]int64{ // by who sees addresses, and by others
				"petrov": {2, 2}, "user1": {1, 1}, "u1@": {1, 0}, "rent.test": {4, 0}, "@": {4, 0}, "u4": {1, 0},
				"абылайхан": {1, 1}, "longest": {1, 0}, "абылайхан longest": {1, 0}, "user1 petrov": {1, 1}, "petrov u1": {1, 0},
			} {
				want := found[1]
				if sees {
					want = found[0]
				}
				if got := me.Get(people + "?search=" + url.QueryEscape(search)).Status(200).Int("count"); got != want {
					t.Errorf("%q: %d, want %d", search, got, want)
				}
			}
		})
	}
}
