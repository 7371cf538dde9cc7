package platform

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Of twenty webhooks of a company five hang. The others have every event while these still do, each once, and so has another company.
func TestNobodyWaitsForReceiversThatHang(t *testing.T) {
	const events = 100
	o := withDemo(t)
	o.Unlimited = true
	p := start(t, o)
	c := session(t, p)
	c.tenant = p.Demo().Tenant
	var mu sync.Mutex
	got := map[string]map[string]int{} // by path and webhook-id
	changed := make(chan struct{}, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a receiver that hangs has read what it was sent, too
		mu.Lock()
		if got[r.URL.Path] == nil {
			got[r.URL.Path] = map[string]int{}
		}
		got[r.URL.Path][r.Header.Get("Webhook-Id")]++
		mu.Unlock()
		select {
		case changed <- struct{}{}:
		default:
		}
		if strings.HasPrefix(r.URL.Path, "/hangs") {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(receiver.Close)
	must := func(in *client, path string, body map[string]any, out any) {
		t.Helper()
		if err := in.must(t.Context(), http.MethodPost, path, body, out); err != nil {
			t.Fatal(err)
		}
	}
	hook := func(in *client, path string) {
		t.Helper()
		must(in, "/v1/webhooks/", map[string]any{"url": receiver.URL + path, "types": []string{"rental_point.created"}}, nil)
	}
	var company struct{ ID int64 }
	must(c, "/v1/tenant/", map[string]any{
		"name": "Other", "domain": "other", "address": "1", "currency": "KZT", "timezone": "Asia/Almaty",
	}, &company)
	other := *c
	other.tenant = company.ID
	hook(&other, "/other")
	want := []string{"/other"}
	for i := range 20 {
		if i < 5 {
			hook(c, fmt.Sprint("/hangs", i))
			continue
		}
		path := fmt.Sprint("/works", i)
		hook(c, path)
		want = append(want, path)
	}
	for i := range events {
		point := map[string]any{"name": fmt.Sprint(i), "address": "1"}
		must(c, "/v1/crm/rental_points/", point, nil)
		must(&other, "/v1/crm/rental_points/", point, nil)
	}
	missing := func() (list []string) {
		mu.Lock()
		defer mu.Unlock()
		for _, path := range want {
			if len(got[path]) < events {
				list = append(list, fmt.Sprintf("%s has %d", path, len(got[path])))
			}
		}
		return list
	}
	for deadline := time.After(30 * time.Second); len(missing()) > 0; {
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("after half a minute: %v of %d", missing(), events)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for _, path := range want {
		for id, times := range got[path] {
			if times > 1 {
				t.Errorf("%s has %s %d times", path, id, times)
			}
		}
	}
	for i := range 5 {
		if n := len(got[fmt.Sprint("/hangs", i)]); n > 10 {
			t.Errorf("%d calls of a receiver that hangs", n)
		}
	}
}
