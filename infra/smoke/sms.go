package main

import "context"

const sms = "/v1/sms/"

// sms walks the account and the messages. Only on this machine, where an SMS costs nothing and reaches nobody, it sends one.
func (w *walk) sms(ctx context.Context) {
	w.step(ctx, "the account for SMS", get(sms+"account/"), status(200), has("balance", "price"))
	w.step(ctx, "and what was booked", get(sms+"account/history/?pageSize=1"), status(200), has("count", "next", "previous", "results"))
	w.step(ctx, "a message that can't be sent", post(sms+"messages/", `{"phones":["12"],"message":"a\tb"}`), status(400),
		has("phones", "message"))
	if !w.local {
		return
	}
	w.step(ctx, "an SMS is paid for", post(sms+"account/top_up/", `{"amount":"15"}`), status(201), field("amount", "15.00"), has("invoice"))
	sent := w.step(ctx, "and sent", post(sms+"messages/", `{"phones":["8 (701) 000-00-01"],"message":"Smoke test"}`), status(201),
		field("status", "PENDING"), field("phones.0", "+77010000001"))
	if sent == nil {
		return
	}
	path := sms + "messages/" + sent.text("id") + "/"
	w.until(ctx, lag, "and delivered", get(path), status(200), field("status", "DELIVERED"), field("recipients.0.status", "DELIVERED"))
	w.until(ctx, lag, "and found", get(sms+"messages/?pageSize=1&phone=77010000001"), status(200), field("results.0.id", sent.text("id")))
}
