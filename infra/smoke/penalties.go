package main

import (
	"context"
	"fmt"
	"time"
)

const (
	penalties = "/v1/cars/penalties/"
	// matching is the most time after which the worker has found out who had a car: it waits for the indexes first.
	matching = time.Minute
)

// penalty follows a penalty that a registry sends, and deletes it.
func (w *walk) penalty(ctx context.Context) {
	number := time.Now().UnixMicro()
	row := func(amount string) string {
		return fmt.Sprintf(`{"outer_id":%d,"protocol_number":"Smoke test %d","amount":%q,"violation_date":"2026-03-01",`+
			`"violation_time":"14:05","car":{"number":"smoke %d"}}`, number, number, amount, number%1_000_000)
	}
	made := w.step(ctx, "a penalty is sent", post(penalties, row("19660")), status(201), field("amount", "19660.00"), headerSet("ETag"))
	if made == nil {
		return
	}
	id := made.text("id")
	path := penalties + id + "/"
	w.step(ctx, "and sent again", post(penalties, row("19660")), status(200), field("id", id))
	change := request{method: "PUT", path: path}
	change.body = fmt.Appendf(nil, `{"protocol_number":"Smoke test %d","noted":true,"amount":"100"}`, number)
	w.step(ctx, "and changed", change.with("If-Match", made.Header.Get("ETag")), status(200), field("amount", "100.00"))
	w.step(ctx, "which the registry does not undo", post(penalties, "["+row("19660")+"]"), status(200),
		field("0.status", "unchanged"), field("0.id", id))
	found := fmt.Sprintf("number=SMOKE%d&search=%d", number%1_000_000, number)
	w.until(ctx, lag, "and found", get(penalties+"?"+found), status(200), field("count", "1"), field("results.0.id", id))
	w.until(ctx, lag, "and counted", get(penalties+"count/?"+found), status(200), field("count", "1"), field("amount", "100.00"))
	w.step(ctx, "and deleted", remove(path), status(204), empty)
	w.step(ctx, "and gone", get(path), status(404), field("detail", "Not found."))
}

// matched lets a penalty wait for its order: it is of a car that nobody is known to have had, until an order of that day is booked.
// Then the worker finds the order. All that the walk makes for it is deleted.
func (w *walk) matched(ctx context.Context) {
	number := time.Now().UnixMicro()
	plate, name := fmt.Sprintf("MATCH%d", number%1_000_000_000), fmt.Sprintf("Smoke test %d", number)
	item := w.step(ctx, "a car is created", post(items, fmt.Sprintf(`{"name":%q,"car":{"number":%q}}`, name, plate)), status(201))
	client := w.step(ctx, "and who will have had it", post(clients, fmt.Sprintf(`{"name":%q}`, name)), status(201))
	if item == nil || client == nil {
		return
	}
	made := w.step(ctx, "its penalty is sent", post(penalties, fmt.Sprintf(
		`{"outer_id":%d,"protocol_number":%q,"amount":"100","violation_date":"2026-03-01","violation_time":"14:05","car":{"number":%q}}`,
		number, name, plate)), status(201), field("inventory", item.text("id")), field("request", ""))
	booked := w.step(ctx, "an order of that day is booked", post(orders, fmt.Sprintf(
		`{"client":%s,"status":1,"rent_start":"2026-02-28T00:00:00Z","rent_end":"2026-03-03T00:00:00Z",`+
			`"inventories":[{"inventory":%s,"tarif_price":"1.00"}]}`,
		client.text("id"), item.text("id"))), status(201))
	if made != nil && booked != nil {
		w.until(ctx, matching, "and found for the penalty", get(penalties+made.text("id")+"/"), status(200),
			field("request", booked.text("id")), field("client", client.text("id")))
	}
	if made != nil {
		w.step(ctx, "which is deleted", remove(penalties+made.text("id")+"/"), status(204), empty)
	}
	if booked != nil {
		path := orders + booked.text("id") + "/"
		w.step(ctx, "the order is cancelled", post(path+"action/", `{"status":3}`), status(200), field("status", "3"))
		w.step(ctx, "and deleted", remove(path), status(204), empty)
	}
	w.step(ctx, "the car is deleted", remove(items+item.text("id")+"/"), status(204), empty)
	w.step(ctx, "and who had it", remove(clients+client.text("id")+"/"), status(204), empty)
}
