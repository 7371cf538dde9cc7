package clerks

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

// Found is how much an audit has looked at.
type Found struct {
	Orders, Lines, Items, Blocks, Payments int
	Overlaps                               int // that should not be there: 0
	Probes, Refused                        int // bookings that were tried alone, and how many of them were refused
}

// audit is what an audit has read.
type audit struct {
	*Office
	call   Call
	found  Found
	orders []*order
	lines  map[int64][]*held // by their items
	blocks map[int64][]block
	wrong  []string
}

// held is a line with the status of its order.
type held struct {
	*line
	status int64
}

// Audit reads everything that the clerks have made, while nobody works, and tells what is inconsistent.
// It ends with bookings of its own, so it is the last thing that happens.
func (o *Office) Audit(ctx context.Context, call Call, probes int) (Found, []string) {
	a := &audit{Office: o, call: call, lines: map[int64][]*held{}, blocks: map[int64][]block{}, wrong: o.Problems()}
	for _, step := range []func(ctx context.Context) error{
		a.read, a.twice, a.totals, a.standings, a.balance,
		func(ctx context.Context) error { return a.probe(ctx, probes) },
	} {
		if err := step(ctx); err != nil {
			a.add("the audit did not end: %v", err)
			break
		}
	}
	return a.found, a.wrong
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

// read reads orders, items and blocks.
func (a *audit) read(ctx context.Context) error {
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
		a.orders = append(a.orders, o)
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
			if gone := a.gone[l.ID]; gone.why != "" && o.Status != cancelled {
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
	a.found.Orders = len(a.orders)
	lines, err := all[record](ctx, a, linesPath+"?")
	if err != nil {
		return err
	}
	if len(lines) != a.found.Lines {
		a.add("%d lines are listed, and the orders have %d", len(lines), a.found.Lines)
	}
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

// totals checks that the totals of each order equal the sums of what it has.
func (a *audit) totals(ctx context.Context) error {
	type posting struct {
		Request *int64
		Amount  amount
		Kind    string
	}
	list, err := all[posting](ctx, a, postings+"?")
	if err != nil {
		return err
	}
	paid := map[int64]amount{}
	for _, p := range list {
		if p.Request != nil && (p.Kind == "payment" || p.Kind == "refund") {
			paid[*p.Request] += p.Amount
		}
	}
	a.found.Payments = len(list)
	for _, o := range a.orders {
		var gross, services, discounts, penalties amount
		for _, l := range o.Inventories {
			gross, discounts, penalties = gross+l.Price, discounts+l.Discount, penalties+l.Penalty
		}
		for _, l := range o.Services {
			services, discounts = services+l.Price, discounts+l.PriceDiscount
		}
		for _, f := range o.Penalties {
			penalties += f.Amount
		}
		additional := min(o.Additional, gross+services-discounts)
		price := gross + services - discounts - additional
		if !o.TaxIncluded {
			price += o.Tax
		}
		owed := price + penalties - o.Paid
		state := int64(2)
		if owed > 0 {
			if state = 0; o.Paid > 0 {
				state = 1
			}
		}
		due, over := max(owed, 0), max(-owed, 0)
		if o.Status == cancelled {
			due, over = 0, o.Paid
		}
		is := []amount{o.Gross, o.GrossService, o.Discount, o.Price, o.Penalty, o.Paid, o.Debt, o.Overpaid, amount(o.PaymentStatus)}
		want := []amount{gross, services, discounts + additional, price, penalties, paid[o.ID], due, over, amount(state)}
		if !slices.Equal(is, want) {
			a.add("order %d: its totals are %v, and its parts come to %v", o.ID, is, want)
		}
		if o.Status == debtor && owed <= 0 || o.Status == completed && owed > 0 {
			a.add("order %d has the status %d, and %d is owed", o.ID, o.Status, owed)
		}
	}
	return nil
}

// standings checks that the sums of each client equal those of its orders.
func (a *audit) standings(ctx context.Context) error {
	for _, id := range a.clients {
		var is struct {
			Count  int64  `json:"orders_count"`
			Amount amount `json:"orders_amount"`
			Paid   amount `json:"orders_paid_amount"`
			Debt   amount `json:"orders_debt_amount"`
		}
		if err := a.fetch(ctx, fmt.Sprint(clients, id, "/"), &is); err != nil {
			return err
		}
		want := is
		want.Count, want.Amount, want.Paid, want.Debt = 0, 0, 0, 0
		for _, o := range a.orders {
			if o.Client == nil || *o.Client != id || o.Status == cancelled {
				continue
			}
			want.Count, want.Amount, want.Paid = want.Count+1, want.Amount+o.Price+o.Penalty, want.Paid+o.Paid
			if o.Status >= inRent {
				want.Debt += o.Debt
			}
		}
		if is != want {
			a.add("client %d: its sums are %v, and its orders come to %v", id, is, want)
		}
	}
	return nil
}

// balance checks that the balance of the account equals its postings.
func (a *audit) balance(ctx context.Context) error {
	var is struct{ Balance, Initial amount }
	if err := a.fetch(ctx, fmt.Sprint(accounts, a.account, "/"), &is); err != nil {
		return err
	}
	list, err := all[struct{ Amount amount }](ctx, a, fmt.Sprintf("%s?account=%d&", postings, a.account))
	if err != nil {
		return err
	}
	sum := is.Initial
	for _, p := range list {
		sum += p.Amount
	}
	if sum != is.Balance {
		a.add("the account has %d cents, and its postings come to %d", is.Balance, sum)
	}
	return nil
}
