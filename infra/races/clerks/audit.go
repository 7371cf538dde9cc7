package clerks

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Found is how much an audit has looked at.
type Found struct {
	Orders, Lines, Items, Blocks, Payments int
	Deposits, Referrals, Swapped           int
	Expired                                int // orders that the worker has cancelled because their hold had ended
	Overlaps                               int // that should not be there: 0
	Probes, Refused                        int // bookings that were tried alone, and how many of them were refused
}

// audit is what an audit has read.
type audit struct {
	*Office
	call    Call
	found   Found
	books   books
	retired []int64           // those of the office, as they were when the audit began
	lines   map[int64][]*held // by their items
	blocks  map[int64][]block
	wrong   []string
}

// held is a line with the status of its order.
type held struct {
	*line
	status int64
}

func (o *Office) audit(call Call) *audit {
	a := &audit{Office: o, call: call}
	o.locked(func() { a.retired, a.held = slices.Clone(o.retired), maps.Clone(o.held) })
	return a
}

// Audit reads everything that the clerks have made, while nobody works, and tells what is inconsistent.
// It ends with bookings of its own, so it is the last thing that happens.
func (o *Office) Audit(ctx context.Context, call Call, probes int) (Found, []string) {
	a := o.audit(call)
	a.wrong = o.Problems()
	a.do(ctx, a.holdsEnd, a.read, a.judge, a.expired, func(ctx context.Context) error { return a.probe(ctx, probes) })
	return a.found, a.wrong
}

// Check tells what is inconsistent of what the clerks have made so far, while nobody works. Holds may end meanwhile: what is wrong
// is looked at again when they have.
func (o *Office) Check(ctx context.Context, call Call) (Found, []string) {
	a := o.audit(call)
	if a.do(ctx, a.read, a.judge); len(a.wrong) > 0 {
		a = o.audit(call)
		a.do(ctx, a.holdsEnd, a.read, a.judge)
	}
	return a.found, a.wrong
}

// do takes steps until one fails.
func (a *audit) do(ctx context.Context, steps ...func(ctx context.Context) error) {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			a.add("the audit did not end: %v", err)
			return
		}
	}
}

// judge finds what is wrong in what was read.
func (a *audit) judge(context.Context) error {
	for _, fault := range append(a.twice(), a.books.faults(a.now())...) {
		a.add("%s", fault)
	}
	return nil
}

// slow is how long the worker has for what is due.
const slow = 2 * time.Minute

// holdsEnd waits until the worker has cancelled the requests whose hold ends soon, so that nothing changes while the audit reads. It
// waits no longer than the worker may take: the books tell of those that are left then.
func (a *audit) holdsEnd(ctx context.Context) error {
	for end := time.Now().Add(slow + soon*time.Second); ; time.Sleep(100 * time.Millisecond) {
		list, err := all[order](ctx, a, requests+"?status=0&")
		if err != nil {
			return err
		}
		ending := func(o order) bool { return o.Expires != nil && o.Expires.Before(a.now().Add(time.Hour)) }
		if !slices.ContainsFunc(list, ending) || time.Now().After(end) || ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func (a *audit) add(format string, args ...any) {
	if len(a.wrong) < most {
		a.wrong = append(a.wrong, fmt.Sprintf(format, args...))
	}
}

// fetch reads one answer.
func (a *audit) fetch(ctx context.Context, path string, into any) error {
	answer, err := get(ctx, a.call, http.MethodGet, path, "")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("GET %s: %w: %s", path, err, cut(answer))
	}
	return nil
}

// all reads a list to its end.
func all[T any](ctx context.Context, a *audit, path string) (list []T, err error) {
	for page := 1; ; page++ {
		var is struct {
			Count   int
			Next    *string
			Results []T
		}
		if err := a.fetch(ctx, fmt.Sprintf("%spageSize=200&page=%d", path, page), &is); err != nil {
			return nil, err
		}
		if list = append(list, is.Results...); is.Next == nil {
			if len(list) != is.Count {
				a.add("%s: %d of %d", path, len(list), is.Count)
			}
			return list, nil
		}
	}
}

type record struct{ ID int64 }

// read reads everything.
func (a *audit) read(ctx context.Context) error {
	a.lines, a.blocks = map[int64][]*held{}, map[int64][]block{}
	for _, step := range []func(ctx context.Context) error{a.readOrders, a.readItems, a.readBooks} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// readOrders reads the orders with their lines.
func (a *audit) readOrders(ctx context.Context) error {
	items := map[int64]int64{} // of lines whose item was deleted, which don't show it
	for _, id := range a.retired {
		list, err := all[record](ctx, a, fmt.Sprintf("%s?inventory=%d&", linesPath, id))
		if err != nil {
			return err
		}
		for _, l := range list {
			items[l.ID] = id
		}
	}
	ids, err := all[record](ctx, a, requests+"?")
	if err != nil {
		return err
	}
	for _, is := range ids {
		o := &order{}
		if err := a.fetch(ctx, fmt.Sprint(requests, is.ID, "/"), o); err != nil {
			return err
		}
		a.books.orders = append(a.books.orders, o)
		if len(o.Inventories) != len(o.Lines) || len(o.Services) != len(o.ServiceLines) {
			a.add("order %d holds %d lines and shows %d", o.ID, len(o.Lines), len(o.Inventories))
		}
		for i := range o.Inventories {
			l := &o.Inventories[i]
			a.found.Lines++
			item := l.item()
			if item == 0 {
				item = items[l.ID]
			}
			a.lines[item] = append(a.lines[item], &held{l, o.Status})
			if gone := a.isGone(l.ID); gone.why != "" && o.Status != cancelled {
				a.add("line %d of order %d is there, and was %s", l.ID, o.ID, gone.why)
			}
			if o.Status == cancelled && l.FactStart != nil {
				a.add("line %d of order %d, which is cancelled, was handed out", l.ID, o.ID)
			}
			if o.Status >= completed && l.End != nil && !l.isReturned() {
				a.add("line %d of order %d, which is completed, is not back", l.ID, o.ID)
			}
		}
	}
	a.found.Orders = len(a.books.orders)
	lines, err := all[record](ctx, a, linesPath+"?")
	if err != nil {
		return err
	}
	if len(lines) != a.found.Lines {
		a.add("%d lines are listed, and the orders have %d", len(lines), a.found.Lines)
	}
	return nil
}

// readItems reads the items in use, with their blocks.
func (a *audit) readItems(ctx context.Context) error {
	inUse, err := all[record](ctx, a, inventories+"?")
	if err != nil {
		return err
	}
	a.found.Items = len(inUse)
	for _, is := range inUse {
		var list []block
		if err := a.fetch(ctx, fmt.Sprint(inventories, is.ID, "/blocks/"), &list); err != nil {
			return err
		}
		a.blocks[is.ID] = list
		a.found.Blocks += len(list)
	}
	return nil
}

// expired counts the orders that were cancelled because their hold had ended.
func (a *audit) expired(ctx context.Context) error {
	for _, o := range a.books.orders {
		if o.Status != cancelled || !a.held[o.ID] {
			continue
		}
		answer, err := get(ctx, a.call, http.MethodGet, fmt.Sprint(requests, o.ID, "/timeline/"), "")
		if err != nil {
			return err
		}
		if strings.Contains(string(answer), "its hold had ended") {
			a.found.Expired++
		}
	}
	return nil
}

// readBooks reads what concerns money.
func (a *audit) readBooks(ctx context.Context) (err error) {
	if a.books.postings, err = all[posting](ctx, a, postings+"?"); err != nil {
		return err
	}
	if a.books.referrals, err = all[referral](ctx, a, referrals+"?"); err != nil {
		return err
	}
	if status, _, err := a.call(ctx, http.MethodGet, exchanges, "", ""); err != nil {
		return err
	} else if status != http.StatusNotFound { // a platform that swaps no items has none
		if a.books.exchanges, err = all[exchange](ctx, a, exchanges+"?"); err != nil {
			return err
		}
	}
	for _, id := range a.accounts {
		var is account
		if err := a.fetch(ctx, fmt.Sprint(accounts, id, "/"), &is); err != nil {
			return err
		}
		a.books.accounts = append(a.books.accounts, is)
	}
	for _, id := range a.clients {
		var is client
		if err := a.fetch(ctx, fmt.Sprint(clients, id, "/"), &is); err != nil {
			return err
		}
		a.books.clients = append(a.books.clients, is)
	}
	a.found.Payments, a.found.Referrals, a.found.Swapped = len(a.books.postings), len(a.books.referrals), len(a.books.exchanges)
	for _, o := range a.books.orders {
		a.found.Deposits += len(o.Deposits)
	}
	return nil
}
