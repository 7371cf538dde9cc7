package main

import (
	"context"
	"fmt"
	"time"
)

const penalties = "/v1/cars/penalties/"

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
