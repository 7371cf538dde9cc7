package events_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/events"
	"github.com/tenantry/tenantry/functions/events/known"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/web/webtest"
	"github.com/tenantry/tenantry/shared/web/webtest/match"
)

// byThemselves are the kinds with a history, whose events created, updated and deleted come without a verb that says them.
func byThemselves() []string {
	return []string{
		"account", "agent", "attraction_method", "category", "client", "company", "custom_field", "discount", "document", "exchange",
		"feed_token", "funnel", "inventory", "inventory_group", "inventory_state", "key", "lead", "order", "penalty", "penalty_state",
		"price_rule", "rental_point", "service", "template", "transaction", "user", "webhook",
	}
}

// said are the events that verbs say.
func said() []string {
	return []string{
		"document.sealed", "document.sign.opened", "document.sign.rejected", "document.sign.reopened", "document.sign.requested",
		"document.sign.signed", "document.signed", "inventory.arrived", "inventory.blocked", "inventory.moved",
		"inventory.unblocked", "lead.moved",
		"order.cancelled", "order.completed", "order.deposit.received", "order.deposit.removed", "order.deposit.returned",
		"order.deposit.updated", "order.deposit.withheld", "order.fee.added", "order.fee.removed", "order.fee.updated", "order.indebted",
		"order.line.added", "order.line.handed_out", "order.line.removed", "order.line.reopened", "order.line.returned",
		"order.line.swapped", "order.line.updated", "order.paid",
		"order.referral.created", "order.referral.paid", "order.referral.removed", "order.referral.reversed", "order.referral.updated",
		"order.refunded", "order.reserved", "order.service.added", "order.service.removed", "order.service.updated", "order.settled",
		"order.started",
		"penalty.charged", "penalty.matched", "penalty.uncharged", "penalty.unmatched", "sms_message.delivered", "sms_message.failed",
		"sms_message.sent", "webhook.disabled",
	}
}

func TestTypes(t *testing.T) {
	want := said()
	for _, kind := range byThemselves() {
		want = append(want, kind+".created", kind+".deleted", kind+".updated")
	}
	want = append(want, "client.imported", "inventory.imported")
	want = slices.DeleteFunc(want, func(name string) bool { return name == "company.deleted" })
	slices.Sort(want)
	var got []string
	for _, one := range known.Types() {
		got = append(got, string(one.Type))
		kind, _, _ := strings.Cut(string(one.Type), ".")
		if one.Object != kind || one.Doc == "" || one.Example.Type != one.Type {
			t.Errorf("%+v", one)
		}
		if k, id, ok := kinds.ParseObject(one.Example.Object); !ok || k.Name != kind || id == 0 {
			t.Errorf("the example of %s is about %s", one.Type, one.Example.Object)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("types %v, want %v", got, want)
	}
}

// typesOf asks for the types as somebody.
func typesOf(t *testing.T, api *webtest.API, who webtest.Caller) (list []known.EventType) {
	t.Helper()
	if err := json.Unmarshal(api.As(who).Get(path+"types/").Status(200).Calls(0).Body(), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestTypesOfACaller(t *testing.T) {
	api := webtest.New(t, events.New)
	api.Join(webtest.Accountant(1))
	has := func(list []known.EventType, name string) bool {
		return slices.ContainsFunc(list, func(one known.EventType) bool { return string(one.Type) == name })
	}
	for _, c := range []struct {
		who                       webtest.Caller
		client, money, user, feed bool
	}{
		{webtest.ReadOnly(1), true, false, false, false},
		{webtest.Employee(1), true, false, false, false},
		{webtest.Accountant(1), true, true, false, false},
		{webtest.Manager(1), true, true, true, false},
		{webtest.Owner(1), true, true, true, true},
	} {
		list := typesOf(t, api, c.who)
		if has(list, "client.created") != c.client || has(list, "transaction.updated") != c.money || has(list, "user.created") != c.user ||
			has(list, "feed_token.created") != c.feed {
			t.Errorf("%+v may read %d types", c.who.Principal, len(list))
		}
	}
	if all := typesOf(t, api, webtest.Owner(1)); len(all) != len(known.Types()) {
		t.Errorf("an owner may read %d types of %d", len(all), len(known.Types()))
	}
	answer := api.As(webtest.Owner(1)).Get(path + "types/").Status(200)
	i := slices.IndexFunc(known.Types(), func(one known.EventType) bool { return one.Type == "client.imported" })
	var list []json.RawMessage
	if err := json.Unmarshal(answer.Body(), &list); err != nil {
		t.Fatal(err)
	}
	sameJSON(t, list[i], `{"type":"client.imported","object":"client",
		"doc":"Clients were imported, all of them at once; none has a client.created.",
		"schema":{"type":"object","required":["first_id","last_id","count"],"properties":{
			"first_id":{"type":"integer","description":"Id of the first new record; the others have the numbers that follow."},
			"last_id":{"type":"integer","description":"Id of the last new record."},
			"count":{"type":"integer","description":"How many records are new."}}},
		"example":{"id":1024,"type":"client.imported","created_at":"2026-03-02T09:30:00Z","object":"client:7","revision":1,"concerns":[],
			"user":14,"feed":null,"key":null,"request_id":"6f3c1a52-7a0e-4a53-9d55-0d9a1f1f3b4e","data":{"first_id":7,"last_id":9,"count":3}}}`)
}

func sameJSON(t *testing.T, got json.RawMessage, want string) {
	t.Helper()
	expected, err := match.Parse([]byte(want))
	if err != nil {
		t.Fatal(err)
	}
	actual, err := match.Parse(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, diff := range match.Compare("", expected, actual) {
		t.Error(diff)
	}
}
