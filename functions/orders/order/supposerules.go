package order

import (
	"slices"

	"github.com/tenantry/tenantry/shared/money"
)

// FeeChange is a fee of an order, or the late fee of a line, that would not be as it is.
type FeeChange struct {
	ID            int64 // of the fee; 0 for a late fee
	Line          int64 // whose late fee it is; 0 for a fee of the order
	Comment       *string
	Before, After money.Amount // 0 before a fee is added, and after one is removed
}

// Fees are the fees that would not be as they are: first those of the order, then those of its lines.
func (s Supposed) Fees() (list []FeeChange) {
	take := func(c FeeChange) {
		if c.Before.Cmp(c.After) != 0 {
			list = append(list, c)
		}
	}
	was, is := s.Before.Order.Fees, s.After.Order.Fees
	for _, f := range was {
		c := FeeChange{ID: f.ID, Comment: f.Comment, Before: f.Amount}
		if i := slices.IndexFunc(is, func(o Fee) bool { return o.ID == f.ID }); i >= 0 {
			c.After, c.Comment = is[i].Amount, is[i].Comment
		}
		take(c)
	}
	for _, f := range is {
		if !slices.ContainsFunc(was, func(o Fee) bool { return o.ID == f.ID }) {
			take(FeeChange{ID: f.ID, Comment: f.Comment, After: f.Amount})
		}
	}
	for _, l := range s.Before.Lines {
		c := FeeChange{Line: l.Line.ID, Before: l.Line.LateFee}
		if i := s.After.line(l.Line.ID); i >= 0 {
			c.After = s.After.Lines[i].Line.LateFee
		}
		take(c)
	}
	for _, l := range s.After.Lines {
		if s.Before.line(l.Line.ID) < 0 {
			take(FeeChange{Line: l.Line.ID, After: l.Line.LateFee})
		}
	}
	return list
}

// line is the place of an item line; -1 if the order does not have it.
func (e Explained) line(id int64) int {
	return slices.IndexFunc(e.Lines, func(l ExplainedLine) bool { return l.Line.ID == id })
}

// Refund is what would be given back at once, and what would be overpaid.
func (s Supposed) Refund() money.Amount {
	back := s.After.Order.overpaid()
	if given := s.Before.Order.PaidAmount.Sub(s.After.Order.PaidAmount); !given.IsNegative() {
		back = back.Add(given)
	}
	return back
}
