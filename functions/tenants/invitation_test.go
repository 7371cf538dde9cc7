package tenants

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const over = `{"detail":"The invitation is no longer valid."}`

func TestInvitationsExpire(t *testing.T) {
	w := newWorld(t)
	w.invite(1, 3, tenant.Employee)
	id := w.invite(1, 4, tenant.Employee)
	w.invite(1, 5, tenant.Employee)
	w.Clock.Step(14*24*time.Hour - time.Millisecond)
	w.as(3).Get(invites).Status(200).Field("0.id", "1")
	w.as(3).Post(invites+"1/accept/", nil).Status(200)
	w.Clock.Step(time.Millisecond)
	w.as(4).Get(invites).Status(200).JSON(`[]`).Calls(2)
	w.as(4).Post(invites+"1/accept/", nil).Status(404).JSON(over).Writes(0)
	w.as(4).Post(invites+"1/decline/", nil).Status(404).JSON(over).Writes(0)
	if mails := w.deliver(); len(mails) > 0 {
		t.Errorf("sent although it was over: %+v", mails)
	}
	me := w.as(1)
	me.Patch(one(id), `{"first_name":"Ann"}`).Status(200)
	me.Patch(one(id), `{"role":"manager"}`).Status(400).
		JSON(`{"role":["The invitation has expired. Remove the user and send another one."]}`)
	me.Get(one(id)).Status(200).Field("role", `"employee"`).Field("status", `"invited"`)

	// It is sent again after it was removed, whether it was swept or not.
	me.Post(people, map[string]any{"email": address(4), "role": "employee"}).Writes(1).Status(400)
	me.Delete(one(id)).Status(204)
	w.invite(1, 4, tenant.Manager)
	s := open(w.Env.Table)
	swept, err := s.invitation(t.Context(), address(5), 1)
	if until := time.UnixMilli(swept.Until); err != nil || swept.TTL <= until.Unix() ||
		time.Unix(swept.TTL, 0).After(until.Add(48*time.Hour)) {
		t.Errorf("swept at %d, until %d, %v", swept.TTL, swept.Until, err)
	}
	if err := s.all.Delete(swept.Key()).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.as(5).Post(invites+"1/accept/", nil).Status(404)
	me.Patch(one(swept.Staff), `{"role":"manager"}`).Status(400)
	me.Post(people, map[string]any{"email": address(5), "role": "employee"}).Writes(1).Status(400)
	me.Delete(one(swept.Staff)).Status(204)
	w.invite(1, 5, tenant.Employee)
	for _, user := range []int64{4, 5} {
		w.as(user).Get(invites).Status(200).Field("0.id", "1")
		w.as(user).Post(invites+"1/accept/", nil).Status(200)
	}
	w.check()
}

// An invitation is worth what its sender may do on the day it is accepted.
func TestAnInvitationHangsOnTheInviter(t *testing.T) {
	role := func(r tenant.Role) string { return fmt.Sprintf(`{"role":%q}`, r) }
	for _, c := range []struct {
		name            string
		inviter, offers tenant.Role
		then            func(w *world, inviter, invitee int64)
		accepted        bool
	}{
		{"a manager stays", tenant.Manager, tenant.Employee, func(*world, int64, int64) {}, true},
		{"a manager goes", tenant.Manager, tenant.Employee, func(w *world, inviter, _ int64) {
			w.as(1).Delete(one(inviter)).Status(204)
		}, false},
		{"a manager is demoted", tenant.Manager, tenant.ReadOnly, func(w *world, inviter, _ int64) {
			w.as(1).Patch(one(inviter), role(tenant.Employee)).Status(200)
		}, false},
		{"a manager is demoted and comes back", tenant.Manager, tenant.Manager, func(w *world, inviter, _ int64) {
			w.as(1).Patch(one(inviter), role(tenant.ReadOnly)).Status(200)
			w.as(1).Patch(one(inviter), role(tenant.Owner)).Status(200)
		}, true},
		{"an owner becomes a manager, of an owner", tenant.Owner, tenant.Owner, func(w *world, inviter, _ int64) {
			w.as(1).Patch(one(inviter), role(tenant.Manager)).Status(200)
		}, false},
		{"an owner becomes a manager, of a manager", tenant.Owner, tenant.Manager, func(w *world, inviter, _ int64) {
			w.as(1).Patch(one(inviter), role(tenant.Manager)).Status(200)
		}, true},
		{"an owner changed the role, and the manager goes", tenant.Manager, tenant.Employee, func(w *world, inviter, invitee int64) {
			w.as(1).Patch(one(invitee), role(tenant.Owner)).Status(200)
			w.as(1).Delete(one(inviter)).Status(204)
		}, true},
		{"an owner changed the name, and the manager goes", tenant.Manager, tenant.Employee, func(w *world, inviter, invitee int64) {
			w.as(1).Patch(one(invitee), `{"first_name":"Ann"}`).Status(200)
			w.as(1).Delete(one(inviter)).Status(204)
		}, false},
		{"who changed the role goes", tenant.Owner, tenant.Employee, func(w *world, _, invitee int64) {
			changer := w.hire(6, tenant.Manager)
			w.in(6, 1).Patch(one(invitee), role(tenant.Manager)).Status(200)
			w.as(1).Delete(one(changer)).Status(204)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			inviter := w.hire(5, c.inviter)
			invitee := w.in(5, 1).Post(people, map[string]any{"email": address(3), "role": c.offers}).Status(201).Int("id")
			c.then(w, inviter, invitee)
			if c.accepted {
				w.as(3).Get(invites).Status(200).Field("0.id", "1")
				w.as(3).Post(invites+"1/accept/", nil).Status(200)
			} else {
				w.as(3).Get(invites).Status(200).JSON(`[]`)
				w.as(3).Post(invites+"1/accept/", nil).Status(404).JSON(over).Writes(0)
				w.as(3).Get("/v1/tenant/").Status(200).JSON(`[]`)
				w.as(3).Post(invites+"1/decline/", nil).Status(204)
			}
			w.check()
		})
	}
}

// meanwhile is an engine on which something happens just before the next
// transaction, once.
type meanwhile struct {
	dynamodbiface.DynamoDBAPI
	once *sync.Once
	do   func()
}

func (m meanwhile) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	m.once.Do(m.do)
	return m.DynamoDBAPI.TransactWriteItems(ctx, in, o...)
}

// An inviter whose role changes at the moment of the acceptance is noticed.
func TestAnInviterWhoGoesMeanwhile(t *testing.T) {
	for change, status := range map[string]int{"employee": 404, "owner": 200, "removed": 404} {
		name := enginetest.Table(t)
		w := newWorld(t, func(e *app.Env) { e.Table = table.Open(enginetest.Client(t), name) })
		inviter := w.hire(5, tenant.Manager)
		w.in(5, 1).Post(people, map[string]any{"email": address(3), "role": "employee"}).Status(201)
		owner := w.as(1)
		api := webtest.Setup{Change: func(e *app.Env) {
			e.Table = table.Open(meanwhile{enginetest.Client(t), new(sync.Once), func() {
				if change == "removed" {
					owner.Delete(one(inviter)).Status(204)
				} else {
					owner.Patch(one(inviter), map[string]string{"role": change}).Status(200)
				}
			}}, name)
		}}.New(t, New)
		if a := api.As(webtest.SignedIn(3)).Post(invites+"1/accept/", nil); a.Code() != status {
			t.Errorf("%s: %d, want %d: %s", change, a.Code(), status, a.Body())
		}
		w.check()
	}
}

// However many companies invite an address, the list stays short.
func TestManyInvitationsOfOneAddress(t *testing.T) {
	w := newWorld(t)
	const days, aDay = 6, 10
	for day := range int64(days) {
		user := 10 + day
		for i := range aDay {
			id := w.as(user).Post("/v1/tenant/", body(fmt.Sprintf("many%d-%d", day, i))).Status(201).Int("id")
			w.in(user, tenant.ID(id)).Post(people, map[string]any{"email": address(40), "role": "employee"}).Status(201)
		}
		w.Clock.Step(24 * time.Hour)
	}
	last := 2 + days*aDay
	a := w.as(40).Get(invites).Status(200).Field("0.id", fmt.Sprint(last)).Field("49.id", fmt.Sprint(last-49)).Calls(4)
	if n := strings.Count(string(a.Body()), `"id":`); n != maxInvitations {
		t.Errorf("%d are listed, want %d", n, maxInvitations)
	}
	w.as(40).Post(invites+"3/accept/", nil).Status(200) // the first is no less valid
}

// A company's name in a mail is plain, short, and no link.
func TestMention(t *testing.T) {
	for name, want := range map[string]string{
		"Acme": `"Acme"`,
		"ТОО «Прокат № 1», Алматы":                           `"ТОО «Прокат № 1», Алматы"`,
		"J. P. Rent & Co. (24/7) 1.5 t":                      `h.test`,
		"J. P. Rent & Co. (24/7)":                            `"J. P. Rent & Co. (24/7)"`,
		" a\t\tb\r\nc\u0085d\u2028e\u00a0f":                  `"a b c d e f"`,
		"gpj\u202e.moc\u202c\u200b\u2066 x\u00ad\ufeff":      `h.test`,
		"Ac\u202eme\u202c\u200b\u2066\u00ad\ufeff\U000e0041": `"Acme"`,
		"\u200b\u202e":                    `h.test`,
		strings.Repeat("ж", 100):          `"` + strings.Repeat("ж", 100) + `"`,
		strings.Repeat("ж", 101):          `"` + strings.Repeat("ж", 100) + `…"`,
		"Win at https://evil.test/x":      `h.test`,
		"see //evil":                      `h.test`,
		"evil.com":                        `h.test`,
		"ev\u200bil.\u200bcom":            `h.test`,
		"Login: EVIL.COM now":             `h.test`,
		"login@evil.com":                  `h.test`,
		"evil\uff0ecom":                   `h.test`,
		"evil\u3002com":                   `h.test`,
		"пример.рф":                       `h.test`,
		"www evil":                        `h.test`,
		"10.0.0.1":                        `h.test`,
		"a.xn--p1ai":                      `h.test`,
		strings.Repeat("ж", 150) + ".com": `h.test`,
		"The company. The other":          `"The company. The other"`,
	} {
		if got := (company.Company{Name: name, Host: "h.test", Claim: "evil.test", ID: 7}).Mention().Error(); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	if got := (company.Company{Name: "evil.com", Claim: "evil.com", ID: 7}).Mention().Error(); got != "number 7" {
		t.Errorf("a host that is not proven: %s", got)
	}
}

// Accepting names the company by its number: nobody else's address counts.
func TestInvitationsAreOfTheAddress(t *testing.T) {
	w := newWorld(t)
	w.invite(1, 3, tenant.Employee)
	var i invitationItem
	if err := open(w.Env.Table).all.Get(t.Context(), crosstenant.Invitation(address(3), 1), &i); err != nil || i.By != 1 || i.Staff != 2 ||
		i.Tenant != 1 {
		t.Errorf("%+v, %v", i, err)
	}
	w.as(4).Post(invites+"1/accept/", nil).Status(404).JSON(`{"detail":"Not found."}`)
}
