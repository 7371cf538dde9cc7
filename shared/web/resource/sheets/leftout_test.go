package sheets_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest"
)

// What an import leaves out is told in one form by a dry run, by an import and by a refusal: all names, and those that were
// nearly right. A header counts as nearly right for a field that no other column sets, and if it isn't that of a column which
// only exports have.
func TestWhatIsLeftOut(t *testing.T) {
	c := newStockAPI(t).As(webtest.Employee(1))
	const (
		header  = "Name,Count,Prise,Nаme,Notes,Метки,,Weight,Wieght,ID,Creatd"
		ignored = `["Prise","Nаme","Notes","Метки","Wieght","ID","Creatd"]`
		similar = `[{"name":"Prise","column":"C","meant":"Price","field":"price"},{"name":"Метки","column":"F","meant":"Метка","field":"tag"}]`
	)
	for name, tt := range map[string]struct {
		right, wrong any
		ignored      string
		similar      string
	}{
		"CSV": {
			upload("a.csv", header+"\nA,1,5,x,y,z,,1,2,3,4\n"), upload("a.csv", header+"\nA,many,5,x,y,z,,1,2,3,4\n"), ignored, similar,
		},
		"workbook": {
			upload("a.xlsx", book(t, strings.ReplaceAll(header, ",", "|"), "A|1|5|x|y|z||1|2|3|4")),
			upload("a.xlsx", book(t, strings.ReplaceAll(header, ",", "|"), "A|many|5|x|y|z||1|2|3|4")), ignored, similar,
		},
		"JSON": {
			`{"data":[{"name":"A","count":1,"prise":5,"id":7},{"name":"B","count":1,"id":8,"notes":""}]}`, `{"data":[{"count":1,"prise":5,"notes":"","id":7}]}`,
			`["id","prise","notes"]`, `[{"name":"prise","column":null,"meant":"price","field":"price"}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := c.In(t)
			c.Post(imported+"?dry_run", tt.right).Status(200).Field("ignored", tt.ignored).Field("similar", tt.similar)
			c.Post(imported, tt.right).Status(201).Field("ignored", tt.ignored).Field("similar", tt.similar)
			for _, path := range []string{imported + "?dry_run", imported} {
				a := c.Post(path, tt.wrong).Status(400).Writes(0).Field("similar", tt.similar)
				if name == "JSON" {
					a.Field("ignored", `["id","notes","prise"]`)
				} else {
					a.Field("ignored", tt.ignored)
				}
			}
		})
	}
	// A sheet that is refused as a whole tells it too. What leaves nothing out has no such members in a 400.
	c.Post(imported, upload("a.csv", "Nome,Count\nA,1\n")).Status(400).Field("ignored", `["Nome"]`).
		Field("similar", `[{"name":"Nome","column":"A","meant":"Name","field":"name"}]`).Field("headers", `["Nome","Count"]`)
	c.Post(imported, `{"data":[{"count":1}]}`).Status(400).JSON(`{"data":[{"name":["This field is required."]}]}`)
	// So is a swap of two letters, and one letter of three.
	c.Post(imported, upload("a.csv", "Name,Cuont\nA,1\n")).Status(400).
		Field("similar.0.field", `"count"`).Field("similar.0.meant", `"Count"`)
	c.Post(imported+"?dry_run", upload("a.csv", "Name,Count,TXG\nA,1,x\n")).Status(200).Field("similar.0.field", `"tag"`)
}

// A sheet that is refused before its rows are judged tells all that is left out, too.
func TestWhatIsLeftOutOfARefusedSheet(t *testing.T) {
	c := newStockAPI(t).As(webtest.Employee(1))
	const ignored, similar = `["Notes","Prise"]`, `[{"name":"Prise","column":"D","meant":"Price","field":"price"}]`
	for name, tt := range map[string]struct{ sheet, field, told string }{
		"a field twice":                 {"Name,Name,Notes,Prise,Count\nA,A,x,1,1\n", "file", `["Columns A and B both are name."]`},
		"two fields twice":              {"Name,Count,Notes,Prise,Count,Name\nA,1,x,1,1,A\n", "file", `["Columns B and E both are count."]`},
		"a field that is needed":        {"Name,Tag,Notes,Prise\nA,t,x,1\n", "file", `["Each row needs count, and no column is called that. Add it, or use the template. The headers are: \"Name\", \"Tag\", \"Notes\", \"Prise\"."]`},
		"another currency":              {"Name,Count,Notes,Prise,\"Price, $\"\nA,1,x,1,1\n", "file.0", `"<string>"`},
		"no rows":                       {"Name,Count,Notes,Prise\n", "data.non_field_errors", `["This list may not be empty."]`},
		"no rows, and no needed header": {"Name,Tag,Notes,Prise\n", "data.non_field_errors", `["This list may not be empty."]`},
		"a cell without a header":       {"Name,Count,Notes,Prise\nA,1,x,1,5\n", "file", `["Row 2, column E: There is no header above this cell."]`},
		"too many rows": {
			"Name,Count,Notes,Prise\n" + strings.Repeat("A,1,x,1\n", 1001), "data.non_field_errors", `["Ensure this field has no more than 1000 elements."]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := c.In(t).Post(imported, upload("a.csv", tt.sheet)).Status(400).Writes(0).Field(tt.field, tt.told).Field("ignored", ignored)
			if name != "another currency" { // where Price is there
				a.Field("similar", similar)
			}
		})
	}
}
