package clerks

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Clerk is somebody who works in the office. One goroutine at a time uses it.
type Clerk struct {
	*Office
	call Call
	rand *rand.Rand
	name string
	sent int
}

// Hire is another clerk.
func (o *Office) Hire(call Call, seed uint64) *Clerk {
	var n int
	o.locked(func() { o.hired++; n = o.hired })
	return &Clerk{Office: o, call: call, rand: chance(seed, uint64(n)), name: fmt.Sprintf("clerk-%d-%d", seed, n)}
}

// chance makes numbers that are the same for the same seeds.
func chance(a, b uint64) *rand.Rand {
	return rand.New(rand.NewPCG(a, b)) //nolint:gosec // not a secret
}

// wanted is a time that a request wants an item for; item 0 is any item.
type wanted struct {
	item       int64
	start, end time.Time
	handOut    bool
}

// Act does what the clerk feels like doing: each act has its share in a hundred.
func (c *Clerk) Act(ctx context.Context) {
	for _, one := range acts() {
		if c.rand.IntN(100) >= one.share {
			continue
		}
		var of *order
		if one.fits != nil {
			if of = c.any(c.rand, one.fits); of == nil {
				continue
			}
		}
		one.do(c, ctx, of)
	}
	if c.Tick != nil && c.rand.IntN(4) == 0 {
		c.Tick(c.rand)
	}
}

// isStale tells whether a 400 is one that may be, because the clerk decided by what is not so any more.
func isStale(answer []byte) bool {
	return slices.ContainsFunc([]string{
		"object does not exist", "is after the start", "extend it first", "Another line of this call", "was handed out after this",
		"Ensure this value is not after now", "has exactly its time and can be moved", "is after rent_start",
		"The line has this item", "The item was not handed out",
		"is left to refund", "is left of the deposit", "is owed for the cancelled order",
	}, func(text string) bool { return strings.Contains(string(answer), text) })
}

// isCode tells whether it is a code with which a 409 may come.
func isCode(code string) bool {
	return slices.Contains([]string{
		"overlap", "status", "out", "returned", "past", "closed", "calendar_full", "in_use", "paid", "held", "in_progress",
		"expired", "no_show", "deposit", "referral_paid", "refunded", "deleted", "unpaid",
		"overdue", "swapped", "too_many_lines", "item_booked", "referral", "too_late",
	}, code)
}

// send sends a request until it is answered: with a key as often as it takes, else once, or until it
// is refused because too much was going on. It is nil if nothing came of it. wants are the times that
// it wants items for.
func (c *Clerk) send(ctx context.Context, what, method, path, body string, wants ...wanted) []byte {
	key, tries := "", 1
	if method == http.MethodPost && c.rand.IntN(2) == 0 {
		c.sent++
		key, tries = fmt.Sprintf("%s-%d", c.name, c.sent), 6
	}
	var since int64 // what is known before is of earlier steps
	c.locked(func() { c.step++; since = c.step })
	for try := range tries {
		if try > 0 {
			time.Sleep(time.Duration(try*try) * 5 * time.Millisecond)
		}
		status, answer, err := c.call(ctx, method, path, key, body)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			c.count(what + ", no answer")
		case status == http.StatusServiceUnavailable:
			c.count(what + ", 503")
		case status < http.StatusMultipleChoices:
			c.count(what)
			return append([]byte{}, answer...) // that of a DELETE is empty
		default:
			if c.refused(what, method+" "+path+" "+body, status, answer, since, wants) == "in_progress" {
				continue
			}
			return nil
		}
	}
	return nil
}

// refused checks that a refusal is one that may be.
func (c *Clerk) refused(what, sent string, status int, answer []byte, since int64, wants []wanted) (code string) {
	var is refusal
	switch status {
	case http.StatusNotFound:
		c.count(what + ", gone")
	case http.StatusBadRequest:
		c.count(what + ", 400")
		if !isStale(answer) {
			c.problem("%s: 400 %s", sent, cut(answer))
		}
	case http.StatusConflict:
		if err := json.Unmarshal(answer, &is); err != nil || !isCode(is.Code) {
			c.problem("%s: 409 %s", sent, cut(answer))
			return is.Code
		}
		c.count(what + ", 409 " + is.Code)
		if is.Code == "overlap" || is.Code == "item_booked" {
			c.judge(sent, is.Conflicts, since, wants)
		}
	default:
		c.problem("%s: %d %s", sent, status, cut(answer))
	}
	return is.Code
}

// judge checks that each conflict was one: it meets a time that was wanted, and its line was not
// known to be gone when the request began.
func (c *Clerk) judge(sent string, conflicts []conflict, since int64, wants []wanted) {
	if len(conflicts) == 0 {
		c.problem("%s: an overlap without conflicts", sent)
	}
	for _, is := range conflicts {
		until := forever()
		if is.End != nil && !is.Overdue {
			until = *is.End
		}
		if !slices.ContainsFunc(wants, func(w wanted) bool {
			return (is.Inventory == 0 || w.item == 0 || is.Inventory == w.item) &&
				(w.handOut || meets(w.start.Add(-buffer), w.end.Add(buffer), is.Start, until))
		}) {
			c.problem("%s: %+v is not in the way", sent, is)
		}
		gone := c.isGone(is.Line)
		if is.Line < 0 || is.Line == 0 && is.Block == 0 || gone.step > 0 && gone.step < since {
			c.problem("%s: %+v was not there any more: %s", sent, is, gone.why)
		}
	}
}

// order sends a request that is answered with an order.
func (c *Clerk) order(ctx context.Context, what, method, path, body string, wants ...wanted) *order {
	return c.parse(c.send(ctx, what, method, path, body, wants...))
}

// post sends what is done to an order.
func (c *Clerk) post(ctx context.Context, what string, o *order, below, body string, wants ...wanted) *order {
	return c.order(ctx, what, http.MethodPost, fmt.Sprint(requests, o.ID, "/", below, "/"), body, wants...)
}

// patch changes a line of an order.
func (c *Clerk) patch(ctx context.Context, what string, o *order, l *line, body string, want wanted) {
	c.send(ctx, what, http.MethodPatch, fmt.Sprint(linesPath, l.ID, "/"), body, want)
	c.look(ctx, o.ID)
}

func (c *Clerk) parse(answer []byte) *order {
	if answer == nil {
		return nil
	}
	is := &order{}
	if err := json.Unmarshal(answer, is); err != nil || is.ID == 0 {
		c.problem("an answer: %v: %s", err, cut(answer))
		return nil
	}
	c.see(is)
	return is
}

// look reads an order again; it is nil if it can't be read now.
func (c *Clerk) look(ctx context.Context, id int64) *order {
	path := fmt.Sprint(requests, id, "/")
	status, answer, err := c.call(ctx, http.MethodGet, path, "", "")
	switch {
	case err != nil || ctx.Err() != nil || status == http.StatusServiceUnavailable:
	case status == http.StatusNotFound:
		c.forget(id)
	case status != http.StatusOK:
		c.problem("GET %s: %d %s", path, status, cut(answer))
	default:
		return c.parse(answer)
	}
	return nil
}

// moment is a time around now, in quarters of an hour: half of them within hours, the others within
// days.
func (c *Clerk) moment() time.Time {
	quarters := 4 * 10
	if c.rand.IntN(2) == 0 {
		quarters = 4 * 24 * 10
	}
	return c.now().Truncate(15 * time.Minute).Add(time.Duration(c.rand.IntN(quarters)-4*4) * 15 * time.Minute)
}

// length is for how long a rental is.
func (c *Clerk) length() time.Duration { return time.Duration(2+c.rand.IntN(4*12)) * 15 * time.Minute }

func text(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }
