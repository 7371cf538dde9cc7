package search

import (
	"context"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
)

// Entries tells in which records the entry of the index of changes says something else than the record.
type Entries struct {
	Records int     // how many were read
	Wrong   []int64 // ids; they ascend
	Moved   int     // of these, how many others have written meanwhile, which makes their entries anew
}

// MendEntries reads all records of a kind, and compares what their entries say with what they are. Records without an entry, and entries
// of another shape, are not wrong: who reads these reads the record. With mend, a wrong entry is made anew from its record, and
// becomes one of the changes that the next merge takes in.
func (m *Merger) MendEntries(ctx context.Context, t *table.Tenant, kind kinds.Code, mend bool) (e Entries, err error) {
	r, err := m.of(ctx, t, kind)
	if err != nil {
		return e, err
	}
	it := t.Table().Get("pk", t.Records(kind)).Consistent(true).Iter()
	err = rows(ctx, it, func(id int64, record table.Attributes) error {
		e.Records++
		packed := Packed(record.Bytes(packedAttribute))
		if len(packed) == 0 {
			return nil
		}
		values, err := r.Values(record)
		if err != nil {
			return fmt.Errorf("search: %s %d: %w", kind, id, err)
		}
		known, readable := Decode(r.Kind, packed)
		if !readable || alike(r.Shape, known, values) {
			return nil
		}
		e.Wrong = append(e.Wrong, id)
		if !mend {
			return nil
		}
		u := t.Update(t.Record(kind, id)).Set(packedAttribute, []byte(Encode(r.Kind, values))).If("r = ?", record.Int("r"))
		if record.Text(kindAttribute) != "" { // a record of an import is in no index
			u = u.Set(changedAttribute, max(m.now().UnixMicro(), record.Int(changedAttribute)+1))
		}
		err = table.Retry(ctx, func() error { return u.Run(ctx) })
		if dynamo.IsCondCheckFailed(err) {
			e.Moved++
			return nil
		}
		return err
	})
	return e, err
}
