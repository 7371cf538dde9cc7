package clerks

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// What becomes of an order besides its lines' first times: holds, hand-outs and returns, and what is undone.

// seconds is for how long a request is held: so short that the worker cancels it while the clerks work, or so long that nobody does.
func (c *Clerk) seconds() int {
	if c.rand.IntN(4) == 0 {
		return 20 * 24 * 3600
	}
	return 1 + c.rand.IntN(soon)
}

// soon is how many seconds a short hold has at most.
const soon = 3

// holds gives a request another hold, or none.
func (c *Clerk) holds(ctx context.Context, o *order) {
	body := `{"hold":null}`
	if c.rand.IntN(4) > 0 {
		body = fmt.Sprintf(`{"hold":%d}`, c.seconds())
	}
	c.order(ctx, "hold", http.MethodPatch, fmt.Sprint(requests, o.ID, "/"), body)
}

// cancels cancels an order, for what the settings say or for another fee.
func (c *Clerk) cancels(ctx context.Context, o *order) {
	fee := ""
	if c.rand.IntN(4) == 0 {
		fee = fmt.Sprintf(`,"fee":"%d.75"`, c.rand.IntN(2000))
	}
	c.post(ctx, "cancel", o, "action", `{"status":3`+fee+`}`)
}

// missesClient cancels an order for which nobody came.
func (c *Clerk) missesClient(ctx context.Context, _ *order) {
	now := c.now()
	if o := c.any(c.rand, func(o *order) bool { return o.Status == reserved && o.Start != nil && o.Start.Before(now) }); o != nil {
		c.post(ctx, "no-show", o, "action", `{"status":3,"no_show":true}`)
	}
}

// takesBack takes back one item of an order, or all; most of them are early.
func (c *Clerk) takesBack(ctx context.Context, o *order) {
	which, early := "", ""
	if c.rand.IntN(2) == 0 {
		which = fmt.Sprintf(`,"order_inventories":[%d]`, c.pick(o, (*line).isRented).ID)
	}
	if c.rand.IntN(3) == 0 {
		early = `,"early":"` + c.one("keep", "reprice") + `"`
	}
	c.post(ctx, "take back", o, "action", fmt.Sprintf(`{"status":4%s%s%s}`, which, early, c.before(3)))
}

// one is one of some words.
func (c *Clerk) one(of ...string) string { return of[c.rand.IntN(len(of))] }

// shortens lets a rental that is out end soon.
func (c *Clerk) shortens(ctx context.Context, o *order) {
	w := wanted{end: c.now().Truncate(15 * time.Minute).Add(time.Duration(1+c.rand.IntN(8)) * 15 * time.Minute)}
	c.patch(ctx, "shorten", o, c.pick(o, (*line).isRented), fmt.Sprintf(`{"end_at":"%s"}`, text(w.end)), w)
}

// reschedules gives a whole order another start, another end, or both.
func (c *Clerk) reschedules(ctx context.Context, o *order) {
	if o.Start == nil || o.End == nil {
		return
	}
	by := time.Duration(c.rand.IntN(33)-16) * 15 * time.Minute
	start, end := o.Start.Add(by), o.End.Add(by)
	w := wanted{end: end} // of what is out the end moves alone
	body := fmt.Sprintf(`{"rent_start":"%s","rent_end":"%s"}`, text(start), text(end))
	switch c.rand.IntN(3) {
	case 0:
		body, w = fmt.Sprintf(`{"rent_start":"%s"}`, text(start)), wanted{start: start, end: forever()}
	case 1:
		body = fmt.Sprintf(`{"rent_end":"%s"}`, text(end))
	}
	c.order(ctx, "reschedule", http.MethodPatch, fmt.Sprint(requests, o.ID, "/"), body, w)
}

// swaps lets a line that has not begun have another item.
func (c *Clerk) swaps(ctx context.Context, o *order) {
	l, item := c.pick(o, (*line).isMovable), c.anyItem(c.rand)
	if item != l.item() {
		c.swap(ctx, "swap", l, item, "")
	}
}

// swapsOut lets a rental that is out go on with another item, the first one that is free.
func (c *Clerk) swapsOut(ctx context.Context, o *order) {
	for range Items {
		if o = c.look(ctx, o.ID); o == nil || !o.isOpen() {
			return
		}
		l, item := c.pick(o, (*line).isRented), c.anyItem(c.rand)
		if l == nil || item != l.item() && c.swap(ctx, "swap what is out", l, item, c.before(1)) != nil {
			return
		}
	}
}

func (c *Clerk) swap(ctx context.Context, what string, l *line, item int64, when string) *order {
	// Somebody may have given the line another time meanwhile.
	return c.order(ctx, what, http.MethodPost, fmt.Sprint(linesPath, l.ID, "/swap/"),
		fmt.Sprintf(`{"inventory":%d,"price":"%s","reason":"It broke down"%s}`, item, c.one("keep", "new"), when),
		wanted{item: item, handOut: true})
}

// reopens undoes the last step of a line.
func (c *Clerk) reopens(ctx context.Context, o *order) {
	l := c.pick(o, func(l *line) bool { return !l.isPlanned() })
	c.send(ctx, "reopen", http.MethodPost, fmt.Sprint(linesPath, l.ID, "/reopen/"), "", wanted{handOut: true})
	c.look(ctx, o.ID)
}

// sets changes how the company prices.
func (c *Clerk) sets(ctx context.Context, _ *order) {
	c.send(ctx, "set", http.MethodPut, settings,
		rentalSettings(c.one("keep", "reprice"), c.one("free", "charged"), c.one("pro_rata", "tariffs"), c.rand.IntN(101)))
}
