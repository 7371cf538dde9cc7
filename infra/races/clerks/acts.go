package clerks

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// act is one thing that clerks do, with its share in a hundred. If it is done to an order, fits tells to which.
type act struct {
	share int
	fits  func(o *order) bool
	do    func(c *Clerk, ctx context.Context, o *order)
}

func acts() []act {
	return []act{
		{18, nil, (*Clerk).books},
		{7, (*order).isOpen, (*Clerk).adds},
		{9, hasLine((*line).isMovable), (*Clerk).moves},
		{5, func(o *order) bool { return o.isOpen() && len(o.some((*line).isMovable)) > 1 }, (*Clerk).exchanges},
		{5, hasLine(func(l *line) bool { return !l.isReturned() && l.End != nil }), (*Clerk).extends},
		{6, hasLine((*line).isRented), (*Clerk).shortens},
		{4, hasLine(func(l *line) bool { return !l.isReturned() && l.End != nil }), (*Clerk).reschedules},
		{16, nil, (*Clerk).handsOut},
		{9, hasLine((*line).isRented), (*Clerk).takesBack},
		{8, hasLine((*line).isRented), (*Clerk).swapsOut},
		{2, hasLine((*line).isMovable), (*Clerk).swaps},
		{5, wasOut, (*Clerk).reopens},
		{4, in(request), becomes("reserve", reserved)},
		{3, in(request), (*Clerk).holds},
		{5, in(request, reserved), (*Clerk).cancels},
		{4, nil, (*Clerk).missesClient},
		{5, hasLine((*line).isPlanned), (*Clerk).deletesLine},
		{2, in(request, cancelled), (*Clerk).deletesOrder},
		{7, nil, (*Clerk).blocks},
		{3, nil, (*Clerk).retires},
		{7, in(request, reserved, inRent, cancelled, completed, debtor), (*Clerk).pays},
		{4, func(o *order) bool { return o.Paid > 0 }, (*Clerk).refunds},
		{4, in(request, reserved, inRent, completed, debtor), (*Clerk).takesDeposit},
		{5, func(o *order) bool { return len(o.Deposits) > 0 }, (*Clerk).returnsDeposit},
		{3, in(request, reserved, inRent, completed, debtor), (*Clerk).refers},
		{5, in(request, reserved, inRent, completed, debtor), (*Clerk).settlesReferral},
		{3, in(request, reserved, inRent, completed, debtor), (*Clerk).charges},
		{3, (*order).isOpen, (*Clerk).changes},
		{2, (*order).isOpen, (*Clerk).serves},
		{1, nil, (*Clerk).sets},
	}
}

// wasOut tells whether something of an order was handed out.
func wasOut(o *order) bool {
	return o.Status != cancelled && len(o.some(func(l *line) bool { return !l.isPlanned() })) > 0
}

// hasLine tells of orders that are open, as far as the clerk knows, whether a line fits.
func hasLine(fits func(l *line) bool) func(o *order) bool {
	return func(o *order) bool { return o.isOpen() && len(o.some(fits)) > 0 }
}

// in tells of orders whether they have one of the statuses.
func in(statuses ...int64) func(o *order) bool {
	return func(o *order) bool { return slices.Contains(statuses, o.Status) }
}

func becomes(what string, status int64) func(c *Clerk, ctx context.Context, o *order) {
	return func(c *Clerk, ctx context.Context, o *order) {
		c.post(ctx, what, o, "action", fmt.Sprintf(`{"status":%d}`, status))
	}
}

// pick is one of the lines of an order that fit; nil if none does.
func (c *Clerk) pick(o *order, fits func(l *line) bool) *line {
	list := o.some(fits)
	if len(list) == 0 {
		return nil
	}
	return list[c.rand.IntN(len(list))]
}

// times are the members of a body that say from when to when.
func (w wanted) times() string {
	return fmt.Sprintf(`"start_at":"%s","end_at":"%s"`, text(w.start), text(w.end))
}

// whole are these with the item.
func (w wanted) whole() string { return fmt.Sprintf(`"inventory":%d,%s`, w.item, w.times()) }

// anyTime is a time of an item at random.
func (c *Clerk) anyTime() wanted {
	start := c.moment()
	return wanted{item: c.anyItem(c.rand), start: start, end: start.Add(c.length())}
}

// lines are the JSON of new lines, and what they want.
func (c *Clerk) lines(n int) (body string, wants []wanted) {
	var list []string
	for range n {
		w := c.anyTime()
		line := w.whole()
		if c.rand.IntN(25) == 0 { // a sale
			w.start, w.end = w.start.Add(20*24*time.Hour), forever()
			line = fmt.Sprintf(`"inventory":%d,"type":1,"start_at":"%s"`, w.item, text(w.start))
		}
		list, wants = append(list, line), append(wants, w)
	}
	return `"inventories":[{` + strings.Join(list, "},{") + `}]`, wants
}

func (c *Clerk) books(ctx context.Context, _ *order) {
	body, wants := c.lines(1 + c.rand.IntN(3)*c.rand.IntN(2))
	if c.rand.IntN(3) == 0 {
		body += fmt.Sprintf(`,"tax_percent":"12","tax_included":%t,"additional_discount":"%d.50"`, c.rand.IntN(2) == 0, c.rand.IntN(900))
	}
	if c.rand.IntN(3) == 0 {
		body += fmt.Sprintf(`,"services":[{"service":%d,"count":%d}]`, c.service, 1+c.rand.IntN(3))
	}
	status := c.rand.IntN(2)
	if status == request && c.rand.IntN(2) == 0 {
		body += `,"hold":` + strconv.Itoa(c.seconds())
	}
	body = fmt.Sprintf(`{"client":%d,"status":%d,%s}`, c.clients[c.rand.IntN(2)], status, body)
	c.order(ctx, "book", http.MethodPost, requests, body, wants...)
}

func (c *Clerk) adds(ctx context.Context, o *order) {
	body, wants := c.lines(1 + c.rand.IntN(2))
	c.post(ctx, "add", o, "inventories/bulk_create", "{"+body+"}", wants...)
}

func (c *Clerk) moves(ctx context.Context, o *order) {
	l := c.pick(o, (*line).isMovable)
	w := wanted{item: l.item(), start: l.Start.Add(time.Duration(c.rand.IntN(17)-8) * 15 * time.Minute)}
	w.end = w.start.Add(c.length())
	if c.rand.IntN(4) == 0 {
		w.item = c.anyItem(c.rand)
	}
	body := "{" + w.whole() + "}"
	if c.rand.IntN(3) == 0 { // somebody may have moved it meanwhile: its item and its end are not known
		w = wanted{start: w.start, end: forever()}
		body = fmt.Sprintf(`{"start_at":"%s"}`, text(w.start))
	}
	c.patch(ctx, "move", o, l, body, w)
}

// exchanges lets two lines of an order exchange their items, or their times.
func (c *Clerk) exchanges(ctx context.Context, o *order) {
	list := o.some((*line).isMovable)
	c.rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	a, b := list[0], list[1]
	wants := []wanted{{item: b.item(), start: a.Start, end: a.due()}, {item: a.item(), start: b.Start, end: b.due()}}
	if c.rand.IntN(2) == 0 {
		wants = []wanted{{item: a.item(), start: b.Start, end: b.due()}, {item: b.item(), start: a.Start, end: a.due()}}
	}
	body := fmt.Sprintf(`{"inventories":[{"id":%d,%s},{"id":%d,%s}]}`, a.ID, wants[0].whole(), b.ID, wants[1].whole())
	c.post(ctx, "exchange", o, "inventories/bulk_update", body, wants...)
}

func (c *Clerk) extends(ctx context.Context, o *order) {
	l := c.pick(o, func(l *line) bool { return !l.isReturned() && l.End != nil })
	// Somebody may have moved it meanwhile: its item and its start are not known.
	w := wanted{end: l.due().Add(time.Duration(c.rand.IntN(40)-8) * 15 * time.Minute)}
	c.patch(ctx, "extend", o, l, fmt.Sprintf(`{"end_at":"%s"}`, text(w.end)), w)
}

// before is a time up to some hours ago, for an action; empty for now.
func (c *Clerk) before(hours int) (field string) {
	if c.rand.IntN(4) > 0 {
		return ""
	}
	return fmt.Sprintf(`,"datetime":"%s"`, text(c.now().Add(-time.Duration(c.rand.IntN(hours*60))*time.Minute)))
}

func (c *Clerk) handsOut(ctx context.Context, _ *order) {
	now := c.now()
	fits := func(l *line) bool {
		soon := l.Start.Before(now.Add(6*time.Hour)) && l.due().After(now.Add(-4*time.Hour))
		return l.isPlanned() && (soon || l.End == nil && c.rand.IntN(40) == 0)
	}
	o := c.any(c.rand, hasLine(fits))
	if o == nil {
		return
	}
	if o.Status == request {
		if o = c.post(ctx, "reserve", o, "action", `{"status":1}`); o == nil {
			return
		}
	}
	l := c.pick(o, fits)
	if l == nil {
		return
	}
	// Somebody may have given it another item meanwhile.
	body := fmt.Sprintf(`{"status":2,"order_inventories":[%d]%s}`, l.ID, c.before(5))
	o = c.post(ctx, "hand out", o, "action", body, wanted{handOut: true})
	if o != nil && l.End == nil { // it was sold
		id := l.item()
		c.send(ctx, "archive what was sold", http.MethodPatch, fmt.Sprint(inventories, id, "/"), `{"disabled":1}`)
		c.buys(ctx, id)
	}
}

// buys buys an item in the place of one that left, unless somebody has done so.
func (c *Clerk) buys(ctx context.Context, was int64) {
	var here bool
	c.locked(func() { here = slices.Contains(c.items, was) })
	var is record
	if here && json.Unmarshal(c.send(ctx, "buy", http.MethodPost, inventories, c.item()), &is) == nil {
		c.replace(was, is.ID)
	}
}

func (c *Clerk) deletesLine(ctx context.Context, o *order) {
	l := c.pick(o, (*line).isPlanned)
	var gone bool
	if c.rand.IntN(2) == 0 {
		gone = c.post(ctx, "delete lines", o, "inventories/bulk_delete", fmt.Sprintf(`{"inventories":[%d]}`, l.ID)) != nil
	} else {
		gone = c.send(ctx, "delete a line", http.MethodDelete, fmt.Sprint(linesPath, l.ID, "/"), "") != nil
	}
	if gone {
		c.lost(&order{Inventories: []line{{ID: l.ID}}}, "deleted")
	}
	c.look(ctx, o.ID)
}

func (c *Clerk) deletesOrder(ctx context.Context, o *order) {
	c.send(ctx, "delete an order", http.MethodDelete, fmt.Sprint(requests, o.ID, "/"), "")
	c.look(ctx, o.ID)
}

func (c *Clerk) changes(ctx context.Context, o *order) {
	c.order(ctx, "change", http.MethodPatch, fmt.Sprint(requests, o.ID, "/"),
		fmt.Sprintf(`{"client":%d,"additional_discount":"%d.25"}`, c.clients[c.rand.IntN(2)], c.rand.IntN(500)))
}

func (c *Clerk) serves(ctx context.Context, o *order) {
	if len(o.ServiceLines) > 0 {
		c.post(ctx, "take a service away", o, "services/bulk_delete", fmt.Sprintf(`{"services":[%d]}`, o.ServiceLines[0]))
		return
	}
	c.post(ctx, "serve", o, "services/bulk_create", fmt.Sprintf(`{"services":[{"service":%d,"count":2}]}`, c.service))
}

// blocks blocks an item, moves a block of it, or takes one away.
func (c *Clerk) blocks(ctx context.Context, _ *order) {
	w := c.anyTime()
	path := fmt.Sprint(inventories, w.item, "/blocks/")
	status, answer, err := c.call(ctx, http.MethodGet, path, "", "")
	var list []record
	if err != nil || status != http.StatusOK || json.Unmarshal(answer, &list) != nil {
		return
	}
	n, one := len(list), ""
	if n > 0 {
		one = fmt.Sprint(path, list[c.rand.IntN(n)].ID, "/")
	}
	switch {
	case n > 0 && (n > 20 || c.rand.IntN(3) == 0):
		c.send(ctx, "unblock", http.MethodDelete, one, "")
	case n > 0 && c.rand.IntN(3) == 0:
		c.send(ctx, "move a block", http.MethodPatch, one, "{"+w.times()+"}", w)
	default:
		c.send(ctx, "block", http.MethodPost, path, "{"+w.times()+"}", w)
	}
}

// retires takes an item out of use, for a while or for ever.
func (c *Clerk) retires(ctx context.Context, _ *order) {
	id := c.anyItem(c.rand)
	path := fmt.Sprint(inventories, id, "/")
	if c.rand.IntN(4) == 0 {
		c.locked(func() { c.retired = append(c.retired, id) }) // from now on it may be deleted
		if c.send(ctx, "delete an item", http.MethodDelete, path, "") != nil {
			c.buys(ctx, id)
		}
		return
	}
	if c.send(ctx, "archive", http.MethodPatch, path, fmt.Sprintf(`{"disabled":%d}`, 1+c.rand.IntN(2))) == nil {
		return
	}
	time.Sleep(2 * time.Millisecond)
	for range 5 {
		if c.send(ctx, "use again", http.MethodPatch, path, `{"disabled":null}`) != nil || ctx.Err() != nil {
			return
		}
	}
}
