package tenants

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const forbidden = `{"detail":"You do not have permission to perform this action."}`

func TestAFounderIsItsFirstUser(t *testing.T) {
	w := newWorld(t)
	want := `{"id":1,"user":1,"email":"u1@rent.test","first_name":"User1","last_name":"Petrov","phone":"+77010000000",
		"role":"owner","finance":false,"status":"active","created_at":"<datetime>","updated_at":"<datetime>"}`
	w.as(1).Get(people).Status(200).JSON(`{"count":1,"next":null,"previous":null,"results":[` + want + `]}`).Calls(2)
	w.as(1).Get(one(1)).Status(200).JSON(want).Header("ETag", `"1"`).Calls(1).Units(1, 0)
	w.check()
}

// The way of a user into a company.
func TestAnInvitationIsAccepted(t *testing.T) {
	w := newWorld(t)
	const invited = `{"id":2,"user":null,"email":"u3@rent.test","first_name":"Anna","last_name":"","phone":"","role":"employee","finance":false,
		"status":"invited","created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T09:30:00Z"}`
	w.as(1).Post(people, `{"email":" U3@Rent.test ","role":"employee","first_name":"Anna","user":7,"status":"active","id":9}`).
		Status(201).JSON(invited).Header("ETag", `"1"`).Header("Location", webtest.BaseURL+people+"2/").
		Writes(13).Calls(3).Units(1, 32) // one of them counts for all companies together
	w.as(3).Get(people).Status(403).JSON(forbidden) // nobody is put into a company
	w.as(3).Get("/v1/tenant/").Status(200).JSON(`[]`)
	mails := w.deliver()
	if len(mails) != 1 || mails[0].To != "u3@rent.test" || mails[0].Channel != "email" ||
		!strings.Contains(mails[0].Text, `"Acme"`) || !strings.Contains(mails[0].Text, "until 16 March 2026, 14:30 (UTC+5)") ||
		!strings.Contains(mails[0].Text, "employee") {
		t.Errorf("mails %+v", mails)
	}
	w.check()

	w.Clock.Step(time.Hour)
	w.as(3).Get(invites).Status(200).JSON(`[{"id":1,"name":"Acme","role":"employee","invited_at":"2026-03-02T09:30:00Z"}]`).Calls(3)
	w.as(4).Get(invites).Status(200).JSON(`[]`)
	w.as(3).Post(invites+"1/accept/", nil).Status(200).JSON(accepted).Writes(5).Calls(4).Units(5, 18)
	w.as(3).Get(invites).Status(200).JSON(`[]`)
	w.as(3).Get("/v1/tenant/").Status(200).JSON(`[` + accepted + `]`)
	w.as(1).Get(one(2)).Status(200).Header("ETag", `"2"`).
		JSON(`{"id":2,"user":3,"email":"u3@rent.test","first_name":"User3","last_name":"Petrov","phone":"+77010000000","role":"employee","finance":false,
			"status":"active","created_at":"2026-03-02T09:30:00Z","updated_at":"2026-03-02T10:30:00Z"}`)
	w.as(3).Post(invites+"1/accept/", nil).Status(404)
	w.as(3).Post(invites+"1/decline/", nil).Status(404)
	w.check()
	if mails := w.deliver(); len(mails) > 0 {
		t.Errorf("more was sent: %+v", mails)
	}
}

func TestInvitationsThatAreRefused(t *testing.T) {
	w := newWorld(t)
	w.hire(3, tenant.Employee)
	w.invite(1, 4, tenant.Manager)
	for _, c := range []struct{ name, body, want string }{
		{"nothing", `{}`, `{"email":["This field is required."],"role":["This field is required."]}`},
		{"no address", `{"email":"u5","role":"manager"}`, `{"email":["Enter a valid email address."]}`},
		{"no role", `{"email":"u5@rent.test","role":"admin"}`, `{"role":["\"admin\" is not a valid choice."]}`},
		{"null", `{"email":null,"role":null}`, `{"email":["This field may not be null."],"role":["This field may not be null."]}`},
		{
			"too long", `{"email":"u5@rent.test","role":"manager","first_name":"` + strings.Repeat("ж", 151) + `"}`,
			`{"first_name":["Ensure this field has no more than 150 characters."]}`,
		},
		{"a list", `[]`, `{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}`},
		{"invited", `{"email":"U4@rent.test","role":"employee"}`, `{"email":["This field must be unique."]}`},
		{"a member", `{"email":"u3@rent.test","role":"employee"}`, `{"email":["This field must be unique."]}`},
		{"the founder", `{"email":"u1@rent.test","role":"employee"}`, `{"email":["This field must be unique."]}`},
	} {
		a := w.as(1).In(t).Post(people, c.body)
		if strings.Contains(c.want, "unique") {
			a.Writes(1) // a number
		}
		if a.Status(400).JSON(c.want); t.Failed() {
			t.Fatal(c.name)
		}
	}
	w.as(2).Post(people, map[string]string{"email": address(4), "role": "employee"}).Status(201) // another company
	w.as(4).Get(invites).Status(200).Field("0.id", "2").Field("1.id", "1").Field("1.role", `"manager"`)
	for _, path := range []string{"3/accept/", "2/accept/", "99999999999999999/accept/", "0/accept/", "x/accept/", "1/decline/"} {
		w.as(5).Post(invites+path, nil).Status(404)
	}
	for _, who := range []webtest.Caller{webtest.Bearer(""), webtest.Bearer("a.b.c")} {
		w.As(who).Get(invites).Status(401)
		w.As(who).Post(invites+"1/accept/", nil).Status(401)
		w.As(who).Get(people).Status(401)
	}
	w.as(1).Get(invites + "1/").Status(404)
	w.as(1).Get(invites + "1/accept/").Status(405)
}

func TestAnInvitationIsDeclinedOrWithdrawn(t *testing.T) {
	w := newWorld(t)
	id := w.invite(1, 3, tenant.Employee)
	w.as(3).Post(invites+"1/decline/", nil).Status(204).Empty()
	w.as(1).Get(one(id)).Status(404)
	w.as(3).Get(invites).Status(200).JSON(`[]`)
	if mails := w.deliver(); len(mails) > 0 {
		t.Errorf("sent although it was over: %+v", mails)
	}
	id = w.invite(1, 3, tenant.Employee) // again
	w.as(1).Delete(one(id)).Status(204).Empty().Calls(3)
	w.as(3).Post(invites+"1/accept/", nil).Status(404)
	w.as(1).Get(people).Status(200).Field("count", "1")
	w.hire(3, tenant.Manager)
	w.as(1).Get(people).Status(200).Field("count", "2").Field("results.0.id", "4")
	w.check()
}

// Whoever changes what an invitation says changes what is accepted.
func TestAnInvitationIsChanged(t *testing.T) {
	w := newWorld(t)
	id := w.invite(1, 3, tenant.Employee)
	w.as(1).Put(one(id), `{"role":"read-only","first_name":"Ann","last_name":"Lee","email":"other@rent.test"}`).Status(200).
		Field("email", `"u3@rent.test"`).Field("role", `"read-only"`).Field("first_name", `"Ann"`).Field("last_name", `"Lee"`)
	w.as(1).Get(people+"?search=ann").Status(200).Field("count", "1")
	w.as(3).Get(invites).Status(200).Field("0.role", `"read-only"`)
	w.as(3).Post(invites+"1/accept/", nil).Status(200)
	w.in(3, 1).Post(people, `{"email":"x@rent.test","role":"employee"}`).Status(403)
	w.as(1).Get(one(id)).Status(200).Field("first_name", `"User3"`).Field("role", `"read-only"`)
	w.check()
}

func TestRolesActAtOnce(t *testing.T) {
	w := newWorld(t)
	id := w.hire(3, tenant.Employee)
	me := w.in(3, 1)
	me.Get(people).Status(200).Field("results.1.email", `null`)
	w.Clock.Step(time.Second) // a change has another time than what it changes, and so another entry in the index
	w.as(1).Patch(one(id), `{"role":"manager"}`).Status(200).Field("role", `"manager"`).Header("ETag", `"3"`).Writes(4).Calls(3).
		Units(2, 12)
	me.Get(people).Status(200).Field("count", "2").Field("results.1.email", `"u1@rent.test"`)
	w.check()
	w.as(1).Patch(one(id), `{"role":"read-only"}`).Status(200)
	me.Get(people).Status(200).Field("results.1.email", `null`)
	w.check()
	w.as(1).Delete(one(id)).Status(204)
	me.Get(people).Status(403).JSON(forbidden)
	w.as(3).Get("/v1/tenant/").Status(200).JSON(`[]`)
	w.check()
	w.hire(3, tenant.Owner) // and back
	w.in(3, 1).Delete(one(1)).Status(204)
	w.as(1).Get(people).Status(403)
	w.check()
}

// The matrix: who may do what with whom.
func TestWhoMayDoWhat(t *testing.T) {
	roles := []tenant.Role{tenant.ReadOnly, tenant.Employee, tenant.Manager, tenant.Owner}
	for _, actor := range roles {
		t.Run(string(actor), func(t *testing.T) {
			w := newWorld(t)
			w.hire(10, actor)
			me := w.in(10, 1).In(t)
			status := func(owners bool, success int) int {
				if actor == tenant.Owner || actor == tenant.Manager && !owners {
					return success
				}
				return 403
			}
			want := func(a *webtest.Answer, what string, owners bool, success int) {
				t.Helper()
				if code := status(owners, success); a.Code() != code {
					t.Errorf("%s: %d, want %d: %s", what, a.Code(), code, a.Body())
				}
				if a.Code() == 403 {
					a.Writes(0)
					if detail := `{"detail":"Only an owner can invite, change or remove an owner, or make somebody one."}`; actor == tenant.Manager {
						a.JSON(detail)
					} else {
						a.JSON(forbidden)
					}
				}
			}
			me.Get(people).Status(200).Field("count", "2")
			me.Get(one(1)).Status(200)
			for i, target := range roles {
				owner, user := target == tenant.Owner, int64(20+i)
				want(
					me.Post(people, map[string]any{"email": fmt.Sprintf("new%d@rent.test", i), "role": target}), "invite "+string(target),
					owner, 201,
				)
				member, waiting := w.hire(user, target), w.invite(1, user+10, target)
				for _, id := range []int64{member, waiting} {
					want(me.Put(one(id), map[string]any{"role": target}), "put "+string(target), owner, 200)
					want(me.Patch(one(id), map[string]any{"role": "owner"}), "promote "+string(target), true, 200)
					want(me.Patch(one(id), map[string]any{"role": "employee"}), "demote "+string(target), owner, 200)
					want(me.Delete(one(id)), "delete "+string(target), owner, 204)
				}
			}
			w.check()
		})
	}
}

// Two companies have nothing to do with each other.
func TestTwoCompanies(t *testing.T) {
	w := newWorld(t)
	id := w.hire(3, tenant.Manager)
	w.as(2).Post(people, map[string]any{"email": address(3), "role": "read-only"}).Status(201)
	for _, do := range []func(c *webtest.Client) *webtest.Answer{
		func(c *webtest.Client) *webtest.Answer { return c.Get(one(3)) },
		func(c *webtest.Client) *webtest.Answer { return c.Put(one(3), `{"role":"owner"}`) },
		func(c *webtest.Client) *webtest.Answer { return c.Patch(one(3), `{"role":"owner"}`) },
		func(c *webtest.Client) *webtest.Answer { return c.Delete(one(3)) },
	} {
		do(w.as(2)).Status(404).JSON(`{"detail":"Not found."}`)
		do(w.in(2, 1)).Status(403).JSON(forbidden)
	}
	w.hire(4, tenant.Employee)
	w.as(2).Get(people).Status(200).Field("count", "2").NotContain("u4@", "u1@")
	w.as(3).Post(invites+"2/accept/", nil).Status(200)
	w.as(3).Get(people).Status(403) // which of the two is not said
	w.in(3, 2).Get(people).Status(200).Field("count", "2").NotContain("User1", "User4")
	w.in(3, 1).Get(people).Status(200).Field("count", "3")
	w.as(1).Delete(one(id)).Status(204) // the first of the user's list
	w.as(3).Get("/v1/tenant/").Status(200).Field("0.id", "2")
	w.as(2).Patch(one(2), `{"role":"manager"}`).Status(200)
	w.as(3).Get(people).Status(200).Field("count", "2")
	w.check()
	checkCompany(t, open(w.Env.Table), 2)
}

func TestACompanyKeepsAnOwner(t *testing.T) {
	w := newWorld(t)
	const last = `{"detail":"A company keeps at least one owner.","code":"last_owner"}`
	w.as(1).Patch(one(1), `{"role":"manager"}`).Status(409).JSON(last)
	w.as(1).Put(one(1), `{"role":"employee"}`).Status(409).JSON(last)
	w.as(1).Delete(one(1)).Status(409).JSON(last)
	w.as(1).Patch(one(1), `{"role":"owner"}`).Status(200).Writes(0)
	id := w.invite(1, 3, tenant.Owner)
	w.as(1).Delete(one(1)).Status(409).JSON(last) // who is invited is none yet
	w.as(3).Post(invites+"1/accept/", nil).Status(200)
	w.as(1).Patch(one(1), `{"role":"manager"}`).Status(200)
	w.as(1).Patch(one(id), `{"role":"manager"}`).Status(403)
	w.as(3).Delete(one(id)).Status(409).JSON(last)
	w.as(3).Patch(one(1), `{"role":"owner"}`).Status(200)
	w.as(3).Delete(one(id)).Status(204) // oneself
	w.check()
}

func TestRevisionsOfUsers(t *testing.T) {
	w := newWorld(t)
	id := w.hire(3, tenant.Employee)
	me := w.as(1)
	me.With("If-None-Match", `"2"`).Get(one(id)).Status(304).Empty()
	me.With("If-Match", `"1"`).Patch(one(id), `{"role":"manager"}`).Status(412).
		JSON(`{"detail":"The record has changed since it was read.","etag":"\"2\""}`)
	me.With("If-Match", `"1"`).Put(one(id), `{"role":"manager"}`).Status(412)
	me.With("If-Match", `"1"`).Delete(one(id)).Status(412)
	me.With("If-Match", `"2"`).Patch(one(id), `{"role":"manager"}`).Status(200).Header("ETag", `"3"`)
	me.With("If-Match", `"3"`).Delete(one(id)).Status(204)
	me.Get(one(id)).Status(404)
	me.Put(one(id), `{}`).Status(400).JSON(`{"role":["This field is required."]}`)
	me.Put(one(id), `{"role":"manager"}`).Status(404)
	me.Patch(one(id), `{}`).Status(404)
	me.Delete(one(id)).Status(404)
	for _, path := range []string{people + "0/", people + "x/", people + "999999999999999999/", people + "01/"} {
		me.Get(path).Status(404)
	}
}

func TestTheListOfUsers(t *testing.T) {
	w := newWorld(t)
	for i := range 12 {
		w.as(1).Post(people, map[string]any{
			"email": fmt.Sprintf("staff%02d@firm.test", i), "role": "employee", "first_name": fmt.Sprintf("Сотрудник %c", 'А'+i),
		}).Status(201)
	}
	me := w.as(1)
	me.Get(people).Status(200).Field("count", "13").Field("results.0.id", "13").Field("previous", "null").
		Field("next", `"`+webtest.BaseURL+people+`?page=2"`).Calls(2)
	me.Get(people+"?page=2&pageSize=5").Status(200).Field("results.0.id", "8")
	me.Get(people+"?page=last").Status(200).Field("results.2.id", "1")
	me.Get(people + "?page=3").Status(404).JSON(`{"detail":"Invalid page."}`)
	for search, count := range map[string]int{
		"staff": 12, "FIRM.test": 12, "staff07@firm": 1, "сотрудник": 12, "user1": 1, "petrov u1@rent": 1, "nobody": 0, "СОТРУДНИК а": 1, "77010000000": 0,
	} {
		me.Get(people+"?search="+strings.ReplaceAll(search, " ", "+")).Status(200).Field("count", fmt.Sprint(count))
	}
	me.Get(people+"?ordering=name").Status(200).Field("results.0.id", "1").Field("results.1.first_name", `"Сотрудник А"`)
	me.Get(people+"?ordering=-name&page=last").Status(200).Field("results.2.id", "1")
	me.Get(people+"?ordering=id").Status(200).Field("results.0.id", "1")
	w.check()
}

// A repeated request does what it did once.
func TestInvitingAndAcceptingOnce(t *testing.T) {
	w := newWorld(t)
	body := `{"email":"u3@rent.test","role":"manager"}`
	keyed := w.as(1).With("Idempotency-Key", "k1")
	first := keyed.Post(people, body).Status(201)
	again := keyed.Post(people, body).Status(201).Writes(0).Header("Idempotent-Replayed", "true")
	if string(first.Body()) != string(again.Body()) || again.Get("Location") != first.Get("Location") ||
		again.Get("ETag") != first.Get("ETag") {
		t.Errorf("%s, then %s", first.Body(), again.Body())
	}
	keyed.Post(people, `{"email":"u4@rent.test","role":"manager"}`).Status(422)
	yes := w.as(3).With("Idempotency-Key", "k2")
	manager := strings.Replace(accepted, "employee", "manager", 1)
	yes.Post(invites+"1/accept/", nil).Status(200).JSON(manager)
	yes.Post(invites+"1/accept/", nil).Status(200).JSON(manager).Writes(0).Header("Idempotent-Replayed", "true")
	w.invite(1, 4, tenant.Employee)
	no := w.as(4).With("Idempotency-Key", "k2")
	no.Post(invites+"1/decline/", nil).Status(204)
	no.Post(invites+"1/decline/", nil).Status(204).Writes(0).Header("Idempotent-Replayed", "true")
	w.check()
}

func TestHowManyInvitationsAreSent(t *testing.T) {
	w := newWorld(t)
	for range invitesOfOneToOne {
		w.as(1).Delete(one(w.invite(1, 3, tenant.Employee))).Status(204)
	}
	w.as(1).Post(people, map[string]any{"email": address(3), "role": "employee"}).Writes(1).Status(429)
	w.as(2).Post(people, map[string]any{"email": address(3), "role": "employee"}).Status(201)
	for i := range invitesOfCompany - invitesOfOneToOne {
		w.as(1).Post(people, map[string]any{"email": fmt.Sprintf("p%d@rent.test", i), "role": "employee"}).Status(201)
	}
	w.as(1).Post(people, map[string]any{"email": "onemore@rent.test", "role": "employee"}).Writes(1).Status(429)
	w.as(1).Post("/v1/tenant/", body("another")).Status(201)
	w.in(1, 3).Post(people, map[string]any{"email": "onemore@rent.test", "role": "employee"}).Writes(1).Status(429)
	w.as(2).Post(people, map[string]any{"email": "onemore@rent.test", "role": "employee"}).Status(201)
	w.Clock.Step(24 * time.Hour)
	w.in(1, 1).Post(people, map[string]any{"email": address(3), "role": "employee"}).Status(201)
	w.check()
}

// An address gets so many of all companies together.
func TestHowManyInvitationsAnAddressGets(t *testing.T) {
	w := newWorld(t)
	for i := range int64(invitesToAddress) {
		user := 10 + i%25 // who makes the companies 3, 4, …
		w.as(user).Post("/v1/tenant/", body(fmt.Sprintf("many%d", i))).Status(201)
		w.in(user, tenant.ID(3+i)).Post(people, map[string]any{"email": address(3), "role": "employee"}).Status(201)
	}
	w.as(1).Post(people, map[string]any{"email": address(3), "role": "employee"}).Writes(1).Status(429)
	w.as(1).Post(people, map[string]any{"email": address(4), "role": "employee"}).Status(201)
}

func TestNobodyIsInMoreThanTheMostCompanies(t *testing.T) {
	w := newWorld(t)
	w.invite(1, 3, tenant.Employee)
	for i := range maxCompanies {
		if i%makeTries == makeTries-1 {
			w.Clock.Step(24 * time.Hour)
		}
		w.as(3).Post("/v1/tenant/", body(fmt.Sprintf("c%d", i))).Status(201)
	}
	w.as(3).Post(invites+"1/accept/", nil).Status(400).JSON(`{"non_field_errors":["You can't be in more than 50 companies."]}`)
	w.as(3).Get(invites).Status(200).Field("0.id", "1")
	w.in(3, 3).Post(people, map[string]any{"email": address(4), "role": "owner"}).Status(201)
	w.as(4).Post(invites+"3/accept/", nil).Status(200)
	w.in(3, 3).Delete(one(1)).Status(204)
	w.as(3).Post(invites+"1/accept/", nil).Status(200)
	w.check()
}

// What was done with a staff record is in its history, and no more than callers see.
func TestHistoryOfUsers(t *testing.T) {
	w := newWorld(t)
	id := w.hire(3, tenant.Employee)
	w.as(1).Patch(one(id), `{"role":"manager"}`).Status(200)
	w.as(1).Delete(one(id)).Status(204)
	var audits []struct {
		SK     string `dynamo:"sk"`
		Action string `dynamo:"a"`
		User   int64  `dynamo:"u"`
	}
	s, tn := open(w.Env.Table), table.Of(w.Env.Table, 1)
	if err := s.all.Table().Get("pk", tn.History(kinds.Staff, id)).Consistent(true).All(t.Context(), &audits); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range audits {
		got = append(got, fmt.Sprint(a.Action, a.User))
	}
	if want := "[created1 changed3 changed1 deleted1]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// TestAccountants: who may only look is given the right to read finance, when invited and afterwards,
// and loses it; the next request of the person has it or has not.
func TestAccountants(t *testing.T) {
	w := newWorld(t)
	id := w.in(1, 1).Post(people, `{"email":"`+address(3)+`","role":"read-only","finance":true}`).Status(201).Field("finance", "true").Int("id")
	w.as(3).Post(invites+"1/accept/", nil).Status(200)
	w.check()
	reads := func(want bool) {
		t.Helper()
		status := map[bool]int{true: 200, false: 403}[want]
		for _, path := range []string{"/v1/finances/accounts/", "/v1/finances/transactions/", "/v1/crm/metrics/general/detail/"} {
			w.in(3, 1).Get(path).Status(status)
			w.in(3, 1).Head(path).Status(status)
		}
		for _, path := range []string{"/v1/finances/accounts/", "/v1/finances/refunds/", "/v1/crm/metrics/rebuild/", people} {
			w.in(3, 1).Post(path, `{}`).Status(403)
		}
		w.in(3, 2).Get("/v1/finances/accounts/").Status(403)
	}
	reads(true)
	w.in(1, 1).Patch(one(id), `{"finance":false}`).Status(200).Field("finance", "false").Field("role", `"read-only"`)
	w.check()
	reads(false)
	w.in(1, 1).Put(one(id), `{"role":"employee"}`).Status(200).Field("finance", "false")
	w.in(1, 1).Put(one(id), `{"role":"employee","finance":true}`).Status(200).Field("finance", "true")
	w.check()
	reads(true)                                                                          // beside what an employee may do
	w.in(1, 1).Put(one(id), `{"role":"read-only"}`).Status(200).Field("finance", "true") // what is left out stays
	w.check()
	reads(true)
	w.in(3, 1).Patch(one(id), `{"finance":true}`).Status(403)
	w.in(1, 1).Patch(one(id), `{"finance":null}`).Status(400).JSON(`{"finance":["This field may not be null."]}`)
	w.in(1, 1).Get("/v1/crm/users/?search=user3").Status(200).Field("results.0.finance", "true")
}
