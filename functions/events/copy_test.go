package events_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/events"
	"github.com/tenantry/tenantry/functions/finance"
	"github.com/tenantry/tenantry/functions/orders"
	"github.com/tenantry/tenantry/functions/services"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const requests = "/v1/crm/requests/"

// keeper is an integrator's program that keeps a copy of a company's orders, in the way of docs/events.md. It knows nothing but the API.
type keeper struct {
	t      *testing.T
	api    *webtest.Client
	cursor string
	orders map[string]string // by "order:7"
	read   int               // orders, because of events
}

// begin makes the first copy, and does something between two pages of the list: what changes meanwhile is told after the cursor that was
// read before it. The last page is read first, since a deletion moves what is behind it to earlier pages, and tells of none of that.
func (k *keeper) begin(size int, meanwhile func(ids []int64)) {
	k.cursor = k.api.Get(path + "?after=end").Status(200).Text("next_cursor")
	k.orders = map[string]string{}
	for page := fmt.Sprint(requests, "?ordering=id&page=last&pageSize=", size); page != ""; {
		list := k.api.Get(page).Status(200)
		meanwhile(list.IDs())
		for _, id := range list.IDs() {
			k.load(fmt.Sprint("order:", id))
		}
		page = ""
		if previous, more := list.Value("previous").(string); more {
			page = previous[strings.Index(previous, requests):]
		}
	}
}

// load reads an order anew.
func (k *keeper) load(object string) {
	a := k.api.Get(requests + strings.TrimPrefix(object, "order:") + "/")
	if a.Code() == 404 {
		delete(k.orders, object)
		return
	}
	k.orders[object] = string(a.Status(200).Body())
}

// poll reads what is new, until nothing is.
func (k *keeper) poll() {
	k.t.Helper()
	for {
		var page events.LogPage
		if err := json.Unmarshal(k.api.Get(path+"?after="+k.cursor).Status(200).Body(), &page); err != nil {
			k.t.Fatal(err)
		}
		changed := map[string]bool{}
		for _, e := range page.Results {
			for _, object := range append(e.Concerns, e.Object) {
				if strings.HasPrefix(object, "order:") {
					changed[object] = true
				}
			}
		}
		for object := range changed {
			k.read++
			k.load(object)
		}
		if page.NextCursor == k.cursor {
			return
		}
		k.cursor = page.NextCursor
	}
}

// An integrator who begins in the middle of somebody's work has the same orders as the company at its end.
func TestACopyOfAllOrders(t *testing.T) {
	api := webtest.New(t, orders.New, clients.New, services.New, finance.New, events.New).Join(webtest.Employee(1), webtest.Manager(1))
	of := table.Of(api.Env.Table, 1)
	one := company.Company{Item: table.At(of.Company(), company.Version), ID: 1, TimeZone: "Asia/Almaty", Revision: 1}
	if err := of.Put(one).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := api.As(webtest.Employee(1))
	c.Post("/v1/crm/clients/", `{"name":"Assel","phone":"+77027654321"}`).Status(201)
	api.As(webtest.Manager(1)).Post("/v1/finances/accounts/", `{"name":"Cash"}`).Status(201)
	c.Post("/v1/crm/services/", `{"name":"Delivery","type":0,"price":1500}`).Status(201)

	random := rand.New(rand.NewPCG(31, 1))
	made := 0
	work := func() {
		api.Clock.Step(time.Duration(random.IntN(3)) * time.Millisecond) // also two changes of one moment
		order := fmt.Sprint(requests, 1+random.IntN(max(made, 1)), "/")
		switch n := random.IntN(10); {
		case n < 3 || made == 0:
			c.Post(requests, `{"client":1,"rent_start":"2026-03-02T10:00:00Z","rent_end":"2026-03-04T10:00:00Z","services":[{"service":1}]}`).Status(201)
			made++
		case n < 5:
			c.Patch(order, fmt.Sprintf(`{"extra":{"n":%d}}`, random.IntN(100)))
		case n < 7:
			c.Post(requests+"services/", fmt.Sprintf(`{"request":%d,"service":1,"count":%d}`, 1+random.IntN(made), 1+random.IntN(3)))
		case n < 9:
			c.Post(order+"pay/", fmt.Sprintf(`{"amount":%d}`, 100+random.IntN(3000)))
		default:
			c.Delete(order)
		}
		if random.IntN(3) == 0 {
			number(t, api, 1)
		}
	}
	for range 20 {
		work()
	}
	k := &keeper{t: t, api: api.As(webtest.ReadOnly(1))}
	k.begin(1000, func([]int64) { work() })
	for range 150 {
		work()
		if random.IntN(4) == 0 {
			k.poll()
		}
	}
	number(t, api, 1)
	k.poll()

	want := map[string]string{}
	for _, id := range c.Get(requests + "?pageSize=1000").Status(200).IDs() {
		want[fmt.Sprint("order:", id)] = string(c.Get(fmt.Sprint(requests, id, "/")).Status(200).Body())
	}
	if len(want) < 10 || len(want) == made || k.read < 50 {
		t.Errorf("%d orders are left of %d, and %d were read because of events", len(want), made, k.read)
	}
	if !maps.Equal(k.orders, want) {
		for _, object := range slices.Sorted(maps.Keys(want)) {
			if k.orders[object] != want[object] {
				t.Errorf("%s is %s\nin the copy, and is %s", object, k.orders[object], want[object])
			}
		}
		t.Errorf("the copy has %d orders, and there are %d", len(k.orders), len(want))
	}
}

// What is deleted while the list is read hides no other order.
func TestADeletionDuringTheFirstCopy(t *testing.T) {
	api := webtest.New(t, orders.New, clients.New, events.New).Join(webtest.Employee(1))
	of := table.Of(api.Env.Table, 1)
	one := company.Company{Item: table.At(of.Company(), company.Version), ID: 1, TimeZone: "Asia/Almaty", Revision: 1}
	if err := of.Put(one).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := api.As(webtest.Employee(1))
	c.Post("/v1/crm/clients/", `{"name":"Assel","phone":"+77027654321"}`).Status(201)
	for range 19 {
		c.Post(requests, `{"client":1}`).Status(201)
	}
	number(t, api, 1)
	for _, first := range []bool{true, false} { // of each page: one after which come all others, and one before them
		k := &keeper{t: t, api: c}
		k.begin(2, func(ids []int64) {
			id := slices.Max(ids)
			if first {
				id = slices.Min(ids)
			}
			c.Delete(fmt.Sprint(requests, id, "/")).Status(204)
		})
		number(t, api, 1)
		k.poll()
		var want []string
		kept := slices.Sorted(maps.Keys(k.orders))
		for _, id := range c.Get(requests + "?pageSize=1000").Status(200).IDs() {
			want = append(want, fmt.Sprint("order:", id))
		}
		slices.Sort(want)
		if !slices.Equal(kept, want) {
			t.Errorf("the copy has %v, and there are %v", kept, want)
		}
	}
}
