package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

const (
	items    = "/v1/crm/inventories/"
	orders   = "/v1/crm/requests/"
	accounts = "/v1/finances/accounts/"
)

// rental follows an order from its booking to its end, and deletes the item and the client that it was for. The order
// stays, because it was paid, and so does its payment of 1.00.
func (w *walk) rental(ctx context.Context) (order string) {
	name := fmt.Sprintf("Smoke test %d", time.Now().UnixMicro())
	item := w.step(ctx, "an item is created", post(items, `{"name":"`+name+`"}`), status(201), field("name", name))
	client := w.step(ctx, "a client is created", post(clients, `{"name":"`+name+`"}`), status(201), field("name", name))
	account := w.account(ctx)
	if item == nil || client == nil || account == "" {
		return ""
	}
	book := func(from time.Time) request {
		return post(orders, fmt.Sprintf(
			`{"client":%s,"status":1,"rent_start":%q,"rent_end":%q,"inventories":[{"inventory":%s,"tarif_price":"1.00"}]}`,
			client.text("id"), from.Format(time.RFC3339), from.Add(2*time.Hour).Format(time.RFC3339), item.text("id")))
	}
	now := time.Now().UTC()
	booked := w.step(ctx, "an order is booked", book(now), status(201), field("status", "1"), field("price", "1.00"))
	if booked == nil {
		return ""
	}
	id := booked.text("id")
	path := orders + id + "/"
	w.step(ctx, "and not the same item twice", book(now.Add(time.Hour)), status(409), field("code", "overlap"),
		field("conflicts.0.request", id))
	w.step(ctx, "and not deleted", remove(path), status(409), field("code", "status"))
	w.referral(ctx, id, booked.text("inventories.0.id"))
	w.step(ctx, "and handed out", post(path+"action/", `{"status":2}`), status(200), field("status", "2"))
	w.step(ctx, "and not handed out twice", post(path+"action/", `{"status":2}`), status(409), field("code", "status"))
	w.step(ctx, "and its item stays in use", remove(items+item.text("id")+"/"), status(409), field("code", "in_use"))
	w.step(ctx, "and taken back", post(path+"action/", `{"status":4}`), status(200), field("status", "5"), field("debt", "1.00"))
	w.step(ctx, "and paid", post(path+"pay/", `{"amount":"1.00","account":`+account+`}`), status(200), field("status", "4"),
		field("payment_status", "2"), field("debt", "0.00"))
	w.step(ctx, "and read", get(path), status(200), field("inventories.0.inventory.name", name), field("inventories.0.client.name", name))
	w.until(ctx, lag, "and found", get(orders+"?client="+client.text("id")), status(200), field("count", "1"), field("results.0.id", id))
	again := w.step(ctx, "the item is booked again", book(now.Add(time.Hour)), status(201), field("status", "1"))
	if again != nil {
		path := orders + again.text("id") + "/"
		w.step(ctx, "and the order is cancelled", post(path+"action/", `{"status":3}`), status(200), field("status", "3"))
		w.step(ctx, "and deleted", remove(path), status(204), empty)
		w.step(ctx, "and gone", get(path), status(404), field("detail", "Not found."))
	}
	w.step(ctx, "the item is deleted", remove(items+item.text("id")+"/"), status(204), empty)
	w.step(ctx, "and the client", remove(clients+client.text("id")+"/"), status(204), empty)
	return id
}

// account returns the id of an account. A company that has none gets one, which stays.
func (w *walk) account(ctx context.Context) string {
	list := w.step(ctx, "the accounts", get(accounts), status(http.StatusOK))
	if list == nil || list.text("0.id") != "" {
		return list.text("0.id")
	}
	made := w.step(ctx, "the first account is created", post(accounts, `{"name":"Smoke test"}`), status(201))
	return made.text("id")
}
