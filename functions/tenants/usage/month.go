package usage

import (
	"context"
	"errors"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// Spent is what is counted while it is used. What is given back counts negatively, on the day on which that is done.
type Spent struct {
	SMS   int64        // segments
	Cost  money.Amount // of the SMS, out of the company's account
	Seals int64        // documents that everybody has signed, so that they are sealed
}

// The attributes of a month are sums of the month, and by two digits more those of a day.
const (
	monthSMS   = "s"
	monthCost  = "c"
	monthSeals = "d"
)

const monthVersion = 1

// month is a month's item as a unit of work changes it.
type month struct {
	key  table.Key
	day  string // of the month, in two digits
	plan company.Plan
	used Spent // before the unit of work; known where the plan bounds it
	more Spent
}

// Spend has a unit of work count what it uses, at its company. It is a fault with the code plan if that is more than the company's
// plan has room for. A company that is gone is counted nowhere.
func Spend(ctx context.Context, w *record.Work, more Spent) error {
	item, err := w.Item(ctx, w.Scope().Table.Company())
	if err != nil || item == nil {
		return err
	}
	c, err := company.Get(ctx, w)
	if err != nil {
		return err
	}
	at, err := c.UseOn(w.Scope().Actor.At)
	if err != nil {
		return err
	}
	key := w.Scope().Table.UsageMonth(monthOf(at))
	m, err := record.Once(w, key, func() (*month, error) {
		m := &month{key: key, day: at.Format("02"), plan: c.PlanOf()}
		if m.plan.SMS > 0 || m.plan.Seals > 0 {
			found, err := w.Item(ctx, key)
			if err != nil {
				return nil, err
			}
			m.used = Spent{SMS: found.Int(monthSMS), Seals: found.Int(monthSeals)}
		}
		w.Also(func(tx *table.Tx) error {
			m.write(tx, w.Scope().Table)
			return nil
		})
		return m, nil
	})
	if err != nil {
		return err
	}
	m.more = Spent{m.more.SMS + more.SMS, m.more.Cost.Add(more.Cost), m.more.Seals + more.Seals}
	switch {
	case more.SMS > 0 && !m.plan.Allows(company.LimitSMS, m.used.SMS+m.more.SMS):
		return m.plan.Refuses(company.LimitSMS)
	case more.Seals > 0 && !m.plan.Allows(company.LimitSeals, m.used.Seals+m.more.Seals):
		return m.plan.Refuses(company.LimitSeals)
	}
	return nil
}

// write adds the count to a transaction. Where others have used up what was left meanwhile, the unit of work is decided again.
func (m *month) write(tx *table.Tx, t *table.Tenant) {
	u := t.Update(m.key).Set("v", monthVersion)
	add := func(name string, n, most int64) {
		if n == 0 {
			return
		}
		u = u.Add(name, n).Add(name+m.day, n)
		if n > 0 && most > 0 {
			u = u.If("attribute_not_exists($) OR $ <= ?", name, name, most-n)
		}
	}
	add(monthSMS, m.more.SMS, m.plan.SMS)
	add(monthSeals, m.more.Seals, m.plan.Seals)
	if !m.more.Cost.IsZero() {
		u = u.Add(monthCost, m.more.Cost).Add(monthCost+m.day, m.more.Cost)
	}
	tx.Update(u, table.ErrRevision)
}

// Takes has a transaction of no unit of work count what is given back. A company that is gone is counted nowhere.
func Takes(ctx context.Context, t *table.Tenant, at time.Time, back Spent) (add func(tx *table.Tx), err error) {
	var c company.Company
	err = t.Get(ctx, t.Company(), &c)
	if errors.Is(err, table.ErrNotFound) {
		return func(*table.Tx) {}, nil
	}
	if err != nil {
		return nil, err
	}
	local, err := c.UseOn(at)
	if err != nil {
		return nil, err
	}
	m := month{key: t.UsageMonth(monthOf(local)), day: local.Format("02"), more: back}
	return func(tx *table.Tx) { m.write(tx, t) }, nil
}

// SpentOn reads what was counted on a day. It may lag about a second.
func SpentOn(ctx context.Context, t *table.Tenant, day time.Time) (s Spent, err error) {
	var item table.Attributes
	err = t.Get(ctx, t.UsageMonth(monthOf(day)), &item)
	if errors.Is(err, table.ErrNotFound) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	of := day.Format("02")
	s = Spent{SMS: item.Int(monthSMS + of), Seals: item.Int(monthSeals + of)}
	if cost := item.Number(monthCost + of); cost != "" {
		s.Cost, err = money.ParseAmount(string(cost))
	}
	return s, err
}

// RoomForSeal is the refusal of a company's plan that has no room for another sealed document in the month of a time; nil if it has. It
// keeps no place: whoever has the document sealed spends, and may be refused then.
func RoomForSeal(ctx context.Context, t *table.Tenant, c company.Company, at time.Time) error {
	plan := c.PlanOf()
	if plan.Seals == 0 {
		return nil
	}
	local, err := c.UseOn(at)
	if err != nil {
		return err
	}
	var item table.Attributes
	if err := t.Get(ctx, t.UsageMonth(monthOf(local)), &item); err != nil && !errors.Is(err, table.ErrNotFound) {
		return err
	}
	if plan.Allows(company.LimitSeals, item.Int(monthSeals)+1) {
		return nil
	}
	return plan.Refuses(company.LimitSeals)
}

func monthOf(at time.Time) string { return at.Format("2006-01") }
