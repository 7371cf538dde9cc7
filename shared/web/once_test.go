package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// The group that repeated requests are tried on.

type orderIn struct {
	Body struct {
		Name decode.Optional[string] `json:"name" required:"true"`
		Size decode.Optional[int64]  `json:"size"` // of the answer
		Then decode.Optional[string] `json:"then"` // what goes wrong
	}
}

type order struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Fill string `json:"fill"`
}

type orderItem struct {
	table.Item
	Name string `dynamo:"n"`
}

var (
	errRefused = fault.Field("name", "Refused.")
	errTaken   = fault.Field("name", say.NotUnique)
)

// orders makes a record by each POST, whose name is unique.
func orders(env app.Env) app.Group {
	number := func(ctx context.Context, t *table.Tenant) (int64, error) {
		var last struct {
			N int64 `dynamo:"n"`
		}
		next := t.Update(t.Sequence(kinds.Document)).Add("n", 1)
		err := table.Retry(ctx, func() error { return next.Value(ctx, &last) })
		return last.N, err
	}
	create := func(ctx context.Context, r *web.Request, in *orderIn) (*web.Reply[order], error) {
		if in.Body.Then.Value == "refused" {
			return nil, errRefused
		}
		id, err := number(ctx, r.Table)
		if err != nil {
			return nil, err
		}
		made := order{id, in.Body.Name.Value, strings.Repeat("x", int(in.Body.Size.Value))}
		reply := &web.Reply[order]{Body: &made, Header: map[string]string{
			"Location": r.BaseURL + "/v1/orders/" + strconv.FormatInt(id, 10) + "/", "ETag": web.ETag(1), "X-Other": "once",
		}}
		err = r.Table.Write(ctx, func(tx *table.Tx, _ int) error {
			if in.Body.Then.Value != "not unique" {
				tx.Put(r.Table.Create(orderItem{table.At(r.Table.Reservation("att.name", made.Name), 1), made.Name}), errTaken)
			}
			tx.Put(r.Table.Create(orderItem{table.At(r.Table.Record(kinds.Document, id), 1), made.Name}), errors.New("the number is taken"))
			return r.Keep(ctx, tx, reply)
		})
		return reply, err
	}
	// A request of two transactions.
	slow := func(ctx context.Context, r *web.Request, in *orderIn) (*web.Reply[order], error) {
		t := r.Table
		err := t.Write(ctx, func(tx *table.Tx, _ int) error {
			tx.Put(t.Put(orderItem{table.At(t.Record(kinds.Client, 1), 1), "begun"}), nil)
			r.Hold(tx, env.Now().Add(time.Minute))
			return nil
		})
		switch {
		case err != nil:
			return nil, err
		case in.Body.Then.Value == "died":
			panic("the process has died")
		case in.Body.Then.Value == "unknown":
			return nil, fault.ErrUnavailable
		case in.Body.Then.Value == "refused":
			return nil, errRefused
		case in.Body.Then.Value == "contended":
			return nil, table.Anew(ctx, table.Tries, func() error { return table.ErrRevision }, nil)
		}
		reply := &web.Reply[order]{Body: &order{1, in.Body.Name.Value, ""}}
		return reply, t.Write(ctx, func(tx *table.Tx, _ int) error {
			tx.Put(t.Put(orderItem{table.At(t.Record(kinds.Client, 1), 1), "done"}), nil)
			return r.Keep(ctx, tx, reply)
		})
	}
	mine := func(ctx context.Context, r *web.Request, in *orderIn) (order, error) {
		all, made := crosstenant.Open(env.Table), order{r.Principal.User, in.Body.Name.Value, ""}
		return made, all.Write(ctx, func(tx *table.Tx, _ int) error {
			tx.Put(all.Put(table.At(crosstenant.User(made.ID), 1)), nil)
			return r.Keep(ctx, tx, &web.Reply[order]{Body: &made})
		})
	}
	wrong := func(ctx context.Context, r *web.Request, _ *struct{}) (web.None, error) {
		return web.None{}, r.Table.Write(ctx, func(tx *table.Tx, _ int) error {
			return r.Keep(ctx, tx, &web.Reply[web.None]{Status: 302})
		})
	}
	op := func(path string, idempotent bool, access web.Access) web.Operation {
		return web.Operation{
			ID: path, Method: http.MethodPost, Path: path, Status: 201, Idempotent: idempotent, Access: access,
			Media: []string{decode.TypeJSON, decode.TypeMultipart},
		}
	}
	return app.Group{Group: web.Group{Name: "orders", Operations: []web.Operation{
		web.Op(op("/v1/orders/", true, web.InTenant), create),
		web.Op(op("/v1/others/", true, web.InTenant), create),
		web.Op(op("/v1/plain/", false, web.InTenant), create),
		web.Op(op("/v1/slow/", true, web.InTenant), slow),
		web.Op(op("/v1/mine/", true, web.SignedIn), mine),
		web.Op(op("/v1/wrong/", true, web.InTenant), wrong),
	}}}
}

func newOrders(t *testing.T) *webtest.API {
	t.Helper()
	return webtest.Setup{Change: func(e *app.Env) { e.Files = filestest.New(t) }}.New(t, orders)
}

const key = "Idempotency-Key"

func body(name string) string { return `{"name":"` + name + `"}` }

// same checks that one answer is another, replayed: of all headers only what
// belongs to this request differs.
func same(t *testing.T, first, again *webtest.Answer) {
	t.Helper()
	again.Status(first.Code()).Writes(0).Header("Idempotent-Replayed", "true")
	if string(again.Body()) != string(first.Body()) {
		t.Errorf("replayed %s, answered %s", again.Body(), first.Body())
	}
	for _, name := range []string{"Location", "ETag", "Content-Type"} {
		again.Header(name, first.Get(name))
	}
	if again.Get("X-Request-Id") == first.Get("X-Request-Id") {
		t.Error("two requests have one id")
	}
}

func TestReplay(t *testing.T) {
	api := newOrders(t)
	c := api.As(webtest.Employee(1)).With(key, `a"key~!`)
	first := c.Post("/v1/orders/", body("a")).Status(201).Writes(4).Calls(3).Units(0.5+0.5, 11).NoHeader("Idempotent-Replayed").
		JSON(`{"id":1,"name":"a","fill":""}`).Header("Location", webtest.BaseURL+"/v1/orders/1/").Header("X-Other", "once")
	same(t, first, c.Post("/v1/orders/", body("a")).Calls(1).Units(1, 0).NoHeader("X-Other"))
	// The same to who sends it in another way.
	same(t, first, c.From("198.51.100.1").With("Accept", "application/json").Post("/v1/orders/", body("a")))
	c.Post("/v1/orders/", body("b")).Status(422).
		JSON(`{"detail":"This Idempotency-Key was used for another request.","code":"key_reused"}`)
	c.Post("/v1/orders/?x=1", body("a")).Status(422)
	c.Post("/v1/orders/", `{"name": "a"}`).Status(422)
	c.Post("/v1/orders/", `{`).Status(400)
	// Elsewhere it is another key.
	c.Post("/v1/others/", body("b")).Status(201).Field("id", "2")
	api.As(webtest.Manager(1)).With(key, `a"key~!`).Post("/v1/orders/", body("c")).Status(201).Field("id", "3")
	api.As(webtest.Owner(2)).With(key, `a"key~!`).Post("/v1/orders/", body("a")).Status(201).Field("id", "1")
	c.With(key, `a"key~`).Post("/v1/orders/", body("d")).Status(201).Field("id", "4")
	// Without a key, and where keys mean nothing, nothing is kept.
	c.With(key, "").Post("/v1/orders/", body("e")).Status(201).Writes(3).Calls(2)
	c.Post("/v1/plain/", body("f")).Status(201).Writes(3).Calls(2)
	c.Post("/v1/plain/", body("f")).Writes(1).Status(400)

	api.Clock.Step(24*time.Hour - time.Second)
	same(t, first, c.Post("/v1/orders/", body("a")))
	api.Clock.Step(time.Second)
	c.Post("/v1/orders/", body("a")).Writes(1).Status(400).JSON(`{"name":["This field must be unique."]}`)
	c.Post("/v1/orders/", body("g")).Status(201)
	// A role that no longer suffices gets nothing, kept or not.
	reader := webtest.Employee(1)
	reader.Role = tenant.ReadOnly
	api.As(reader).With(key, `a"key~!`).Post("/v1/orders/", body("g")).Status(403)
}

func TestReplayWithoutACompany(t *testing.T) {
	api := newOrders(t)
	c := api.As(webtest.SignedIn(5)).With(key, "k")
	first := c.Post("/v1/mine/", body("a")).Status(201).Writes(2)
	same(t, first, c.Post("/v1/mine/", body("a")))
	// The company of the request has no say in it.
	same(t, first, api.As(webtest.Member(5, 1, tenant.Owner)).With(key, "k").Post("/v1/mine/", body("a")))
	api.As(webtest.SignedIn(6)).With(key, "k").Post("/v1/mine/", body("b")).Status(201).Field("id", "6")
}

func TestKeys(t *testing.T) {
	api := newOrders(t)
	c := api.As(webtest.Owner(1))
	for _, bad := range []string{" ", "a b", "ключ", "a\tb", "a\x7f", strings.Repeat("a", 256)} {
		c.With(key, bad).Post("/v1/orders/", body("a")).Status(400).Calls(0).
			JSON(`{"Idempotency-Key":["Ensure this value has 1 to 255 visible ASCII characters."]}`)
		api.As(webtest.Nobody()).With(key, bad).Post("/v1/orders/", body("a")).Status(401)
	}
	e := c.With(key, "x").Event("POST", "/v1/orders/", body("a"))
	e.Headers["idempotency-key"] = ""
	c.Send(e).Status(400)
	c.With(key, strings.Repeat("~", 255)).Post("/v1/orders/", body("a")).Status(201)
}

// Only success is kept: a request that was refused may be sent again as it is,
// or mended.
func TestRefusalsAreNotKept(t *testing.T) {
	api := newOrders(t)
	c := api.As(webtest.Owner(1)).With(key, "k")
	c.Post("/v1/orders/", `{"name":"a","then":"refused"}`).Status(400)
	c.Post("/v1/orders/", `{"name":"a","then":"refused"}`).Status(400)
	c.Post("/v1/orders/", `{}`).Status(400).Calls(0)
	first := c.Post("/v1/orders/", body("a")).Status(201)
	same(t, first, c.Post("/v1/orders/", body("a")))
	c.Post("/v1/wrong/", nil).Status(500)
}

// The boundary is made anew with each try, the rest is the request.
func TestMultipartIsComparedWithoutItsBoundary(t *testing.T) {
	api := newOrders(t)
	c := api.As(webtest.Owner(1)).With(key, "k")
	first := c.Post("/v1/orders/", webtest.Multipart(map[string]any{"name": "a"})).Status(201)
	same(t, first, c.Post("/v1/orders/", webtest.Multipart(map[string]any{"name": "a"})))
	c.Post("/v1/orders/", webtest.Multipart(map[string]any{"name": "b"})).Status(422)
	c.Post("/v1/orders/", body("a")).Status(422)
}

// Answers of any size are replayed whole; what is large takes little of the
// table.
func TestSizes(t *testing.T) {
	api := newOrders(t)
	for i, size := range []int{0, 400, 600, 2000, 100 << 10, 110 << 10, 3 << 20} {
		c := api.As(webtest.Owner(1)).With(key, fmt.Sprint(size))
		in := fmt.Sprintf(`{"name":"n%d","size":%d}`, i, size)
		first := c.Post("/v1/orders/", in).Status(201).Units(1, 11)
		same(t, first, c.Post("/v1/orders/", in).Units(1, 0))
	}
	small := webtest.New(t, orders) // without a bucket
	small.As(webtest.Owner(1)).With(key, "k").Post("/v1/orders/", `{"name":"a","size":200000}`).Writes(1).Status(500)
}

// Of many at once one happens, and all get its answer: also where the others
// stumble over the name that it took before they see its key.
func TestOfManyAtOnceOneHappens(t *testing.T) {
	for _, in := range []string{`{"name":"a"}`, `{"name":"a","then":"not unique"}`} {
		t.Run(in, func(t *testing.T) {
			world := func(a dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
				return tabletest.Wrap(a, tabletest.Locks(), 1)
			}
			api := webtest.Setup{Table: world}.New(t, orders)
			var wait sync.WaitGroup
			answers := make([]*webtest.Answer, 16)
			for i := range answers {
				wait.Go(func() { answers[i] = api.As(webtest.Owner(1)).With(key, "k").Post("/v1/orders/", in) })
			}
			wait.Wait()
			replayed := 0
			for _, a := range answers {
				if a.Status(201); string(a.Body()) != string(answers[0].Body()) {
					t.Errorf("%s and %s", a.Body(), answers[0].Body())
				}
				if a.Get("Idempotent-Replayed") != "" {
					replayed++
				}
			}
			if n := records(t, api); n != 1 || replayed != 15 {
				t.Errorf("%d records, %d answers of 16 replayed", n, replayed)
			}
		})
	}
}

func records(t *testing.T, api *webtest.API) int {
	t.Helper()
	c := table.Of(api.Env.Table, 1)
	var rows []orderItem
	for try := 1; ; try++ { // the engine may be a faulty one
		rows = nil
		err := c.Table().Get("pk", c.Records(kinds.Document)).Consistent(true).All(t.Context(), &rows)
		if err == nil {
			return len(rows)
		}
		if try == 100 {
			t.Fatal(err)
		}
	}
}

// A client that repeats until it is answered makes one record, whatever got
// lost on the way.
func TestALostAnswerNeverMakesTwoRecords(t *testing.T) {
	for seed := range uint64(12) {
		faults := tabletest.Faults{Lost: 0.7}
		inner := func(a dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI { return tabletest.Wrap(a, faults, seed) }
		api := webtest.Setup{Table: inner}.New(t, orders)
		c := api.As(webtest.Owner(1)).With(key, "k")
		const in = `{"name":"a","then":"not unique"}`
		a := c.Post("/v1/orders/", in)
		for tries := 1; a.Code() == 503 && tries < 50; tries++ {
			a = c.Post("/v1/orders/", in)
		}
		if a.Code() != 201 {
			t.Fatalf("status %d %s", a.Code(), a.Body())
		}
		if n := records(t, api); n != 1 {
			t.Fatalf("%d records", n)
		}
	}
}

func TestHold(t *testing.T) {
	const held = `{"detail":"A request with this Idempotency-Key is in progress.","code":"in_progress"}`
	api := newOrders(t)
	c := api.As(webtest.Owner(1))
	whole := c.With(key, "whole")
	first := whole.Post("/v1/slow/", body("a")).Status(201).Writes(4)
	same(t, first, whole.Post("/v1/slow/", body("a")))

	// Nobody knows what became of these, so they hold their key until their time
	// is over.
	for _, then := range []string{"died", "unknown"} {
		dead, in := c.With(key, then), `{"name":"a","then":"`+then+`"}`
		dead.Post("/v1/slow/", in).Writes(2)
		dead.Post("/v1/slow/", in).Status(409).JSON(held).Header("Retry-After", "5").Calls(1)
		dead.Post("/v1/slow/", body("b")).Status(422)
		api.Clock.Step(58 * time.Second)
		dead.Post("/v1/slow/", in).Status(409).Header("Retry-After", "2")
		api.Clock.Step(2 * time.Second)
		again := dead.Post("/v1/slow/", body("b")).Status(201)
		same(t, again, dead.Post("/v1/slow/", body("b")))
	}
	// One that knows that it failed gives the key free.
	for then, status := range map[string]int{"refused": 400, "contended": 503} {
		failed := c.With(key, then)
		failed.Post("/v1/slow/", `{"name":"a","then":"`+then+`"}`).Writes(3).Status(status)
		again := failed.Post("/v1/slow/", body("a")).Status(201)
		same(t, again, failed.Post("/v1/slow/", body("a")))
	}
}

// A request that can't find out whether its key was used does nothing.
func TestKeysWhileTheTableIsAway(t *testing.T) {
	api := webtest.Setup{Table: func(a dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI { return broken{a} }}.New(t, orders)
	c := api.As(webtest.Owner(1))
	c.With(key, "k").Post("/v1/orders/", body("a")).Status(503)
	c.Post("/v1/orders/", body("a")).Status(201)
}

func TestAKeyNeedsAUser(t *testing.T) {
	op := web.Op(web.Operation{ID: "a", Method: http.MethodPost, Path: "/a/", Access: web.Public, Idempotent: true},
		func(context.Context, *web.Request, *struct{}) (web.None, error) { return web.None{}, nil })
	mustPanic(t, func() { web.NewServer(web.Group{Operations: []web.Operation{op}}, web.Config{}) })
}
