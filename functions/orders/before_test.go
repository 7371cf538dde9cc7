package orders_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// testdata/before has what the release stored that knew neither combined prices, nor price rules, nor services by time, and what it
// answered: items.json is the table of three companies, one item a line, and answers.json what came of reading and changing their orders,
// each change on the table as it was. testdata/before/record_test.go made both; it says how.

// before is what that release answered.
type before struct {
	At      time.Time         `json:"at"` // the time at which the table was kept
	Read    map[string]values `json:"read"`
	Changes []change          `json:"changes"`
}

// values are the money and the states of an answer, by their paths; lines have theirs by their ids.
type values map[string]any

// change is a series of requests, and what they change of what an order or a quote shows. Null is what isn't there any more.
type change struct {
	Company tenant.ID `json:"company"`
	Shows   string    `json:"shows,omitempty"` // the path of the order; empty: what is compared is the last answer
	Do      []request `json:"do"`
	Values  values    `json:"values"`
}

const bytesMark = "base64:"

type request struct {
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body,omitempty"`  // of a PUT without one: what a GET answers
	After  int64           `json:"after,omitempty"` // seconds, that pass before it
	Status int             `json:"status"`
}

// desk is a table that can be brought back to what it was.
type desk struct {
	*webtest.API
	client  dynamodbiface.DynamoDBAPI
	written *written
	items   map[string]stored
}

type stored = map[string]types.AttributeValue

// written keeps the name of the table, and the keys of the items that transactions have written.
type written struct {
	dynamodbiface.DynamoDBAPI
	table string
	keys  map[string]stored
}

func (w *written) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	w.table = aws.ToString(in.TableName)
	return w.DynamoDBAPI.GetItem(ctx, in, o...)
}

func (w *written) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	for _, of := range in.TransactItems {
		switch {
		case of.Put != nil:
			w.add(of.Put.Item)
		case of.Update != nil:
			w.add(of.Update.Key)
		case of.Delete != nil:
			w.add(of.Delete.Key)
		}
	}
	return w.DynamoDBAPI.TransactWriteItems(ctx, in, o...)
}

func (w *written) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	w.add(in.Item)
	return w.DynamoDBAPI.PutItem(ctx, in, o...)
}

func (w *written) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options),
) (*dynamodb.UpdateItemOutput, error) {
	w.add(in.Key)
	return w.DynamoDBAPI.UpdateItem(ctx, in, o...)
}

func (w *written) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options),
) (*dynamodb.DeleteItemOutput, error) {
	w.add(in.Key)
	return w.DynamoDBAPI.DeleteItem(ctx, in, o...)
}

func (w *written) add(it stored) { w.keys[keyOf(it)] = stored{"pk": it["pk"], "sk": it["sk"]} }

func keyOf(it stored) string {
	return it["pk"].(*types.AttributeValueMemberS).Value + "\x00" + it["sk"].(*types.AttributeValueMemberS).Value
}

func newDeskOf(t testing.TB) *desk {
	t.Helper()
	d := &desk{client: enginetest.Client(t), written: &written{keys: map[string]stored{}}, items: map[string]stored{}}
	d.API = webtest.Setup{Table: func(c dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		d.written.DynamoDBAPI = c
		return d.written
	}}.New(t, groups()...)
	d.As(webtest.Employee(1)).Get(requests + "1/") // so that the name of the table is known
	return d
}

// reset brings what was written back to what it was.
func (d *desk) reset(t testing.TB) {
	t.Helper()
	var todo []types.WriteRequest
	for key, it := range d.written.keys {
		if was, stays := d.items[key]; stays {
			todo = append(todo, types.WriteRequest{PutRequest: &types.PutRequest{Item: was}})
		} else {
			todo = append(todo, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: it}})
		}
	}
	d.written.keys = map[string]stored{}
	for part := range slices.Chunk(todo, 25) {
		in := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{d.written.table: part}}
		out, err := d.client.BatchWriteItem(t.Context(), in)
		if err != nil || len(out.UnprocessedItems) > 0 {
			t.Fatal(out, err)
		}
	}
}

// keep makes what is stored now what reset brings back.
func (d *desk) keep(t testing.TB) {
	t.Helper()
	for key, it := range d.written.keys {
		out, err := d.client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &d.written.table, Key: it, ConsistentRead: aws.Bool(true)})
		if err != nil {
			t.Fatal(err)
		}
		if d.items[key] = out.Item; out.Item == nil {
			delete(d.items, key)
		}
	}
	d.written.keys = map[string]stored{}
}

// tell sends the requests of a change and returns what it shows then.
func (d *desk) tell(t testing.TB, c change, as func(method, path string, body any) *webtest.Answer) (values, []int) {
	t.Helper()
	var answer *webtest.Answer
	var codes []int
	var passed time.Duration
	for _, r := range c.Do {
		d.Clock.Step(time.Duration(r.After) * time.Second)
		passed += time.Duration(r.After) * time.Second
		var body any
		if len(r.Body) > 0 {
			body = string(r.Body)
		}
		answer = as(r.Method, r.Path, body)
		codes = append(codes, answer.Code())
	}
	if c.Shows != "" {
		answer = as("GET", c.Shows, nil)
	}
	d.Clock.Step(-passed)
	return valuesOf(t, answer), codes
}

// caller sends requests as the owner of a company. A PUT without a body sends back what is read, without the fields to leave out.
func (d *desk) caller(t testing.TB, company tenant.ID, leaveOut ...string) func(method, path string, body any) *webtest.Answer {
	c := d.As(webtest.Owner(company)).In(t)
	return func(method, path string, body any) *webtest.Answer {
		if method == "PUT" && body == nil {
			body = sentBack(t, c.Get(path).Status(200).Body(), leaveOut)
		}
		return c.Do(method, path, body)
	}
}

// sentBack makes the body of a PUT of what was read: what is shown as a record is named by its id.
func sentBack(t testing.TB, read []byte, leaveOut []string) map[string]any {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(read, &body); err != nil {
		t.Fatal(err)
	}
	for field, v := range body {
		if record, nested := v.(map[string]any); nested && (field == "client" || field == "inventory") {
			body[field] = record["id"]
		}
	}
	for _, field := range append(leaveOut, "inventories", "services", "deposits", "penalties", "referrals") {
		delete(body, field)
	}
	return body
}

// valuesOf are what is compared of an answer: all but texts, moments of changes and what belongs to other records.
func valuesOf(t testing.TB, a *webtest.Answer) values {
	t.Helper()
	of := values{}
	of.add("", tree(t, a))
	return of
}

func tree(t testing.TB, a *webtest.Answer) (v any) {
	t.Helper()
	if err := json.Unmarshal(a.Body(), &v); err != nil {
		t.Fatalf("%v: %s", err, a.Body())
	}
	return v
}

// ids are the ids of the records in a list of an answer.
func (of values) ids(list string) (ids []string) {
	for path := range of {
		if rest, is := strings.CutPrefix(path, list+"."); is && strings.HasSuffix(rest, ".price") {
			ids = append(ids, strings.TrimSuffix(rest, ".price"))
		}
	}
	return ids
}

func (of values) add(path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for field, value := range v {
			switch field {
			case "client", "inventory", "created_at", "updated_at", "created_by", "extra", "steps", "tenant", "id", "unique_id", "request",
				"warehouse", "counterparty", "exchange", "rental_point", "rental_point_return":
			default:
				of.add(strings.TrimPrefix(path+"."+field, "."), value)
			}
		}
	case []any:
		of[path] = float64(len(v))
		for i, value := range v {
			key := fmt.Sprint(i)
			if record, is := value.(map[string]any); is && record["id"] != nil {
				key = fmt.Sprint(record["id"])
			}
			of.add(path+"."+key, value)
		}
	default:
		of[path] = v
	}
}

// with are values after some of them were changed.
func (of values) with(by values) values {
	all := maps.Clone(of)
	if all == nil {
		all = values{}
	}
	maps.Copy(all, by)
	return all
}

// differences lists the values that have changed. It leaves out fields that only the present release shows, because the old one had none.
func differences(got, want values) (list []string) {
	for path, v := range want {
		if got[path] != v {
			list = append(list, fmt.Sprintf("%s is %v, was %v", path, got[path], v))
		}
	}
	slices.Sort(list)
	return list
}

// readBefore reads the table and the answers.
func readBefore(t testing.TB) (*desk, before) {
	t.Helper()
	var was before
	data, err := os.ReadFile("testdata/before/answers.json")
	if err == nil {
		err = json.Unmarshal(data, &was)
	}
	if err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile("testdata/before/items.json"); err != nil {
		t.Fatal(err)
	}
	d := newDeskOf(t)
	for line := range bytes.Lines(data) {
		var plain map[string]any
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		if err := decoder.Decode(&plain); err != nil {
			t.Fatal(err)
		}
		it := stored{}
		for name, v := range plain {
			it[name] = attribute(v)
		}
		d.items[keyOf(it)] = it
		d.written.add(it)
	}
	d.reset(t)
	d.Clock.Step(was.At.Sub(d.Clock.Now()))
	return d, was
}

// attribute is a value of an item as items.json has it: as JSON has it, and bytes as a text in base64 behind bytesMark.
func attribute(v any) types.AttributeValue {
	switch v := v.(type) {
	case string:
		if encoded, is := strings.CutPrefix(v, bytesMark); is {
			if data, err := base64.StdEncoding.DecodeString(encoded); err == nil {
				return &types.AttributeValueMemberB{Value: data}
			}
		}
		return &types.AttributeValueMemberS{Value: v}
	case json.Number:
		return &types.AttributeValueMemberN{Value: v.String()}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case []any:
		list := &types.AttributeValueMemberL{Value: []types.AttributeValue{}}
		for _, one := range v {
			list.Value = append(list.Value, attribute(one))
		}
		return list
	case map[string]any:
		m := &types.AttributeValueMemberM{Value: stored{}}
		for name, one := range v {
			m.Value[name] = attribute(one)
		}
		return m
	}
	return &types.AttributeValueMemberNULL{Value: true}
}

// What was stored before is read, and changed, at the prices of before.
func TestPricesOfBefore(t *testing.T) {
	d, was := readBefore(t)
	for path, want := range was.Read {
		company, path := companyOf(path)
		get := d.caller(t, company)
		got := valuesOf(t, get("GET", path, nil).Status(200))
		for list, address := range map[string]string{"inventories": lines, "services": requests + "services/"} {
			for _, id := range want.ids(list) { // lines by themselves are as in their order
				got.add(list+"."+id, tree(t, get("GET", address+id+"/", nil).Status(200)))
			}
		}
		for _, difference := range differences(got, want) {
			t.Errorf("company %d, %s: %s", company, path, difference)
		}
	}
	for i, c := range was.Changes {
		// Clients that read before know no field "combined"; those that read now send it back.
		for _, leaveOut := range [][]string{nil, {"combined", "by_time", "start_at", "end_at"}} {
			if leaveOut != nil && !slices.ContainsFunc(c.Do, func(r request) bool { return r.Method == "PUT" && len(r.Body) == 0 }) {
				continue
			}
			got, codes := d.tell(t, c, d.caller(t, c.Company, leaveOut...))
			want := was.Read[fmt.Sprintf("%d:%s", c.Company, c.Shows)].with(c.Values)
			for j, r := range c.Do {
				if codes[j] != r.Status {
					t.Errorf("change %d of company %d, %s %s %s: status %d, was %d", i, c.Company, r.Method, r.Path, r.Body, codes[j], r.Status)
				}
			}
			if list := differences(got, want); len(list) > 0 {
				t.Errorf("change %d of company %d, %+v:\n  %s", i, c.Company, show(c.Do), strings.Join(list, "\n  "))
			}
			d.reset(t)
		}
	}
	t.Logf("%d items, %d records, %d changes", len(d.items), len(was.Read), len(was.Changes))
}

// A line that isn't priced anew keeps its price, also where the company counts months otherwise since. The release of before priced a line
// at every touch, so that its answers are no measure here. What is priced anew is priced by the months of today, as it was; answers.json
// has that.
func TestMonthsOfBefore(t *testing.T) {
	d, was := readBefore(t)
	for _, tt := range []struct {
		company       tenant.ID
		months, price string // of 31 days from 20 October on, at 60,000 a month
		eighth        string // of that
	}{
		{1, `"calendar"`, "120000.00", "15000.00"},
		{2, `"days"`, "60000.00", "7500.00"},
	} {
		c := d.As(webtest.Owner(tt.company)).In(t)
		const line = lines + "5/"
		order := was.Read[fmt.Sprintf("%d:%s2/", tt.company, requests)]
		if got := order["inventories.5.price"]; got != tt.price {
			t.Fatalf("company %d: the line costs %v", tt.company, got)
		}
		c.Put(rentalSettings, `{"month":`+tt.months+`}`).Status(200)
		for _, body := range []string{
			`{"extra":{"n":1}}`, `{"discount":null}`, `{"set":null}`, `{"reprice":false}`, `{"tarif":4,"tarif_price":"60000.00"}`,
		} {
			c.Patch(line, body).Status(200).Field("price", `"`+tt.price+`"`).Field("price_discount", `"0.00"`)
		}
		d.caller(t, tt.company)("PUT", line, nil).Status(200).Field("price", `"`+tt.price+`"`)
		c.Patch(line, `{"discount":1}`).Status(200).Field("price", `"`+tt.price+`"`).Field("price_discount", `"`+tt.eighth+`"`)
		c.Patch(line, `{"discount":null}`).Status(200)
		for _, difference := range differences(valuesOf(t, c.Get(requests+"2/").Status(200)), order) {
			t.Errorf("company %d: %s", tt.company, difference)
		}
		d.reset(t)
	}
}

// A company of before may take the ways of pricing that came since. What it has agreed on stays at its price all the same.
func TestNewWaysKeepPricesOfBefore(t *testing.T) {
	d, was := readBefore(t)
	for company := range tenant.ID(3) {
		company++
		c := d.As(webtest.Owner(company)).In(t)
		c.Put(rentalSettings, `{"combine":true,"services_by_time":true,"late":"tariffs","late_percent":150,"tax_percent":12,"tax_included":true,`+
			`"max_discount_percent":{"employee":5,"manager":5}}`).Status(200)
		c.Post(priceRules, `{"name":"All","percent":20}`).Status(201)
		c.Post(priceRules, `{"name":"Three days","minimum":259200}`).Status(201)
	}
	d.keep(t)
	for i, c := range was.Changes {
		only := c.Do[0]
		touches := only.Method == "PUT" && len(only.Body) == 0 || slices.ContainsFunc(
			[]string{
				`"end_at"`, `"start_at"`, `"extra"`, `"discount"`, `"additional_discount"`, `"count"`, `"tax_percent"`, `"rental_point"`,
				`"tarif_price"`,
			},
			func(field string) bool { return strings.HasPrefix(string(only.Body), "{"+field) })
		if len(c.Do) != 1 || c.Shows == "" || only.Method == "POST" || !touches {
			continue
		}
		got, codes := d.tell(t, c, d.caller(t, c.Company))
		want := was.Read[fmt.Sprintf("%d:%s", c.Company, c.Shows)].with(c.Values)
		if list := differences(got, want); len(list) > 0 || codes[0] != only.Status {
			t.Errorf("change %d of company %d, %s status %d\n  %s", i, c.Company, show(c.Do), codes[0], strings.Join(list, "\n  "))
		}
		d.reset(t)
	}
}

func companyOf(key string) (tenant.ID, string) {
	var id int64
	number, path, _ := strings.Cut(key, ":")
	_, _ = fmt.Sscan(number, &id)
	return tenant.ID(id), path
}

func show(list []request) string {
	var b strings.Builder
	for _, r := range list {
		fmt.Fprintf(&b, "[+%ds %s %s %s %d] ", r.After, r.Method, r.Path, r.Body, r.Status)
	}
	return b.String()
}
