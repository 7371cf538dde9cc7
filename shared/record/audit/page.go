package audit

import (
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/table"
)

// Page reads entries of the history of a record, live or deleted, the newest first, from an
// offset, and the number of all entries. A record that never existed has none. It takes up to
// three calls. It takes two more if the record is from an import, and the first entry is on the
// page or the count depends on it.
func Page(ctx context.Context, t *table.Tenant, k kinds.Kind, id int64, offset, size int) (entries []Entry, count int, err error) {
	if id < 1 || id > table.MaxID || offset < 0 || size < 1 {
		return nil, 0, nil
	}
	r := reader{tenant: t, kind: k.Code, id: id}
	object := k.Object(id)
	begin := 1
	if offset == 0 {
		begin = size
	}
	rows, err := r.query(ctx, 1, table.MaxID, begin, dynamo.Descending)
	if err != nil {
		return nil, 0, err
	}
	var first, last int64 // the first and last revision with an audit record; 0 if there is none
	if len(rows) > 0 {
		if last, err = rows[0].revision(); err != nil {
			return nil, 0, err
		}
		if first, err = r.first(ctx, rows); err != nil {
			return nil, 0, err
		}
	}
	var made *Entry
	if first != 1 {
		if made, err = r.imported(ctx, object); err != nil {
			return nil, 0, err
		}
	}
	if first > 0 {
		count = int(last - first + 1)
	}
	written := count // how many entries have an audit record
	if made != nil {
		count++
	}
	if offset > 0 && offset < written {
		if rows, err = r.query(ctx, first, last-int64(offset), size, dynamo.Descending); err != nil {
			return nil, 0, err
		}
	}
	if offset < written {
		for i := range rows {
			e, err := rows[i].entry(object)
			if err != nil {
				return nil, 0, err
			}
			entries = append(entries, e)
		}
	}
	if made != nil && offset < count && offset+size >= count {
		entries = append(entries, *made)
	}
	return entries, count, nil
}

// reader reads the history of one record.
type reader struct {
	tenant *table.Tenant
	kind   kinds.Code
	id     int64
}

// query reads audit records between two revisions consistently. A page and its count are from
// the same moment, except for entries added between the two reads.
func (r reader) query(ctx context.Context, from, to int64, most int, order dynamo.Order) (rows []audit, err error) {
	it := r.tenant.Table().Get("pk", r.tenant.History(r.kind, r.id)).
		Range("sk", dynamo.Between, table.SortID(from), table.SortID(to)).
		Order(order).Consistent(true).Limit(most).Iter()
	for {
		var row audit
		if !it.Next(ctx, &row) {
			return rows, it.Err()
		}
		rows = append(rows, row)
	}
}

// first is the first revision that has an audit record. newest are audit records that have
// already been read.
func (r reader) first(ctx context.Context, newest []audit) (int64, error) {
	oldest, err := newest[len(newest)-1].revision()
	if err != nil || oldest == 1 {
		return oldest, err
	}
	rows, err := r.query(ctx, 1, oldest, 1, dynamo.Ascending)
	if err != nil || len(rows) == 0 {
		return oldest, err
	}
	return rows[0].revision()
}

// imported is the entry of the import that created the record; nil if no import did, or if it
// is not committed.
func (r reader) imported(ctx context.Context, object string) (*Entry, error) {
	live, gone := r.tenant.Record(r.kind, r.id), r.tenant.Archive(r.kind, r.id)
	found, err := r.tenant.GetMany(ctx, live, gone)
	if err != nil {
		return nil, err
	}
	im := max(table.Attributes(found[live]).Int(bulk.Import), table.Attributes(found[gone]).Int(bulk.Import))
	if im == 0 {
		return nil, nil // no import made it, and that is no error
	}
	var state bulk.State
	err = r.tenant.Get(ctx, r.tenant.Bulk(r.kind, im), &state)
	if errors.Is(err, table.ErrNotFound) || err == nil && state.Status != bulk.Done {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Entry{
		ID: 1, Object: object, Action: Imported, User: numberOrNil(state.By), Key: numberOrNil(state.About.Int(keyAttribute)),
		At: encode.Instant(time.UnixMicro(state.At)), RequestID: state.About.Text(requestAttribute), Changes: []Change{},
	}, nil
}

// Between reads the entries of a record's history from one revision to another, both included, the
// newest first, in one call for each MB. It is for a caller who knows the revisions, and does not
// look for the entry of an import.
func Between(ctx context.Context, t *table.Tenant, k kinds.Kind, id, from, to int64) ([]Entry, error) {
	if to < from {
		return nil, nil
	}
	rows, err := reader{tenant: t, kind: k.Code, id: id}.query(ctx, from, to, int(to-from+1), dynamo.Descending)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(rows))
	for i := range rows {
		if entries[i], err = rows[i].entry(k.Object(id)); err != nil {
			return nil, err
		}
	}
	return entries, nil
}
