package tenants

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/standing"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	secret = "correct horse battery"
	proof  = `{"password":"` + secret + `"}`
	gone   = `{"detail":"The company is closed. Its owner can take that back until 2026-03-16T09:30:00Z.","code":"company_closed"}`
)

// password gives a user one.
func (w *world) password(user int64) {
	w.t.Helper()
	hash, err := credential.New().Hash(w.t.Context(), secret)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := crosstenant.Open(w.Env.Table).Update(crosstenant.User(user)).Set("pw", hash).Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// stand has whoever hosts the platform change how a company stands.
func (w *world) stand(id tenant.ID, to tenant.Standing) {
	w.t.Helper()
	s := standing.Open(w.Env.Table)
	scope := s.Scope(record.Scope{Now: w.Env.Now, Actor: audit.Actor{Request: "host", At: w.Env.Now()}}, id)
	if err := scope.Do(w.t.Context(), nil, func(work *record.Work) error {
		c, err := company.Get(w.t.Context(), work)
		if err != nil {
			return err
		}
		return standing.Change(work, &c, to)
	}); err != nil {
		w.t.Fatal(err)
	}
	if err := s.Spread(w.t.Context(), id); err != nil {
		w.t.Fatal(err)
	}
}

// Who is in no other company is signed out, the others are refused, and an owner who signs in again can take it back.
func TestACompanyIsClosed(t *testing.T) {
	w := newWorld(t)
	w.password(1)
	w.hire(3, tenant.Manager)
	w.hire(4, tenant.Owner)
	w.as(3).Post("/v1/tenant/", body("third")).Status(201) // 3 has another one
	w.in(3, 1).Do(http.MethodDelete, acme, proof).Status(403)
	w.in(2, 2).Do(http.MethodDelete, acme, proof).Status(404)
	w.as(1).Do(http.MethodDelete, acme, `{}`).Status(400).JSON(`{"password":["This field is required."]}`).Writes(0)
	w.as(1).Do(http.MethodDelete, acme, `{"password":"wrong"}`).Writes(2).Status(400).JSON(`{"password":["This password is wrong."]}`)
	w.as(1).With("If-Match", `"7"`).Do(http.MethodDelete, acme, proof).Status(412)
	w.in(3, 1).Get(people).Status(200)

	w.as(1).Do(http.MethodDelete, acme, proof).Status(204).Empty()
	w.as(1).Get(acme).Status(401)
	w.as(4).Get(acme).Status(401)
	before := len(w.mails)
	w.Deliver()
	told := map[string]bool{}
	for _, m := range w.mails[before:] {
		told[m.To] = strings.Contains(m.Text, `The company "Acme" was closed by `+address(1)) && strings.Contains(m.Text, "16 March 2026, 14:30 (UTC+5)")
	}
	if len(told) != 2 || !told[address(1)] || !told[address(4)] {
		t.Errorf("owners are told: %v", w.mails[before:])
	}
	w.in(3, 1).Get(people).Status(403).JSON(gone)
	w.in(3, 1).With("Accept-Language", "ru").Get(people).Status(403).Field("detail",
		`"Компания закрыта. Владелец может отменить это до такого момента: 16 марта 2026, 14:30 (UTC+5)."`)
	w.in(3, 1).Post(people, `{"email":"u9@rent.test","role":"employee"}`).Status(403).JSON(gone)
	w.in(3, 3).Get(people).Status(200)
	w.as(3).Get(acme).Status(200).Field("state", `"closed"`).Field("erased_at", `"2026-03-16T09:30:00Z"`)
	w.as(3).Patch(acme, `{"name":"B"}`).Status(403).JSON(gone)
	w.as(3).Post(acme+"restore/", nil).Status(403)
	w.in(2, 2).Get(people).Status(200)
	w.check()

	w.tokens.Delete(int64(1))
	w.as(1).Get(people).Status(403).JSON(gone)             // signed in again
	w.as(1).Do(http.MethodDelete, acme, proof).Status(204) // it is closed already
	w.as(1).Get(acme).Status(200)                          // and stays signed in
	w.Clock.Step(company.Grace - time.Second)
	w.as(1).Post(acme+"restore/", nil).Status(200).Field("state", `"active"`).Field("notice", `null`).Field("erased_at", `null`)
	w.as(1).Post(acme+"restore/", nil).Status(409).Field("code", `"not_closed"`)
	w.in(3, 1).Get(people).Status(200)
	w.in(3, 1).Post(people, `{"email":"u9@rent.test","role":"employee"}`).Status(201)
	w.check()
}

// After the days of grace it is too late, whether it is erased yet or not.
func TestAClosingIsFinal(t *testing.T) {
	w := newWorld(t)
	w.password(1)
	w.as(1).Do(http.MethodDelete, acme, proof).Status(204)
	w.tokens.Delete(int64(1))
	w.Clock.Step(company.Grace)
	w.as(1).Post(acme+"restore/", nil).Status(409).Field("code", `"erased"`).Writes(0)
	w.stand(1, tenant.Standing{State: tenant.Erasing})
	w.as(1).Post(acme+"restore/", nil).Status(409).Field("code", `"erased"`)
	w.as(1).Get(people).Status(403).Field("code", `"company_closed"`)
}

// A company that its host has suspended can be closed, and is suspended again afterwards.
func TestASuspendedCompany(t *testing.T) {
	w := newWorld(t)
	w.password(1)
	w.hire(3, tenant.ReadOnly)
	invited := w.invite(1, 5, tenant.Employee)
	const says = `{"detail":"Pay.","code":"suspended"}`
	w.stand(1, tenant.Standing{State: tenant.OnlyRead, Notice: "Pay."})
	w.in(3, 1).Get(people).Status(200)
	w.in(3, 1).Head(people).Status(200)
	w.in(3, 1).Options(people).Status(204)
	w.in(3, 1).Post(people, `{}`).Status(403).JSON(says).Writes(0)
	w.as(1).Patch(one(invited), `{"role":"manager"}`).Status(403).JSON(says).Writes(0)
	w.as(1).Patch(acme, `{"name":"B"}`).Status(403).JSON(says).Writes(0)
	w.as(5).Post(invites+"1/accept/", nil).Status(403).JSON(says).Writes(0)
	w.as(1).Get(acme).Status(200).Field("state", `"read_only"`).Field("notice", `"Pay."`)

	w.stand(1, tenant.Standing{State: tenant.Suspended, Notice: "Pay."})
	w.in(3, 1).Get(people).Status(403).JSON(says)
	w.as(1).Do(http.MethodDelete, acme, proof).Status(204)
	w.tokens.Delete(int64(1))
	w.as(1).Get(people).Status(403).Field("code", `"company_closed"`)
	w.as(1).Post(acme+"export/", nil).Status(403).Writes(0).JSON(says) // its host holds it, closed or not
	w.as(1).Post(acme+"restore/", nil).Status(200).Field("state", `"suspended"`).Field("notice", `"Pay."`)
	w.as(1).Get(people).Status(403).JSON(says)

	w.stand(1, tenant.Standing{})
	w.as(1).Get(people).Status(200)
	w.as(5).Post(invites+"1/accept/", nil).Status(200)
	w.in(5, 1).Get(people).Status(200)
	w.check()
}

// A company that has as many records as its plan allows can be used, and has people join, for whom there is a limit of their own.
func TestAFullCompany(t *testing.T) {
	w := newWorld(t)
	w.stand(1, tenant.Standing{Full: 5})
	w.as(1).Get(people).Status(200)
	w.as(1).Post(people, `{"email":"u9@rent.test","role":"employee"}`).Status(201)
	w.as(1).Patch(acme, `{"name":"B"}`).Status(200)
}

// An invitation can be declined as long as the company is there, however it stands.
func TestDecliningAnywhere(t *testing.T) {
	for state, status := range map[tenant.State]int{
		tenant.OnlyRead: 204, tenant.Suspended: 204, tenant.Closed: 204, tenant.Erasing: 404,
	} {
		t.Run(string(state), func(t *testing.T) {
			w := newWorld(t)
			w.invite(1, 5, tenant.Employee)
			w.stand(1, tenant.Standing{State: state})
			w.as(5).Post(invites+"1/decline/", nil).Status(status)
			w.as(5).Post(invites+"1/accept/", nil).Status(map[int]int{204: 404, 404: 403}[status])
			w.check()
		})
	}
}

// Where the one who closes a company dies before its people know, the message tells them.
func TestAStandingIsSpreadByItsMessage(t *testing.T) {
	w := newWorld(t)
	w.hire(3, tenant.Manager)
	s := standing.Open(w.Env.Table)
	scope := s.Scope(record.Scope{Now: w.Env.Now, Actor: audit.Actor{User: 1, Request: "r", At: w.Env.Now()}}, 1)
	if err := scope.Do(t.Context(), nil, func(work *record.Work) error {
		c, err := company.Get(t.Context(), work)
		if err != nil {
			return err
		}
		return standing.Close(work, &c)
	}); err != nil {
		t.Fatal(err)
	}
	w.in(3, 1).Get(people).Status(200)
	w.Deliver()
	w.in(3, 1).Get(people).Status(401)
	w.check()
}

// Of the many things that happen at once to a company and its people, its last standing holds for each of them.
func TestStandingsRace(t *testing.T) {
	w := newWorld(t)
	for user := int64(3); user < 9; user++ {
		w.invite(1, user, tenant.Employee)
	}
	var racers []func() *webtest.Answer
	for user := int64(3); user < 9; user++ {
		racers = append(racers, func() *webtest.Answer { return w.as(user).Post(invites+"1/accept/", nil) })
	}
	for _, state := range []tenant.State{tenant.OnlyRead, tenant.Active, tenant.Suspended} {
		racers = append(racers, func() *webtest.Answer {
			w.stand(1, tenant.Standing{State: state})
			return w.as(1).Get(acme)
		})
	}
	got := atOnce(racers...)
	if got[500] > 0 || got[200] == 0 {
		t.Errorf("%v", got)
	}
	w.stand(1, tenant.Standing{State: tenant.Suspended})
	w.Deliver()
	w.check()
	for user := int64(1); user < 9; user++ {
		if user != 2 {
			w.in(user, 1).Get(people).Status(403)
		}
	}
}
