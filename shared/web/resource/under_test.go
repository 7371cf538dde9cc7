package resource_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/resource"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// Crates are records of their own, which stand below a shop in the order of their days.

const codeCrate kinds.Code = "zk"

type crate struct {
	record.Meta
	Shop int64  `dynamo:"s"`
	Day  string `dynamo:"y"`
}

// Crate is one as callers see it.
type Crate struct {
	ID   int64  `json:"id"`
	Shop int64  `json:"shop"`
	Day  string `json:"day"`
}

type crateBody struct {
	Day decode.Optional[string] `json:"day" required:"true"`
}

func crateKind() *record.Kind[*crate] {
	return &record.Kind[*crate]{
		Kind:  kinds.Kind{Code: codeCrate, Name: "sketch_crate", Label: "Crate", Many: "crates", Path: "/v1/crates/", Role: tenant.ReadOnly},
		Shown: func(c *crate) any { return Crate{c.ID, c.Shop, c.Day} },
		References: func(c *crate) []record.Reference {
			return []record.Reference{{Field: "shop", Kind: codeShop, ID: c.Shop}}
		},
		Below: func(c *crate) record.Child { return record.Child{Of: codeShop, ID: c.Shop, At: c.Day} },
	}
}

func newCrates(env app.Env) app.Group {
	group, under := newShops(env), cratesOf(crateKind())
	group.Operations = append(append(group.Operations, under.Operations(env.Now)...), under.Resource.Operations(env.Now)...)
	return group
}

func cratesOf(kind *record.Kind[*crate]) resource.Under[*shop, *crate, crateBody, Crate] {
	return resource.Under[*shop, *crate, crateBody, Crate]{
		Resource: resource.Resource[*crate, crateBody, Crate]{
			Kind:  kind,
			Apply: func(c *crate, in *crateBody, _ fault.FieldErrors) { in.Day.Into(&c.Day) },
			View:  func(c *crate, _ resource.Viewer) Crate { return Crate{c.ID, c.Shop, c.Day} },
		},
		Above: shopKind(shopKinds()[0]), Path: "crates", Param: "shop_id", Of: func(c *crate) *int64 { return &c.Shop },
	}
}

// Records without a path of their own are found below the other record.
func TestWhereARecordBelowAnotherIs(t *testing.T) {
	kind := crateKind()
	kind.Kind.Path = ""
	api := webtest.Setup{Kinds: append(shopKinds(), kind.Kind)}.New(t, func(env app.Env) app.Group {
		group := newShops(env)
		group.Operations = append(group.Operations, cratesOf(kind).Operations(env.Now)...)
		return group
	})
	c := api.As(webtest.Employee(1))
	c.Post("/v1/shops/", `{"name":"Corner"}`).Status(201)
	c.Post("/v1/shops/", `{"name":"Corner"}`).Status(201)
	c.Post("/v1/shops/2/crates/", `{"day":"2026-03-05"}`).Status(201).Header("Location", webtest.BaseURL+"/v1/shops/2/crates/1/")
}

func TestRecordsBelowAnother(t *testing.T) {
	all := append(shopKinds(), crateKind().Kind)
	api := webtest.Setup{Kinds: all}.New(t, newCrates)
	c := api.As(webtest.Employee(1))
	for range 2 {
		c.Post("/v1/shops/", `{"name":"Corner"}`).Status(201)
	}
	const crates = "/v1/shops/1/crates/"
	c.Get(crates).Status(200).JSON(`{"count":0,"next":null,"previous":null,"results":[]}`)
	c.Post(crates, `{"day":"2026-03-05"}`).Status(201).Header("ETag", `"1"`).Header("Location", webtest.BaseURL+"/v1/crates/1/").JSON(`{"id":1,"shop":1,"day":"2026-03-05"}`)
	c.Post(crates, `{"day":"2026-03-03"}`).Status(201)
	c.Post("/v1/shops/2/crates/", `{"day":"2026-03-04"}`).Status(201).Field("id", "3")
	c.Post(crates, `{"day":"2026-03-04"}`).Status(201).Field("id", "4")
	for i, id := range []int64{2, 4, 1} { // by their days
		c.Get(crates).Status(200).Field("count", "3").Field(fmt.Sprintf("results.%d.id", i), fmt.Sprint(id))
	}
	c.Get(crates + "?pageSize=2&page=2").Status(200).JSON(`{"count":3,"next":null,"previous":"` + webtest.BaseURL + crates + `?pageSize=2","results":[{"id":1,"shop":1,"day":"2026-03-05"}]}`)
	c.Get(crates + "?page=2").Status(404).JSON(`{"detail":"Invalid page."}`)
	c.Get(crates+"?page=last&pageSize=2").Status(200).Field("results.0.id", "1")

	c.Get(crates+"4/").Status(200).Header("ETag", `"1"`).JSON(`{"id":4,"shop":1,"day":"2026-03-04"}`)
	c.With("If-Match", `"1"`).Patch(crates+"4/", `{"day":"2026-03-09"}`).Status(200).Header("ETag", `"2"`)
	c.With("If-Match", `"1"`).Patch(crates+"4/", `{"day":"2026-03-08"}`).Status(412).Writes(0)
	c.Get(crates).Field("results.2.id", "4")
	c.With("If-Match", `"1"`).Delete(crates + "4/").Status(412).Writes(0)
	c.Delete(crates + "4/").Status(204)
	c.Get(crates).Field("count", "2")

	// What stands elsewhere is not found here, whatever else is wrong.
	for _, path := range []string{"/v1/shops/1/crates/3/", "/v1/shops/2/crates/1/", "/v1/shops/9/crates/1/", crates + "4/"} {
		c.Get(path).Status(404)
		c.With("If-Match", `"7"`).Patch(path, `{"day":"2026-03-01"}`).Status(404).Writes(0)
		c.With("If-Match", `"7"`).Delete(path).Status(404).Writes(0)
	}
	c.Get("/v1/shops/9/crates/").Status(404)
	c.Post("/v1/shops/9/crates/", `{"day":"2026-03-01"}`).Status(404).Writes(0)
	other := api.As(webtest.Employee(2))
	other.Get(crates).Status(404)
	other.Post(crates, `{"day":"2026-03-01"}`).Status(404).Writes(0)
	c.Get("/v1/crates/").Status(200).Field("count", "3") // they are records like all others
	// Below a record that is gone, nothing is found.
	c.Delete("/v1/shops/1/").Status(204)
	c.Get(crates).Status(404)
	c.Get(crates + "1/").Status(404)
	c.Patch(crates+"1/", `{"day":"2026-03-01"}`).Status(404).Writes(0)
	c.Delete(crates + "1/").Status(404).Writes(0)
	c.Get("/v1/crates/1/").Status(200)
}

func TestCrates(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*crate]{
		Kind: crateKind(), Kinds: append(shopKinds(), crateKind().Kind),
		Seed: func(t testing.TB, s record.Scope) {
			err := s.Do(t.Context(), nil, func(w *record.Work) error {
				shopKind(shopKinds()[0]).Create(w, "", &shop{Name: "Corner"})
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		},
		New:    func(n int) *crate { return &crate{Shop: 1, Day: fmt.Sprint(n)} },
		Change: func(c *crate, n int) { c.Day = fmt.Sprint(n + 100) },
	})
}
