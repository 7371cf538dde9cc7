package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"
)

const (
	crossLogin = "/v1/auth/cross_login/"
	register   = "/v1/tenant/register/"
	services   = "/v1/crm/services/"
	groups     = "/v1/crm/groups/"
	funnels    = "/v1/sales/funnels/"
	referrals  = orders + "referrals/"
)

// contract walks the operations of the contract that are part of no other walk, and deletes what it
// makes; an account that is registered is made on this machine only.
func (w *walk) contract(ctx context.Context) {
	name := fmt.Sprintf("Smoke test %d", time.Now().UnixMicro())
	w.crossLogin(ctx)
	w.register(ctx)
	w.step(ctx, "the custom fields", get(fields+"_list/"), status(200))
	w.tariff(ctx, name)
	w.moved(ctx, name)
	w.lead(ctx, name)
	w.company(ctx, name)
}

// crossLogin gives this session to another program, once.
func (w *walk) crossLogin(ctx context.Context) {
	token := w.step(ctx, "a cross-login token", post(crossLogin+"token/", ``), status(200), has("token"))
	if token == nil {
		return
	}
	exchange := post(crossLogin, body(map[string]string{"token": token.text("token")}))
	crossed := w.step(ctx, "and it is exchanged", exchange, status(200), has("token"))
	w.step(ctx, "and not twice", exchange, status(400), has("token"))
	w.step(ctx, "and whose profile it is", get("/v1/auth/profile/").with("Authorization", "Bearer "+crossed.text("token")),
		status(200), has("email"))
}

// register confirms a registration: on this machine with the code that was sent, elsewhere without one.
func (w *walk) register(ctx context.Context) {
	address := fmt.Sprintf("smoke-%d@tenantry.example", time.Now().UnixMicro())
	person := map[string]string{
		"email": address, "password": "correct horse battery " + address, "otp": "000000", "first_name": "Smoke", "phone": "+77010000003",
	}
	w.step(ctx, "nobody registers without a code", post(register+"confirm/", body(person)), status(400), has("otp"))
	if !w.local {
		return
	}
	w.step(ctx, "a code is sent", post(register+"init/", body(map[string]string{"email": address})), status(200))
	sent := w.until(ctx, lag, "and arrives", get("/_local/outbox/"), status(200), field("0.to", address))
	_, text, _ := strings.Cut(sent.text("0.text"), ": ")
	if len(text) < len("000000") {
		w.fail("and arrives", fmt.Errorf("no code in %q", text))
		return
	}
	person["otp"] = text[:len("000000")]
	w.step(ctx, "and registers", post(register+"confirm/", body(person)), status(201), field("email", address), field("otp", ""),
		field("password", ""))
}

// tariff makes a service and its tariff.
func (w *walk) tariff(ctx context.Context, name string) {
	service := w.step(ctx, "a service is created", post(services, body(map[string]string{"name": name})), status(201), field("name", name))
	if service == nil {
		return
	}
	path := services + service.text("id") + "/"
	w.step(ctx, "and its tariff", post(path+"tarifs/", `{"service":`+service.text("id")+`,"name":"Day","price":"5","duriation":86400}`),
		status(201), field("price", "5.00"), field("duriation", "86400"))
	w.step(ctx, "and they are deleted", remove(path), status(204), empty)
}

// moved moves an item into a group.
func (w *walk) moved(ctx context.Context, name string) {
	item := w.step(ctx, "an item to move", post(items, body(map[string]string{"name": name})), status(201))
	group := w.step(ctx, "a group", post(groups, body(map[string]string{"name": name})), status(201))
	if item == nil || group == nil {
		return
	}
	w.step(ctx, "the item is moved into it", post(items+"bulk_update/",
		`{"id":`+group.text("id")+`,"inventories":[`+item.text("id")+`]}`), status(201), field("inventories.0", item.text("id")))
	w.step(ctx, "and is there", get(items+item.text("id")+"/"), status(200), field("group", group.text("id")))
	w.step(ctx, "and the group stays", remove(groups+group.text("id")+"/"), status(409), field("code", "held"))
	w.step(ctx, "until the item is deleted", remove(items+item.text("id")+"/"), status(204), empty)
	w.step(ctx, "and then goes", remove(groups+group.text("id")+"/"), status(204), empty)
}

// lead makes a lead, in a funnel of its own.
func (w *walk) lead(ctx context.Context, name string) {
	funnel := w.step(ctx, "a funnel is created", post(funnels, body(map[string]string{"name": name})), status(201))
	if funnel == nil {
		return
	}
	path := funnels + funnel.text("id") + "/"
	stage := w.step(ctx, "and its stage", post(path+"stages/", `{"name":"First"}`), status(201))
	lead := w.step(ctx, "and a lead", post("/v1/sales/leads/", `{"stage":`+stage.text("id")+`,"funnel":`+funnel.text("id")+`,"price":"7"}`),
		status(201), field("price", "7.00"), field("stage", stage.text("id")))
	if lead != nil {
		w.step(ctx, "the lead is deleted", remove("/v1/sales/leads/"+lead.text("id")+"/"), status(204), empty)
	}
	if stage != nil {
		w.step(ctx, "and the stage", remove(path+"stages/"+stage.text("id")+"/"), status(204), empty)
	}
	w.step(ctx, "and the funnel", remove(path), status(204), empty)
}

// company imports a client that is a legal entity.
func (w *walk) company(ctx context.Context, name string) {
	row, _ := json.Marshal(map[string]any{"data": []map[string]string{{"name": name, "director": "Smoke"}}}) // texts: it can't fail
	w.step(ctx, "a legal entity is imported", post(clients+"import/legal/", string(row)), status(201), field("data.0.name", name))
	list := w.until(ctx, lag, "and is there", get(clients+"?type=1&name="+url.QueryEscape(name)), status(200), field("count", "1"))
	if list != nil {
		w.step(ctx, "and is deleted", remove(clients+list.text("results.0.id")+"/"), status(204), empty)
	}
}

// referral reads the line of an order, and gives the order a referral, which is changed and removed.
func (w *walk) referral(ctx context.Context, order, line string) {
	w.step(ctx, "and its line is read", get(orders+"inventories/"+line+"/"), status(200), field("request", order), field("type", "0"))
	made := w.step(ctx, "and it has a referral", post(referrals, `{"request":`+order+`,"amount":"1"}`), status(201), field("status", "1"))
	if made == nil {
		return
	}
	path := referrals + made.text("id") + "/"
	put := request{method: "PUT", path: path, body: []byte(`{"agent":null,"amount":"0.50"}`)}
	w.step(ctx, "which is changed", put, status(200), field("amount", "0.50"), field("request", order))
	w.step(ctx, "and removed", remove(path), status(204), empty)
}
