package browsercheck

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/kinds"
)

// seenKind is what the browser saw of a kind: its list, and the first record.
type seenKind struct {
	Title, Failure, Focus, Record, Called, Curl, Back string
	Count, Rows, Fields, History, Timeline            int
	Columns, Tabs, Referring                          []string
	JSON                                              any
}

// The console shows every kind with its filters, orders and custom fields, and records with their history, timeline and JSON, to whoever has
// signed in by one click: in each language, by the keyboard, on a phone, and with nothing that axe finds wrong.
func TestConsole(t *testing.T) {
	p := start(t)
	s := &staff{t: t, base: p.URL}
	var tokens struct{ Access string }
	s.post("/v1/auth/login/", map[string]string{"username": p.Demo().Username, "password": p.Demo().Password}, &tokens)
	s.token = tokens.Access
	var made struct{ ID int64 }
	for _, one := range []struct {
		path string
		body map[string]any
	}{ // what the demo company has none of
		{"/v1/crm/agents/", map[string]any{"name": "Agent"}},
		{"/v1/crm/price_rules/", map[string]any{"name": "Winter", "percent": "10"}},
		{"/v1/crm/settings/feed_tokens/", map[string]any{"name": "Feed"}},
		{"/v1/keys/", map[string]any{"name": "Reader", "scopes": []string{"clients:read"}, "password": p.Demo().Password}},
		{"/v1/webhooks/", map[string]any{"url": p.URL + "/_local/hooks/receive", "types": []string{"client.created"}}},
		{"/v1/crm/settings/custom_fields_list/", map[string]any{
			"key": "client", "name": "vip", "label": "Very important", "type": "boolean", "filter": true, "table": true,
		}},
		{"/v1/crm/clients/", map[string]any{"name": "Важный клиент", "extra": map[string]any{"vip": true}}},
	} {
		s.post(one.path, one.body, &made)
	}
	var saw struct {
		Began, SignedIn           string
		Elsewhere, Broken, Faults []string
		Wide, Closed              []string
		Kinds                     map[string]seenKind
		Views                     []struct{ View, Title, Failure, Focus string }
		Found                     []struct {
			Asked, Told, Hash string
			Count             int
		}
		Vip                      string
		Sorted, Reversed, Stages []string
		Second                   struct {
			Hash string
			Rows []string
		}
		File                    string
		Signing, Renewed, Ended int
		Missing, Refused        string
		Languages               map[string]struct {
			Titles             map[string]string
			Failures, Timeline string
		}
		Orders struct {
			Client, Hash, Filter string
			Rows, Of             int
		}
		Home    seenHome
		Moments struct {
			Shown [][3]string // what is said to programs, to who points at it, and to who reads
			Raw   []string
			Old   int
		}
		Changed struct {
			ID, Hash string
			Rows     []string
			Facts    struct {
				RequestID string `json:"request_id"`
			}
		}
		Skip, Skipped, Keyed string
		Filters              int
		Nothing, Busy        string
		Outlasts             bool
		Stays                *string // the sign-in that is kept
	}
	browse(t, "console.mjs", plan{Base: p.URL, Chromium: chromium(), Shots: os.Getenv("BROWSERCHECK_SHOTS")}, &saw)
	if saw.Began != "/_local/" || saw.SignedIn != p.Demo().Username {
		t.Errorf("/ leads to %s, and a click signs in as %q", saw.Began, saw.SignedIn)
	}
	for what, list := range map[string][]string{
		"it asks elsewhere": saw.Elsewhere, "it breaks": saw.Broken, "axe finds": saw.Faults, "wider than a phone": saw.Wide,
	} {
		if len(list) > 0 {
			t.Errorf("%s:\n%s", what, strings.Join(slices.Compact(list), "\n"))
		}
	}
	browsed := 0
	for _, k := range kinds.All() {
		seen, ok := saw.Kinds[k.Name]
		if !ok {
			if k.Path != "" {
				t.Errorf("the menu does not have %s", k.Many)
			}
			continue
		}
		browsed++
		seen.check(t, k)
	}
	if browsed != len(saw.Kinds) || browsed < 30 {
		t.Errorf("%d kinds, of which %d are known", len(saw.Kinds), browsed)
	}
	for _, v := range saw.Views {
		if v.Title == "" || v.Failure != "" {
			t.Errorf("%+v", v)
		}
	}
	if len(saw.Found) != 4 {
		t.Fatalf("found %+v", saw.Found)
	}
	for i, want := range []struct {
		asked string
		least int
	}{{"type=1", 1}, {"created_at__gte=2020-01-01&orders_debt_amount__gte=1", 1}, {"extra__vip=true", 1}, {"search=Maria", 1}} {
		f := saw.Found[i]
		var here struct{ Count int }
		s.call("GET", "/v1/crm/clients/?"+want.asked, nil, &here)
		if !strings.Contains(f.Asked, want.asked) || !strings.Contains(f.Hash, want.asked) || f.Count != here.Count || f.Count < want.least ||
			!strings.HasSuffix(f.Told, " in all") {
			t.Errorf("%+v; %s finds %d", f, want.asked, here.Count)
		}
	}
	if !strings.Contains(saw.Vip, "Важный клиент") || !strings.Contains(saw.Vip, "yes") || !slices.Contains(saw.Kinds["client"].Columns, "Very important") {
		t.Errorf("the custom field shows %q in the columns %q", saw.Vip, saw.Kinds["client"].Columns)
	}
	if len(saw.Sorted) != 4 || len(saw.Reversed) != 4 || saw.Sorted[0] == saw.Reversed[0] || !strings.Contains(saw.Second.Hash, "page=2") ||
		len(saw.Second.Rows) == 0 || slices.Contains(saw.Reversed, saw.Second.Rows[0]) {
		t.Errorf("ordered %q, then %q, and the next page %+v", saw.Sorted, saw.Reversed, saw.Second)
	}
	of := strings.TrimPrefix(saw.Orders.Client, "#/kind/client/")
	var here struct{ Count int }
	s.call("GET", "/v1/crm/requests/?client="+of, nil, &here)
	if o := saw.Orders; o.Hash != "#/kind/order?client="+of || o.Filter != of || o.Rows == 0 || o.Rows != here.Count || o.Of != o.Rows {
		t.Errorf("to the orders of a client leads %+v; there are %d", o, here.Count)
	}
	saw.Home.check(t, s, p.Demo().Tenant)
	checkReferring(t, s, saw.Kinds)
	if m := saw.Moments; len(m.Shown) == 0 || len(m.Raw) > 0 || m.Old > 0 {
		t.Errorf("a history shows moments %q, and raw %q; %d of its requests are long gone and lead somewhere", m.Shown, m.Raw, m.Old)
	}
	almaty, err := time.LoadLocation("Asia/Almaty")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range saw.Moments.Shown {
		at, err := time.Parse(time.RFC3339, one[0])
		if err != nil || one[1] != one[0] || !strings.Contains(one[2], at.In(almaty).Format("15:04")) {
			t.Errorf("a history shows the moment %q", one)
		}
	}
	if c := saw.Changed; c.ID == "" || c.Hash != "#/requests?id="+url.QueryEscape(c.ID) || c.Facts.RequestID != c.ID ||
		!slices.Equal(c.Rows, []string{"PATCH /v1/crm/clients/1/"}) {
		t.Errorf("what was just changed leads to %+v", c)
	}
	if saw.File != "%PDF-" || saw.Signing != 200 || !slices.ContainsFunc(saw.Stages, func(stage string) bool { return strings.Contains(stage, "5 signed") }) {
		t.Errorf("a file begins with %q; the signing page answers %d; the stages are %q", saw.File, saw.Signing, saw.Stages)
	}
	if saw.Renewed != 1 || !strings.Contains(saw.Missing, "404") || !strings.Contains(saw.Refused, "400") {
		t.Errorf("with a new token, %d agents are shown; what is not there: %q; what is refused: %q", saw.Renewed, saw.Missing, saw.Refused)
	}
	if saw.Filters != 1 || saw.Nothing != "There is nothing." {
		t.Errorf("%d filters are beside what is refused; of an operation that isn't there it says %q", saw.Filters, saw.Nothing)
	}
	if !strings.Contains(saw.Busy, "429") || !saw.Outlasts || saw.Stays != nil {
		t.Errorf("where a renewal is refused for now: %q, signed in: %t; a renewal after signing out keeps %v", saw.Busy, saw.Outlasts, saw.Stays)
	}
	for language, words := range map[string][2]string{"ru": {"Клиенты", "платежа"}, "kk": {"Клиенттер", "төле"}} {
		in := saw.Languages[language]
		if in.Titles["#/kind/client"] != words[0] || in.Failures != "" || in.Timeline == "" || strings.Contains(in.Timeline, "payment") {
			t.Errorf("in %s: %+v", language, in)
		}
		for to, title := range in.Titles {
			if title == "" {
				t.Errorf("in %s %s has no title", language, to)
			}
		}
	}
	if saw.Skip != "Skip to the content" || saw.Skipped != "H1" || saw.Keyed != "Clients" || saw.Ended != 200 || !slices.Equal(saw.Closed, []string{"false", "Menu"}) {
		t.Errorf("by the keyboard: %q, %q, %q, %d, %q", saw.Skip, saw.Skipped, saw.Keyed, saw.Ended, saw.Closed)
	}
}

// seenHome is what the browser saw of the start page.
type seenHome struct {
	Company, Token string
	Counts         map[string]string // by kinds
	Patient        string            // how many clients it counts where they answer 429 first
	Refused        map[string]string // the same where the clients answer 500
	Orders, Row    []string
	Left           int // orders, where the clients answer 500
}

// check compares the start page with what the API has.
func (seen seenHome) check(t *testing.T, s *staff, company int64) {
	t.Helper()
	var mine []struct {
		ID   int64
		Name string
	}
	s.call("GET", "/v1/tenant/", nil, &mine)
	shown := false
	for _, c := range mine {
		shown = shown || c.ID == company && strings.HasPrefix(seen.Company, fmt.Sprintf("%s company:%d", c.Name, c.ID))
	}
	if !shown {
		t.Errorf("of the companies %+v number %d is shown as %q", mine, company, seen.Company)
	}
	want := map[string]string{}
	for _, name := range []string{"order", "client", "inventory", "document", "transaction", "service", "lead", "penalty"} {
		k, _ := kinds.ByName(name)
		var list struct{ Count int }
		s.call("GET", k.Path+"?pageSize=1", nil, &list)
		want[name] = strconv.Itoa(list.Count)
	}
	if !maps.Equal(seen.Counts, want) {
		t.Errorf("there are %v, of which it counts %v", want, seen.Counts)
	}
	want["client"] = "500"
	if seen.Patient != seen.Counts["client"] {
		t.Errorf("where the clients answer 429 first, it counts %q", seen.Patient)
	}
	if !maps.Equal(seen.Refused, want) || seen.Left != 5 {
		t.Errorf("where clients are refused, it counts %v, and shows %d orders", seen.Refused, seen.Left)
	}
	var latest struct{ Results []struct{ ID int64 } }
	s.call("GET", "/v1/crm/requests/?pageSize=5", nil, &latest)
	var ids []string
	for _, order := range latest.Results {
		ids = append(ids, strconv.FormatInt(order.ID, 10))
	}
	if len(ids) != 5 || !slices.Equal(seen.Orders, ids) {
		t.Errorf("the latest orders are %v, and it shows %v", ids, seen.Orders)
	}
	if r := seen.Row; len(r) != 5 || r[1] == "" || r[2] == "" || !strings.Contains(r[3], " – ") || !strings.Contains(r[4], "₸") ||
		!strings.Contains(seen.Token, "TOKEN=$(curl") {
		t.Errorf("an order is shown as %q, and the token as %s", r, seen.Token)
	}
}

// checkReferring looks at the lists to which records lead, of those that refer to them: these are the ones that people would name, and the
// API takes what they are asked for.
func checkReferring(t *testing.T, s *staff, seen map[string]seenKind) {
	t.Helper()
	for name, want := range map[string][]string{
		"account": {"exchange?from", "exchange?to", "transaction?account"},
		"client": {
			"document?content_type=Client&object_id", "document?signer", "lead?client", "order?client", "order_inventory?client",
			"order_service?client", "penalty?client", "request_exchange?client", "transaction?client",
		},
		"inventory": {
			"document?content_type=Inventory&object_id", "order?inventory", "order_inventory?inventory", "penalty?inventory",
			"request_exchange?inventory_from", "request_exchange?inventory_to",
		},
		"inventory_group": {"document?content_type=InventoryGroup&object_id", "inventory?group"},
		"inventory_state": {"inventory?state"},
		"lead":            {"document?content_type=Lead&object_id"},
		"penalty_state":   {"penalty?state"},
		"rental_point": {
			"document?content_type=RentalPoint&object_id", "inventory?rental_point", "order?rental_point", "order?rental_point_return",
		},
		"template": {"document?template"}, "user": nil, "webhook": nil,
	} {
		var got []string
		for _, link := range seen[name].Referring {
			got = append(got, strings.TrimPrefix(link[:strings.LastIndex(link, "=")], "#/kind/"))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("what refers to %s: %q", name, got)
		}
	}
	for name, of := range seen {
		for _, link := range of.Referring {
			at, query, _ := strings.Cut(strings.TrimPrefix(link, "#/kind/"), "?")
			k, _ := kinds.ByName(at)
			_, id, _ := strings.Cut(strings.TrimPrefix(of.Record, "#/kind/"), "/")
			var list struct{ Count *int }
			s.call("GET", k.Path+"?"+query, nil, &list)
			if !strings.HasSuffix(query, "="+id) || list.Count == nil {
				t.Errorf("%s leads to %s", name, link)
			}
		}
	}
}

// check compares what was seen of a kind with what the registry says of it.
func (seen seenKind) check(t *testing.T, k kinds.Kind) {
	t.Helper()
	if seen.Title == "" || seen.Failure != "" || seen.Focus != "H1" {
		t.Errorf("%s: %+v", k.Name, seen)
	}
	if k.Name == "referral" { // nobody has recommended an order to the demo company
		return
	}
	object, ok := strings.CutPrefix(seen.Record, "#/kind/")
	if !ok || seen.Rows == 0 || seen.Rows > 20 || seen.Count < seen.Rows || len(seen.Columns) < 2 {
		t.Errorf("%s: %d of %d rows with the columns %q, the first is %q", k.Name, seen.Rows, seen.Count, seen.Columns, seen.Record)
		return
	}
	object = strings.Replace(object, "/", ":", 1)
	if !strings.HasSuffix(seen.Called, object) || seen.Fields < 3 || !strings.Contains(seen.Curl, "curl -s ") || seen.JSON == nil ||
		seen.Back != "#/kind/"+k.Name {
		t.Errorf("%s: the record %s is %+v", k.Name, object, seen)
	}
	if slices.Contains(seen.Tabs, "History") == k.NoHistory || !k.NoHistory && seen.History == 0 {
		t.Errorf("%s: %d entries of the history, under %q", k.Name, seen.History, seen.Tabs)
	}
	if slices.Contains(seen.Tabs, "Timeline") != k.Timeline || k.Timeline && seen.Timeline == 0 {
		t.Errorf("%s: %d entries of the timeline, under %q", k.Name, seen.Timeline, seen.Tabs)
	}
}
