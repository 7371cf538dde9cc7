package clerks

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// blocks blocks an item, moves a block of it, or takes one away.
func (c *Clerk) blocks(ctx context.Context) {
	id, _ := c.anyItem(c.rand)
	path := fmt.Sprint(inventories, id, "/blocks/")
	start := c.moment()
	w := wanted{item: id, start: start, end: start.Add(c.length())}
	body := fmt.Sprintf(`{"start_at":"%s","end_at":"%s"}`, text(w.start), text(w.end))
	status, answer, err := c.call(ctx, http.MethodGet, path, "", "")
	var list []record
	if err != nil || status != http.StatusOK || json.Unmarshal(answer, &list) != nil {
		return
	}
	n := len(list)
	switch {
	case n > 0 && (n > 20 || c.rand.IntN(3) == 0):
		c.send(ctx, "unblock", http.MethodDelete, fmt.Sprint(path, list[c.rand.IntN(n)].ID, "/"), "")
	case n > 0 && c.rand.IntN(3) == 0:
		c.send(ctx, "move a block", http.MethodPatch, fmt.Sprint(path, list[c.rand.IntN(n)].ID, "/"), body, w)
	default:
		c.send(ctx, "block", http.MethodPost, path, body, w)
	}
}

// retires takes an item out of use, for a while or for ever.
func (c *Clerk) retires(ctx context.Context) {
	id, place := c.anyItem(c.rand)
	path := fmt.Sprint(inventories, id, "/")
	if c.rand.IntN(4) == 0 {
		c.retire(id)
		if c.send(ctx, "delete an item", http.MethodDelete, path, "") != nil {
			c.buys(ctx, place, id)
		}
		return
	}
	if c.send(ctx, "archive", http.MethodPatch, path, fmt.Sprintf(`{"disabled":%d}`, 1+c.rand.IntN(2))) != nil {
		time.Sleep(2 * time.Millisecond)
		for range 5 {
			if c.send(ctx, "use again", http.MethodPatch, path, `{"disabled":null}`) != nil || ctx.Err() != nil {
				return
			}
		}
	}
}
