package resource_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// sketched are the kinds as the registry would have them.
func sketched(c kinds.Code) kinds.Kind {
	return map[kinds.Code]kinds.Kind{
		codeOrder:  {Code: codeOrder, Name: "sketch_order", Label: "Order", Many: "orders", Path: "/v1/orders/", Amounts: true, Role: tenant.ReadOnly},
		codeLine:   {Code: codeLine, Name: "sketch_line", Label: "Line", Many: "lines", Role: tenant.ReadOnly},
		codeClient: {Code: codeClient, Name: "sketch_client", Label: "Client", Many: "clients", Path: "/v1/clients/", Sums: []string{"d"}, Held: true, Role: tenant.ReadOnly},
		codeAccount: {
			Code: codeAccount, Name: "sketch_account", Label: "Account", Many: "accounts", Path: "/v1/accounts/",
			Sums: []string{"b"}, Held: true, Role: tenant.ReadOnly,
		},
		codePosting: {Code: codePosting, Name: "sketch_posting", Label: "Posting", Many: "postings", Amounts: true, Role: tenant.ReadOnly},
	}[c]
}

func allSketched() []kinds.Kind {
	return []kinds.Kind{sketched(codeOrder), sketched(codeLine), sketched(codeClient), sketched(codeAccount), sketched(codePosting)}
}

func newSketchAPI(t *testing.T) (*webtest.API, *webtest.Client) {
	t.Helper()
	api := webtest.Setup{Kinds: allSketched()}.New(t, newSketch)
	c := api.As(webtest.Employee(1))
	c.Post("/v1/clients/", `{"name":"Ann"}`).Status(201)
	c.Post("/v1/accounts/", `{"name":"Cash"}`).Status(201)
	return api, c
}

// An order of thirty lines, with its client's sum, what holds the client, and the
// message, is one transaction; so is a payment, with the account's balance.
func TestDomainsMeetInOneTransaction(t *testing.T) {
	api, c := newSketchAPI(t)
	body := `{"client":1,"lines":[` + strings.TrimSuffix(strings.Repeat(`{"price":"10.50"},`, 30), ",") + `]}`
	// The client, two numbers and the transaction: the order, its lines, their
	// counters, the order's history, what lies beside the client, and the message.
	made := c.Post("/v1/orders/", body).Status(201).Calls(5).Field("client_debt", `"315.00"`).Field("lines.29.price", `"10.50"`).
		Header("ETag", `"1"`).Header("Location", webtest.BaseURL+"/v1/orders/1/")
	t.Log(made.Cost())
	c.Get("/v1/orders/1/").Status(200).JSON(string(made.Body()))
	if n := api.Deliver(); n != 1 {
		t.Errorf("%d messages of one order", n)
	}
	paid := c.With("Idempotency-Key", "k").With("If-Match", `"2"`).Post("/v1/orders/1/pay/", `{"account":1,"amount":"100"}`).Status(200).
		Field("paid_amount", `"100.00"`).Field("client_debt", `"215.00"`).Header("ETag", `"3"`)
	c.With("Idempotency-Key", "k").With("If-Match", `"2"`).Post("/v1/orders/1/pay/", `{"account":1,"amount":"100"}`).Status(200).
		JSON(string(paid.Body())).Header("Idempotent-Replayed", "true").Writes(0)
	c.With("If-Match", `"2"`).Post("/v1/orders/1/pay/", `{"account":1,"amount":"100"}`).Status(412)
	c.With("If-None-Match", `"3"`).Get("/v1/orders/1/").Status(200) // its sums may be others by now

	c.Post("/v1/accounts/", `{"name":"Empty"}`).Status(201)
	c.Post("/v1/orders/1/refund/", `{"account":2,"amount":"1"}`).Writes(1).Status(409).
		JSON(`{"detail":"The account does not have that much.","code":"overdrawn"}`)
	c.Post("/v1/orders/1/refund/", `{"account":1,"amount":"100"}`).Status(200).Field("paid_amount", `"0.00"`).Field("client_debt", `"315.00"`)
	c.Post("/v1/orders/1/pay/", `{"account":1,"amount":"0"}`).Status(400).JSON(`{"amount":["Ensure this value is greater than 0."]}`).Writes(0)
	c.Post("/v1/orders/1/pay/", `{"account":3,"amount":"1"}`).Status(400).JSON(`{"account":["Invalid pk \"3\" - object does not exist."]}`)
	c.Post("/v1/orders/", `{"client":2}`).Status(400).JSON(`{"client":["Invalid pk \"2\" - object does not exist."]}`)
	c.Delete("/v1/clients/1/").Status(409).JSON(`{"detail":"Other records depend on this one.","code":"held","held_by":{"sketch_order":1}}`)
	c.Delete("/v1/orders/1/").Status(204)
	c.Delete("/v1/clients/1/").Status(204)
	c.Post("/v1/orders/", `{"client":1}`).Status(400)
	tenant := table.Of(api.Env.Table, 1)
	s := record.Scope{Table: tenant, Now: api.Env.Now}
	for _, problem := range append(recordtest.Problems(t.Context(), orders(), s), recordtest.Problems(t.Context(), lines(), s)...) {
		t.Error(problem)
	}
}

// The history of an order tells what happened to which line.
func TestAParentTellsOfItsChildren(t *testing.T) {
	api, c := newSketchAPI(t)
	c.Post("/v1/orders/", `{"client":1,"lines":[{"price":"1"}]}`).Status(201)
	c.Patch("/v1/orders/1/", `{"lines":[{"price":"2"},{"price":"3"}]}`).Status(200).Field("lines.2.price", `"3.00"`)
	tenant := table.Of(api.Env.Table, 1)
	s := record.Scope{Table: tenant, Now: api.Env.Now, Actor: audit.Actor{User: 1, Request: "r", At: api.Clock.Now()}}
	err := s.Do(t.Context(), nil, func(w *record.Work) error {
		o, err := orders().Edit(t.Context(), w, 1)
		if err != nil {
			return err
		}
		changed, err := lines().Edit(t.Context(), w, 2)
		if err != nil {
			return err
		}
		changed.Price = money.Whole(9)
		return removeLine(t.Context(), w, o, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	entries, _, err := audit.Page(t.Context(), tenant, sketched(codeOrder), 1, 0, 10)
	if err != nil || len(entries) != 3 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for i, want := range []string{
		`lines.1 {"id":1,"price":"1.00"}→null, lines.2.price "2.00"→"9.00"`,
		`lines.2 null→{"id":2,"price":"2.00"}, lines.3 null→{"id":3,"price":"3.00"}`,
		`client null→1, paid_amount null→"0.00", lines.1 null→{"id":1,"price":"1.00"}`,
	} {
		var told []string
		for _, c := range entries[i].Changes {
			told = append(told, fmt.Sprintf("%s %s→%s", c.Field, c.From, c.To))
		}
		if got := strings.Join(told, ", "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	// A change of a line alone would leave its order without the tale of it.
	err = s.Do(t.Context(), nil, func(w *record.Work) error { return lines().Remove(t.Context(), w, 2) })
	if err == nil || !strings.Contains(err.Error(), "which the unit of work does not edit") {
		t.Errorf("a line changed behind its order's back: %v", err)
	}
	below, err := lines().Children(t.Context(), s, codeOrder, 1, record.Span{})
	if err != nil || len(below) != 2 || below[0].ID != 3 || below[1].ID != 2 {
		t.Errorf("below the order: %+v, %v", below, err)
	}
	for name, tt := range map[string]struct {
		span record.Span
		want string
	}{
		"from": {record.Span{From: "9.00"}, "[2]"}, "to": {record.Span{To: "3.00"}, "[3]"}, "the newest first": {record.Span{Newest: true}, "[2 3]"},
		"some": {record.Span{Most: 1}, "[3]"}, "none": {record.Span{From: "4", To: "5"}, "[]"},
	} {
		below, err := lines().Children(t.Context(), s, codeOrder, 1, tt.span)
		ids := []int64{}
		for _, l := range below {
			ids = append(ids, l.ID)
		}
		if fmt.Sprint(ids) != tt.want || err != nil {
			t.Errorf("%s: %v, %v; want %s", name, ids, err, tt.want)
		}
	}
}

// What a client owes follows the orders: to another client, and out of the world.
func TestWhatAClientOwes(t *testing.T) {
	api, c := newSketchAPI(t)
	c.Post("/v1/clients/", `{"name":"Bob"}`).Status(201)
	c.Post("/v1/orders/", `{"client":1,"lines":[{"price":"5"},{"price":"6"}]}`).Status(201).Field("client_debt", `"11.00"`)
	c.Post("/v1/orders/", `{"client":2,"lines":[{"price":"1"}]}`).Status(201).Field("client_debt", `"1.00"`)
	c.Post("/v1/orders/1/pay/", `{"account":1,"amount":"2"}`).Status(200).Field("client_debt", `"9.00"`)
	c.Patch("/v1/orders/1/", `{"client":2}`).Status(200).Field("client_debt", `"10.00"`)
	c.Delete("/v1/clients/1/").Status(204)
	c.Delete("/v1/accounts/1/").Status(409).JSON(`{"detail":"Other records depend on this one.","code":"held","held_by":{"sketch_posting":1}}`)
	c.Delete("/v1/orders/1/").Status(204)
	c.Get("/v1/orders/2/").Status(200).Field("client_debt", `"1.00"`)
	if n := api.Deliver(); n != 2 { // of which one finds its order gone
		t.Errorf("%d messages", n)
	}
}

// Records without a name are in no search, and in the order of their numbers alone.
func TestListsOfRecordsWithoutAName(t *testing.T) {
	_, c := newSketchAPI(t)
	for range 3 {
		c.Post("/v1/orders/", `{"client":1}`).Status(201)
	}
	for query, ids := range map[string]string{
		"": "3 2 1", "?ordering=created_at": "1 2 3", "?ordering=-updated_at": "3 2 1", "?ordering=name": "3 2 1", "?search=x": "3 2 1",
	} {
		a := c.Get("/v1/orders/"+query).Status(200).Field("count", "3")
		for i, id := range strings.Fields(ids) {
			a.Field(fmt.Sprintf("results.%d.id", i), id)
		}
	}
}

// The best rank is the highest one for callers: a whole word, then the beginning of one, then its middle. Equal ones are the newest first.
func TestOrderByRank(t *testing.T) {
	_, c := newSketchAPI(t) // its first client is Ann
	for _, name := range []string{"Annabel", "Joanna", "Ann"} {
		c.Post("/v1/clients/", `{"name":"`+name+`"}`).Status(201)
	}
	for query, ids := range map[string]string{"-rank": "4 1 2 3", "rank": "3 2 4 1", "-rank,id": "1 4 2 3"} {
		a := c.Get("/v1/clients/?search=ann&ordering="+query).Status(200).Field("count", "4")
		for i, id := range strings.Fields(ids) {
			a.Field(fmt.Sprintf("results.%d.id", i), id)
		}
	}
}

// An action that leaves its record as it is fails all the same where the record is not
// the one that the caller means any more, if it writes anything.
func TestWhatACallerMeansIsStillThere(t *testing.T) {
	meanwhile := func() {}
	api := webtest.Setup{Kinds: allSketched()}.New(t, func(env app.Env) app.Group {
		g := newSketch(env)
		faces := resource.Resource[*order, orderBody, Order]{Kind: orders(), View: func(o *order, _ resource.Viewer) Order { return Order{} }}
		g.Operations = append(g.Operations, resource.Action(faces, env.Now, web.Operation{ID: "donate", Summary: "Donate"},
			func(_ context.Context, w *record.Work, _ *order, in *paying) error {
				meanwhile()
				post(w, in.Account.Value, in.Amount.Value)
				return nil
			}))
		return g
	})
	c := api.As(webtest.Employee(1))
	c.Post("/v1/clients/", `{"name":"Ann"}`).Status(201)
	c.Post("/v1/accounts/", `{"name":"Cash"}`).Status(201)
	c.Post("/v1/orders/", `{"client":1}`).Status(201)
	c.With("If-Match", `"1"`).Post("/v1/orders/1/donate/", `{"account":1,"amount":"1"}`).Status(200).Header("ETag", `"1"`)
	meanwhile = func() { c.Patch("/v1/orders/1/", `{"lines":[{"price":"1"}]}`).Status(200) }
	c.With("If-Match", `"1"`).Post("/v1/orders/1/donate/", `{"account":1,"amount":"1"}`).Writes(1).Status(412) // a number
}

// The sketch's kinds run through the suite of every kind.
func TestSketchedKinds(t *testing.T) {
	seed := func(t testing.TB, s record.Scope) {
		err := s.Do(t.Context(), nil, func(w *record.Work) error {
			withNames(codeClient).Create(w, "", &named{Name: "Ann"}, &named{Name: "Bob"})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	recordtest.Run(t, recordtest.Subject[*order]{
		Kind: orders(), Kinds: allSketched(), Seed: seed,
		New:    func(int) *order { return &order{Client: 1, Lines: []int64{}} },
		Change: func(o *order, n int) { o.Client, o.Counts = int64(n%2+1), int64(n) },
	})
}

// The clients and accounts of the sketch, of whom it needs names and sums.

// named is all that the sketch needs of clients and accounts.
type named struct {
	record.Meta
	Name string `dynamo:"n"`
}

func withNames(c kinds.Code) *record.Kind[*named] {
	return &record.Kind[*named]{
		Kind: sketched(c), Name: func(n *named) string { return n.Name }, Shown: func(n *named) any { return Named{n.ID, n.Name} },
	}
}

// Named is a client or an account as callers see it.
type Named struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

type namedBody struct {
	Name decode.Optional[string] `json:"name" required:"true"`
}

func plain(c kinds.Code) resource.Resource[*named, namedBody, Named] {
	return resource.Resource[*named, namedBody, Named]{
		Kind:  withNames(c),
		Apply: func(n *named, in *namedBody, _ fault.FieldErrors) { in.Name.Into(&n.Name) },
		View:  func(n *named, _ resource.Viewer) Named { return Named{n.ID, n.Name} },
	}
}
