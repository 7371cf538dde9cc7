package tenants

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

const profile = "/v1/auth/profile/"

// What a person changes, all companies of that person show, and no other.
func TestProfilesReachTheCompanies(t *testing.T) {
	w := newWorld(t)
	id := w.hire(3, tenant.Employee)
	w.as(2).Post(people, map[string]any{"email": address(3), "role": "read-only"}).Status(201)
	w.as(3).Post(invites+"2/accept/", nil).Status(200)
	w.invite(1, 4, tenant.Employee)
	w.deliver()
	w.in(3, 1).Patch(profile, `{"first_name":"Айгүл","phone":"+77071112233"}`).Status(200)
	w.as(4).Patch(profile, `{"first_name":"Not seen yet"}`).Status(200)
	w.as(1).Get(one(id)).Status(200).Field("first_name", `"User3"`).Header("ETag", `"2"`)
	if mails := w.deliver(); len(mails) > 0 {
		t.Errorf("sent %+v", mails)
	}
	w.as(1).Get(one(id)).Status(200).Header("ETag", `"3"`).Field("first_name", `"Айгүл"`).Field("phone", `"+77071112233"`).
		Field("last_name", `"Petrov"`).Field("role", `"employee"`)
	w.as(1).Get(people+"?search=айгүл").Status(200).Field("count", "1").Field("results.0.id", fmt.Sprint(id))
	w.as(1).Get(people+"?search=user3").Status(200).Field("count", "0")
	w.as(2).Get(one(2)).Status(200).Field("first_name", `"Айгүл"`)
	w.as(1).Get(people).Status(200).NotContain("Not seen yet")

	// Again, late and out of order: nothing changes.
	if err := w.spread(3); err != nil {
		t.Fatal(err)
	}
	w.as(1).Get(one(id)).Status(200).Header("ETag", `"3"`)

	// Of who has left nothing is told.
	w.as(1).Delete(one(id)).Status(204)
	w.as(3).Patch(profile, `{"first_name":"Gone"}`).Status(200)
	w.deliver()
	w.as(1).Get(people).Status(200).NotContain("Gone")
	w.as(2).Get(one(2)).Status(200).Field("first_name", `"Gone"`)
	w.as(4).Post(invites+"1/accept/", nil).Status(200)
	w.as(1).Get(people).Status(200).Field("results.0.first_name", `"Not seen yet"`)
	w.check()
}

// spread carries out a message of a changed profile.
func (w *world) spread(user int64) error {
	w.t.Helper()
	return w.Group("tenants").Work[crosstenant.ProfileChanged](w.t.Context(), outbox.Message{
		Kind: crosstenant.ProfileChanged, Body: fmt.Sprintf(`{"user":%d,"request":"r"}`, user),
	})
}

// A profile that changes while its owner joins is not lost.
func TestAProfileThatChangesMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.invite(1, 3, tenant.Employee)
	s := open(w.Env.Table)
	who, err := s.person(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	w.as(3).Patch(profile, `{"first_name":"Ann"}`).Status(200)
	err = s.all.Write(t.Context(), func(tx *table.Tx, _ int) error {
		s.unchanged(tx, 3, who)
		return nil
	})
	if !errors.Is(err, table.ErrRevision) {
		t.Errorf("%v, want that it has changed", err)
	}
	w.as(3).Post(invites+"1/accept/", nil).Status(200)
	w.as(1).Get(one(2)).Status(200).Field("first_name", `"Ann"`)
}

func TestProfilesOfNobody(t *testing.T) {
	w := newWorld(t)
	if err := w.spread(99); err != nil {
		t.Error(err)
	}
	err := w.Group("tenants").Work[crosstenant.ProfileChanged](t.Context(), outbox.Message{Body: "["})
	if !errors.Is(err, outbox.ErrDrop) {
		t.Errorf("%v, want that it is dropped", err)
	}
	for name, m := range map[string]outbox.Message{
		"no JSON": {Body: "{"}, "no company": {Body: `{"staff":1}`},
		"nobody": {Item: table.At(table.Of(w.Env.Table, 1).Message("x"), 1), Body: `{"staff":9}`},
		"active": {Item: table.At(table.Of(w.Env.Table, 1).Message("x"), 1), Body: `{"staff":1}`},
	} {
		if err := w.Group("tenants").Work[inviteKind](t.Context(), m); !errors.Is(err, outbox.ErrDrop) {
			t.Errorf("%s: %v, want that it is dropped", name, err)
		}
	}
	if len(w.mails) > 0 {
		t.Errorf("sent %+v", w.mails)
	}
}

// A company's name is what its founder likes, and one line of the mail at most.
func TestNamesInMails(t *testing.T) {
	w := newWorld(t)
	w.as(5).Post("/v1/tenant/", strings.Replace(body("odd"), `"Acme"`, `"Odd\r\n\u0085 \u2028Your password: "`, 1)).Status(201)
	w.in(5, 3).Post(people, map[string]any{"email": address(6), "role": "employee"}).Status(201)
	mails := w.deliver()
	if len(mails) != 1 || !strings.Contains(mails[0].Text, `"Odd Your password:"`) || strings.ContainsAny(mails[0].Subject, "\r\n") {
		t.Errorf("mails %q", mails)
	}
}
