package usage

import (
	"context"
	"fmt"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
)

// sample is how many of the newest records of a kind say how large its records are.
const sample = 100

// Count reads what a company has in the table: its records by the counters of its lists, its members, and an estimate of the bytes of
// its records, from the newest ones of each kind. Histories and indexes are left out. It knows nothing of files.
func Count(ctx context.Context, t *table.Tenant) (s Stored, err error) {
	for _, k := range kinds.All() {
		n, err := listing.Of(t, k.Code, nil).Count(ctx)
		if err != nil {
			return s, fmt.Errorf("usage: %s of company %d: %w", k.Many, t.ID(), err)
		}
		if n == 0 {
			continue
		}
		var newest []table.Attributes
		q := t.Table().Get("pk", t.Records(k.Code)).Order(dynamo.Descending).Limit(sample)
		if err := q.All(ctx, &newest); err != nil {
			return s, fmt.Errorf("usage: the newest %s of company %d: %w", k.Many, t.ID(), err)
		}
		bytes := 0
		for _, item := range newest {
			bytes += item.Size()
		}
		s.Records += int64(n)
		if len(newest) > 0 {
			s.RecordBytes += int64(n) * int64(bytes) / int64(len(newest))
		}
	}
	members, err := t.Table().Get("pk", t.Member(0).PK).Count(ctx)
	s.Members = int64(members)
	return s, err
}

// Judge notes on a company's item whether it is over its plan in what no request checks by itself.
func Judge(ctx context.Context, t *table.Tenant, c company.Company, s Stored) error {
	var over []company.Limit
	if !c.PlanOf().Allows(company.LimitRecords, s.Records) {
		over = append(over, company.LimitRecords)
	}
	if slices.Equal(over, c.Over) {
		return nil
	}
	u := t.Update(t.Company()).If("attribute_exists(pk)")
	if over == nil {
		u = u.Remove("po")
	} else {
		u = u.Set("po", over)
	}
	return table.Retry(ctx, func() error { return u.Run(ctx) })
}
