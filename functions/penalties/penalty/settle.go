package penalty

import (
	"context"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/nullable"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// Needs returns the keys of what Settle reads, for callers that read several items at once.
func Needs(t *table.Tenant) []table.Key { return []table.Key{t.Company()} }

// Settle completes a penalty that a unit of work makes or changes: it works out the moment of the
// violation, and who had the car then. path is that of its errors.
func Settle(ctx context.Context, w *record.Work, p *Penalty, path string) error {
	before := Kind().Before(w, p.ID)
	if err := p.happen(ctx, w, before, w.Errors(path)); err != nil {
		return err
	}
	if !p.moves(before) {
		return nil
	}
	return p.match(ctx, w)
}

// happen works out the moment of the violation from its date and time, which are the company's.
func (p *Penalty) happen(ctx context.Context, w *record.Work, before *Penalty, errs fault.FieldErrors) error {
	if before != nil && nullable.Same(before.Date, p.Date) && nullable.Same(before.Time, p.Time) {
		return nil // it stays, even if the company has moved to another zone since
	}
	p.ViolatedAt = nil
	if p.Date == nil || p.Time == nil {
		return nil
	}
	of, err := company.Get(ctx, w)
	if err != nil {
		return err
	}
	zone, err := of.Zone()
	if err != nil {
		return err
	}
	p.happenIn(zone, errs)
	return nil
}
