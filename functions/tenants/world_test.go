package tenants

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/functions/finance"
	"github.com/tenantry/tenantry/functions/identity"
	"github.com/tenantry/tenantry/functions/metrics"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys/access"
	"github.com/tenantry/tenantry/shared/keys/keystest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// person is a user as identity stores it, as far as this group looks.
type person struct {
	table.Item
	crosstenant.Person
	ID int64 `dynamo:"id"`
}

func address(user int64) string { return fmt.Sprintf("u%d@rent.test", user) }

// seed makes users 1 to 40, who have no company.
func seed(t testing.TB, c *table.Conn) {
	t.Helper()
	for user := range int64(40) {
		seedOne(t, c, user+1)
	}
}

func seedOne(t testing.TB, c *table.Conn, user int64) {
	t.Helper()
	if err := crosstenant.Open(c).Put(personOf(user)).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func personOf(user int64) person {
	return person{Item: table.At(crosstenant.User(user), 1), ID: user, Person: crosstenant.Person{
		Email: address(user), FirstName: fmt.Sprintf("User%d", user), LastName: "Petrov", Phone: "+77010000000", Revision: 1,
	}}
}

// newAPI is the group with users 1 to 40.
func newAPI(t *testing.T) *webtest.API {
	t.Helper()
	api := webtest.New(t, New)
	seed(t, api.Env.Table)
	return api
}

// world is the group, and identity, behind the real authorizer, so that what a
// caller may do is what the table says.
type world struct {
	*webtest.API
	t      *testing.T
	tokens sync.Map
	mu     sync.Mutex
	mails  []notify.Message
}

func (w *world) Send(_ context.Context, m notify.Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mails = append(w.mails, m)
	return nil
}

// newWorld has users 1 to 40, of whom 1 owns company 1 and 2 company 2.
func newWorld(t *testing.T, change ...func(*app.Env)) *world {
	t.Helper()
	w := &world{t: t}
	w.API = webtest.Setup{
		Change: func(e *app.Env) {
			e.Keys, e.Notify = keystest.New(t), w
			for _, c := range change {
				c(e)
			}
		},
		Authorizer: func(e app.Env) webtest.Invoker {
			return authorizer.New(authorizer.Config{Table: e.Table, Keys: e.Keys, Now: e.Now, Log: e.Log})
		},
	}.New(t, New, identity.New, finance.New, metrics.New)
	seed(t, w.Env.Table)
	w.as(1).Post("/v1/tenant/", body("acme")).Status(201)
	w.as(2).Post("/v1/tenant/", body("borealis")).Status(201)
	return w
}

// as is a client of a user who is signed in.
func (w *world) as(user int64) *webtest.Client {
	w.t.Helper()
	if token, ok := w.tokens.Load(user); ok {
		return w.As(webtest.Bearer(token.(string)))
	}
	family := w.Env.NewUUID().String()
	now := w.Env.Now()
	if err := crosstenant.Open(w.Env.Table).Put(crosstenant.FamilyItem{
		Item:       table.At(crosstenant.Family(user, family), crosstenant.FamilyVersion),
		Generation: 1, Expires: now.Add(1000 * time.Hour).Unix(),
	}).Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	token, err := access.Token(w.t.Context(), w.Env.Keys, user, family, w.Env.NewUUID(), now, 1000*time.Hour)
	if err != nil {
		w.t.Fatal(err)
	}
	w.tokens.Store(user, token)
	return w.As(webtest.Bearer(token))
}

// in is a client of a user who means a company.
func (w *world) in(user int64, id tenant.ID) *webtest.Client {
	w.t.Helper()
	return w.as(user).With("X-Tenant-Id", id.String())
}

const (
	people   = "/v1/crm/users/"
	invites  = "/v1/tenant/invitations/"
	accepted = `{"id":1,"name":"Acme","address":"Abay 1","country":null,"currency":"KZT","timezone":"Asia/Almaty","logo":null,"bin":null,"phone":null,"email":null,"language":null,"extra":{},"role":"employee","state":"active","notice":null,"erased_at":null}`
)

func one(id int64) string { return fmt.Sprintf("%s%d/", people, id) }

// invite has somebody of company 1 invite a user, and gives the staff record's
// number.
func (w *world) invite(by, user int64, role tenant.Role) int64 {
	w.t.Helper()
	return w.in(by, 1).Post(people, map[string]any{"email": address(user), "role": role}).Status(201).Int("id")
}

// hire invites a user into company 1, who accepts.
func (w *world) hire(user int64, role tenant.Role) int64 {
	w.t.Helper()
	id := w.invite(1, user, role)
	w.as(user).Post(invites+"1/accept/", nil).Status(200)
	return id
}

// deliver carries out the outbox and gives the messages that were sent of it.
func (w *world) deliver() []notify.Message {
	w.t.Helper()
	before := len(w.mails)
	w.Deliver()
	return w.mails[before:]
}

// check finds fault with what is stored of company 1: all that says where somebody
// stands must say the same.
func (w *world) check() {
	w.t.Helper()
	checkCompany(w.t, open(w.Env.Table), 1)
}

func checkCompany(t testing.TB, s store, id tenant.ID) {
	t.Helper()
	ctx, tn := context.Background(), table.Of(s.conn, id)
	c, err := s.company(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	var places []staff.Staff
	if err := s.all.Table().Get("pk", tn.Records(kinds.Staff)).Consistent(true).All(ctx, &places); err != nil {
		t.Fatal(err)
	}
	var members []staff.Member
	if err := s.all.Table().Get("pk", tn.Member(0).PK).Consistent(true).All(ctx, &members); err != nil {
		t.Fatal(err)
	}
	owners, active := int64(0), 0
	for _, p := range places {
		var i invitationItem
		err := s.all.Get(ctx, crosstenant.Invitation(p.Email, id), &i)
		if p.IsActive() == (err == nil) || !p.IsActive() && i.Staff != p.ID {
			t.Errorf("%s is %+v, and has the invitation %+v (%v)", p.Email, p.Shown(), i, err)
		}
		if !p.IsActive() {
			continue
		}
		active++
		if p.Role == tenant.Owner {
			owners++
		}
		var m staff.Member
		if err := s.all.Get(ctx, tn.Member(p.User), &m); err != nil || m.Role != p.Role || m.Finance != p.Finance || m.Staff != p.ID {
			t.Errorf("%s is %s, as a member %+v (%v)", p.Email, p.Role, m, err)
		}
		list, err := s.memberships(ctx, p.User)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, m := range list {
			if m.Tenant == id {
				found++
				if m.Role != p.Role || m.Finance != p.Finance || m.Host != c.Host || m.Standing != c.Standing {
					t.Errorf("%s is %s, and stands as %+v", p.Email, p.Role, m)
				}
			}
		}
		if found != 1 {
			t.Errorf("%s belongs to company %d %d times", p.Email, id, found)
		}
	}
	if len(members) != active || owners != c.Owners || owners == 0 {
		t.Errorf("%d active, %d members; %d owners, %d counted", active, len(members), owners, c.Owners)
	}
	if c.Seats != nil && *c.Seats != int64(len(places)) {
		t.Errorf("%d places, %d seats counted", len(places), *c.Seats)
	}
}
