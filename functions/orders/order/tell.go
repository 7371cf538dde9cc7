package order

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
)

// The messages that a change of an order leaves for what others derive from orders.
const (
	// Changed asks metrics to work out the rows of an order again. Its key is the order's id.
	Changed outbox.Kind = "metrics.order"
	// Moved asks penalties to find out again who had some items, from a moment on. Its key is a
	// MovedKey. Only what has begun when it is changed leaves it: nobody has violated in the future.
	Moved outbox.Kind = "penalties.items"
)

// tells returns the messages that a write of an order leaves.
func tells(before, after *Order) (list []record.Message) {
	o := after
	if o == nil {
		o = before
	}
	list = append(list, record.Message{Kind: Changed, Key: strconv.FormatInt(o.ID, 10)})
	if key := moved(before, after, o.Updated); key != "" {
		list = append(list, record.Message{Kind: Moved, Key: key})
	}
	return list
}

// moved is the key of the items that somebody else, or nobody, has had by now since a moment in the
// past; empty if there are none.
func moved(before, after *Order, now moment.Micros) string {
	was, is := holdings(before), holdings(after)
	first, items := now, []int64(nil)
	differs := func(lines, others []holding) {
		for _, h := range lines {
			if h.Start < now && !slices.Contains(others, h) {
				first = min(first, h.Start)
				items = append(items, h.Item)
			}
		}
	}
	differs(was, is)
	differs(is, was)
	if len(items) == 0 {
		return ""
	}
	slices.Sort(items)
	return MovedKey(first, slices.Compact(items))
}

// holding is what says who has an item, and when.
type holding struct {
	Held
	client int64
}

// holdings are those of an order; none, if there is no order or it is cancelled.
func holdings(o *Order) (list []holding) {
	if o == nil || !o.Status.Counts() {
		return nil
	}
	for _, l := range o.Lines {
		h := holding{Held: l}
		h.Set = ""
		if o.Client != nil {
			h.client = *o.Client
		}
		list = append(list, h)
	}
	return list
}

// MovedKey is the key of a message that some items have had other users since a moment.
func MovedKey(since moment.Micros, items []int64) string {
	texts := make([]string, len(items))
	for i, id := range items {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return strconv.FormatInt(int64(since), 10) + ":" + strings.Join(texts, ",")
}

// ParseMoved reads a MovedKey.
func ParseMoved(key string) (since moment.Micros, items []int64, err error) {
	micros, list, _ := strings.Cut(key, ":")
	n, err := strconv.ParseInt(micros, 10, 64)
	for _, text := range strings.Split(list, ",") {
		id, bad := strconv.ParseInt(text, 10, 64)
		if err == nil {
			err = bad
		}
		items = append(items, id)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("order: the key %q of moved items: %w", key, err)
	}
	return moment.Micros(n), items, nil
}
