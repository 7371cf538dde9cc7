package usage

import (
	"context"
	"fmt"

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

// Full is how many records a company's plan allows, if it has as many; 0 if it may have another one.
func Full(c company.Company, s Stored) int64 {
	if c.PlanOf().Allows(company.LimitRecords, s.Records+1) {
		return 0
	}
	return c.PlanOf().Records
}
