package record

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/table"
)

// Look reads items of a company consistently, with one call for each hundred. It makes one more
// call if any of them are records of an import that is running or has ended lately. Records of
// an import that is not committed are left out of the result.
func Look(ctx context.Context, t *table.Tenant, now time.Time, keys ...table.Key) (map[table.Key]table.Attributes, error) {
	items, err := t.GetMany(ctx, keys...)
	if err != nil {
		return nil, err
	}
	found, waiting := make(map[table.Key]table.Attributes, len(items)), map[table.Key]bulk.ID{}
	var imports []bulk.ID
	for k, item := range items {
		row := table.Attributes(item)
		found[k] = row
		if row[bulk.Waiting] == nil {
			continue
		}
		waiting[k] = bulk.ID{Kind: t.KindOf(k.PK), Import: row.Int(bulk.Import)}
		imports = append(imports, waiting[k])
	}
	states, err := bulk.Peek(ctx, t, imports, now)
	if err != nil {
		return nil, err
	}
	for k, id := range waiting {
		if states[id].Status != bulk.Done {
			delete(found, k)
		}
	}
	return found, nil
}
