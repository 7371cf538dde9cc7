package inventory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/inventory"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const bulk = all + "bulk_update/"

// stock makes groups and items 1 to n of company 1; an item gets into the group of its number, modulo the
// groups but the last two, which are empty.
func stock(t *testing.T, api *webtest.API, n, groupsToo int) (ids []int64) {
	t.Helper()
	for g := range groupsToo {
		api.As(webtest.Employee(1)).Post(groups, fmt.Sprintf(`{"name":"Group %d"}`, g+1)).Status(201)
	}
	for from := range n {
		ids = append(ids, int64(from+1))
	}
	s := record.Scope{
		Table: table.Of(api.Env.Table, 1), Actor: audit.Actor{User: 1, Request: "stock", At: api.Clock.Now()}, Now: api.Clock.Now,
	}
	for part := range slices.Chunk(ids, 15) {
		if err := s.Do(t.Context(), nil, func(w *record.Work) error {
			for _, id := range part {
				group := id%int64(groupsToo-2) + 1
				item.Kind().Create(w, "", &item.Item{Name: fmt.Sprintf("Item %d", id), Group: &group, Extra: decode.JSON("{}")})
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

// grow makes items of company 1 as large as they may be: about 133 KB.
func grow(t *testing.T, api *webtest.API, ids []int64) {
	t.Helper()
	s := record.Scope{
		Table: table.Of(api.Env.Table, 1), Actor: audit.Actor{User: 1, Request: "grow", At: api.Clock.Now()}, Now: api.Clock.Now,
	}
	extra := decode.JSON(`{"note":"` + strings.Repeat("x", 16000) + `"}`)
	comment, reason := strings.Repeat("\U0001F697", 10000), strings.Repeat("x", 60<<10)
	for part := range slices.Chunk(ids, 15) {
		if err := s.Do(t.Context(), nil, func(w *record.Work) error {
			for _, id := range part {
				it, err := item.Kind().Edit(t.Context(), w, id)
				if err != nil {
					return err
				}
				it.Comment, it.Extra, it.Car = &comment, extra, &item.Car{Type: item.TypeCar, Extra: extra}
				it.Blocks = []item.Block{{Element: record.Element{ID: id}, Start: 1, End: 2, Reason: &reason}}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// where are the groups of items of company 1, as it is stored.
func where(t *testing.T, api *webtest.API, ids []int64) (list []int64) {
	t.Helper()
	s := record.Scope{Table: table.Of(api.Env.Table, 1), Now: api.Clock.Now}
	w := s.Reading()
	var keys []table.Key
	for _, id := range ids {
		keys = append(keys, item.Kind().Key(s.Table, id))
	}
	if err := w.Load(context.WithoutCancel(t.Context()), keys...); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		it, err := item.Kind().Read(t.Context(), w, id)
		switch {
		case err != nil:
			list = append(list, -1)
		case it.Group == nil:
			list = append(list, 0)
		default:
			list = append(list, *it.Group)
		}
	}
	return list
}

// in checks that all items are in a group.
func in(t *testing.T, api *webtest.API, ids []int64, group int64) {
	t.Helper()
	for i, g := range where(t, api, ids) {
		if g != group {
			t.Fatalf("item %d is in group %d, not %d", ids[i], g, group)
		}
	}
}

func body(group int64, ids []int64) string {
	list, _ := json.Marshal(ids) // numbers can be encoded
	return fmt.Sprintf(`{"id":%d,"inventories":%s}`, group, list)
}

func TestBulkUpdate(t *testing.T) {
	api := webtest.New(t, inventory.New)
	c := api.As(webtest.Employee(1))
	stock(t, api, 4, 4)
	const sent, answered = `{"id":"3","inventories":[3,"1",3,4,1]}`, `{"id":3,"inventories":[3,1,4]}`
	c.With("Idempotency-Key", "k").Post(bulk, sent).Status(201).JSON(answered)
	c.With("Idempotency-Key", "k").Post(bulk, sent).Status(201).JSON(answered).Writes(0)
	in(t, api, []int64{1, 3, 4}, 3)
	in(t, api, []int64{2}, 1)
	for id, want := range map[int64]string{1: `12 changed group 2→3`, 2: `1 created name null→"Item 2"`, 4: `12 changed group 1→3`} {
		if got := told(t, api, id); !slices.Contains(got, want) || strings.Contains(strings.Join(got, ""), "moved") {
			t.Errorf("the history of item %d tells %q, not %q", id, got, want)
		}
	}
	// The groups know who is in them.
	c.Delete(groups + "3/").Status(409)
	c.Delete(groups + "2/").Status(204)
	c.Delete(groups+"1/").Status(409).Field("held_by", `{"inventory":1}`)
	// A move by a change of the item counts like any other. To move to where an item is already is a move, too.
	c.Patch(all+"1/", `{"group":1}`).Status(200)
	c.Post(bulk, `{"id":3,"inventories":[1,3]}`).Status(201)
	c.Patch(all+"3/", `{"group":null}`).Status(200).Field("group", "null")
	c.Post(bulk, `{"id":3,"inventories":[3]}`).Status(201)
	in(t, api, []int64{1, 3, 4}, 3)
	c.Delete(all + "2/").Status(204)
	c.Delete(groups + "1/").Status(204)
	if n := api.Deliver(); n != 0 {
		t.Errorf("%d messages were left", n)
	}
	// A user who may only read can't move items, and another company has neither the items nor the group.
	api.As(webtest.ReadOnly(1)).Post(bulk, `{"id":3,"inventories":[1]}`).Status(403)
	api.As(webtest.Employee(2)).Post(bulk, `{"id":3,"inventories":[1]}`).Status(400).
		JSON(`{"id":["Invalid pk \"3\" - object does not exist."],"inventories":{"0":["Invalid pk \"1\" - object does not exist."]}}`)
}

func TestBulkUpdatesThatAreRefused(t *testing.T) {
	api := webtest.New(t, inventory.New)
	c := api.As(webtest.Employee(1))
	ids := stock(t, api, 60, 3)
	c.Delete(all + "7/").Status(204)
	api.As(webtest.Employee(2)).Post(groups, `{"name":"Theirs"}`).Status(201)
	before := where(t, api, ids)
	const pk = `["Invalid pk \"%s\" - object does not exist."]`
	missing := func(id string) string { return fmt.Sprintf(pk, id) }
	for name, tt := range map[string]struct{ body, want string }{
		"nothing":                 {`{}`, `{"id":["This field is required."],"inventories":["This field is required."]}`},
		"null":                    {`{"id":null,"inventories":null}`, `{"id":["This field may not be null."],"inventories":["This field may not be null."]}`},
		"no items":                {`{"id":2,"inventories":[]}`, `{"inventories":["This list may not be empty."]}`},
		"too many items":          {body(2, slices.Repeat([]int64{1}, 1001)), `{"inventories":["Ensure this field has no more than 1000 elements."]}`},
		"an unknown item":         {`{"id":2,"inventories":[1,2,3,99]}`, `{"inventories":{"3":` + missing("99") + `}}`},
		"unknown ones, by index":  {`{"id":2,"inventories":[99,1,100,99]}`, `{"inventories":{"0":` + missing("99") + `,"2":` + missing("100") + `,"3":` + missing("99") + `}}`},
		"a deleted one":           {`{"id":2,"inventories":[6,7,8]}`, `{"inventories":{"1":` + missing("7") + `}}`},
		"one of 60":               {body(2, append(ids[10:], 99)), `{"inventories":{"50":` + missing("99") + `}}`},
		"ids that are none":       {`{"id":2,"inventories":[0,-1,9223372036854775807]}`, `{"inventories":{"0":` + missing("0") + `,"1":` + missing("-1") + `,"2":` + missing("9223372036854775807") + `}}`},
		"no number":               {`{"id":99,"inventories":[1,"x",98]}`, `{"id":` + missing("99") + `,"inventories":{"1":["A valid integer is required."]}}`},
		"no list":                 {`{"id":"x","inventories":5}`, `{"id":["A valid integer is required."],"inventories":["Expected a list of items but got type \"int\"."]}`},
		"an unknown group":        {`{"id":99,"inventories":[1]}`, `{"id":` + missing("99") + `}`},
		"an unknown group for 50": {body(-1, ids[10:]), `{"id":` + missing("-1") + `}`},
		"both unknown":            {`{"id":99,"inventories":[98]}`, `{"id":` + missing("99") + `,"inventories":{"0":` + missing("98") + `}}`},
	} {
		t.Run(name, func(t *testing.T) { c.In(t).Post(bulk, tt.body).Status(400).JSON(tt.want).Writes(0) })
	}
	if after := where(t, api, ids); !slices.Equal(after, before) {
		t.Errorf("%v\nwant %v", after, before)
	}
}

func TestCostOfABulkUpdate(t *testing.T) {
	api := webtest.New(t, inventory.New)
	c := api.As(webtest.Employee(1))
	ids := stock(t, api, 1000, 52)
	for _, tt := range []struct {
		name  string
		ids   []int64
		calls int
	}{
		{"45 items of 45 groups", ids[:45], 7},
		{"45 items of one group", ids[:45], 4},
		{"1,000 items of 50 groups", ids, 60},
		{"1,000 items of one group", ids, 60},
	} {
		group := map[bool]int64{true: 51, false: 52}[where(t, api, tt.ids[:1])[0] != 51]
		a := c.With("Idempotency-Key", strings.ReplaceAll(tt.name, " ", "-")).Post(bulk, body(group, tt.ids)).Status(201).Calls(tt.calls)
		in(t, api, tt.ids, group)
		cost, n := a.Cost(), float64(len(tt.ids))
		t.Logf("%s: %d calls, %.2f read and %.2f write units an item", tt.name, cost.Calls, cost.Read/n, cost.Write/n)
		events := 3 * (n/32 + 1) // three units for those of each transaction
		if cost.Write > 8.5*n+events || cost.Read/n > 2.1 {
			t.Errorf("%s: %+v", tt.name, cost)
		}
	}
	// Large items are moved too, in smaller parts.
	grow(t, api, ids[:40])
	c.Post(bulk, body(51, ids[:40])).Status(201)
	c.Post(bulk, body(52, append(slices.Clone(ids[40:72]), ids[:40]...))).Status(201)
	in(t, api, ids[:72], 52)
	// The move of one item by a change of it is a call and a unit more than any other change.
	c.Patch(all+"1/", `{"group":3}`).Status(200).Calls(4)
	if n := api.Deliver(); n != 0 {
		t.Errorf("%d messages were left", n)
	}
	api.Clock.Step(time.Hour)
	if n := api.Deliver(); n != 0 {
		t.Errorf("%d messages were left for later", n)
	}
}

// process is the engine as the functions see it: a process that can die, and is replaced by another one.
type process struct{ dynamodbiface.DynamoDBAPI }

// mortal is an API whose process can be killed, and the world of its processes.
func mortal(t *testing.T) (api *webtest.API, p *process, world *tabletest.World) {
	t.Helper()
	p = &process{}
	api = webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		world = tabletest.NewWorld(engine, tabletest.Faults{})
		p.DynamoDBAPI = world.Client(0)
		return p
	}}.New(t, inventory.New)
	return api, p, world
}

// A bulk update whose process is killed at any call has either done nothing, or ends whole by itself.
func TestABulkUpdateThatIsKilled(t *testing.T) {
	for name, tt := range map[string]struct{ n, large int }{
		"in one transaction": {20, 0}, "in parts": {100, 0}, "large ones": {40, 40}, "small ones, then large ones": {72, 40},
	} {
		t.Run(name, func(t *testing.T) {
			api, p, world := mortal(t)
			n := tt.n
			ids := stock(t, api, n, 42)
			grow(t, api, ids[n-tt.large:])
			was, group, ended := where(t, api, ids), int64(41), map[string]int{}
			for call := 1; ; call++ {
				for _, after := range []bool{false, true} {
					client := world.Client(uint64(call))
					client.DieAt(call, after)
					p.DynamoDBAPI = client
					code := api.As(webtest.Employee(1)).Post(bulk, body(group, ids)).Code()
					died := client.Crashed()
					p.DynamoDBAPI = world.Client(0)
					if code != 201 && !died {
						t.Fatalf("call %d: %d", call, code)
					}
					api.Clock.Step(2 * time.Minute)
					delivered := api.Deliver()
					now := where(t, api, ids)
					moved := slices.Index(now, group) >= 0
					ended[fmt.Sprintf("delivered %d, moved %t", delivered, moved)]++
					if !moved && (code == 201 || delivered > 0 || !slices.Equal(now, was)) {
						t.Fatalf("call %d: %d, %d delivered, %v after %v", call, code, delivered, now, was)
					}
					if !moved {
						continue
					}
					in(t, api, ids, group)
					for _, id := range []int64{1, int64(n)} {
						last := told(t, api, id)[0]
						if !strings.HasPrefix(last, "12 changed group") || !strings.HasSuffix(last, fmt.Sprint("→", group)) {
							t.Fatalf("call %d: the history of item %d tells last: %s", call, id, last)
						}
					}
					api.Clock.Step(time.Hour)
					if again := api.Deliver(); again != 0 {
						t.Fatalf("call %d: %d delivered again", call, again)
					}
					was, group = now, 41+42-group
					if !died {
						t.Log(ended)
						if n > 20 && ended["delivered 1, moved true"] < 4 || ended["delivered 0, moved false"] < 3 {
							t.Errorf("hardly anything was killed: %v", ended)
						}
						return
					}
				}
			}
		})
	}
}

// What happens to items between the death of a request and the worker is later than the move.
func TestWhatHappensBeforeTheWorker(t *testing.T) {
	api, p, world := mortal(t)
	ids := stock(t, api, 100, 4)
	client := world.Client(1)
	client.DieAt(5, false) // after the read of 101 keys, the number, and the first part
	p.DynamoDBAPI = client
	if code := api.As(webtest.Employee(1)).Post(bulk, body(3, ids)).Code(); code == 201 || !client.Crashed() {
		t.Fatal(code)
	}
	p.DynamoDBAPI = world.Client(0)
	if half := where(t, api, ids); half[31] != 3 || half[32] == 3 {
		t.Fatalf("%v", half)
	}
	if n := api.Deliver(); n != 0 {
		t.Errorf("%d delivered while the request may still be at work", n)
	}
	c := api.As(webtest.Manager(1))
	c.Delete(all + "50/").Status(204)
	c.Patch(all+"51/", `{"group":4}`).Status(200)
	c.Patch(all+"1/", `{"group":4}`).Status(200)
	c.Post(bulk, `{"id":4,"inventories":[52,100]}`).Status(201)
	c.Patch(all+"53/", `{"group":null,"name":"Renamed"}`).Status(200)
	c.Patch(all+"54/", `{"name":"Renamed"}`).Status(200)
	api.Clock.Step(2 * time.Minute)
	if n := api.Deliver(); n != 1 {
		t.Fatalf("%d delivered", n)
	}
	want := map[int64]int64{1: 4, 50: -1, 51: 4, 52: 4, 53: 0, 100: 4}
	for i, g := range where(t, api, ids) {
		if expected, other := want[ids[i]]; other && g != expected || !other && g != 3 {
			t.Errorf("item %d is in group %d", ids[i], g)
		}
	}
	if h := told(t, api, 54); h[0] != `12 changed group 1→3` || !strings.HasPrefix(h[1], "13 changed name") {
		t.Errorf("%q", h)
	}
}

// If a group is deleted before all items are in it, the remaining items stay where they are.
func TestAGroupThatGoesBeforeTheWorker(t *testing.T) {
	api, p, world := mortal(t)
	ids := stock(t, api, 60, 4)
	was := where(t, api, ids)
	client := world.Client(1)
	client.DieAt(4, false)
	p.DynamoDBAPI = client
	// Items with their histories, the groups that they leave and get into, the message, the number.
	api.As(webtest.Employee(1)).Post(bulk, body(3, ids)).Writes(32*2 + 2 + 1 + 1 + 1)
	p.DynamoDBAPI = world.Client(0)
	c := api.As(webtest.Employee(1))
	c.Delete(groups + "3/").Status(409)
	c.Post(bulk, body(4, ids[:32])).Status(201)
	c.Delete(groups + "3/").Status(204)
	api.Clock.Step(2 * time.Minute)
	if n := api.Deliver(); n != 1 {
		t.Fatalf("%d delivered", n)
	}
	in(t, api, ids[:32], 4)
	if rest := where(t, api, ids[32:]); !slices.Equal(rest, was[32:]) {
		t.Errorf("%v, not %v", rest, was[32:])
	}
}
