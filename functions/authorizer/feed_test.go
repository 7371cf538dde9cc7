package authorizer_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tenantry/tenantry/functions/authorizer"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/meter"
	"github.com/tenantry/tenantry/shared/tenant"
)

// feedText is a token of company 3, whose number there is 4.
func (w *world) feedText(t *testing.T) string {
	t.Helper()
	text := crosstenant.FeedText([32]byte{1, 2, 3})
	hash, ok := crosstenant.FeedHash(text)
	if !ok {
		t.Fatalf("%q is no feed token", text)
	}
	w.put(t, crosstenant.FeedItem{Item: table.At(crosstenant.Feed(hash), crosstenant.FeedVersion), Tenant: 3, ID: 4})
	return text
}

const fed = `{"basis":"feed","feed":"4","tenant":"3","verdict":"ok"}`

func TestFeedToken(t *testing.T) {
	w := newWorld(t)
	text := w.feedText(t)
	for name, headers := range map[string]map[string]string{
		"alone":                  {},
		"another company's id":   {"x-tenant-id": "1"}, // the web layer refuses it
		"another company's host": {"host": "rent.example"},
		"another scheme's case":  {"authorization": "bearer " + text},
	} {
		all := map[string]string{"authorization": "Bearer " + text}
		for k, v := range headers {
			all[k] = v
		}
		if got := w.ask(t.Context(), t, all); got != fed {
			t.Errorf("%s: %s, want %s", name, got, fed)
		}
	}
	ctx, m := meter.Start(t.Context())
	w.ask(ctx, t, map[string]string{"authorization": "Bearer " + text})
	if u := m.Usage(); u.Calls != 1 || u.ReadUnits > 1 || u.WriteUnits != 0 {
		t.Errorf("%+v, want 1 call and 1 read unit", u)
	}
	w.now = w.now.Add(10 * 365 * 24 * time.Hour)
	if got := w.ask(t.Context(), t, map[string]string{"authorization": "Bearer " + text}); got != fed {
		t.Errorf("ten years later: %s, want %s", got, fed)
	}
	hash, _ := crosstenant.FeedHash(text)
	if err := w.table.Delete(crosstenant.Feed(hash)).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := w.ask(t.Context(), t, map[string]string{"authorization": "Bearer " + text}); got != invalid {
		t.Errorf("revoked: %s, want %s", got, invalid)
	}
}

// What can't be a token costs nothing; only the very text that was given out is one.
func TestFeedTokensThatAreNone(t *testing.T) {
	w := newWorld(t)
	text := w.feedText(t)
	hash, _ := crosstenant.FeedHash(text)
	last := text[:len(text)-1]
	ctx, m := meter.Start(t.Context())
	for _, token := range []string{
		"tnt_feed_", last, text + "A", text + "=", last + "B", last + "+", last + "!", "tnt_feed_" + hash + "A", "tnt_feed_" + strings.Repeat(" ", 43),
	} {
		if got := w.ask(ctx, t, map[string]string{"authorization": "Bearer " + token}); got != invalid {
			t.Errorf("%q: %s, want %s", token, got, invalid)
		}
	}
	if u := m.Usage(); u.Calls != 0 {
		t.Errorf("%+v for texts that can't be tokens, want nothing", u)
	}
	for _, token := range []string{"tnt_feed_" + hash, crosstenant.FeedText([32]byte{1, 2, 4}), strings.ToUpper(text), text[len("tnt_feed_"):], hash} {
		if got := w.ask(t.Context(), t, map[string]string{"authorization": "Bearer " + token}); got != invalid {
			t.Errorf("%q: %s, want %s", token, got, invalid)
		}
	}
}

func (deaf) GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return nil, context.DeadlineExceeded
}

func TestAFeedTokenThatCannotBeLookedUp(t *testing.T) {
	w := newWorld(t)
	text := w.feedText(t)
	var log bytes.Buffer
	w.Authorizer = authorizer.New(authorizer.Config{
		Table: table.Open(deaf{}, "t"), Keys: w.keys, Now: func() time.Time { return w.now }, Log: &log,
	})
	if got := w.ask(t.Context(), t, map[string]string{"authorization": "Bearer " + text}); got != unavailable {
		t.Errorf("%s, want %s", got, unavailable)
	}
	if log.Len() == 0 || strings.Contains(log.String(), text[len("tnt_feed_"):]) {
		t.Errorf("logged %s", &log)
	}
}

// A company's standing is read with what the caller is known by, and costs nothing.
func TestStanding(t *testing.T) {
	w := newWorld(t)
	stands := tenant.Standing{State: tenant.OnlyRead, Notice: "Pay.", Since: 7}
	const says = `,"notice":"Pay.","state":"read_only"`
	w.put(t, crosstenant.MembershipsItem{
		Item: table.At(crosstenant.Memberships(user), crosstenant.MembershipsVersion),
		List: []tenant.Membership{
			{Tenant: 5, Role: tenant.Manager, Standing: stands}, {Tenant: 6, Role: tenant.Owner, Standing: tenant.Standing{Full: 9, Since: 8}},
		},
	})
	text := w.feedText(t)
	hash, _ := crosstenant.FeedHash(text)
	w.put(t, crosstenant.FeedItem{Item: table.At(crosstenant.Feed(hash), crosstenant.FeedVersion), Tenant: 3, ID: 4, Standing: stands})
	key, _ := w.keyText(t, func(k *crosstenant.KeyItem) { k.Standing = stands })
	for name, c := range map[string]struct{ token, company, want string }{
		"a member of it":      {w.token(t), "5", `{"basis":"header","family":"` + family + `"` + says[:16] + `,"role":"manager"` + says[16:] + `,"tenant":"5","user":"7","verdict":"ok"}`},
		"a member of another": {w.token(t), "6", `{"basis":"header","family":"` + family + `","full":"9","role":"owner","tenant":"6","user":"7","verdict":"ok"}`},
		"of neither":          {w.token(t), "7", `{"basis":"header","family":"` + family + `","user":"7","verdict":"ok"}`},
		"a feed":              {text, "3", `{"basis":"feed","feed":"4"` + says + `,"tenant":"3","verdict":"ok"}`},
		"a key":               {key, "3", `{"basis":"key","key":"5","notice":"Pay.","scopes":"clients:read orders:write","state":"read_only","tenant":"3","verdict":"ok"}`},
	} {
		if got := w.ask(t.Context(), t, map[string]string{"authorization": "Bearer " + c.token, "x-tenant-id": c.company}); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
