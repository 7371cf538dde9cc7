package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/local/issuer/issuertest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant/principal"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// aSignIn is the id of one.
const aSignIn = "3f0a9d0e-5b1c-4c57-8a55-0f3f6b7f2d11"

// What a link is decided on, without a table.
func TestLinks(t *testing.T) {
	me, they := user{ID: 1, Epoch: 2}, user{ID: 2, Epoch: 7}
	has := func(identity string, epoch int64) link {
		return link{Item: table.Item{V: 1}, Identity: identity, Epoch: epoch}
	}
	family := func(epoch int64) crosstenant.FamilyItem {
		return crosstenant.FamilyItem{Item: table.Item{V: 1}, Epoch: epoch, Expires: noon.Add(time.Hour).Unix()}
	}
	for name, over := range map[string]linking{
		"no sign-in":                 {user: me},
		"before a new password":      {user: me, signIn: family(1)},
		"expired":                    {user: me, signIn: crosstenant.FamilyItem{Item: table.Item{V: 1}, Epoch: 2, Expires: noon.Unix()}},
		"before it, the same stands": {user: me, signIn: family(1), identity: "mine", has: has("mine", 2)},
	} {
		if stands, err := over.decide(noon); stands || !errors.Is(err, fault.ErrBadToken) {
			t.Errorf("%s: %t, %v", name, stands, err)
		}
	}
	held := func(user, epoch int64) holder { return holder{Item: table.Item{V: 1}, User: user, Epoch: epoch} }
	for name, c := range map[string]struct {
		has    link
		held   holder
		owner  user
		stands bool
		want   error
	}{
		"nothing is linked":                     {},
		"the same":                              {has: has("mine", 2), held: held(1, 2), stands: true},
		"the same, before a new password":       {has: has("mine", 1), held: held(1, 1)},
		"another":                               {has: has("old", 2), want: errLinked},
		"another, before a new password":        {has: has("old", 1)},
		"another, and this one is theirs":       {has: has("old", 2), held: held(2, 7), owner: they, want: errLinked},
		"theirs":                                {held: held(2, 7), owner: they, want: errTakenIdentity},
		"theirs, before their new password":     {held: held(2, 6), owner: they},
		"of somebody who is not there any more": {held: held(3, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			l := linking{user: me, signIn: family(2), identity: "mine", has: c.has, held: c.held, owner: c.owner}
			stands, err := l.decide(noon)
			if stands != c.stands || (err == nil) != (c.want == nil) {
				t.Fatalf("%t, %v; want %t, %v", stands, err, c.stands, c.want)
			}
			if err != nil {
				got, _ := fault.As(err)
				want, _ := fault.As(c.want)
				if got.Members["code"] != want.Members["code"] {
					t.Errorf("%v, want %v", err, c.want)
				}
			}
		})
	}
}

// identities are the items that say of links.
func identities(t *testing.T, name string) (links, holders, words int) {
	t.Helper()
	for _, item := range dump(t, name) {
		switch {
		case strings.HasPrefix(item.SK, "identity#"):
			links++
		case item.SK == "identity":
			holders++
		case strings.Contains(item.Text, string(linkedMessage)):
			words++
		}
	}
	return links, holders, words
}

// issuedOnAWS gives a world with an issuer, whose table refuses what meets in time.
func issuedOnAWS(t *testing.T) (w *world, name string) {
	t.Helper()
	name = enginetest.Table(t)
	return withIssuer(t, func(e *app.Env) {
		e.Table = table.Open(tabletest.Wrap(enginetest.Client(t), tabletest.Locks(), 1), name)
	}), name
}

// Of many who use one state, one wins.
func TestAStateIsUsedOnce(t *testing.T) {
	w, name := issuedOnAWS(t)
	me := w.person(anna)
	link := w.sent(me, annsGoogle)
	answers := atOnce(16, func() *webtest.Answer { return me.Post(callback, link.body()) })
	if got := statuses(answers); got[200] != 1 || got[400] != 15 {
		t.Errorf("to link: statuses %v, want one 200 and 400 for the others", got)
	}
	if links, holders, words := identities(t, name); links != 1 || holders != 1 || words != 1 {
		t.Errorf("%d links, %d holders, %d messages", links, holders, words)
	}
	begun := w.begun(annsGoogle)
	answers = atOnce(16, func() *webtest.Answer { return w.anybody().Post(idLogin, begun.with(verifier)) })
	if got := statuses(answers); got[200] != 1 || got[400] != 15 {
		t.Errorf("to sign in: statuses %v, want one 200 and 400 for the others", got)
	}
	for _, a := range answers {
		if a.Code() == 400 {
			a.JSON(badState)
		}
	}
}

// Two people who have the same identity, at the same moment: one gets it.
func TestOneIdentityOfTwoAtOnce(t *testing.T) {
	w, name := issuedOnAWS(t)
	people := []*webtest.Client{w.person(anna), w.person(boris)}
	for range 4 {
		way := []back{w.sent(people[0], annsGoogle), w.sent(people[1], annsGoogle)}
		var n atomic.Int64
		answers := atOnce(2, func() *webtest.Answer {
			i := n.Add(1) - 1
			return people[i].Post(callback, way[i].body())
		})
		if got := statuses(answers); got[200] != 1 || got[400] != 1 {
			t.Fatalf("statuses %v, want one 200 and one 400", got)
		}
		for _, a := range answers {
			if a.Code() == 400 {
				a.JSON(takenByThem)
			}
		}
		if links, holders, _ := identities(t, name); links != 1 || holders != 1 {
			t.Fatalf("%d links, %d holders", links, holders)
		}
		if got := statuses([]*webtest.Answer{people[0].Delete(callback), people[1].Delete(callback)}); got[204] != 1 || got[404] != 1 {
			t.Fatalf("unlinked: %v", got)
		}
	}
}

// One person, the same identity, many ways at once: it is linked and told once.
func TestOneLinkByManyWaysAtOnce(t *testing.T) {
	w, name := issuedOnAWS(t)
	me := w.person(anna)
	var ways [8]back
	for i := range ways {
		ways[i] = w.sent(me, annsGoogle)
	}
	var n atomic.Int64
	answers := atOnce(len(ways), func() *webtest.Answer { return me.Post(callback, ways[n.Add(1)-1].body()) })
	if got := statuses(answers); got[200] != len(ways) {
		t.Errorf("statuses %v, want 200 for all", got)
	}
	if links, holders, words := identities(t, name); links != 1 || holders != 1 || words != 1 {
		t.Errorf("%d links, %d holders, %d messages", links, holders, words)
	}
}

// A sign-in that meets a new password does not hold.
func TestIdentitySignInsDuringAReset(t *testing.T) {
	w, _ := issuedOnAWS(t)
	w.links(w.person(anna), annsGoogle).Status(200)
	var ways [8]back
	for i := range ways {
		ways[i] = w.begun(annsGoogle)
	}
	code := w.mailed(resetInit, anna)
	var n atomic.Int64
	answers := atOnce(len(ways)+1, func() *webtest.Answer {
		i := n.Add(1) - 1
		if i == int64(len(ways)) {
			return w.anybody().Post(resetConfirm, renewal(anna, code, newPassword))
		}
		return w.anybody().Post(idLogin, ways[i].with(verifier))
	})
	for _, a := range answers {
		if a.Code() == 200 && strings.Contains(string(a.Body()), "access") {
			w.holds(a.Text("access"), false)
			w.renew(a.Text("refresh")).Status(401)
		}
	}
	w.signsInAs(annsGoogle).Status(400).JSON(noIdentity)
}

// The identity has to be linked still when the sign-in begins.
func TestASignInOfALinkThatWent(t *testing.T) {
	w := withIssuer(t)
	me := w.person(anna)
	w.links(me, annsGoogle).Status(200)
	s := newService(w.Env)
	u, err := s.users.byID(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	identity := ""
	if _, has, err := s.links.linked(t.Context(), 1); err == nil {
		identity = has.Identity
	}
	begin := func(u user) error {
		_, err := s.signIn(t.Context(), u, func(tx *table.Tx) { s.links.stands(tx, identity, u) })
		return err
	}
	if err := begin(u); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*user){
		"another epoch": func(u *user) { u.Epoch++ },
		"another user":  func(u *user) { u.ID++ },
	} {
		other := u
		change(&other)
		if f, ok := fault.As(begin(other)); !ok || f.Members["code"] != "identity_unknown" {
			t.Errorf("%s: %v", name, f)
		}
	}
	me.Delete(callback).Status(204)
	if f, ok := fault.As(begin(u)); !ok || f.Members["code"] != "identity_unknown" {
		t.Errorf("unlinked: %v", f)
	}
}

// A link, and an unlinking, that dies anywhere or whose answers are lost has happened as a whole or
// not at all; and what is said to be done is done.
func TestALinkIsWholeOrDidNotHappen(t *testing.T) {
	outcomes := map[string]int{}
	issuer := issuertest.New(t, func() time.Time { return webtest.Start })
	for seed := range uint64(60) {
		w := newWorld(t, func(e *app.Env) { e.Config.OIDC = issuer })
		name := enginetest.Table(t)
		w.Env.Table = table.Open(enginetest.Client(t), name)
		calm := newService(w.Env)
		was := user{ID: 1, Password: credential.Nobody, Person: crosstenant.Person{Email: anna}} // no time is spent on a hash
		if err := calm.users.add(t.Context(), was, func(*table.Tx) {}); err != nil {
			t.Fatal(err)
		}
		w.Env.Table = table.Open(tabletest.Wrap(enginetest.Client(t), tabletest.Faults{Crash: 0.12, Lost: 0.2}, seed), name)
		faulty := newService(w.Env)
		r := &web.Request{Principal: principal.Principal{User: 1, Family: aSignIn}, IP: "203.0.113.1"}
		if err := calm.families.start(t.Context(), signIn{User: 1, Family: aSignIn}, webtest.Start, time.Hour, nil); err != nil {
			t.Fatal(err)
		}

		to, err := calm.startLink(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		code, state := issuertest.Approve(t, to.Header["Location"], annsGoogle)
		var in returnedIn
		in.Body.Code, in.Body.State = decode.Some(code), decode.Some(state)
		_, err = faulty.finishLink(t.Context(), r, &in)
		links, holders, words := identities(t, name)
		if links != holders || holders != words || err == nil && links != 1 {
			t.Errorf("seed %d: %d links, %d holders, %d messages: %v", seed, links, holders, words, err)
		}
		outcomes[fmt.Sprintf("linked %v, told %v", links == 1, err == nil)]++
		if links == 0 {
			continue
		}
		_, err = faulty.unlink(t.Context(), r, nil)
		links, holders, _ = identities(t, name)
		if links != holders || err == nil && links != 0 {
			t.Errorf("seed %d: %d links, %d holders after unlinking: %v", seed, links, holders, err)
		}
		outcomes[fmt.Sprintf("unlinked %v, told %v", links == 0, err == nil)]++
	}
	for _, want := range []string{
		"linked true, told true", "linked false, told false", "unlinked true, told true", "unlinked false, told false",
	} {
		if outcomes[want] == 0 {
			t.Errorf("outcomes %v: never %s", outcomes, want)
		}
	}
	t.Log(outcomes)
}

// Where no answer to a transaction arrives, a look at the link tells whether it happened.
func TestALinksAnswerNeverArrives(t *testing.T) {
	for _, happens := range []bool{true, false} {
		w := newWorld(t)
		name := enginetest.Table(t)
		w.Env.Table = table.Open(enginetest.Client(t), name)
		calm := newService(w.Env)
		was := user{ID: 1, Password: credential.Nobody, Person: crosstenant.Person{Email: anna}}
		if err := calm.users.add(t.Context(), was, func(*table.Tx) {}); err != nil {
			t.Fatal(err)
		}
		if err := calm.families.start(t.Context(), signIn{User: 1, Family: aSignIn}, webtest.Start, time.Hour, nil); err != nil {
			t.Fatal(err)
		}
		c := claim{User: 1, Family: aSignIn, Identity: "an identity", Email: annsGoogle}
		w.Env.Table = table.Open(deaf{enginetest.Client(t), happens, func() {}}, name)
		deafened := newService(w.Env).links
		_, err := deafened.add(t.Context(), c, w.Clock.Now(), func(*table.Tx) {})
		if links, _, _ := identities(t, name); (err == nil) != happens || (links == 1) != happens {
			t.Errorf("link, it happens: %t: %d links, %v", happens, links, err)
		}
		if !happens {
			if _, err := calm.links.add(t.Context(), c, w.Clock.Now(), func(*table.Tx) {}); err != nil {
				t.Fatal(err)
			}
		}
		err = deafened.remove(t.Context(), 1)
		if links, _, _ := identities(t, name); (err == nil) != happens || (links == 0) != happens {
			t.Errorf("unlink, it happens: %t: %d links, %v", happens, links, err)
		}
	}
}

// first does something before the first transaction.
type first struct {
	dynamodbiface.DynamoDBAPI
	do func()
}

func (f *first) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	if do := f.do; do != nil {
		f.do = nil
		do()
	}
	return f.DynamoDBAPI.TransactWriteItems(ctx, in, o...)
}

// A new password that comes between the decision to link and its transaction keeps the old sign-in from linking.
func TestALinkThatMeetsANewPassword(t *testing.T) {
	w := newWorld(t)
	name := enginetest.Table(t)
	w.Env.Table = table.Open(enginetest.Client(t), name)
	calm := newService(w.Env)
	was := user{ID: 1, Password: credential.Nobody, Person: crosstenant.Person{Email: anna}}
	if err := calm.users.add(t.Context(), was, func(*table.Tx) {}); err != nil {
		t.Fatal(err)
	}
	if err := calm.families.start(t.Context(), signIn{User: 1, Family: aSignIn}, webtest.Start, time.Hour, nil); err != nil {
		t.Fatal(err)
	}
	w.Env.Table = table.Open(&first{enginetest.Client(t), func() {
		if err := calm.users.renew(t.Context(), 1, "another", func(*table.Tx) {}); err != nil {
			t.Error(err)
		}
	}}, name)
	c := claim{User: 1, Family: aSignIn, Identity: "an identity", Email: annsGoogle}
	_, err := newService(w.Env).links.add(t.Context(), c, w.Clock.Now(), func(*table.Tx) {})
	if links, holders, _ := identities(t, name); !errors.Is(err, fault.ErrBadToken) || links+holders != 0 {
		t.Errorf("%d links, %d holders: %v", links, holders, err)
	}
}

// What opens a door is nowhere: not in the table, the outbox or the log.
func TestSecretsOfIdentitiesAreNowhere(t *testing.T) {
	name := enginetest.Table(t)
	w := withIssuer(t, func(e *app.Env) { e.Table = table.Open(enginetest.Client(t), name) })
	me := w.person(anna)
	link, waits := w.sent(me, annsGoogle), w.sent(me, annsGoogle)
	me.Post(callback, link.body()).Status(200)
	begun, begunToo := w.begun(annsGoogle), w.begun(annsGoogle)
	there := pair(w.anybody().Post(idLogin, begun.with(verifier)).Status(200))
	secrets := []string{
		link.state, link.code, waits.state, waits.code, begun.state, begun.code, begunToo.state, begunToo.code, verifier,
		there.Access, there.Refresh, w.Env.Config.OIDC.ClientSecret,
	}
	all := w.Log()
	for _, item := range dump(t, name) {
		all += item.PK + item.SK + item.Text
	}
	for _, secret := range secrets {
		if strings.Contains(all, secret) {
			t.Errorf("%q is stored or logged", secret)
		}
	}
}
