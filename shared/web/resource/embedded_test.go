package resource_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Two kinds of shops whose shelves lie inside them, and share their numbers.

const (
	codeShop  kinds.Code = "zs"
	codeStall kinds.Code = "zt"
	codeShelf kinds.Code = "zh"
)

func shopKinds() []kinds.Kind {
	return []kinds.Kind{
		{Code: codeShop, Name: "sketch_shop", Label: "Shop", Many: "shops", Path: "/v1/shops/", Role: tenant.ReadOnly},
		{Code: codeStall, Name: "sketch_stall", Label: "Stall", Many: "stalls", Path: "/v1/stalls/", Role: tenant.ReadOnly},
		{Code: codeShelf, Name: "sketch_shelf", Label: "Shelf", Many: "shelves", Role: tenant.ReadOnly},
	}
}

type shop struct {
	record.Meta
	Name    string  `dynamo:"n"`
	Shelves []shelf `dynamo:"s,omitempty"`
}

type shelf struct {
	record.Element
	Name   string `dynamo:"n"`
	Height int64  `dynamo:"h"`
}

// Shelf is one as callers see it.
type Shelf struct {
	ID     int64  `json:"id"`
	Shop   int64  `json:"shop"`
	Name   string `json:"name"`
	Height int64  `json:"height"`
}

type shelfBody struct {
	Shop   decode.Optional[int64]  `json:"shop" required:"true"`
	Name   decode.Optional[string] `json:"name" required:"true"`
	Height decode.Optional[int64]  `json:"height"`
}

func shelvesOf(k kinds.Kind) record.Embedded[*shop, shelf] {
	return record.Embedded[*shop, shelf]{In: shopKind(k), Numbers: shopKinds()[2], Of: func(s *shop) *[]shelf { return &s.Shelves }}
}

func shopKind(k kinds.Kind) *record.Kind[*shop] {
	kind := &record.Kind[*shop]{
		Kind: k, Name: func(s *shop) string { return s.Name }, Shown: func(s *shop) any { return Named{s.ID, s.Name} },
	}
	list := record.Embedded[*shop, shelf]{Of: func(s *shop) *[]shelf { return &s.Shelves }}
	kind.Lists = func(s *shop) audit.Lists {
		return list.Lists("shelves", s, func(e *shelf) any { return Shelf{ID: e.ID, Name: e.Name, Height: e.Height} })
	}
	return kind
}

func newShops(env app.Env) app.Group {
	var operations []web.Operation
	for i, k := range shopKinds()[:2] {
		shops := resource.Resource[*shop, namedBody, Named]{
			Kind: shopKind(k), Apply: func(s *shop, in *namedBody, _ fault.FieldErrors) { in.Name.Into(&s.Name) },
			View: func(s *shop, _ resource.Viewer) Named { return Named{s.ID, s.Name} },
		}
		shelves := resource.Embedded[*shop, shelf, shelfBody, Shelf]{
			List: shelvesOf(k), Path: "shelves", Param: k.Name + "_id", One: "shelf", Many: strings.ToLower(k.Label) + " shelves",
			Apply: func(s *shop, e *shelf, in *shelfBody, errs fault.FieldErrors) {
				if in.Shop.Set && in.Shop.Value != s.ID {
					errs.Add("shop", say.DoesNotExist(in.Shop.Value))
				}
				in.Name.Into(&e.Name)
				in.Height.Into(&e.Height)
			},
			View: func(s *shop, e *shelf, _ resource.Viewer) Shelf { return Shelf{e.ID, s.ID, e.Name, e.Height} },
		}
		if i == 1 {
			shelves.Changed = weighed
		}
		operations = append(append(operations, shops.Operations(env.Now)...), shelves.Operations(env.Now)...)
	}
	return app.Group{Group: web.Group{Name: "shops", Zone: inUTC, Operations: operations}}
}

// weighed keeps the height of all shelves of a stall in its name, and refuses more than 20.
func weighed(ctx context.Context, w *record.Work, s *shop, was, is *shelf) error {
	if was != nil && is != nil && was.Height == is.Height {
		return nil
	}
	stall, err := shopKind(shopKinds()[1]).Edit(ctx, w, s.ID)
	if err != nil {
		return err
	}
	_, height, _ := strings.Cut(stall.Name, " ")
	sum, _ := strconv.ParseInt(height, 10, 64)
	if was != nil {
		sum -= was.Height
	}
	if is != nil {
		sum += is.Height
	}
	if stall.Name = fmt.Sprint("Market ", sum); sum > 20 {
		return fault.New(fault.Conflict, "Too high.")
	}
	return nil
}

// What changes with an element does so in the same unit of work, or nothing does.
func TestWhatChangesWithAnElement(t *testing.T) {
	_, c := newShopAPI(t)
	const shelves = "/v1/stalls/1/shelves/"
	named := func(want string) {
		t.Helper()
		c.Get("/v1/stalls/1/").Status(200).Field("name", want)
	}
	c.Post(shelves, `{"shop":1,"name":"a","height":9}`).Status(201)
	named(`"Market 9"`)
	c.Post(shelves, `{"shop":1,"name":"b","height":9}`).Status(201)
	named(`"Market 18"`)
	c.Post(shelves, `{"shop":1,"name":"c","height":9}`).Writes(1).Status(409) // its number
	c.Post(shelves, `{"shop":9,"name":"c","height":9}`).Status(400)           // what is wrong with it comes first
	c.Patch(shelves+"2/", `{"height":12}`).Status(409)
	c.Patch(shelves+"2/", `{"shop":9,"height":12}`).Status(400).JSON(`{"shop":["Invalid pk \"9\" - object does not exist."]}`)
	named(`"Market 18"`)
	c.Patch(shelves+"2/", `{"height":10}`).Status(200)
	c.Patch(shelves+"2/", `{"name":"d"}`).Status(200)
	c.Patch(shelves+"2/", `{"name":"d"}`).Status(200).Writes(0)
	named(`"Market 19"`)
	c.Delete(shelves + "1/").Status(204)
	named(`"Market 10"`)
}

func newShopAPI(t *testing.T) (*webtest.API, *webtest.Client) {
	t.Helper()
	api := webtest.Setup{Kinds: shopKinds()}.New(t, newShops)
	c := api.As(webtest.Employee(1))
	c.Post("/v1/shops/", `{"name":"Corner"}`).Status(201)
	c.Post("/v1/stalls/", `{"name":"Market"}`).Status(201)
	return api, c
}

func TestElementsOfARecord(t *testing.T) {
	api, c := newShopAPI(t)
	const shelves = "/v1/shops/1/shelves/"
	c.Get(shelves).Status(200).JSON(`[]`).Calls(1)
	c.Post(shelves, `{"shop":1,"name":"Top","height":3}`).Status(201).Header("ETag", `"1"`).
		Header("Location", webtest.BaseURL+shelves+"1/").JSON(`{"id":1,"shop":1,"name":"Top","height":3}`)
	// Another list gets its numbers from the same sequence.
	c.Post("/v1/stalls/1/shelves/", `{"shop":1,"name":"High","height":9}`).Status(201).Field("id", "2")
	c.Post("/v1/stalls/1/shelves/", `{"shop":1,"name":"Low","height":1}`).Status(201).Field("id", "3")
	c.Get("/v1/stalls/1/shelves/").Status(200).Field("0.name", `"High"`).Field("1.name", `"Low"`)
	c.Post(shelves, `{"shop":1,"name":"Bottom"}`).Status(201).Field("id", "4")
	c.Get(shelves).Status(200).JSON(`[{"id":1,"shop":1,"name":"Top","height":3},{"id":4,"shop":1,"name":"Bottom","height":0}]`)
	c.Get(shelves+"1/").Status(200).Header("ETag", `"1"`).Calls(1)
	c.With("If-None-Match", `"1"`).Get(shelves + "1/").Status(304)

	// Each element has an ETag of its own, whatever happens to others.
	c.With("If-Match", `"1"`).Patch(shelves+"1/", `{"height":4}`).Status(200).Header("ETag", `"2"`).Field("height", "4")
	c.With("If-Match", `"1"`).Patch(shelves+"4/", `{"height":1}`).Status(200).Header("ETag", `"2"`)
	c.With("If-Match", `"1"`).Patch(shelves+"1/", `{"height":5}`).Status(412).Writes(0)
	c.With("If-Match", `"2"`).Put(shelves+"1/", `{"shop":1,"name":"Top","height":4}`).Status(200).Header("ETag", `"2"`).Writes(0) // as it was
	c.With("If-Match", `"1"`).Delete(shelves + "1/").Status(412).Writes(0)
	c.With("If-Match", `"2"`).Delete(shelves + "1/").Status(204)
	c.Delete(shelves + "1/").Status(404)
	c.Get("/v1/shops/1/").Header("ETag", `"6"`) // whose revision counts them all

	// The history of the record names the element that changed.
	entries, _, err := audit.Page(t.Context(), table.Of(api.Env.Table, 1), shopKinds()[0], 1, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range entries {
		for _, c := range e.Changes {
			told = append(told, fmt.Sprintf("%s %s→%s", c.Field, c.From, c.To))
		}
	}
	want := []string{
		`shelves.1 {"id":1,"shop":0,"name":"Top","height":4}→null`, `shelves.4.height 0→1`, `shelves.1.height 3→4`,
		`shelves.4 null→{"id":4,"shop":0,"name":"Bottom","height":0}`, `shelves.1 null→{"id":1,"shop":0,"name":"Top","height":3}`, `name null→"Corner"`,
	}
	if !slices.Equal(told, want) {
		t.Errorf("the history tells %q", told)
	}

	// What is wrong takes no number.
	c.Post(shelves, `{"shop":2,"name":"x"}`).Status(400).JSON(`{"shop":["Invalid pk \"2\" - object does not exist."]}`).Writes(0)
	c.Post(shelves, `{"shop":1,"name":"Next"}`).Status(201).Field("id", "5")

	// Elements are found in their own record of their own company alone.
	for _, path := range []string{"/v1/shops/2/shelves/", "/v1/shops/1/shelves/2/", "/v1/stalls/1/shelves/4/", "/v1/shops/1/shelves/99/"} {
		c.Get(path).Status(404)
	}
	other := api.As(webtest.Employee(2))
	other.Get(shelves).Status(404)
	other.Post(shelves, `{"shop":1,"name":"x"}`).Status(404).Writes(0)
	other.Patch(shelves+"4/", `{"name":"x"}`).Status(404).Writes(0)
	other.Delete(shelves + "4/").Status(404).Writes(0)
	c.Post("/v1/shops/7/shelves/", `{"shop":7,"name":"x"}`).Status(404).Writes(0)
	api.As(webtest.ReadOnly(1)).Post(shelves, `{"shop":1,"name":"x"}`).Status(403)
}

func TestElementsAreBounded(t *testing.T) {
	_, c := newShopAPI(t)
	for i := range record.MaxElements {
		c.Post("/v1/shops/1/shelves/", fmt.Sprintf(`{"shop":1,"name":"n%d"}`, i)).Status(201)
	}
	c.Post("/v1/shops/1/shelves/", `{"shop":1,"name":"x"}`).Status(400).JSON(`{"non_field_errors":["There can be at most 50 shelves."]}`).Writes(0)
	c.Patch("/v1/shops/1/shelves/1/", map[string]any{"name": strings.Repeat("x", 60<<10)}).Status(200)
	c.Patch("/v1/shops/1/shelves/2/", map[string]any{"name": strings.Repeat("x", 10<<10)}).Status(400).
		JSON(`{"non_field_errors":["The shelves of one record take at most 64 KB."]}`).Writes(0)
}

// A create that is repeated with its key happens once, and no change of one element
// loses that of another.
func TestElementsAtOnce(t *testing.T) {
	api, c := newShopAPI(t)
	c.With("Idempotency-Key", "k").Post("/v1/shops/1/shelves/", `{"shop":1,"name":"a"}`).Status(201).Field("id", "1")
	c.With("Idempotency-Key", "k").Post("/v1/shops/1/shelves/", `{"shop":1,"name":"a"}`).Status(201).Field("id", "1").Header("Idempotent-Replayed", "true").Writes(0)
	c.Post("/v1/shops/1/shelves/", `{"shop":1,"name":"b"}`).Status(201)
	var wait sync.WaitGroup
	const times = 4
	for id := range int64(2) {
		wait.Go(func() {
			c := api.As(webtest.Employee(1))
			for n := range times {
				c.Patch(fmt.Sprintf("/v1/shops/1/shelves/%d/", id+1), fmt.Sprintf(`{"height":%d}`, n+1)).Status(200)
			}
		})
	}
	wait.Wait()
	for id := range 2 {
		c.Get(fmt.Sprintf("/v1/shops/1/shelves/%d/", id+1)).Status(200).Field("height", fmt.Sprint(times)).Header("ETag", fmt.Sprintf(`"%d"`, times+1))
	}
}
