package clerks

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// lines are the JSON of new lines, and what they want.
func (c *Clerk) lines(n int) (body string, wants []wanted) {
	var list []string
	for range n {
		id, _ := c.anyItem(c.rand)
		start := c.moment()
		w := wanted{item: id, start: start, end: start.Add(c.length())}
		if c.rand.IntN(25) == 0 {
			w.start, w.end = start.Add(20*24*time.Hour), forever()
			list = append(list, fmt.Sprintf(`{"inventory":%d,"type":1,"start_at":"%s"}`, id, text(w.start)))
		} else {
			list = append(list, fmt.Sprintf(`{"inventory":%d,"start_at":"%s","end_at":"%s"}`, id, text(w.start), text(w.end)))
		}
		wants = append(wants, w)
	}
	return `"inventories":[` + strings.Join(list, ",") + `]`, wants
}

func (c *Clerk) books(ctx context.Context) {
	body, wants := c.lines(1 + c.rand.IntN(3)*c.rand.IntN(2))
	more := ""
	if c.rand.IntN(3) == 0 {
		more += fmt.Sprintf(`,"tax_percent":"12","tax_included":%t,"additional_discount":"%d.50"`, c.rand.IntN(2) == 0, c.rand.IntN(900))
	}
	if c.rand.IntN(3) == 0 {
		more += fmt.Sprintf(`,"services":[{"service":%d,"count":%d}]`, c.service, 1+c.rand.IntN(3))
	}
	c.order(ctx, "book", http.MethodPost, requests, fmt.Sprintf(`{"client":%d,"status":%d,%s%s}`,
		c.clients[c.rand.IntN(2)], c.rand.IntN(2), body, more), wants...)
}

func (c *Clerk) adds(ctx context.Context) {
	o := c.any(c.rand, (*order).isOpen)
	if o == nil {
		return
	}
	body, wants := c.lines(1 + c.rand.IntN(2))
	c.order(ctx, "add", http.MethodPost, fmt.Sprint(requests, o.ID, "/inventories/bulk_create/"), "{"+body+"}", wants...)
}

// anyLine is a line of an order that is open as far as the clerk knows.
func (c *Clerk) anyLine(fits func(l *line) bool) (*order, *line) {
	o := c.any(c.rand, func(o *order) bool { return o.isOpen() && len(o.some(fits)) > 0 })
	if o == nil {
		return nil, nil
	}
	list := o.some(fits)
	return o, list[c.rand.IntN(len(list))]
}

func (c *Clerk) moves(ctx context.Context) {
	o, l := c.anyLine(func(l *line) bool { return l.isPlanned() && l.End != nil && l.item() != 0 })
	if o == nil {
		return
	}
	w := wanted{item: l.item(), start: l.Start.Add(time.Duration(c.rand.IntN(17)-8) * 15 * time.Minute)}
	w.end = w.start.Add(c.length())
	if c.rand.IntN(4) == 0 {
		w.item, _ = c.anyItem(c.rand)
	}
	body := fmt.Sprintf(`{"inventory":%d,"start_at":"%s","end_at":"%s"}`, w.item, text(w.start), text(w.end))
	if c.rand.IntN(3) == 0 { // somebody may have moved it meanwhile: its item and its end are not known
		w = wanted{start: w.start, end: forever()}
		body = fmt.Sprintf(`{"start_at":"%s"}`, text(w.start))
	}
	c.send(ctx, "move", http.MethodPatch, fmt.Sprint(linesPath, l.ID, "/"), body, w)
	c.look(ctx, o.ID)
}

// exchanges lets two lines of an order exchange their items, or their times.
func (c *Clerk) exchanges(ctx context.Context) {
	fits := func(l *line) bool { return l.isPlanned() && l.End != nil && l.item() != 0 }
	o := c.any(c.rand, func(o *order) bool { return o.isOpen() && len(o.some(fits)) > 1 })
	if o == nil {
		return
	}
	list := o.some(fits)
	c.rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	a, b := list[0], list[1]
	one := func(l *line, item int64, start, end time.Time) string {
		return fmt.Sprintf(`{"id":%d,"inventory":%d,"start_at":"%s","end_at":"%s"}`, l.ID, item, text(start), text(end))
	}
	wants := []wanted{{item: b.item(), start: a.Start, end: a.due()}, {item: a.item(), start: b.Start, end: b.due()}}
	body := one(a, b.item(), a.Start, a.due()) + "," + one(b, a.item(), b.Start, b.due())
	if c.rand.IntN(2) == 0 {
		wants = []wanted{{item: a.item(), start: b.Start, end: b.due()}, {item: b.item(), start: a.Start, end: a.due()}}
		body = one(a, a.item(), b.Start, b.due()) + "," + one(b, b.item(), a.Start, a.due())
	}
	path := fmt.Sprint(requests, o.ID, "/inventories/bulk_update/")
	c.order(ctx, "exchange", http.MethodPost, path, `{"inventories":[`+body+`]}`, wants...)
}

func (c *Clerk) extends(ctx context.Context) {
	o, l := c.anyLine(func(l *line) bool { return !l.isReturned() && l.End != nil })
	if o == nil {
		return
	}
	// Somebody may have moved it meanwhile: its item and its start are not known.
	w := wanted{end: l.due().Add(time.Duration(c.rand.IntN(40)-8) * 15 * time.Minute)}
	c.send(ctx, "extend", http.MethodPatch, fmt.Sprint(linesPath, l.ID, "/"), fmt.Sprintf(`{"end_at":"%s"}`, text(w.end)), w)
	c.look(ctx, o.ID)
}

// ids are some of the ids of lines, for an action; empty for all.
func (c *Clerk) ids(list []*line) (field string) {
	if c.rand.IntN(2) == 0 {
		return ""
	}
	l := list[c.rand.IntN(len(list))]
	return fmt.Sprintf(`,"order_inventories":[%d]`, l.ID)
}

// before is a time up to some hours ago, for an action; empty for now.
func (c *Clerk) before(hours int) (field string) {
	if c.rand.IntN(4) > 0 {
		return ""
	}
	return fmt.Sprintf(`,"datetime":"%s"`, text(c.now().Add(-time.Duration(c.rand.IntN(hours*60))*time.Minute)))
}

func (c *Clerk) handsOut(ctx context.Context) {
	soon := c.now().Add(6 * time.Hour)
	fits := func(l *line) bool {
		return l.isPlanned() && (l.Start.Before(soon) && l.due().After(c.now().Add(-4*time.Hour)) || l.End == nil && c.rand.IntN(40) == 0)
	}
	o := c.any(c.rand, func(o *order) bool { return o.isOpen() && len(o.some(fits)) > 0 })
	if o == nil {
		return
	}
	if o.Status == request {
		o = c.order(ctx, "reserve", http.MethodPost, fmt.Sprint(requests, o.ID, "/action/"), `{"status":1}`)
		if o == nil {
			return
		}
	}
	list := o.some(fits)
	if len(list) == 0 {
		return
	}
	l := list[c.rand.IntN(len(list))]
	// Somebody may have given it another item meanwhile.
	o = c.order(ctx, "hand out", http.MethodPost, fmt.Sprint(requests, o.ID, "/action/"),
		fmt.Sprintf(`{"status":2,"order_inventories":[%d]%s}`, l.ID, c.before(5)), wanted{handOut: true})
	if o != nil && l.End == nil {
		c.sells(ctx, l.item())
	}
}

// sells archives an item that was sold, and buys another one.
func (c *Clerk) sells(ctx context.Context, id int64) {
	c.send(ctx, "archive what was sold", http.MethodPatch, fmt.Sprint(inventories, id, "/"), `{"disabled":1}`)
	for place := range Items {
		c.mu.Lock()
		is := c.items[place] == id
		c.mu.Unlock()
		if is {
			c.buys(ctx, place, id)
		}
	}
}

func (c *Clerk) buys(ctx context.Context, place int, was int64) {
	answer := c.send(ctx, "buy", http.MethodPost, inventories, c.item())
	var is struct{ ID int64 }
	if answer != nil && json.Unmarshal(answer, &is) == nil {
		c.replace(place, was, is.ID)
	}
}

func (c *Clerk) takesBack(ctx context.Context) {
	fits := func(l *line) bool { return l.isOut() && l.End != nil }
	o := c.any(c.rand, func(o *order) bool { return o.isOpen() && len(o.some(fits)) > 0 })
	if o == nil {
		return
	}
	c.order(ctx, "take back", http.MethodPost, fmt.Sprint(requests, o.ID, "/action/"),
		fmt.Sprintf(`{"status":4%s%s}`, c.ids(o.some(fits)), c.before(3)))
}

func (c *Clerk) act(ctx context.Context, what string, status int, fits func(o *order) bool) {
	if o := c.any(c.rand, fits); o != nil {
		c.order(ctx, what, http.MethodPost, fmt.Sprint(requests, o.ID, "/action/"), fmt.Sprintf(`{"status":%d}`, status))
	}
}

func (c *Clerk) reserves(ctx context.Context) {
	c.act(ctx, "reserve", reserved, func(o *order) bool { return o.Status == request })
}

func (c *Clerk) cancels(ctx context.Context) {
	c.act(ctx, "cancel", cancelled, func(o *order) bool { return o.Status == request || o.Status == reserved })
}

func (c *Clerk) deletesLine(ctx context.Context) {
	o, l := c.anyLine((*line).isPlanned)
	if o == nil {
		return
	}
	if c.rand.IntN(2) == 0 {
		is := c.order(ctx, "delete lines", http.MethodPost, fmt.Sprint(requests, o.ID, "/inventories/bulk_delete/"),
			fmt.Sprintf(`{"inventories":[%d]}`, l.ID))
		if is != nil {
			c.loseLine(l.ID)
		}
		return
	}
	if c.send(ctx, "delete a line", http.MethodDelete, fmt.Sprint(linesPath, l.ID, "/"), "") != nil {
		c.loseLine(l.ID)
	}
	c.look(ctx, o.ID)
}

func (c *Clerk) deletesOrder(ctx context.Context) {
	o := c.any(c.rand, func(o *order) bool { return o.Status == request || o.Status == cancelled })
	if o == nil {
		return
	}
	c.send(ctx, "delete an order", http.MethodDelete, fmt.Sprint(requests, o.ID, "/"), "")
	c.look(ctx, o.ID)
}

func (c *Clerk) pays(ctx context.Context) {
	if o := c.any(c.rand, func(o *order) bool { return o.Status != cancelled }); o != nil {
		c.order(ctx, "pay", http.MethodPost, fmt.Sprint(requests, o.ID, "/pay/"),
			fmt.Sprintf(`{"amount":"%d.%02d"}`, 1+c.rand.IntN(9000), c.rand.IntN(100)))
	}
}

func (c *Clerk) changes(ctx context.Context) {
	if o := c.any(c.rand, (*order).isOpen); o != nil {
		c.order(ctx, "change", http.MethodPatch, fmt.Sprint(requests, o.ID, "/"),
			fmt.Sprintf(`{"client":%d,"additional_discount":"%d.25"}`, c.clients[c.rand.IntN(2)], c.rand.IntN(500)))
	}
}

func (c *Clerk) serves(ctx context.Context) {
	o := c.any(c.rand, (*order).isOpen)
	if o == nil {
		return
	}
	path := fmt.Sprint(requests, o.ID, "/services/")
	if len(o.ServiceLines) > 0 {
		c.order(ctx, "take a service away", http.MethodPost, path+"bulk_delete/", fmt.Sprintf(`{"services":[%d]}`, o.ServiceLines[0]))
		return
	}
	c.order(ctx, "serve", http.MethodPost, path+"bulk_create/", fmt.Sprintf(`{"services":[{"service":%d,"count":2}]}`, c.service))
}
