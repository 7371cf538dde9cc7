package bulk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
)

// Status is the state that an import is in.
type Status string

// An import starts as Running. It ends as Done or Dead, which is final.
const (
	Running Status = "running"
	Done    Status = "done"
	Dead    Status = "dead"
)

// State is the item that describes an import.
type State struct {
	table.Item
	Status Status           `dynamo:"st"`
	Rows   int64            `dynamo:"n"`
	Lease  int64            `dynamo:"l"` // when the lease is over; like all times here in microseconds since 1970
	At     int64            `dynamo:"at"`
	By     int64            `dynamo:"us"` // the user
	About  table.Attributes `dynamo:"a,omitempty"`
}

const version = 1

// Until is the end of the lease of a running import.
func (s State) Until() time.Time { return time.UnixMicro(s.Lease).UTC() }

// ID names an import of a company.
type ID struct {
	Kind   kinds.Code
	Import int64
}

// The attributes of rows; see the package.
const (
	Import  = "im"
	Waiting = "w"
)

// Visible tells whether the records of an import may be shown. It takes one consistent read of
// one unit.
func Visible(ctx context.Context, t *table.Tenant, kind kinds.Code, im int64) (bool, error) {
	s, err := read(ctx, t, kind, im)
	if errors.Is(err, table.ErrNotFound) {
		return false, nil
	}
	return s.Status == Done, err
}

func read(ctx context.Context, t *table.Tenant, kind kinds.Code, im int64) (s State, err error) {
	err = t.Get(ctx, t.Bulk(kind, im), &s)
	return s, err
}

// Read reads the state of an import consistently. If the lease is over, it declares the import dead. If the import
// doesn't exist, the error is table.ErrNotFound.
func Read(ctx context.Context, t *table.Tenant, id ID, now time.Time) (State, error) {
	s, err := read(ctx, t, id.Kind, id.Import)
	if err != nil {
		return State{}, err
	}
	return s.settled(ctx, t, id, now)
}

// ReadAll is Read for many imports, with one call for each hundred. Imports without a state are
// not in the result.
func ReadAll(ctx context.Context, t *table.Tenant, ids []ID, now time.Time) (map[ID]State, error) {
	return readAll(ctx, t, ids, func(id ID, s State) (State, error) { return s.settled(ctx, t, id, now) })
}

// Peek is ReadAll without writing. It reports an import as dead whose lease is over, although
// that import may still be committed.
func Peek(ctx context.Context, t *table.Tenant, ids []ID, now time.Time) (map[ID]State, error) {
	return readAll(ctx, t, ids, func(_ ID, s State) (State, error) {
		if s.over(now) {
			s.Status = Dead
		}
		return s, nil
	})
}

func readAll(ctx context.Context, t *table.Tenant, ids []ID, settle func(id ID, s State) (State, error)) (map[ID]State, error) {
	keys := make([]table.Key, len(ids))
	for i, id := range ids {
		keys[i] = t.Bulk(id.Kind, id.Import)
	}
	items, err := t.GetMany(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("bulk: states: %w", err)
	}
	states := make(map[ID]State, len(items))
	for i, id := range ids {
		item, ok := items[keys[i]]
		if _, known := states[id]; !ok || known {
			continue
		}
		var s State
		if err := table.Attributes(item).Decode(&s); err != nil {
			return nil, err
		}
		if states[id], err = settle(id, s); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// over tells whether the lease is over, so that the process of the import must be dead.
func (s State) over(now time.Time) bool { return s.Status == Running && now.After(s.Until()) }

// settled is the state; an import whose lease is over is first declared dead.
func (s State) settled(ctx context.Context, t *table.Tenant, id ID, now time.Time) (State, error) {
	if !s.over(now) {
		return s, nil
	}
	err := table.Retry(ctx, func() error {
		return t.Update(s.Key()).Set("st", Dead).If("'st' = ? AND 'l' = ?", Running, s.Lease).Run(ctx)
	})
	switch {
	case err == nil:
		s.Status = Dead
		return s, nil
	case dynamo.IsCondCheckFailed(err): // it was committed, or somebody else has declared it dead
		return read(ctx, t, id.Kind, id.Import)
	}
	return State{}, fmt.Errorf("bulk: end import %d of %s: %w", id.Import, id.Kind, err)
}
