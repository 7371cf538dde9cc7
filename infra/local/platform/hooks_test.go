package platform

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/tenant"
)

// delivered is what a receiver of this machine was sent, as far as it is looked at here.
type delivered struct {
	header http.Header
	ID     string `json:"id"`
	Type   string `json:"type"`
	Data   struct {
		Company int64 `json:"company"`
		Record  struct {
			Name string `json:"name"`
		} `json:"record"`
	} `json:"data"`
}

// A webhook of this machine is told what happens, with the record, by functions that may do no more than the template says; and nobody
// waits for one that fails.
func TestWebhooksReachThisMachine(t *testing.T) {
	o := withDemo(t)
	o.Judged = true
	p := start(t, o)
	c := session(t, p)
	c.tenant = p.Demo().Tenant
	got := make(chan delivered, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d := delivered{header: r.Header}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &d)
		}
		if err != nil {
			t.Errorf("%v: %s", err, body)
		}
		got <- d
		if r.URL.Path == "/failing" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(receiver.Close)
	hook := func(path string) {
		t.Helper()
		with := map[string]any{"url": receiver.URL + path, "types": []string{"client.created"}, "payload": "whole"}
		if err := c.must(t.Context(), http.MethodPost, "/v1/webhooks/", with, nil); err != nil {
			t.Fatal(err)
		}
	}
	hook("/")
	client := func(name string) {
		t.Helper()
		if err := c.must(t.Context(), http.MethodPost, "/v1/crm/clients/", map[string]any{"name": name, "phone": "+77010000001"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	next := func(name string) {
		t.Helper()
		select {
		case d := <-got:
			if d.Type != "client.created" || d.Data.Company != c.tenant || d.Data.Record.Name != name || !strings.HasPrefix(d.ID, "evt_") ||
				d.header.Get("Webhook-Id") != d.ID || !strings.HasPrefix(d.header.Get("Webhook-Signature"), "v1,") {
				t.Errorf("%+v", d)
			}
		case <-time.After(time.Minute):
			t.Fatal("nothing is delivered")
		}
	}
	client("Aliya")
	next("Aliya")
	hook("/failing")
	client("Boris")
	next("Boris")
	next("Boris")
	begun := time.Now()
	if err := p.settle(t.Context(), tenant.ID(c.tenant)); err != nil || time.Since(begun) > settling/2 {
		t.Errorf("settling took %s with a webhook that fails: %v", time.Since(begun), err)
	}
	if denied := p.Judge.Denials(); len(denied) > 0 {
		t.Errorf("denied: %v", denied)
	}
}

// A run of a webhook waits for its receiver longer than the worker of this machine holds a message.
func TestDeliveriesHaveTheirTime(t *testing.T) {
	p := start(t, Options{})
	if p.workerOf(outbox.Hooks) == p.workerOf(outbox.Bulk) || p.workerOf(outbox.Hooks).Lease*3/4 < 20*time.Second {
		t.Errorf("a delivery has three quarters of %s", p.workerOf(outbox.Hooks).Lease)
	}
}
