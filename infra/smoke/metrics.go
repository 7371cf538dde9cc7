package main

import (
	"context"
	"time"
)

const metrics = "/v1/crm/metrics/general/"

// metrics finds what the order brought in that rental has left; order is its id.
func (w *walk) metrics(ctx context.Context, order string) {
	w.step(ctx, "what the orders brought in", get(metrics+"detail/?pageSize=1"), status(200), has("count", "next", "previous", "results"))
	if order != "" {
		// Ids of rows follow from those of orders, so the newest order has the last one.
		of := w.until(ctx, lag, "and the last order", get(metrics+"detail/?type=request&ordering=-id&pageSize=1&date__gte="+yesterday()),
			status(200), field("results.0.request", order), field("results.0.prediction", "1.00"), field("results.0.profit", "1.00"))
		if of != nil {
			w.step(ctx, "and its day", get(metrics+"?date="+of.text("results.0.date")), status(200), field("count", "1"),
				field("results.0.date", of.text("results.0.date")))
		}
	}
	w.step(ctx, "and by day", get(metrics+"?pageSize=3"), status(200), field("count", "30"), has("next", "results"))
	w.step(ctx, "a type that is none", get(metrics+"detail/?type=car"), status(400), has("type"))
	w.step(ctx, "no rebuild, or an old one", get("/v1/crm/metrics/rebuild/"), status(200), has("status", "done", "total"))
}

// yesterday is a day that has begun everywhere.
func yesterday() string { return time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly) }
