package sms_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/notify/httpsms"
)

// carrier is a provider over HTTP. It sends one SMS for each Idempotency-Key.
type carrier struct {
	mu    sync.Mutex        // the worker sends to several telephones at once
	sent  map[string]string // by the key, to whom
	asked map[string]int    // how often for each telephone
	late  map[string]string // reports that come when all is over, by the key
	do    map[string]func(w http.ResponseWriter, id string, try int)
}

func (c *carrier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ ID, To, Text, Callback string }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.ID != r.Header.Get("Idempotency-Key") || body.Text != "Hello" ||
		body.Callback != "https://api.test/v1/sms/callback/" || r.Header.Get("Authorization") != "Bearer token" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	c.asked[body.To]++
	try := c.asked[body.To]
	c.mu.Unlock()
	c.do[body.To](w, body.ID, try)
}

func (c *carrier) send(id, to string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent[id] = to
}

func (c *carrier) reportLate(id, status string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late[id] = status
}

// A provider over HTTP that loses answers, reports before it answers, repeats what it reports, answers
// late, is busy, and refuses: each telephone gets at most one SMS, and what it cost is paid or given back.
func TestAProviderOverHTTP(t *testing.T) {
	o := open(t, reporting, "100")
	c := &carrier{sent: map[string]string{}, asked: map[string]int{}, late: map[string]string{}}
	server := httptest.NewServer(c)
	defer server.Close()
	o.Env.Notify = notify.ByChannel{notify.SMS: httpsms.New(server.URL, "token", "https://api.test/v1/sms/callback/")}
	o.worker = groups.Worker(o.Env)
	c.do = map[string]func(w http.ResponseWriter, id string, try int){
		phone(1): func(_ http.ResponseWriter, id string, try int) { // it sends, and its answer is lost; then it answers
			c.send(id, phone(1))
			if try < 3 {
				panic(http.ErrAbortHandler)
			}
		},
		phone(2): func(w http.ResponseWriter, id string, _ int) { // it reports twice, and then says that it is broken
			c.send(id, phone(2))
			o.reports(id, "delivered").Status(200)
			o.reports(id, "delivered").Status(403) // under the same signature
			w.WriteHeader(http.StatusInternalServerError)
		},
		phone(3): func(w http.ResponseWriter, id string, _ int) { // it is busy for ever, and reports when nobody waits any more
			c.reportLate(id, "delivered")
			w.WriteHeader(http.StatusServiceUnavailable)
		},
		phone(4): func(w http.ResponseWriter, id string, _ int) { // it refuses, and says so again later
			c.reportLate(id, "failed")
			w.WriteHeader(http.StatusUnprocessableEntity)
		},
	}
	path := o.send("Hello", phone(1), phone(2), phone(3), phone(4))
	o.pass(time.Hour)
	a := o.is(path, "PENDING", "30.00")
	for i, want := range []string{"PENDING", "DELIVERED", "FAILED", "FAILED"} {
		a.Field("recipients."+string(rune('0'+i))+".status", `"`+want+`"`)
	}
	for id, to := range c.sent {
		if to == phone(1) {
			o.reports(id, "delivered").Status(200)
		}
	}
	for id, status := range c.late {
		o.reports(id, status).Status(200).JSON(`{"status":"FAILED"}`)
	}
	o.is(path, "DELIVERED", "30.00")
	o.balance("70.00")
	if len(c.sent) != 2 || c.asked[phone(1)] != 3 || c.asked[phone(2)] != 1 || c.asked[phone(3)] < 5 || c.asked[phone(4)] != 1 {
		t.Errorf("sent %v, asked %v", c.sent, c.asked)
	}
}
