package outbox

import (
	"hash/fnv"
	"strconv"
	"strings"
	"time"
)

// Lane is the line in which a message waits: behind others of it, and behind none of another lane. Each has workers of its own. An urgent
// message that failed, or that its stream missed, waits in the normal lane from then on (functions/dispatch).
type Lane string

// The lanes.
const (
	// Urgent is what somebody sits and waits for: codes, invitations, notices of what was done to an account.
	Urgent Lane = "urgent"
	// Normal is what takes five seconds at most.
	Normal Lane = "normal"
	// Bulk is what may take longer: merges, rebuilds, ends of imports, seals, SMS to many.
	Bulk Lane = "bulk"
	// Hooks is what waits for programs of strangers: deliveries of webhooks.
	Hooks Lane = "hooks"
)

// Lanes are all of them.
func Lanes() []Lane { return []Lane{Urgent, Normal, Bulk, Hooks} }

// Lane is the lane of a kind of messages; ok is false if it names none, which then is Normal.
func (k Kind) Lane() (_ Lane, ok bool) {
	switch k {
	case "identity.code", "identity.password", "identity.linked", "tenants.invitation", "documents.code":
		return Urgent, true
	case "documents.link", "documents.gone", "events.sequence", "listing.fold", "listing.sweep", "metrics.order", "metrics.penalties",
		"orders.arrive", "orders.lapse", "penalties.car", "penalties.items", "penalties.match", "tenants.closed", "tenants.domain",
		"tenants.exported", "tenants.profile", "tenants.standing",
		"webhooks.notice", "webhooks.stopped":
		return Normal, true
	case "clients.import", "inventory.import", "inventory.move", "documents.seal", "metrics.rebuild", "search.merge", "sms.deliver",
		"tenants.export":
		return Bulk, true
	case Deliver:
		return Hooks, true
	}
	return Normal, false
}

// IsKnown tells whether the kind names a lane, as each has to that a group has a handler for.
func (k Kind) IsKnown() bool {
	_, ok := k.Lane()
	return ok
}

// LaneOf is the lane of the message with a sort key, which is all that the stream tells. Messages of version 1 have no lane in
// their keys; they are Normal there.
func LaneOf(sk string) Lane {
	id := strings.TrimPrefix(sk, Prefix)
	if rest, ok := strings.CutPrefix(id, keyed); ok {
		kind, _, _ := strings.Cut(rest, "#")
		lane, _ := Kind(kind).Lane()
		return lane
	}
	for _, l := range Lanes() {
		if mark := l.mark(); mark != "" && strings.HasPrefix(id, mark) {
			return l
		}
	}
	return Normal
}

// mark is what the id in the sort key of a message without a key of its own begins with.
func (l Lane) mark() string {
	switch l {
	case Urgent:
		return "u#"
	case Bulk:
		return "b#"
	case Normal, Hooks: // all messages of Hooks have keys of their own, with their kind
	}
	return ""
}

// Shards is the number of partitions that the lane has in the index pending.
func (l Lane) Shards() int {
	if l == Urgent || l == Hooks {
		return 4
	}
	return 6
}

// Shard names one partition of the lane in the index pending.
func (l Lane) Shard(i int) string { return string(l) + "#" + strconv.Itoa(i) }

func (l Lane) shardOf(id string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // a hash takes everything
	return l.Shard(int(h.Sum32() % uint32(l.Shards())))
}

// partitions lists the partitions of the index that the lane's messages stand in. The normal lane also has the partitions of version 1,
// because the keys there tell no lane.
func (l Lane) partitions() (names []string) {
	for i := range l.Shards() {
		names = append(names, l.Shard(i))
	}
	for i := 0; l == Normal && i < shardsBefore; i++ {
		names = append(names, shardBefore(i))
	}
	return names
}

// Net is how long after a message was written that is due at once the sweep looks at it. Until then it is left to the stream, and to
// the worker that has claimed it. Somebody sits and waits for a code, so for what is urgent it is as long as a worker's lease.
func (l Lane) Net() time.Duration {
	if l == Urgent {
		return 40 * time.Second
	}
	return 2 * time.Minute
}

// Hold is how long the sweep leaves a message alone that it has sent to a queue, where it may wait behind many others.
func (l Lane) Hold() time.Duration {
	switch l {
	case Urgent: // shorter than from one sweep to the next: what it had to leave alone for a lease is worth little after two
		return 20 * time.Second
	case Bulk:
		return time.Hour
	case Hooks: // what a dead run held is free again after that
		return 2 * time.Minute
	case Normal:
	}
	return 10 * time.Minute
}
