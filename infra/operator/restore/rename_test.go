package restore_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// hostile is what people have written into each kind of record, in names, comments and free parts, and what histories tell of it: it looks
// as if it held numbers of the company, of users and of events.
func hostile() map[string]types.AttributeValue {
	object := `{"tenant":1,"manager":1,"created_by":4,"list":[{"field":"user","from":1,"to":4},{"field":"tenant","from":null,"to":1}],` +
		`"a":"T#1#hello","b":"company:1"}`
	return map[string]types.AttributeValue{
		"zz1": text("T#1#hello"), "zz2": text("company:1"), "zz3": text("evt_1_144"), "zz4": text(object),
		"zz5": &types.AttributeValueMemberB{Value: []byte(object)}, "zz6": &types.AttributeValueMemberB{Value: []byte("[" + object + "]")},
		"zz7": &types.AttributeValueMemberSS{Value: []string{"T#1#x", "company:1"}},
		"zz8": &types.AttributeValueMemberM{Value: estatetest.Item{
			"n": text("company.updated"), "i": number(1), "t": number(1), "u": number(1), "m": text("evt_1_1"),
			"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{text("T#1#cli")}},
		}},
	}
}

// told are changes that a history tells of such parts.
func told() []audit.Change {
	raw := func(s string) []byte { return []byte(s) }
	return []audit.Change{
		{Field: "extra.tenant", From: raw("1"), To: raw("null")},
		{Field: "extra.a.manager", From: raw("1"), To: raw("4")},
		{Field: "extra.inventories.1.created_by", From: raw("1"), To: raw("4")},
		{Field: "extra", From: raw("null"), To: raw(`{"tenant":1,"created_by":1,"user":4}`)},
		{Field: "comment", From: raw(`"T#1#hello"`), To: raw(`"{\"field\":\"tenant\",\"from\":1,\"to\":1}"`)},
		{Field: "inventories.1", From: raw("null"), To: raw(`{"extra":{"created_by":1,"tenant":1},"comment":"{\"created_by\":1}"}`)},
		{Field: "list", From: raw("null"), To: raw(`[{"field":"manager","from":1,"to":4}]`)},
	}
}

// infect gives each item of the company what is hostile, and returns the items.
func infect(t *testing.T, was estatetest.Items) estatetest.Items {
	t.Helper()
	e := estate.Open(table.Open(nil, ""), estate.Bucket{})
	items, kinds := estatetest.Items{}, map[string]bool{}
	for key, item := range was {
		p := e.Pattern(key.PK)
		id, own := table.TenantOf(key.PK)
		if own && id == company && slices.Contains([]string{"live", "gone", "log", "told", "unique", "fields", "sum", "prices", "cal"}, p.Name) {
			item = maps.Clone(item)
			maps.Copy(item, hostile())
			if _, is := item["n"].(*types.AttributeValueMemberS); is && p.Name != "told" {
				item["n"] = text("T#1#hello")
			}
			if p.Name == "log" {
				changes, err := audit.Changes(item)
				if err != nil {
					t.Fatal(err)
				}
				plain, err := encode.JSON(append(changes, told()...))
				if err != nil {
					t.Fatal(err)
				}
				item["c"] = &types.AttributeValueMemberB{Value: plain}
				delete(item, "z")
			}
			kinds[estate.KindOf(key.PK)] = true
		}
		items[key] = item
	}
	if len(kinds) < 30 {
		t.Errorf("only %d kinds", len(kinds))
	}
	of := table.Of(table.Open(nil, ""), company)
	for _, name := range []string{"invite#1", "sealed#1#2", "original#at#1#000000000001#2", "memberships", "T#1#x", "company:1"} {
		key := of.Reservation("grp.name", name)
		items[key] = estatetest.Item{"pk": text(key.PK), "sk": text(key.SK), "v": number(1), "id": number(1), "t": number(1)}
	}
	return items
}

// What people have written stays as it is when a company gets another number, and its people other numbers, over all kinds, whatever it
// looks like; and what the platform has written is renamed beside it.
func TestWhatPeopleWroteStays(t *testing.T) {
	const first tenant.ID = 70000123
	w := estatetest.Make(t)
	items := infect(t, w.Items)
	copied := enginetest.Table(t)
	estatetest.Fill(t, copied, items)
	for name, users := range map[string]map[int64]int64{"a new number": nil, "another stage": {1: 501, 4: 502}} {
		t.Run(name, func(t *testing.T) {
			live, into := w.Table(t)
			given(t, live, first-1)
			r := restorer(table.Open(enginetest.Client(t), copied), live, estatetest.Bucket(t))
			r.Users = users
			if _, err := r.Number(t.Context(), company); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Run(t.Context(), company, first); err != nil {
				t.Fatal(err)
			}
			got := estatetest.Scan(t, into)
			compared, tenants := 0, 0
			for key, item := range items {
				id, own := table.TenantOf(key.PK)
				if !own || id != company || item["zz1"] == nil && !strings.Contains(key.PK, "#unique#") {
					continue
				}
				p, _ := keyspace.New().Of(key.PK)
				if slices.Contains([]string{"sms", "smo"}, estate.KindOf(key.PK)) && users == nil {
					continue // what was sent and paid stays with who did
				}
				to := table.Key{PK: strings.Replace(key.PK, "T#1#", "T#70000123#", 1), SK: key.SK}
				if strings.HasPrefix(to.PK, "T#70000123#com#") {
					to.PK = strings.Replace(to.PK, "000000000001", "000070000123", 1)
				}
				is := got[to]
				for name := range hostile() {
					if !reflect.DeepEqual(is[name], item[name]) {
						t.Errorf("%v: %s is %v, not %v", to, name, is[name], item[name])
					}
				}
				if is == nil || p.Name != "told" && !reflect.DeepEqual(is["n"], item["n"]) {
					t.Errorf("%v is %v", to, is)
					continue
				}
				compared++
				if p.Name != "log" {
					continue
				}
				before, err := audit.Changes(item)
				if err != nil {
					t.Fatal(err)
				}
				after, err := audit.Changes(is)
				if err != nil {
					t.Fatal(err)
				}
				n := len(before) - len(told())
				if !reflect.DeepEqual(after[n:], before[n:]) {
					t.Errorf("%v tells %s, not %s", to, after[n:], before[n:])
				}
				for i, c := range before[:n] {
					if c.Field == "tenant" && string(c.To) == "1" {
						if tenants++; string(after[i].To) != "70000123" {
							t.Errorf("%v tells %s", to, after[i])
						}
					}
					if c.Field == "manager" && users != nil && string(after[i].To) != "501" {
						t.Errorf("%v tells %s", to, after[i])
					}
				}
			}
			if compared < 200 || tenants == 0 {
				t.Errorf("%d items are compared, %d tenants", compared, tenants)
			}
			of := table.Of(live, first)
			var lead table.Attributes
			if err := of.Get(t.Context(), of.Record(kinds.Lead, 1), &lead); err != nil || users != nil && lead.Int("ma") != 501 {
				t.Errorf("the lead is %v, %v", lead, err)
			}
		})
	}
}
