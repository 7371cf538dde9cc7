package throttle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// Trust says how long a subject that has proven itself is remembered.
type Trust struct {
	Name  string // as it is written in keys; different from the name of any rule
	Lasts time.Duration
}

// sweepAfter is how long what was remembered stays after it stopped counting.
const sweepAfter = 24 * time.Hour

// proven says that a subject has proven itself.
type proven struct {
	table.Item
	Expires int64 `dynamo:"e"`   // Unix seconds
	TTL     int64 `dynamo:"ttl"` // Unix seconds; only sweeps, readers look at Expires
}

const provenVersion = 1

func (tr Trust) key(subject []string) table.Key {
	return crosstenant.Throttle(tr.Name, Subject(subject...), "proven")
}

// Remember notes that a subject has proven itself, from now on. If that fails the error is not
// reported: the subject can prove itself again.
func (t Throttle) Remember(ctx context.Context, tr Trust, subject ...string) {
	until := t.now().Add(tr.Lasts)
	_ = t.table.Put(proven{table.At(tr.key(subject), provenVersion), until.Unix(), until.Add(sweepAfter).Unix()}).Run(ctx)
}

// Remembers tells whether a subject has proven itself and is still remembered.
func (t Throttle) Remembers(ctx context.Context, tr Trust, subject ...string) (bool, error) {
	var p proven
	err := t.table.Get(ctx, tr.key(subject), &p)
	if errors.Is(err, table.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("throttle: %s: %w", tr.Name, err)
	}
	return t.now().Unix() < p.Expires, nil
}
