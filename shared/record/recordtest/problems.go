package recordtest

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/keyspace"
)

// Problems reads everything that a company stores of a kind, consistently, and reports what is
// inconsistent. Every record must be counted, its history must have no gaps, its unique values
// must be reserved for it, what it holds must be counted, and nothing of deleted records may be
// left among the live ones. s must be the scope of a process without faults, and nobody may
// write meanwhile.
func Problems[T record.Stored](ctx context.Context, k *record.Kind[T], s record.Scope) (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if registered := kinds.Of(k.Kind.Code).Code != ""; registered && k.Kind.NoHistory != (k.Parent != nil || k.AppendOnly || k.Unaudited) {
		say("NoHistory of the kind %s is %v, which its declaration contradicts", k.Kind.Name, k.Kind.NoHistory)
	}
	live, err := items(ctx, s.Table, s.Table.Records(k.Kind.Code))
	if err != nil {
		return []string{err.Error()}
	}
	archive, err := items(ctx, s.Table, s.Table.Archive(k.Kind.Code, 0).PK)
	if err != nil {
		return []string{err.Error()}
	}
	count, err := s.Listing(k.Kind.Code).CountNow(ctx)
	if err != nil || count != len(live) {
		say("%d are counted of %d, %v", count, len(live), err)
	}
	owners, held := map[table.Key]int64{}, map[table.Key]int64{}
	for _, item := range live {
		rec := k.Empty()
		if err := item.Decode(rec); err != nil {
			say("%v", err)
			continue
		}
		id := record.ID(rec)
		if item.Int("d") != 0 {
			say("%d is alive, and was deleted", id)
		}
		for _, v := range k.UniqueValues(rec) {
			if other, taken := owners[v.Key(s.Table)]; taken {
				say("%d and %d have one %s", other, id, v.Name)
			}
			owners[v.Key(s.Table)] = id
		}
		if k.References != nil {
			for _, r := range k.References(rec) {
				if r.Hold {
					held[s.Table.Beside(r.Kind, r.ID)]++
				}
			}
		}
		list = append(list, historyOf(ctx, k, s, rec, false)...)
	}
	for _, item := range archive {
		rec := k.Empty()
		if err := item.Decode(rec); err != nil {
			say("%v", err)
			continue
		}
		if item.Int("d") == 0 || item["x"] != nil || item["by"] != nil || item["ix"] != nil && item.Int("xm") <= item.Int("m") {
			say("%d is in the archive as %v", record.ID(rec), item)
		}
		for _, other := range live {
			if other.Text("sk") == item.Text("sk") {
				say("%d is alive and in the archive", record.ID(rec))
			}
		}
		list = append(list, historyOf(ctx, k, s, rec, true)...)
	}
	return append(append(list, reservations(ctx, k, s, owners)...), holds(ctx, k, s, held)...)
}

// holds returns problems in the counts of how many records hold others. held are the counts that are stored beside the
// records, by key.
func holds[T record.Stored](ctx context.Context, k *record.Kind[T], s record.Scope, held map[table.Key]int64) (list []string) {
	for _, of := range s.Table.Kinds() {
		found, err := items(ctx, s.Table, s.Table.Beside(of.Code, 0).PK)
		if err != nil {
			return []string{err.Error()}
		}
		for _, item := range found {
			key := table.Key{PK: item.Text("pk"), SK: item.Text("sk")}
			if n := item.Int("H" + string(k.Kind.Code)); n != held[key] {
				list = append(list, fmt.Sprintf("%s is said to be held by %d of %s, and is by %d", key.SK, n, k.Kind.Code, held[key]))
			}
			delete(held, key)
			all := int64(0)
			for name := range item {
				if len(name) > 1 && name[0] == 'H' {
					all += item.Int(name)
				}
			}
			if item.Int("H") != all {
				list = append(list, fmt.Sprintf("%s is said to be held by %d, and is by %d", key.SK, item.Int("H"), all))
			}
		}
	}
	for key, n := range held {
		list = append(list, fmt.Sprintf("%s is held by %d, and nothing says so", key.SK, n))
	}
	return list
}

// items reads a whole partition.
func items(ctx context.Context, t *table.Tenant, pk string) (list []table.Attributes, err error) {
	if err := t.Table().Get("pk", pk).Consistent(true).All(ctx, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", pk, err)
	}
	return list, nil
}

// historyOf returns problems in the history of a record, which has to have an entry for each revision.
func historyOf[T record.Stored](ctx context.Context, k *record.Kind[T], s record.Scope, rec T, gone bool) (list []string) {
	if k.Parent != nil || k.AppendOnly {
		return nil
	}
	id, revision := record.ID(rec), record.Revision(rec)
	entries, count, err := audit.Page(ctx, s.Table, k.Kind, id, 0, 1000)
	if err != nil || int64(count) != revision || len(entries) != count {
		return []string{fmt.Sprintf("%d is at revision %d, its history has %d entries, %v", id, revision, count, err)}
	}
	for i, e := range entries {
		want := audit.Changed
		switch {
		case i == count-1:
			want = audit.Created
		case i == 0 && gone:
			want = audit.Deleted
		}
		if e.ID != revision-int64(i) || e.Action != want {
			list = append(list, fmt.Sprintf("entry %d of the history of %d is revision %d, %s", i, id, e.ID, e.Action))
		}
	}
	return list
}

// reservations returns problems of unique values: each has to be reserved for the record that has it.
func reservations[T record.Stored](ctx context.Context, k *record.Kind[T], s record.Scope, owners map[table.Key]int64) (list []string) {
	for _, name := range k.Kind.Unique {
		for shard := range keyspace.Shards {
			pk := s.Table.Reservations(k.Kind.UniqueName(name), shard)
			found, err := items(ctx, s.Table, pk)
			if err != nil {
				return []string{err.Error()}
			}
			for _, item := range found {
				key := table.Key{PK: pk, SK: item.Text("sk")}
				if owners[key] != unique.Owner(item) {
					list = append(list, fmt.Sprintf("a %s is reserved for %d, and is of %d", name, unique.Owner(item), owners[key]))
				}
				delete(owners, key)
			}
		}
	}
	for key, id := range owners {
		list = append(list, fmt.Sprintf("%d has a value of %s that is not reserved", id, key.PK))
	}
	return list
}
