package clerks

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// page reads the first page of a list; it is empty if that can't be read now.
func page[T any](ctx context.Context, c *Clerk, path string) []T {
	status, answer, err := c.call(ctx, http.MethodGet, path, "", "")
	var is struct{ Results []T }
	if err != nil || status != http.StatusOK || json.Unmarshal(answer, &is) != nil {
		return nil
	}
	return is.Results
}

// sum is an amount at random, up to so many whole ones.
func (c *Clerk) sum(most int) amount { return amount(1 + c.rand.IntN(100*most)) }

// into names an account, or leaves that to the company.
func (c *Clerk) into() string {
	if c.rand.IntN(2) == 0 {
		return ""
	}
	return fmt.Sprintf(`,"account":%d`, c.accounts[c.rand.IntN(len(c.accounts))])
}

func (c *Clerk) pays(ctx context.Context, o *order) {
	by := c.sum(9000)
	if o.Debt > 0 && c.rand.IntN(3) == 0 {
		by = o.Debt
	}
	c.post(ctx, "pay", o, "pay", fmt.Sprintf(`{"amount":"%s"%s}`, by, c.into()))
}

// refunds gives a part of a payment back, or all that is left of it; or takes a refund away.
func (c *Clerk) refunds(ctx context.Context, o *order) {
	var paid, back []posting
	for _, p := range page[posting](ctx, c, fmt.Sprintf("%s?request=%d&pageSize=100", postings, o.ID)) {
		switch {
		case p.Kind == ofPayment && p.Refunded < p.Amount:
			paid = append(paid, p)
		case p.Kind == ofRefund:
			back = append(back, p)
		}
	}
	switch {
	case len(back) > 0 && (len(paid) == 0 || c.rand.IntN(4) == 0):
		c.send(ctx, "take a refund away", http.MethodDelete, fmt.Sprint(postings, back[c.rand.IntN(len(back))].ID, "/"), "")
	case len(paid) > 0:
		p := paid[c.rand.IntN(len(paid))]
		by := p.Amount - p.Refunded
		if c.rand.IntN(2) == 0 {
			by = 1 + amount(c.rand.Int64N(int64(by)))
		}
		c.send(ctx, "refund", http.MethodPost, refunds, fmt.Sprintf(`{"transaction":%d,"amount":"%s"}`, p.ID, by))
	}
	c.look(ctx, o.ID)
}

func (c *Clerk) takesDeposit(ctx context.Context, o *order) {
	c.send(ctx, "take a deposit", http.MethodPost, fmt.Sprint(requests, o.ID, "/deposits/"),
		fmt.Sprintf(`{"amount":"%s"%s}`, c.sum(5000), c.into()))
	c.look(ctx, o.ID)
}

// returnsDeposit gives a deposit back, or a part of it, and may keep another part; or removes it.
func (c *Clerk) returnsDeposit(ctx context.Context, o *order) {
	d := o.Deposits[c.rand.IntN(len(o.Deposits))]
	path := fmt.Sprint("deposits/", d.ID)
	body := "{}"
	switch left := d.left(); {
	case d.left() == d.Amount && c.rand.IntN(6) == 0:
		c.send(ctx, "remove a deposit", http.MethodDelete, fmt.Sprint(requests, o.ID, "/", path, "/"), "")
		c.look(ctx, o.ID)
		return
	case left == 0: // somebody may have taken another step meanwhile
	case c.rand.IntN(3) == 0:
		body = fmt.Sprintf(`{"amount":"%s"}`, 1+amount(c.rand.Int64N(int64(left))))
	case c.rand.IntN(2) == 0:
		keep := 1 + amount(c.rand.Int64N(int64(left)))
		body = fmt.Sprintf(`{"amount":"%s","withhold":"%s"}`, amount(c.rand.Int64N(int64(left-keep+1))), keep)
	}
	c.post(ctx, "return a deposit", o, path+"/return", body)
}

// refers says that an agent has brought an order.
func (c *Clerk) refers(ctx context.Context, o *order) {
	c.send(ctx, "refer", http.MethodPost, referrals,
		fmt.Sprintf(`{"request":%d,"agent":%d,"amount":"%s"}`, o.ID, c.agent, c.sum(500)))
}

// settlesReferral pays a referral of an order, takes what was paid back, or changes or removes the referral.
func (c *Clerk) settlesReferral(ctx context.Context, o *order) {
	of := page[referral](ctx, c, fmt.Sprintf("%s?request=%d&pageSize=100", referrals, o.ID))
	if len(of) == 0 {
		return
	}
	r := of[c.rand.IntN(len(of))]
	path := fmt.Sprint(referrals, r.ID, "/")
	switch n := c.rand.IntN(8); {
	case n == 0:
		c.send(ctx, "remove a referral", http.MethodDelete, path, "")
	case n == 1:
		c.send(ctx, "change a referral", http.MethodPatch, path, fmt.Sprintf(`{"amount":"%s"}`, c.sum(500)))
	case r.Status == referralPending:
		c.send(ctx, "pay a referral", http.MethodPost, path+"pay/", "{"+trimmed(c.into())+"}")
	default:
		c.send(ctx, "take a referral back", http.MethodPost, path+"take_back/", "")
	}
}

// trimmed is a member of a body without the comma before it.
func trimmed(member string) string {
	if member == "" {
		return ""
	}
	return member[1:]
}

// charges adds a fee to an order, or takes one away.
func (c *Clerk) charges(ctx context.Context, o *order) {
	path := fmt.Sprint(requests, o.ID, "/penalties/")
	if n := len(o.Penalties); n > 0 && c.rand.IntN(2) == 0 {
		c.send(ctx, "take a fee away", http.MethodDelete, fmt.Sprint(path, o.Penalties[c.rand.IntN(n)].ID, "/"), "")
	} else {
		c.send(ctx, "charge", http.MethodPost, path, fmt.Sprintf(`{"amount":"%s","comment":"A scratch"}`, c.sum(900)))
	}
	c.look(ctx, o.ID)
}
