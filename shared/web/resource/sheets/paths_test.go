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

// bin is a record that may have a lid, whose free part has another key if it is round.
type bin struct {
	record.Meta
	Name string `dynamo:"n"`
	Lid  *lid   `dynamo:"l,omitempty"`
}

type lid struct {
	Round bool         `json:"round" dynamo:"r"`
	Made  *decode.Date `json:"made" dynamo:"m,omitempty"`
	Extra decode.JSON  `json:"extra" dynamo:"e"`
}

type binBody struct {
	Name decode.Optional[string] `json:"name" required:"true"`
	Lid  decode.Optional[struct {
		Round decode.Optional[bool]        `json:"round"`
		Made  decode.Optional[decode.Date] `json:"made" nullable:"true"`
		Extra decode.Optional[decode.JSON] `json:"extra"`
	}] `json:"lid"`
}

// Bin is a bin as callers see it.
type Bin struct {
	Name string `json:"name"`
	Lid  *lid   `json:"lid"`
}

func (b *bin) extras() (list []record.Extra) {
	if b.Lid != nil {
		list = append(list, record.Extra{Field: "lid.extra", Key: map[bool]string{true: "round", false: "square"}[b.Lid.Round], JSON: b.Lid.Extra})
	}
	return list
}

// A column may be of a field within another one, and of free parts that only some records have.
func TestFieldsWithinOthers(t *testing.T) {
	res := resource.Resource[*bin, binBody, Bin]{
		Kind: &record.Kind[*bin]{Kind: stockKind(codeShelf), Name: func(b *bin) string { return b.Name }, Extras: (*bin).extras},
		Apply: func(b *bin, in *binBody, _ fault.FieldErrors) {
			in.Name.Into(&b.Name)
			if in.Lid.Set {
				b.Lid = &lid{}
				in.Lid.Value.Round.Into(&b.Lid.Round)
				in.Lid.Value.Made.IntoNullable(&b.Lid.Made)
				record.ExtraAt(b, "lid.extra", in.Lid.Value.Extra, &b.Lid.Extra)
			}
		},
		View: func(b *bin, _ resource.Viewer) Bin { return Bin{b.Name, b.Lid} },
	}
	api := stock(webtest.Setup{Change: func(e *app.Env) { e.Files = filestest.New(t) }}).New(t, func(env app.Env) app.Group {
		of := sheets.Of(res, "stock.import", []sheets.Column[*bin]{
			{Field: "name", Title: say.ColumnClientName, Value: func(b *bin) string { return b.Name }},
			{Field: "lid.round", Title: "Round", Also: []string{"Круглая"}, Holds: sheets.Boolean},
			{Field: "lid.made", Title: "Made", Also: []string{"Сделана"}, Holds: sheets.Date},
		})
		of.Extras = []record.Extra{{Field: "lid.extra", Key: "round"}, {Field: "lid.extra", Key: "square"}}
		return app.Group{Group: web.Group{Name: "stock", Zone: inUTC, Operations: of.Operations(env)}, Work: res.Kind.Imports("stock.import").Work(env.Table, env.Now)}
	})
	define(t, api, 1, "round", customfield.Definition{Name: "size", Label: "Size", Type: "integer"})
	define(t, api, 1, "square", customfield.Definition{Name: "size", Label: "Length", Type: "integer"}, customfield.Definition{Name: "width", Label: "Width", Type: "integer"})
	c := api.As(webtest.Employee(1))
	const path = "/v1/shelves/import/"
	c.Post(path, upload("a.csv", "Name,Round,lid.made,Size,Width\nA,yes,1.2.2020,1,\nB,,,,2\nC,,,,\n")).Status(201).JSON(`{"data":[
		{"name":"A","lid":{"round":true,"made":"2020-02-01","extra":{"size":1}}},
		{"name":"B","lid":{"round":false,"made":null,"extra":{"width":2}}},{"name":"C","lid":null}],"ignored":[],"similar":[],"warnings":[]}`)
	const day = "Write the date as 2020-05-15 or 15.05.2020: here it is not clear which number is the day."
	c.Post(path, upload("a.csv", "Name,Round,Made,Width\nA,perhaps,02/03/2020,x\n")).Status(400).JSON(`{
		"data":[{"lid":{"round":["Must be a valid boolean."],"made":["` + day + `"],"extra":{"width":["A valid integer is required."]}}}],
		"errors":[{"row":2,"column":"B","title":"Round","field":"lid.round","cell":"perhaps","code":"invalid_boolean","message":"Must be a valid boolean."},
			{"row":2,"column":"C","title":"Made","field":"lid.made","cell":"02/03/2020","code":"sheet_date_unclear","message":"` + day + `"},
			{"row":2,"column":"D","title":"Width","field":"lid.extra.width","cell":"x","code":"invalid_integer","message":"A valid integer is required."}]}`)
}
