package orders_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/orders"
	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/functions/orders/pricebook"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/points"
	"github.com/tenantry/tenantry/functions/services"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// The API answers each example of docs/prices.md as the page says. The test knows what a table is about by the names of its columns.
func TestPricesDoc(t *testing.T) {
	doc := page(t, "prices.md")
	tariffs, run := map[string]string{}, 0
	for _, rows := range tablesOf(doc) {
		switch {
		case rows[0].has("Tariff"):
			for _, row := range rows {
				for _, body := range row.all("Body of `POST /v1/crm/groups/1/tarifs/`, or of a service's") {
					tariffs[row["Tariff"]] = body
				}
			}
		case rows[0].has("Call"):
			t.Run("calls", func(t *testing.T) { calls(t, tariffs, rows, doc) })
			run += len(rows)
		case rows[0].has("Rental"):
			for _, row := range rows {
				t.Run(row["Rental"]+", "+row["Why"], func(t *testing.T) { newExample(t, tariffs, row).run() })
			}
			run += len(rows)
		}
	}
	if run < 134 {
		t.Errorf("%d examples were found", run)
	}
	kinds, _ := reflect.TypeFor[pricing.Step]().FieldByName("Kind")
	for _, kind := range strings.Split(kinds.Tag.Get("enum"), ",") {
		if strings.Count(doc, "`"+kind+"`") < 2 {
			t.Errorf("the kind of steps %s is not explained", kind)
		}
	}
	for _, bound := range []string{
		fmt.Sprintf("| tariffs of a sum | %d of a group", pricing.MostOffered),
		fmt.Sprintf("| active price rules | %d, which may take %d KB together", pricebook.MostActive, pricebook.MaxSize>>10),
		fmt.Sprintf("charged for the time | %d |", order.MostTimed), fmt.Sprintf("| lines in one call | %d |", order.AtOnce),
	} {
		if !strings.Contains(doc, bound) {
			t.Errorf("the limits don't have %q", bound)
		}
	}
}

// cells is a row of a table, by the names of its columns.
type cells map[string]string

func (c cells) has(column string) bool { _, is := c[column]; return is }

// all is what stands in a cell as code.
func (c cells) all(column string) (list []string) {
	for _, of := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(c[column], -1) {
		list = append(list, of[1])
	}
	return list
}

// sent returns the JSON that follows a word in a cell. A cell without the word sends nothing, which is {}.
func (c cells) sent(column, after string) string {
	for _, of := range regexp.MustCompile("([a-z]*) ?`([^`]*)`").FindAllStringSubmatch(c[column], -1) {
		if of[1] == after {
			return of[2]
		}
	}
	return "{}"
}

// page is a page of the documents.
func page(t *testing.T, name string) string {
	t.Helper()
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tablesOf are the tables of a document.
func tablesOf(doc string) (tables [][]cells) {
	for _, block := range strings.Split(doc, "\n\n") {
		lines := strings.Split(strings.Trim(block, "\n"), "\n")
		if len(lines) < 3 || !strings.HasPrefix(lines[1], "|---") {
			continue
		}
		names, rows := split(lines[0]), []cells{}
		for _, line := range lines[2:] {
			row := cells{}
			for i, cell := range split(line) {
				row[names[i]] = cell
			}
			rows = append(rows, row)
		}
		tables = append(tables, rows)
	}
	return tables
}

func split(line string) (list []string) {
	for _, cell := range strings.Split(strings.Trim(line, "|"), "|") {
		list = append(list, strings.TrimSpace(cell))
	}
	return list
}

// example is a row of the document in a company of its own.
type example struct {
	cells
	t          *testing.T
	api        *webtest.API
	c          *webtest.Client // a manager
	start, end time.Time
	tariffs    []string // of the group, by their ids from 1 on
}

func newExample(t *testing.T, tariffs map[string]string, row cells) *example {
	t.Helper()
	api := webtest.New(t, orders.New, inventory.New, clients.New, services.New, settings.New, points.New).
		Join(webtest.Employee(1), webtest.Manager(1), webtest.Owner(1))
	e := &example{cells: row, t: t, api: api, c: api.As(webtest.Manager(1))}
	rental, name, _ := strings.Cut(row["Rental"], ", ")
	zone, err := time.LoadLocation(cmp.Or(name, "Asia/Almaty"))
	if err != nil {
		t.Fatal(err)
	}
	of := table.Of(api.Env.Table, 1)
	put := of.Put(company.Company{Item: table.At(of.Company(), company.Version), ID: 1, TimeZone: zone.String(), Revision: 1})
	if err := put.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if start, end, ok := strings.Cut(rental, " – "); ok {
		e.start, e.end = e.when(start, zone), e.when(end, zone)
	}
	e.made("/v1/crm/categories/", `{"name":"Big ones"}`)
	e.made("/v1/crm/rental_points/", `{"name":"Airport","address":"1"}`)
	e.made(groupsPath, `{"name":"Cars","combine":null}`, `{"name":"Vans","category":1}`)
	e.tariffs = strings.Fields(cmp.Or(row["Tariffs"], "H D W M"))
	for _, letter := range e.tariffs {
		e.made(groupsPath+"1/tarifs/", with(t, tariffs[letter], `{"inventory_group":1}`))
	}
	e.made(inventories, `{"name":"1","group":1,"sell_price":"9000000"}`, `{"name":"2","group":1}`)
	e.made("/v1/crm/discounts/", `{"name":"Friends","percent":10}`, `{"name":"Family","percent":30}`)
	e.made("/v1/crm/services/", `{"name":"1","price":500}`, `{"name":"2","price":500,"discount":2}`)
	for _, letter := range strings.Fields(row["Service tariffs"]) {
		e.made("/v1/crm/services/1/tarifs/", with(t, tariffs[letter], `{"service":1}`))
	}
	e.c.Put(rentalSettings, `{"combine":true,"services_by_time":true}`).Status(200)
	e.c.Put(rentalSettings, row.sent("Settings", "")).Status(200)
	e.c.Patch(groupsPath+"1/", row.sent("Settings", "group")).Status(200)
	e.made(priceRules, row.all("Price rules")...)
	return e
}

func (e *example) made(path string, bodies ...string) {
	e.t.Helper()
	for _, body := range bodies {
		e.c.Post(path, body).Status(201)
	}
}

// when reads a time such as Thu 5 Mar 10:00 on clocks.
func (e *example) when(text string, zone *time.Location) time.Time {
	e.t.Helper()
	layout := "Mon 2 Jan 2006 15:04"
	if strings.Count(text, " ") == 3 {
		i := strings.LastIndex(text, " ")
		text = text[:i] + " 2026" + text[i:]
	}
	at, err := time.ParseInLocation(layout, text, zone)
	if err != nil || at.Format(layout) != text {
		e.t.Fatalf("%s: %v, %v", text, at, err)
	}
	return at
}

// with is JSON with more members.
func with(t *testing.T, objects ...string) string {
	t.Helper()
	all := map[string]json.RawMessage{}
	for _, one := range objects {
		if err := json.Unmarshal([]byte(one), &all); err != nil {
			t.Fatalf("%s: %v", one, err)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// run quotes what the row says, and looks whether it costs what the row says.
func (e *example) run() {
	body := map[string]any{"status": 1}
	of := e.sent("Class", "")
	if of == "{}" {
		of = `{"inventory":1}`
	}
	line := with(e.t, of, `{"start_at":"`+e.start.Format(time.RFC3339)+`","end_at":"`+e.end.Format(time.RFC3339)+`"}`, e.sent("Sent", ""))
	body["inventories"] = []json.RawMessage{json.RawMessage(line)}
	if service := cmp.Or(strings.Join(e.all("Service line"), ""), e.sent("Sent", "service")); service != "{}" {
		body["services"] = []json.RawMessage{json.RawMessage(service)}
	}
	whole, err := json.Marshal(body)
	if err != nil {
		e.t.Fatal(err)
	}
	order := with(e.t, string(whole), e.sent("Sent", "order"))
	c := e.c
	switch e.cells["Who"] {
	case "employee":
		c = e.api.As(webtest.Employee(1))
	case "owner":
		c = e.api.As(webtest.Owner(1))
	}
	a := c.Post(quotes, order)
	if answer, field, refused := strings.Cut(e.cells["Answer"], " "); refused {
		a.Status(400).Field(strings.Trim(field, "`"), `["<string>"]`)
		if answer != "400" {
			e.t.Errorf("the answer is 400, not %s", answer)
		}
		return
	}
	a.Status(200)
	for column, field := range map[string]string{
		"Price": "inventories.0.price", "Service": "services.0.price", "Order": "price", "Tax": "tax",
	} {
		if e.has(column) {
			a.Field(field, `"`+amount(e.t, e.cells[column])+`"`)
		}
	}
	if e.has("How") {
		e.how(a)
	}
	if e.has("Back") {
		e.back(order)
	}
	if e.has("Cancelled") {
		e.cancelled(order)
	}
	if e.has("Price") && e.cells["Sent"] == "" {
		e.c.Get(priceRules+"preview/?group=1&start_at="+e.start.Format("2006-01-02T15:04")+"&end_at="+e.end.Format("2006-01-02T15:04")).
			Status(200).Field("price", `"`+amount(e.t, e.cells["Price"])+`"`)
	}
}

// amount is an amount of the document as the API writes it.
func amount(t *testing.T, text string) string {
	t.Helper()
	n, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.FormatFloat(n, 'f', 2, 64)
}

// how compares the steps of the answer with those that the row names.
func (e *example) how(a *webtest.Answer) {
	steps, _ := a.Value("inventories.0.steps").([]any)
	var got []string
	for i := range steps {
		at := fmt.Sprintf("inventories.0.steps.%d.", i)
		text := a.Text(at + "amount")
		switch id := a.Value(at + "tarif"); {
		case text == "0.00":
			continue
		case id != nil && !strings.Contains(e.cells["Sent"], "tarif_price"):
			n, err := id.(json.Number).Int64()
			if err != nil {
				e.t.Fatal(err)
			}
			text = strings.TrimPrefix(fmt.Sprint(a.Int(at+"units"), " ", e.tariffs[n-1]), "1 ")
		}
		got = append(got, text)
	}
	var want []string
	for _, of := range strings.Split(strings.ReplaceAll(e.cells["How"], " − ", " + -"), " + ") {
		if strings.ContainsAny(of, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			want = append(want, of)
		} else {
			want = append(want, amount(e.t, of))
		}
	}
	if !slices.Equal(got, want) {
		e.t.Errorf("the steps are %q, not %q", got, want)
	}
}

// back makes the order, hands the item out, gives its line another end where the row has one, and takes the item back.
func (e *example) back(order string) {
	e.c.Post(requests, order).Status(201)
	step := func(to time.Time, status int) {
		e.api.Clock.Step(to.Sub(e.api.Clock.Now()))
		act(e.c, 1, status).Status(200)
	}
	out := e.start
	if text := e.cells["Out"]; text != "" {
		out = e.when(text, e.start.Location())
	}
	step(out, 2)
	if text := e.cells["New end"]; text != "" {
		e.c.Patch(lines+"1/", `{"end_at":"`+e.when(text, e.start.Location()).Format(time.RFC3339)+`"}`).Status(200)
	}
	step(e.when(e.cells["Back"], e.start.Location()), 4)
	is := e.c.Get(lines+"1/").Status(200).Field("penalty_amount", `"`+amount(e.t, e.cells["Late fee"])+`"`)
	if e.has("Charged") {
		is.Field("price", `"`+amount(e.t, e.cells["Charged"])+`"`)
	}
}

// cancelled makes the order and cancels it.
func (e *example) cancelled(order string) {
	e.c.Post(requests, order).Status(201)
	e.api.Clock.Step(e.when(e.cells["Cancelled"], e.start.Location()).Sub(e.api.Clock.Now()))
	fee := amount(e.t, e.cells["Fee"])
	a := e.c.Post(requests+"1/action/", with(e.t, `{"status":3}`, e.sent("Sent", "action"))).Status(200).
		Field("debt", `"`+amount(e.t, e.cells["Debt"])+`"`).Field("penalty_amount", `"`+fee+`"`)
	if fee == "0.00" {
		a.Field("penalties", "[]")
	} else {
		a.Field("penalties.0.amount", `"`+fee+`"`)
	}
}

// calls makes the calls of a table, one after the other, looks what a line and a service cost after each, and explains the line.
func calls(t *testing.T, tariffs map[string]string, rows []cells, doc string) {
	e := newExample(t, tariffs, cells{"Service tariffs": "I"})
	for _, row := range rows {
		method, _, _ := strings.Cut(row["Call"], " ")
		if a := e.c.Do(method, row.all("Call")[0], row.all("Body")[0]); a.Code() != 200 && a.Code() != 201 {
			t.Fatalf("%s: %s", row["Call"], a.Body())
		}
		t.Log(row["Why"])
		e.c.Get(lines+"1/").Status(200).Field("price", `"`+amount(t, row["Price"])+`"`)
		e.c.Get(serviceLines+"1/").Status(200).Field("price", `"`+amount(t, row["Service"])+`"`)
	}
	_, after, _ := strings.Cut(doc, "```json\n")
	example, _, _ := strings.Cut(after, "```")
	e.c.Get(lines + "1/price/").Status(200).JSON(example)
}
