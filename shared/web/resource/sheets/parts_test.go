package sheets_test

import (
	"testing"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
	"github.com/tenantry/tenantry/shared/web/resource/sheets"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// crate is a record with two free parts, one of them inside another object.
type crate struct {
	record.Meta
	Name  string      `dynamo:"n"`
	Extra decode.JSON `dynamo:"e"`
	Lid   decode.JSON `dynamo:"l"`
}

type crateBody struct {
	Name  decode.Optional[string]      `json:"name" required:"true"`
	Extra decode.Optional[decode.JSON] `json:"extra"`
	Lid   decode.Optional[lidBody]     `json:"lid"`
}

type lidBody struct {
	Extra decode.Optional[decode.JSON] `json:"extra"`
}

// Crate is a crate as callers see it.
type Crate struct {
	Name  string      `json:"name"`
	Extra decode.JSON `json:"extra"`
	Lid   decode.JSON `json:"lid"`
}

// The custom fields of each free part are columns, and their cells get to that part.
func TestTwoFreeParts(t *testing.T) {
	res := resource.Resource[*crate, crateBody, Crate]{
		Kind: &record.Kind[*crate]{
			Kind: stockKind(codeShelf), Name: func(c *crate) string { return c.Name },
			Extras: func(c *crate) []record.Extra {
				return []record.Extra{{Field: "extra", Key: "crate", JSON: c.Extra}, {Field: "lid.extra", Key: "lid", JSON: c.Lid}}
			},
		},
		Apply: func(c *crate, in *crateBody, _ fault.FieldErrors) {
			in.Name.Into(&c.Name)
			record.ExtraInto(c, in.Extra, &c.Extra)
			record.ExtraAt(c, "lid.extra", in.Lid.Value.Extra, &c.Lid)
		},
		View: func(c *crate, _ resource.Viewer) Crate { return Crate{c.Name, c.Extra, c.Lid} },
	}
	api := stock(webtest.Setup{Change: func(e *app.Env) { e.Files = filestest.New(t) }}).New(t, func(env app.Env) app.Group {
		of := sheets.Of(
			res, "stock.import",
			[]sheets.Column[*crate]{{Field: "name", Title: say.ColumnClientName, Value: func(c *crate) string { return c.Name }}},
		)
		return app.Group{
			Group: web.Group{Name: "stock", Zone: inUTC, Operations: of.Operations(env)},
			Work:  res.Kind.Imports("stock.import").Work(env.Table, env.Now),
		}
	})
	for _, key := range []string{"crate", "lid"} {
		define(
			t, api, 1, key, customfield.Definition{Name: "made", Label: "Made", Type: "date"},
			customfield.Definition{Name: key + "_size", Label: key, Type: "integer"},
		)
	}
	c := api.As(webtest.Employee(1))
	const path = "/v1/shelves/import/"
	c.Post(path, upload("a.csv", "Name,Crate,Lid,Made,lid.extra.made\nA,1,2,1.2.2020,2.2.2020\n")).Status(201).
		JSON(`{"data":[{"name":"A","extra":{"crate_size":1,"made":"2020-02-01"},"lid":{"lid_size":2,"made":"2020-02-02"}}],"ignored":[],"similar":[],"warnings":[]}`)
	const year, day = "The year of a date is one of 1900 to 2100.", "Write the date as 2020-05-15 or 15.05.2020: here it is not clear which number is the day."
	c.Post(path, upload("a.csv", "Name,Lid,Made,lid.extra.made\nA,x,1.2.1020,02/03/2020\n")).Status(400).JSON(`{
		"data":[{"extra":{"made":["` + year + `"]},"lid":{"extra":{"lid_size":["A valid integer is required."],"made":["` + day + `"]}}}],
		"errors":[{"row":2,"column":"B","title":"Lid","field":"lid.extra.lid_size","cell":"x","code":"invalid_integer","message":"A valid integer is required."},
			{"row":2,"column":"C","title":"Made","field":"extra.made","cell":"1.2.1020","code":"sheet_date_year","message":"` + year + `"},
			{"row":2,"column":"D","title":"lid.extra.made","field":"lid.extra.made","cell":"02/03/2020","code":"sheet_date_unclear","message":"` + day + `"}]}`)
	if got := c.Get("/v1/shelves/export/?format=csv").Status(200).Int("count"); got != 1 {
		t.Errorf("%d crates", got)
	}
}
