package eventlog

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record/event"
	"github.com/tenantry/tenantry/shared/table"
)

// followerPrefix begins the attributes of the head that name followers.
const followerPrefix = "f#"

// All is the type of events that stands for all types, and ends one that stands for all that begin alike: order.*.
const All = "*"

// Follow adds to a transaction that a message is armed (outbox.Deliver) whenever the log has new events of some types from then on. key
// is the key of the message. A follower that is there follows these types from then on. It is one operation, which never fails.
//
// A worker that is giving events their numbers may have read who follows before that. So a new follower looks at the log by itself
// once such a worker has ended.
func Follow(tx *table.Tx, t *table.Tenant, key string, types []string) {
	tx.Update(t.Update(t.EventHead()).Set("v", version).Set(attribute(key), types), nil)
}

// Unfollow adds to a transaction that a message is not armed any more. It is one operation, which never fails.
func Unfollow(tx *table.Tx, t *table.Tenant, key string) {
	tx.Update(t.Update(t.EventHead()).Set("v", version).Remove(attribute(key)), nil)
}

// attribute is the path of a follower's attribute, quoted because of its sign.
func attribute(key string) string { return fmt.Sprintf("'%s%s'", followerPrefix, key) }

// Matches tells whether a type of events is one of those that are wanted: exact names, or beginnings with All behind their last dot.
func Matches(wanted []string, name event.Name) bool {
	for _, w := range wanted {
		beginning, several := strings.CutSuffix(w, All)
		if w == string(name) || several && strings.HasPrefix(string(name), beginning) {
			return true
		}
	}
	return false
}

// wake arms the messages of who follows events of a page. It comes before the page's events leave the inbox, so that whoever dies before
// it leaves it to the next worker.
func (l Log) wake(ctx context.Context, p page, h head) error {
	var calls errgroup.Group
	calls.SetLimit(parallel)
	for key, wanted := range h.followers {
		for _, s := range p.Events {
			if !Matches(wanted, s.Name) {
				continue
			}
			m := outbox.NewKeyed(l.tenant.Message, outbox.Deliver, key, l.now())
			calls.Go(func() error {
				return table.Retry(ctx, func() error { return outbox.Armed(l.tenant, m).Run(ctx) })
			})
			break
		}
	}
	return calls.Wait()
}
