package tenants

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What becomes of a company and its people is told in the company's own log, by the names of fields and without what they hold.
func TestEventsOfCompanies(t *testing.T) {
	w := newWorld(t)
	now := func(user int64) *webtest.Client { // each at a moment of its own, which orders the events
		w.Clock.Step(time.Second)
		return w.as(user)
	}
	w.Left(3, func() {
		now(1).Post("/v1/tenant/", body("third")).Status(201).Happened("company.created", "user.created")
	}, `company.created company:3 [] {}`, `user.created user:1 [] {}`)
	w.Left(1, func() {
		now(1).Patch(acme, `{"name":"Acme Rent","phone":"+77011234567","extra":{"a":1}}`).Status(200).Happened("company.updated")
		now(1).Patch(acme, `{}`).Status(200).Happened()
		now(1).With("X-Tenant-Id", "1").Post(people, `{"email":"u3@rent.test","role":"employee"}`).Status(201).Happened("user.created")
		now(3).Post(invites+"1/accept/", nil).Status(200).Happened("user.updated")
		now(1).With("X-Tenant-Id", "1").Patch(one(2), `{"role":"manager"}`).Status(200).Happened("user.updated")
		now(1).With("X-Tenant-Id", "1").Delete(one(2)).Status(204).Happened("user.deleted")
	},
		`company.updated company:1 [] {"fields":["extra.a","name","phone"]}`,
		`user.created user:2 [] {}`,
		`user.updated user:2 [] {"fields":["first_name","last_name","phone","status","user"]}`,
		`user.updated user:2 [] {"fields":["role"]}`,
		`user.deleted user:2 [] {}`,
	)
}
