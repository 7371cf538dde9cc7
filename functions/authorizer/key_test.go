package authorizer_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/table/tokenbucket"
	"github.com/tenantry/tenantry/shared/web"
)

const keyed = `{"basis":"key","key":"5","scopes":"clients:read orders:write","tenant":"3","verdict":"ok"}`

// keyText is a key of company 3, whose number there is 5.
func (w *world) keyText(t *testing.T, change func(*crosstenant.KeyItem)) (text, hash string) {
	t.Helper()
	text, err := crosstenant.KeyText(strings.NewReader(strings.Repeat("a-b", 30)))
	if err != nil {
		t.Fatal(err)
	}
	hash, ok := crosstenant.KeyHash(text)
	if !ok {
		t.Fatalf("%q is no key", text)
	}
	item := crosstenant.KeyItem{
		Item: table.At(crosstenant.Key(hash), crosstenant.KeyVersion), Tenant: 3, ID: 5, Scopes: "clients:read orders:write",
	}
	change(&item)
	w.put(t, item)
	return text, hash
}

// asks is what the authorizer answers to a request with a token from an address.
func (w *world) asks(ctx context.Context, t *testing.T, token, address string, headers ...string) string {
	t.Helper()
	all := map[string]string{"authorization": "Bearer " + token}
	for i := 0; i < len(headers); i += 2 {
		all[headers[i]] = headers[i+1]
	}
	raw, err := json.Marshal(map[string]any{
		"headers": all, "requestContext": map[string]any{"requestId": "r1", "domainName": host, "http": map[string]string{"sourceIp": address}},
	})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := w.Invoke(ctx, raw)
	if err != nil {
		t.Fatal(err)
	}
	var of struct{ Context json.RawMessage }
	if err := json.Unmarshal(answer, &of); err != nil {
		t.Fatal(err)
	}
	return string(of.Context)
}

func (w *world) lastUsed(t *testing.T, hash string) string {
	t.Helper()
	var item crosstenant.KeyItem
	if err := w.table.Get(t.Context(), crosstenant.Key(hash), &item); err != nil {
		t.Fatal(err)
	}
	return item.Day
}

// A key is read in one unit. The first request of a day notes the day, and no other writes.
func TestKey(t *testing.T) {
	w := newWorld(t)
	text, hash := w.keyText(t, func(*crosstenant.KeyItem) {})
	ask := func(calls int, writes float64) {
		t.Helper()
		ctx, m := meter.Start(t.Context())
		if got := w.asks(ctx, t, text, "192.0.2.1", "x-tenant-id", "1"); got != keyed { // the web layer refuses another company
			t.Errorf("%s, want %s", got, keyed)
		}
		if u := m.Usage(); u.Calls != calls || u.ReadUnits > 1 || u.WriteUnits > writes {
			t.Errorf("%+v, want %d calls, one read unit and %v write units", u, calls, writes)
		}
	}
	ask(2, 1)
	if got := w.lastUsed(t, hash); got != "2026-03-02" {
		t.Errorf("last used on %s", got)
	}
	ask(1, 0)
	w.now = time.Date(2026, time.March, 2, 23, 59, 59, 0, time.UTC)
	ask(1, 0)
	w.now = w.now.Add(time.Second)
	ask(2, 1)
	if got := w.lastUsed(t, hash); got != "2026-03-03" {
		t.Errorf("last used on %s", got)
	}
	if err := w.table.Delete(crosstenant.Key(hash)).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(48 * time.Hour)
	if got := w.asks(t.Context(), t, text, "192.0.2.1"); got != invalid {
		t.Errorf("revoked: %s", got)
	}
	if err := w.table.Get(t.Context(), crosstenant.Key(hash), &crosstenant.KeyItem{}); !errors.Is(err, table.ErrNotFound) {
		t.Errorf("the use of a revoked key has left an item: %v", err)
	}
}

// Expired, and from elsewhere: the same answer as of no key, and no day is noted.
func TestKeysThatAreNotAdmitted(t *testing.T) {
	w := newWorld(t)
	text, hash := w.keyText(t, func(k *crosstenant.KeyItem) {
		k.Networks = []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("2001:db8::/32")}
		k.Expires = moment.Of(w.now.Add(time.Hour))
	})
	for address, want := range map[string]string{"192.0.2.1": invalid, "": invalid, "2001:db9::1": invalid} {
		if got := w.asks(t.Context(), t, text, address); got != want {
			t.Errorf("from %q: %s", address, got)
		}
	}
	// What a client says of its address does not count.
	for _, name := range []string{"x-forwarded-for", "forwarded", "cloudfront-viewer-address", "x-real-ip"} {
		if got := w.asks(t.Context(), t, text, "192.0.2.1", name, "203.0.113.1:443"); got != invalid {
			t.Errorf("by %s: %s", name, got)
		}
	}
	if got := w.lastUsed(t, hash); got != "" {
		t.Errorf("last used on %s", got)
	}
	for _, address := range []string{"203.0.113.9", "2001:db8::1", "::ffff:203.0.113.9"} {
		if got := w.asks(t.Context(), t, text, address); got != keyed {
			t.Errorf("from %q: %s", address, got)
		}
	}
	w.now = w.now.Add(time.Hour)
	if got := w.asks(t.Context(), t, text, "203.0.113.9"); got != invalid {
		t.Errorf("at its end: %s", got)
	}
}

// Behind CloudFront the address is the viewer's, where CloudFront proves itself.
func TestKeysBehindCloudFront(t *testing.T) {
	w := newWorld(t)
	text, _ := w.keyText(t, func(k *crosstenant.KeyItem) { k.Networks = []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")} })
	w.Authorizer = authorizer.New(authorizer.Config{
		Table: w.conn, Keys: w.keys, Now: func() time.Time { return w.now }, Log: w.log,
		Address: web.Viewers{sha256.Sum256([]byte("open sesame"))}.Address,
	})
	proven := []string{"x-origin-secret", "open sesame", "cloudfront-viewer-address", "203.0.113.9:443"}
	if got := w.asks(t.Context(), t, text, "130.176.0.1", proven...); got != keyed {
		t.Errorf("proven: %s", got)
	}
	proven[1] = "another"
	if got := w.asks(t.Context(), t, text, "130.176.0.1", proven...); got != invalid {
		t.Errorf("not proven: %s", got)
	}
}

// What can't be a key costs no read.
func TestKeysThatAreNone(t *testing.T) {
	w := newWorld(t)
	text, _ := w.keyText(t, func(*crosstenant.KeyItem) {})
	ctx, m := meter.Start(t.Context())
	for _, token := range []string{"tnt_key_", text[:len(text)-1], text + "0", text[:20] + "!" + text[21:], text[:len(text)-1] + "#"} {
		if got := w.asks(ctx, t, token, "192.0.2.1"); got != invalid {
			t.Errorf("%q: %s", token, got)
		}
	}
	if u := m.Usage(); u.Calls != 0 {
		t.Errorf("%+v", u)
	}
}

// A use that can't be noted fails no request. It is logged, without the key.
func TestAUseThatIsNotNoted(t *testing.T) {
	w := newWorld(t)
	name := enginetest.Table(t)
	w.conn = table.Open(enginetest.Client(t), name)
	w.table = crosstenant.Open(w.conn)
	text, hash := w.keyText(t, func(*crosstenant.KeyItem) {})
	w.Authorizer = authorizer.New(authorizer.Config{
		Table: table.Open(deafToWrites{enginetest.Client(t)}, name), Keys: w.keys, Now: func() time.Time { return w.now }, Log: w.log,
	})
	if got := w.asks(t.Context(), t, text, "192.0.2.1"); got != keyed {
		t.Errorf("%s", got)
	}
	log := w.log.String()
	if !strings.Contains(log, "not noted") || strings.Contains(log, text) || strings.Contains(log, hash) {
		t.Errorf("logged %s", log)
	}
	if got := w.lastUsed(t, hash); got != "" {
		t.Errorf("last used on %s", got)
	}
}

// Keys are counted each by itself, and with their company.
func TestKeysAreCounted(t *testing.T) {
	w := newWorld(t)
	text, _ := w.keyText(t, func(*crosstenant.KeyItem) {})
	w.Authorizer = authorizer.New(authorizer.Config{
		Table: w.conn, Keys: w.keys, Now: func() time.Time { return w.now }, Log: w.log,
		Caller: tokenbucket.Rate{PerSecond: 1, Burst: 3},
	})
	for n := range 3 {
		if got := w.asks(t.Context(), t, text, "192.0.2.1"); got != keyed {
			t.Errorf("request %d: %s", n, got)
		}
	}
	want := fmt.Sprintf(`"key":%q`, "5")
	got := w.asks(t.Context(), t, text, "192.0.2.1")
	if !strings.Contains(got, `"verdict":"throttled"`) || !strings.Contains(got, want) || !strings.Contains(got, `"tenant":"3"`) {
		t.Errorf("%s", got)
	}
}
