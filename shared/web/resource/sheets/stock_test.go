package sheets_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
	"github.com/tenantry/tenantry/shared/web/resource/sheets"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// This is a small stock, to show what sheets cost a group: things with a field of
// each type, on shelves. The resource is one like any other.

const (
	codeThing kinds.Code = "zt"
	codeShelf kinds.Code = "zh"
)

func stockKind(c kinds.Code) kinds.Kind {
	return map[kinds.Code]kinds.Kind{
		codeThing: {
			Code: codeThing, Name: "stock_thing", Label: "Thing", Many: "stock things", Path: "/v1/things/", Fields: []string{"stock_thing"},
			Unique: []string{"sku", "tag"}, Role: tenant.ReadOnly,
		},
		codeShelf: {Code: codeShelf, Name: "stock_shelf", Label: "Shelf", Many: "shelves", Path: "/v1/shelves/", Role: tenant.ReadOnly},
	}[c]
}

type thing struct {
	record.Meta
	Name   string        `dynamo:"n"`
	SKU    *string       `dynamo:"s,omitempty"`
	Tag    *string       `dynamo:"t,omitempty"`
	Count  int64         `dynamo:"co"`
	Price  *money.Amount `dynamo:"p"`
	Rented bool          `dynamo:"re"`
	Bought *decode.Date  `dynamo:"b,omitempty"`
	State  string        `dynamo:"st"`
	Shelf  *int64        `dynamo:"sh,omitempty"`
	Extra  decode.JSON   `dynamo:"e"`
}

type thingBody struct {
	Name   decode.Optional[string]       `json:"name" required:"true" maxLength:"40"`
	SKU    decode.Optional[string]       `json:"sku" nullable:"true"`
	Tag    decode.Optional[string]       `json:"tag" nullable:"true"`
	Count  decode.Optional[int64]        `json:"count" required:"true" minimum:"0"`
	Price  decode.Optional[money.Amount] `json:"price" nullable:"true" minimum:"0"`
	Rented decode.Optional[bool]         `json:"rented" default:"false"`
	Bought decode.Optional[decode.Date]  `json:"bought" nullable:"true"`
	State  decode.Optional[string]       `json:"state" enum:"new,used" default:"new"`
	Shelf  decode.Optional[int64]        `json:"shelf" nullable:"true"`
	Extra  decode.Optional[decode.JSON]  `json:"extra" nullable:"true"`
}

// Thing is a thing as callers see it.
type Thing struct {
	ID        int64         `json:"id"`
	CreatedAt string        `json:"created_at" format:"date-time"`
	Name      string        `json:"name"`
	SKU       *string       `json:"sku" nullable:"true"`
	Tag       *string       `json:"tag" nullable:"true"`
	Count     int64         `json:"count"`
	Price     *money.Amount `json:"price" nullable:"true"`
	Rented    bool          `json:"rented"`
	Bought    *decode.Date  `json:"bought" nullable:"true"`
	State     string        `json:"state"`
	Shelf     *int64        `json:"shelf" nullable:"true"`
	Extra     decode.JSON   `json:"extra"`
	Tenant    int64         `json:"tenant"`
}

func things() resource.Resource[*thing, thingBody, Thing] {
	return resource.Resource[*thing, thingBody, Thing]{
		Kind: &record.Kind[*thing]{
			Kind: stockKind(codeThing), Name: func(x *thing) string { return x.Name },
			Extras: record.Free("stock_thing", func(x *thing) decode.JSON { return x.Extra }),
			Unique: func(x *thing) []record.Unique {
				return []record.Unique{
					{Name: "sku", Value: sheets.Optional(x.SKU), Field: "sku"}, {Name: "tag", Value: sheets.Optional(x.Tag), Field: "tag"},
				}
			},
			References: func(x *thing) []record.Reference {
				if x.Shelf == nil {
					return nil
				}
				return []record.Reference{{Field: "shelf", Kind: codeShelf, ID: *x.Shelf}}
			},
		},
		Apply: func(x *thing, in *thingBody, errs fault.FieldErrors) {
			in.Name.Into(&x.Name)
			in.SKU.IntoNullable(&x.SKU)
			in.Tag.IntoNullable(&x.Tag)
			in.Count.Into(&x.Count)
			in.Price.IntoNullable(&x.Price)
			in.Rented.Into(&x.Rented)
			in.Bought.IntoNullable(&x.Bought)
			if in.State.Into(&x.State); x.State == "" {
				x.State = "new"
			}
			in.Shelf.IntoNullable(&x.Shelf)
			record.ExtraInto(x, in.Extra, &x.Extra)
			if x.Rented && x.Count == 0 {
				errs.Add("rented", "There is none.")
			}
		},
		View: func(x *thing, _ resource.Viewer) Thing {
			return Thing{
				ID: x.ID, CreatedAt: x.CreatedAt(), Name: x.Name, SKU: x.SKU, Tag: x.Tag, Count: x.Count, Price: x.Price, Rented: x.Rented,
				Bought: x.Bought, State: x.State, Shelf: x.Shelf, Extra: x.Extra, Tenant: int64(x.Tenant()),
			}
		},
	}
}

// thingSheets are all that sheets of things take.
func thingSheets() sheets.Sheets[*thing, thingBody, Thing] {
	of := sheets.Of(things(), "stock.import", []sheets.Column[*thing]{
		{Field: "name", Title: say.ColumnItemName, Example: "Ladder", Value: func(x *thing) string { return x.Name }},
		{Field: "sku", Title: "SKU", Also: []string{"Артикул"}, Holds: sheets.Digits, Length: 6, Example: "000123", Value: func(x *thing) string { return sheets.Optional(x.SKU) }},
		{Field: "tag", Title: "Tag", Also: []string{"Метка"}, Value: func(x *thing) string { return sheets.Optional(x.Tag) }},
		{Field: "count", Title: "Count", Also: []string{"Количество"}, Holds: sheets.Integer, Example: "3", Value: func(x *thing) string { return fmt.Sprint(x.Count) }},
		{Field: "price", Title: "Price", Also: []string{"Цена"}, Holds: sheets.Amount, Example: "1500.50", Value: func(x *thing) string { return sheets.Optional(x.Price) }},
		{Field: "rented", Title: "Rented", Also: []string{"Сдаётся"}, Holds: sheets.Boolean, Example: say.WordYes, Value: func(x *thing) string { return fmt.Sprint(x.Rented) }},
		{Field: "bought", Title: "Bought", Also: []string{"Куплено"}, Holds: sheets.Date, Example: "2024-02-29", Value: func(x *thing) string { return sheets.Optional(x.Bought) }},
		{Field: "state", Title: "State", Also: []string{"Состояние"}, Choices: states(), Example: say.ChoiceRent, Value: func(x *thing) string { return x.State }},
		{Field: "shelf", Title: "Shelf number", Also: []string{"Номер полки"}, Holds: sheets.Integer, Value: func(x *thing) string { return sheets.Optional(x.Shelf) }},
		{Field: "shelf_name", Title: "On", Also: []string{"Лежит на"}, Names: codeShelf, ExportOnly: true, Value: func(x *thing) string { return sheets.Optional(x.Shelf) }},
		sheets.ID[*thing](), sheets.Created[*thing](),
	})
	of.Currency = func(context.Context, *record.Work) (string, error) { return "KZT", nil }
	return of
}

func states() []sheets.Choice {
	return []sheets.Choice{
		{Value: "new", Title: say.ChoiceRent, Also: []string{"New"}}, {Value: "used", Title: "Used", Also: []string{"Б/у", "second hand"}},
	}
}

type shelf struct {
	record.Meta
	Name string `dynamo:"n"`
}

type shelfBody struct {
	Name decode.Optional[string] `json:"name" required:"true"`
}

// Shelf is a shelf as callers see it.
type Shelf struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func newStock(env app.Env) app.Group {
	shelves := resource.Resource[*shelf, shelfBody, Shelf]{
		Kind:  &record.Kind[*shelf]{Kind: stockKind(codeShelf), Name: func(s *shelf) string { return s.Name }},
		Apply: func(s *shelf, in *shelfBody, _ fault.FieldErrors) { in.Name.Into(&s.Name) },
		View:  func(s *shelf, _ resource.Viewer) Shelf { return Shelf{s.ID, s.Name} },
	}
	operations := append(things().Operations(env.Now), thingSheets().Operations(env)...)
	return app.Group{
		Group: web.Group{Name: "stock", Zone: inUTC, Operations: append(operations, shelves.Operations(env.Now)...)},
		Work:  things().Kind.Imports("stock.import").Work(env.Table, env.Now),
	}
}

const (
	all      = "/v1/things/"
	imported = all + "import/"
	template = all + "import/template/"
	export   = all + "export/"
)

func stock(setup webtest.Setup) webtest.Setup {
	setup.Kinds = []kinds.Kind{stockKind(codeThing), stockKind(codeShelf)}
	return setup
}

// newStockAPI is a stock of two companies with a shelf each, whose things have custom
// fields, and a bucket.
func newStockAPI(t *testing.T) *webtest.API {
	t.Helper()
	api := stock(webtest.Setup{Change: func(e *app.Env) { e.Files, e.Config.Languages = filestest.New(t), say.Languages() }}).New(t, newStock)
	for _, company := range []tenant.ID{1, 2} {
		api.As(webtest.Employee(company)).Post("/v1/shelves/", `{"name":"Top"}`).Status(201)
		define(t, api, company, "stock_thing", customfield.Definition{Name: "colour", Label: "Цвет", Type: "string"},
			customfield.Definition{Name: "weight", Label: "Weight", Type: "decimal"}, customfield.Definition{Name: "checked", Label: "Checked", Type: "date"})
	}
	return api
}

// define makes the custom fields of a key of a company.
func define(t *testing.T, api *webtest.API, company tenant.ID, key string, definitions ...customfield.Definition) {
	t.Helper()
	of := table.Of(api.Env.Table, company)
	set := customfield.Empty(of, key)
	for i, d := range definitions {
		d.ID = int64(i + 1)
		next, err := set.With(d)
		if err != nil {
			t.Fatal(err)
		}
		set = next
	}
	item, err := set.Encode()
	if err == nil {
		err = of.Write(t.Context(), func(tx *table.Tx, _ int) error { tx.Put(of.Put(item), nil); return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
}

func upload(name, data string) webtest.Payload {
	return webtest.Multipart(map[string]any{"file": webtest.File{Name: name, ContentType: "", Data: data}})
}

// exported is the file that an export answers.
func exported(t *testing.T, c *webtest.Client, query string) string {
	t.Helper()
	data, header := filestest.Fetch(t, c.Get(export+"?"+query).Status(200).Text("url"))
	if !strings.HasPrefix(header.Get("Content-Disposition"), `attachment; filename="stock-things-2026-03-02.`) {
		t.Fatal(header)
	}
	return data
}

func inUTC(context.Context, *table.Tenant) (*time.Location, error) { return time.UTC, nil }
