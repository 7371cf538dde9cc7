package standing_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/feed"
	"github.com/tenantry/tenantry/functions/tenants/key"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/functions/tenants/standing"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
)

const (
	id      tenant.ID = 7
	other   tenant.ID = 8
	members           = 5 // of whom the even ones are in another company too
)

var start = time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)

// place is a company with members who are signed in, a feed and a key.
type place struct {
	t       *testing.T
	world   *tabletest.World
	name    string
	all     crosstenant.Table
	of      *table.Tenant
	feed    string
	program string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	world, name := tabletest.NewFaulty(t, tabletest.Faults{})
	p := &place{t: t, world: world, name: name}
	conn := table.Open(enginetest.Client(t), p.name)
	p.all, p.of = crosstenant.Open(conn), table.Of(conn, id)
	put := func(item any) {
		t.Helper()
		if err := p.all.Put(item).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	put(company.Company{Item: table.At(p.of.Company(), company.Version), ID: int64(id), Name: "Acme", TimeZone: "UTC", Revision: 1})
	for user := int64(1); user <= members; user++ {
		put(staff.Member{Item: table.At(p.of.Member(user), staff.MemberVersion), User: user, Role: tenant.Owner})
		list := []tenant.Membership{{Tenant: id, Role: tenant.Owner}}
		if user%2 == 0 {
			list = append([]tenant.Membership{{Tenant: other, Role: tenant.Employee}}, list...)
		}
		put(crosstenant.MembershipsItem{Item: table.At(crosstenant.Memberships(user), crosstenant.MembershipsVersion), List: list})
		for n := range 2 {
			put(crosstenant.FamilyItem{
				Item: table.At(crosstenant.Family(user, fmt.Sprintf("6f3dd2fc-5599-4cba-86e8-d86a163fe2f%d", n)), crosstenant.FamilyVersion),
			})
		}
	}
	p.give(conn)
	return p
}

// give makes a feed token and a key.
func (p *place) give(conn *table.Conn) {
	p.t.Helper()
	p.feed = crosstenant.FeedText([32]byte{1})
	feeds, keys := feed.Open(conn), key.Open(conn)
	var err error
	if p.program, err = key.Text(uuid.New); err != nil {
		p.t.Fatal(err)
	}
	scope := record.Scope{Table: p.of, Now: func() time.Time { return start }, Actor: audit.Actor{User: 1, Request: "r", At: start}}
	if err := feeds.Scope(scope).Do(p.t.Context(), nil, func(w *record.Work) error { return feeds.Give(w, &feed.Token{Name: "F"}, p.feed) }); err != nil {
		p.t.Fatal(err)
	}
	if err := keys.Scope(scope).Do(p.t.Context(), nil, func(w *record.Work) error {
		return keys.Give(w, &key.Key{Name: "K", Scopes: "clients:read"}, p.program)
	}); err != nil {
		p.t.Fatal(err)
	}
}

// change gives the company another standing, as a process with its own connection, at a moment.
func change(ctx context.Context, conn *table.Conn, at time.Time, to tenant.Standing) error {
	s := standing.Open(conn)
	scope := s.Scope(record.Scope{Now: func() time.Time { return at }, Actor: audit.Actor{Request: "r", At: at}}, id)
	err := scope.Do(ctx, nil, func(w *record.Work) error {
		c, err := company.Get(ctx, w)
		if err != nil {
			return err
		}
		return standing.Change(w, &c, to)
	})
	if err != nil {
		return err
	}
	return s.Spread(ctx, id)
}

// stands is how the company stands, by its own record and by each copy.
func (p *place) stands() map[string]tenant.Standing {
	p.t.Helper()
	get := func(k table.Key, out any) {
		p.t.Helper()
		if err := p.all.Get(p.t.Context(), k, out); err != nil {
			p.t.Fatal(err)
		}
	}
	var c company.Company
	get(p.of.Company(), &c)
	found := map[string]tenant.Standing{"company": c.Standing}
	for user := int64(1); user <= members; user++ {
		var item crosstenant.MembershipsItem
		get(crosstenant.Memberships(user), &item)
		for _, m := range item.List {
			if m.Tenant == id {
				found[fmt.Sprint("member ", user)] = m.Standing
			} else if m.Standing != (tenant.Standing{}) {
				p.t.Errorf("user %d stands in another company as %+v", user, m.Standing)
			}
		}
	}
	var f crosstenant.FeedItem
	hash, _ := crosstenant.FeedHash(p.feed)
	get(crosstenant.Feed(hash), &f)
	var k crosstenant.KeyItem
	hash, _ = crosstenant.KeyHash(p.program)
	get(crosstenant.Key(hash), &k)
	found["feed"], found["key"] = f.Standing, k.Standing
	return found
}

// signedOut are the users none of whose sign-ins is valid, and fails if one of theirs is and another isn't.
func (p *place) signedOut() (users []int64) {
	p.t.Helper()
	for user := int64(1); user <= members; user++ {
		var list []crosstenant.FamilyItem
		of := crosstenant.Family(user, "")
		if err := p.all.Table().Get("pk", of.PK).Range("sk", "BEGINS_WITH", of.SK).Consistent(true).All(p.t.Context(), &list); err != nil {
			p.t.Fatal(err)
		}
		ended := 0
		for _, f := range list {
			if f.Revoked != 0 {
				ended++
			}
		}
		switch ended {
		case 0:
		case len(list):
			users = append(users, user)
		default:
			p.t.Errorf("user %d is half signed out", user)
		}
	}
	return users
}

// Killed at each call, before it or after it, whoever closes a company leaves a message that finishes it; a company that is not closed
// has lost nothing.
func TestKilledAnywhere(t *testing.T) {
	for call, done := 1, false; !done; call++ {
		for _, after := range []bool{false, true} {
			p := newPlace(t)
			dying := p.world.Client(uint64(call))
			dying.DieAt(call, after)
			err := change(t.Context(), table.Open(dying, p.name), start, tenant.Standing{State: tenant.Closed, Notice: "Closed."})
			if done = err == nil; !done && !errors.Is(err, tabletest.ErrCrashed) {
				t.Fatalf("dead at call %d: %v", call, err)
			}
			waiting := p.waiting()
			if want := p.stands()["company"].State == tenant.Closed; waiting != want {
				t.Fatalf("dead at call %d: the company is closed: %v, and a message waits: %v", call, want, waiting)
			}
			if !waiting {
				continue
			}
			if err := standing.Open(table.Open(p.world.Client(0), p.name)).Spread(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			want := tenant.Standing{State: tenant.Closed, Notice: "Closed.", Since: moment.Of(start)}
			for who, stands := range p.stands() {
				if stands != want {
					t.Errorf("dead at call %d: %s stands as %+v", call, who, stands)
				}
			}
			if got := fmt.Sprint(p.signedOut()); got != "[1 3 5]" {
				t.Errorf("dead at call %d: signed out are %s", call, got)
			}
		}
		if call > 200 {
			t.Fatal("it never ends")
		}
	}
}

// waiting tells whether a message to spread waits.
func (p *place) waiting() bool {
	p.t.Helper()
	var list []outbox.Message
	if err := p.all.Table().Get("pk", p.of.Message("").PK).Consistent(true).All(p.t.Context(), &list); err != nil {
		p.t.Fatal(err)
	}
	for _, m := range list {
		if m.Kind == standing.Spread {
			return true
		}
	}
	return false
}

// Of the standings that several give a company at the same moment one is last, whoever spreads last. A clock that is behind changes nothing.
func TestTheLastStandingHolds(t *testing.T) {
	p := newPlace(t)
	states := []tenant.State{tenant.OnlyRead, tenant.Active, tenant.Suspended}
	errs := make(chan error)
	for n := range 6 {
		go func() {
			conn := table.Open(p.world.Client(uint64(n)), p.name)
			errs <- change(t.Context(), conn, start.Add(-time.Duration(n)*time.Hour), tenant.Standing{State: states[n%3], Notice: say.Message(fmt.Sprint(n))})
		}()
	}
	for range 6 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if err := standing.Open(table.Open(p.world.Client(9), p.name)).Spread(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	all := p.stands()
	for who, stands := range all {
		if stands != all["company"] || stands.Since < moment.Of(start.Add(-5*time.Hour)) {
			t.Errorf("%s stands as %+v, the company as %+v", who, stands, all["company"])
		}
	}
	if users := p.signedOut(); users != nil {
		t.Errorf("signed out are %v, of a company that was never closed", users)
	}
}

// What is given to a program while the company can't be used is not given.
func TestNothingIsGivenMeanwhile(t *testing.T) {
	p := newPlace(t)
	conn := table.Open(p.world.Client(1), p.name)
	if err := change(t.Context(), conn, start, tenant.Standing{State: tenant.OnlyRead}); err != nil {
		t.Fatal(err)
	}
	feeds := feed.Open(conn)
	scope := record.Scope{Table: table.Of(conn, id), Now: func() time.Time { return start }, Actor: audit.Actor{User: 1, Request: "r", At: start}}
	text := crosstenant.FeedText([32]byte{2})
	err := feeds.Scope(scope).Do(t.Context(), nil, func(w *record.Work) error { return feeds.Give(w, &feed.Token{Name: "F"}, text) })
	if err == nil {
		t.Error("a feed token was given")
	}
	hash, _ := crosstenant.FeedHash(text)
	if err := p.all.Get(t.Context(), crosstenant.Feed(hash), &crosstenant.FeedItem{}); !errors.Is(err, table.ErrNotFound) {
		t.Errorf("its item: %v", err)
	}
}
