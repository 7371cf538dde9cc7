package clerks

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

// The addresses of the API.
const (
	requests    = "/v1/crm/requests/"
	linesPath   = "/v1/crm/requests/inventories/"
	inventories = "/v1/crm/inventories/"
	clients     = "/v1/crm/clients/"
	accounts    = "/v1/finances/accounts/"
	postings    = "/v1/finances/transactions/"
	refunds     = "/v1/finances/refunds/"
	referrals   = "/v1/crm/requests/referrals/"
	exchanges   = "/v1/crm/requests/exchanges/"
	agents      = "/v1/crm/agents/"
	settings    = "/v1/crm/settings/rental/"
)

const (
	// Items is how many items the company has in use.
	Items = 5
	// buffer is how long an item is kept free after a rental.
	buffer = 30 * time.Minute
	// most is how many problems are kept.
	most = 50
	// remembered is how many orders the clerks still work on.
	remembered = 60
)

// Call sends a request and returns the status and the body of its answer. An error says that no
// answer came, so that the request was carried out, or was not. An empty key sends no
// Idempotency-Key, an empty body none.
type Call func(ctx context.Context, method, path, key, body string) (status int, answer []byte, err error)

// Office is a company whose clerks share what they know.
type Office struct {
	// Tick passes some time, where time does not pass by itself.
	Tick func(r *rand.Rand)

	now      func() time.Time
	clients  []int64
	accounts []int64
	group    int64
	service  int64
	agent    int64

	mu       sync.Mutex
	items    []int64
	retired  []int64 // that may have been deleted
	orders   map[int64]*order
	recent   []int64        // the orders that the clerks still work on
	gone     map[int64]end  // lines that are known to be gone
	held     map[int64]bool // orders that had a hold
	step     int64
	hired    int
	counts   map[string]int
	problems []string
}

// Open furnishes a company: two clients, two accounts, an agent, a service, and a group of five items with tariffs.
// The caller may do everything in the company, which has nothing of the kind yet.
func Open(ctx context.Context, call Call, now func() time.Time) (*Office, error) {
	o := &Office{now: now, orders: map[int64]*order{}, gone: map[int64]end{}, held: map[int64]bool{}, counts: map[string]int{}}
	var err error
	create := func(path, body string) (id int64) {
		if err == nil {
			id, err = made(ctx, call, path, body)
		}
		return id
	}
	if _, err := get(ctx, call, http.MethodPut, settings, rentalSettings("keep", "free", "pro_rata", 50)); err != nil {
		return nil, err
	}
	for _, name := range []string{"Assel", "Timur"} {
		o.clients = append(o.clients, create(clients, `{"name":"`+name+`","phone":"+77027654321"}`))
	}
	for _, name := range []string{"Cash", "Bank"} {
		o.accounts = append(o.accounts, create(accounts, `{"name":"`+name+`","initial":"1000.00"}`))
	}
	o.agent = create(agents, `{"name":"Serik"}`)
	o.service = create("/v1/crm/services/", `{"name":"Delivery","type":0,"price":"1500.00"}`)
	o.group = create("/v1/crm/groups/", `{"name":"Sedans"}`)
	tariffs := fmt.Sprintf("/v1/crm/groups/%d/tarifs/", o.group)
	create(tariffs, fmt.Sprintf(`{"inventory_group":%d,"name":"Day","price":"3000.00","duriation":86400}`, o.group))
	create(tariffs, fmt.Sprintf(`{"inventory_group":%d,"name":"Hour","price":"200.50","duriation":3600}`, o.group))
	for range Items {
		o.items = append(o.items, create(inventories, o.item()))
	}
	return o, err
}

// rentalSettings are the settings of the company; percent is what it costs to cancel at the last moment.
func rentalSettings(early, earlyStart, late string, percent int) string {
	return fmt.Sprintf(`{"late_grace":3600,"late_step":3600,"buffer":%d,"month":"days","early":"%s","early_start":"%s","late":"%s",`+
		`"cancellation":[{"before":7200,"percent":%d},{"before":86400,"percent":10}],"no_show_percent":80}`,
		int(buffer.Seconds()), early, earlyStart, late, percent)
}

// item is the body of a new item.
func (o *Office) item() string {
	return fmt.Sprintf(`{"name":"Camry","group":%d,"sell_price":"9000000.00"}`, o.group)
}

// made makes a record and returns its id.
func made(ctx context.Context, call Call, path, body string) (int64, error) {
	answer, err := get(ctx, call, http.MethodPost, path, body)
	if err != nil {
		return 0, err
	}
	var is struct{ ID int64 }
	err = json.Unmarshal(answer, &is)
	return is.ID, err
}

// get sends a request that has to succeed.
func get(ctx context.Context, call Call, method, path, body string) ([]byte, error) {
	status, answer, err := call(ctx, method, path, "", body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if status >= http.StatusMultipleChoices {
		return nil, fmt.Errorf("%s %s: %d %s", method, path, status, cut(answer))
	}
	return answer, nil
}

func cut(answer []byte) []byte { return answer[:min(len(answer), 600)] }

// locked does something with what the clerks share.
func (o *Office) locked(do func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	do()
}

// Counts are how often each thing was done, by its outcome.
func (o *Office) Counts() (counts map[string]int) {
	o.locked(func() { counts = maps.Clone(o.counts) })
	return counts
}

// Requests are how many requests the clerks have sent that do something.
func (o *Office) Requests() (n int) {
	for _, count := range o.Counts() {
		n += count
	}
	return n
}

// Problems are what the clerks found wrong while they worked.
func (o *Office) Problems() (all []string) {
	o.locked(func() { all = slices.Clone(o.problems) })
	return all
}

// problem notes what is wrong.
func (o *Office) problem(format string, args ...any) {
	o.locked(func() {
		if len(o.problems) < most {
			o.problems = append(o.problems, fmt.Sprintf(format, args...))
		}
	})
}

func (o *Office) count(what string) { o.locked(func() { o.counts[what]++ }) }

// end is what is known of a line that has its item no more.
type end struct {
	step int64
	why  string
}

// see remembers an order as it was answered.
func (o *Office) see(is *order) {
	o.locked(func() {
		if o.orders[is.ID] == nil {
			if o.recent = append(o.recent, is.ID); len(o.recent) > remembered {
				delete(o.orders, o.recent[0])
				o.recent = o.recent[1:]
			}
		}
		o.orders[is.ID] = is
		if is.Expires != nil {
			o.held[is.ID] = true
		}
	})
	if is.Status == cancelled {
		o.lost(is, "cancelled")
	}
}

// lost remembers that the lines of an order are gone, or hold their items no more.
func (o *Office) lost(is *order, why string) {
	o.locked(func() {
		o.step++
		for _, l := range is.Inventories {
			if o.gone[l.ID].step == 0 {
				o.gone[l.ID] = end{o.step, why}
			}
		}
	})
}

// isGone is what is known of the end of a line.
func (o *Office) isGone(line int64) (is end) {
	o.locked(func() { is = o.gone[line] })
	return is
}

// forget forgets an order that is gone.
func (o *Office) forget(id int64) {
	var is *order
	o.locked(func() {
		if is = o.orders[id]; is != nil {
			is.Status = cancelled
		}
	})
	if is != nil {
		o.lost(is, "deleted with its order")
	}
}

// any picks one of the orders that were seen and that fit. It returns nil if no order fits.
func (o *Office) any(r *rand.Rand, fits func(is *order) bool) (picked *order) {
	o.locked(func() {
		var list []*order
		for _, id := range o.recent {
			if is := o.orders[id]; fits(is) {
				list = append(list, is)
			}
		}
		if len(list) > 0 {
			picked = list[r.IntN(len(list))]
		}
	})
	return picked
}

// anyItem is one of the items in use.
func (o *Office) anyItem(r *rand.Rand) (id int64) {
	o.locked(func() { id = o.items[r.IntN(len(o.items))] })
	return id
}

// replace puts another item in the place of one that left.
func (o *Office) replace(was, by int64) {
	o.locked(func() {
		if place := slices.Index(o.items, was); place >= 0 {
			o.items[place] = by
		}
	})
}
