package table

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// MaxID is the largest id that a record can have.
const MaxID = keyspace.MaxID

// SortID is the sort key of a record's id. For an id below 0 or above MaxID it is a sort key
// that no record has.
func SortID(id int64) string { return keyspace.SortID(id) }

// ParseSortID is the id in a sort key made by SortID.
func ParseSortID(sk string) (int64, error) { return keyspace.ParseSortID(sk) }

// Prefix is the prefix of every partition of a tenant.
func Prefix(id tenant.ID) string { return "T#" + id.String() + "#" }

// Records is the partition that holds the live records of a kind. It is also the partition of
// the index "changes" that holds their search entries, and those of deleted records.
func (t *Tenant) Records(k kinds.Code) string { return t.prefix + string(k) }

// Record is the key of a live record.
func (t *Tenant) Record(k kinds.Code, id int64) Key { return Key{PK: t.Records(k), SK: SortID(id)} }

// Archive is the key of a deleted record. It is kept until its company is deleted.
func (t *Tenant) Archive(k kinds.Code, id int64) Key {
	return Key{PK: t.prefix + string(k) + "#gone", SK: SortID(id)}
}

// Beside is the key of the item of sums beside a record.
func (t *Tenant) Beside(k kinds.Code, id int64) Key {
	return Key{PK: t.AllBeside(k), SK: SortID(id)}
}

// AllBeside is the partition of the items of sums beside the records of a kind.
func (t *Tenant) AllBeside(k kinds.Code) string { return t.prefix + string(k) + "#sum" }

// Months is the partition of what is booked beside a record, by month.
func (t *Tenant) Months(k kinds.Code, id int64) string {
	return t.prefix + string(k) + "#days#" + SortID(id)
}

// Month is the key of what is booked beside a record in one month, as "2026-03".
func (t *Tenant) Month(k kinds.Code, id int64, month string) Key {
	return Key{PK: t.Months(k, id), SK: month}
}

// Children is the partition, in the index of children, of the records of kind k below the
// record id of kind of.
func (t *Tenant) Children(k, of kinds.Code, id int64) string {
	return t.prefix + string(k) + "#of#" + string(of) + "#" + SortID(id)
}

// KindOf is the kind of the live records in a partition; "" if it holds no live records.
func (t *Tenant) KindOf(partition string) kinds.Code {
	rest, own := strings.CutPrefix(partition, t.prefix)
	if k, ok := t.space.Kind(kinds.Code(rest)); own && ok {
		return k.Code
	}
	return ""
}

// Sequence is the key of the counter that gives out a kind's ids.
func (t *Tenant) Sequence(k kinds.Code) Key { return Key{PK: t.prefix + string(k) + "#seq", SK: "-"} }

// Listing is the partition of the counters of a kind's live records.
func (t *Tenant) Listing(k kinds.Code) string { return t.prefix + string(k) + "#dir" }

// History is the partition of the audit records of one record, live or deleted.
func (t *Tenant) History(k kinds.Code, id int64) string {
	return t.prefix + string(k) + "#log#" + SortID(id)
}

// Audit is the key of the audit record of one revision of a record.
func (t *Tenant) Audit(k kinds.Code, id, revision int64) Key {
	return Key{PK: t.History(k, id), SK: SortID(revision)}
}

// Reservation is the key of the reservation of a unique value, which says which record has it.
// name is made by kinds.Kind.UniqueName. Values are spread over shards by their hash, so that
// reserving a thousand at once is not limited by the throughput of one partition.
func (t *Tenant) Reservation(name, value string) Key {
	if len(value) > maxReserved {
		sum := sha256.Sum256([]byte(value))
		whole := strings.ToValidUTF8(value[:maxReserved/2], "") // a key is text: a character cut in half would be changed
		value = whole + "#" + hex.EncodeToString(sum[:])
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(value)) // a hash takes everything
	return Key{PK: t.Reservations(name, int(h.Sum32()%uint32(keyspace.Shards))), SK: value}
}

// Reservations is one partition of the reservations with a name.
func (t *Tenant) Reservations(name string, shard int) string {
	return t.prefix + "unique#" + name + "#" + keyspace.Shard(shard)
}

// maxReserved is how many bytes of a value its key can hold; a sort key holds 1,024. The key of
// a longer value is its beginning and the hash of all of it.
const maxReserved = 512

// Replay is the key of an answer that is stored for an Idempotency-Key, by the hash of its
// scope.
func (t *Tenant) Replay(hash string) Key { return Key{PK: t.prefix + "replay#" + hash, SK: "-"} }

// AllDefinitions is the partition of the definitions of custom fields.
func (t *Tenant) AllDefinitions() string { return t.prefix + "fields" }

// Definitions is the key of the definitions of all custom fields of one kind of resources. key
// is its name: "client".
func (t *Tenant) Definitions(key string) Key { return Key{PK: t.AllDefinitions(), SK: key} }

// Bulk is the key of the state of an import. An import is identified by the first id of its
// records.
func (t *Tenant) Bulk(k kinds.Code, first int64) Key {
	return Key{PK: t.prefix + string(k) + "#bulk", SK: SortID(first)}
}

// Pending is the key of a range of ids that an import has not committed, among the counters of
// its kind. first is the first id of the range.
func (t *Tenant) Pending(k kinds.Code, first int64) Key {
	return Key{PK: t.Listing(k), SK: PendingPrefix + SortID(first)}
}

// PendingPrefix is the prefix of the sort keys of pending ranges; they sort after the counters.
const PendingPrefix = "p#"

// Manifest is the key of a kind's manifest, which names the segments that hold what can be
// searched of its records. It stands among the counters of the kind, behind its pending ranges,
// so that one query from PendingPrefix on reads both. Whoever wants the counters and the ranges
// without it reads the keys below ManifestSort.
func (t *Tenant) Manifest(k kinds.Code) Key { return Key{PK: t.Listing(k), SK: ManifestSort} }

// ManifestSort is the sort key of a manifest.
const ManifestSort = "s#"

// Calendars is the partition of the calendars of all inventory items.
func (t *Tenant) Calendars() string { return t.prefix + "cal" }

// Calendar is the key of an inventory item's calendar, which says when the item is occupied.
func (t *Tenant) Calendar(item int64) Key { return Key{PK: t.Calendars(), SK: SortID(item)} }

// PriceBook is the key of the price book: all price rules that are active now.
func (t *Tenant) PriceBook() Key { return Key{PK: t.prefix + "prices", SK: "-"} }

// PriceBookOf is the key of the price book that had a number.
func (t *Tenant) PriceBookOf(number int64) Key {
	return Key{PK: t.prefix + "prices", SK: SortID(number)}
}

// MetricDays is the partition of what the rows of metrics come to on each day.
func (t *Tenant) MetricDays() string { return t.prefix + "metrics" }

// MetricDay is the key of what the rows of metrics of a day come to, as "2026-11-21".
func (t *Tenant) MetricDay(day string) Key { return Key{PK: t.MetricDays(), SK: day} }

// MetricRebuild is the key of how far the metrics are worked out anew. It sorts after all days.
func (t *Tenant) MetricRebuild() Key { return Key{PK: t.MetricDays(), SK: "rebuild"} }

// UsageDays is the partition of what the company had and used on each day.
func (t *Tenant) UsageDays() string { return t.prefix + "usage" }

// UsageDay is the key of what the company had and used on a day, as "2026-11-27".
func (t *Tenant) UsageDay(day string) Key { return Key{PK: t.UsageDays(), SK: day} }

// UsageMonth is the key of what is counted while it is used in a month, as "2026-11". It sorts after all days.
func (t *Tenant) UsageMonth(month string) Key { return Key{PK: t.UsageDays(), SK: "month#" + month} }

// SMSAccount is the key of the balance for SMS.
func (t *Tenant) SMSAccount() Key { return Key{PK: t.prefix + "smsaccount", SK: "-"} }

// SMSReceipt is the key of what the operator has booked in the balance for SMS under a reference.
func (t *Tenant) SMSReceipt(reference string) Key {
	return Key{PK: t.prefix + "smsaccount", SK: "receipt#" + reference}
}

// SMSReturn is the key of what became of the price of an SMS that may have failed, by the id of its message of the outbox.
func (t *Tenant) SMSReturn(message string) Key {
	return Key{PK: t.prefix + "smsaccount", SK: "return#" + message}
}

// SMSReport is the key of a report of a provider of SMS, by its signature in hex.
func (t *Tenant) SMSReport(signature string) Key {
	return Key{PK: t.prefix + "smsreport", SK: signature}
}

// CMS is the key of a CMS that has signed, by the hash of its signature in hex.
func (t *Tenant) CMS(signature string) Key {
	return Key{PK: t.prefix + "cms", SK: signature}
}

// Allowance is the key of the company's allowance of read units.
func (t *Tenant) Allowance() Key { return Key{PK: t.prefix + "allowance", SK: "company"} }

// UserAllowance is the key of a user's allowance.
func (t *Tenant) UserAllowance(user int64) Key {
	return Key{PK: t.prefix + "allowance", SK: "user#" + strconv.FormatInt(user, 10)}
}

// FeedAllowance is the key of a feed's allowance.
func (t *Tenant) FeedAllowance(feed int64) Key {
	return Key{PK: t.prefix + "allowance", SK: "feed#" + strconv.FormatInt(feed, 10)}
}

// KeyAllowance is the key of the allowance of a key for programs.
func (t *Tenant) KeyAllowance(number int64) Key {
	return Key{PK: t.prefix + "allowance", SK: "key#" + strconv.FormatInt(number, 10)}
}

// Rate is the key of the company's bucket of requests.
func (t *Tenant) Rate() Key { return Key{PK: t.prefix + "rate", SK: "company"} }

// FeedRate is the key of a feed's bucket of requests.
func (t *Tenant) FeedRate(feed int64) Key {
	return Key{PK: t.prefix + "rate", SK: "feed#" + strconv.FormatInt(feed, 10)}
}

// KeyRate is the key of the bucket of requests of a key for programs.
func (t *Tenant) KeyRate(number int64) Key {
	return Key{PK: t.prefix + "rate", SK: "key#" + strconv.FormatInt(number, 10)}
}

// Export is the key of the company's last export.
func (t *Tenant) Export() Key { return Key{PK: t.prefix + "export", SK: "-"} }

// Company is the key of the company's own record.
func (t *Tenant) Company() Key { return Key{PK: t.prefix + "company", SK: "-"} }

// Member is the key of a user's membership in the company.
func (t *Tenant) Member(user int64) Key { return Key{PK: t.prefix + "member", SK: SortID(user)} }

// Message is the key of an outbox message of the tenant.
func (t *Tenant) Message(id string) Key { return Key{PK: t.prefix + "outbox", SK: "outbox#" + id} }

// Inbox is the partition of the events that have no place in the company's log yet.
func (t *Tenant) Inbox() string { return t.prefix + "inbox" }

// Event is the key of events in the inbox.
func (t *Tenant) Event(id string) Key { return Key{PK: t.Inbox(), SK: "outbox#e#" + id} }

// EventLog is the partition of the company's log of events.
func (t *Tenant) EventLog() string { return t.prefix + "events" }

// EventPage is the key of a page of the log, by the number of its first event.
func (t *Tenant) EventPage(first int64) Key { return Key{PK: t.EventLog(), SK: SortID(first)} }

// EventHead is the key of the number of the next event.
func (t *Tenant) EventHead() Key { return Key{PK: t.EventLog(), SK: "head"} }

// AllTold is the partition of the events of other records that concern a record.
func (t *Tenant) AllTold(k kinds.Code, id int64) string {
	return t.prefix + string(k) + "#told#" + SortID(id)
}

// Told is the key of an event there, by its number in the log.
func (t *Tenant) Told(k kinds.Code, id, number int64) Key {
	return Key{PK: t.AllTold(k, id), SK: SortID(number)}
}

// Hooks is the partition of the states and the deliveries of webhooks.
func (t *Tenant) Hooks() string { return t.prefix + "hooks" }

// Hook is the key of the state of a webhook.
func (t *Tenant) Hook(id int64) Key { return Key{PK: t.Hooks(), SK: SortID(id)} }

// HookRun is the key of deliveries of a webhook, by the number of the first of them.
func (t *Tenant) HookRun(id, first int64) Key {
	return Key{PK: t.Hooks(), SK: SortID(id) + "#" + SortID(first)}
}

// Upload is the key of an upload that was announced. Using the upload does not delete the item:
// its ttl does.
func (t *Tenant) Upload(id string) Key { return Key{PK: t.prefix + "upload", SK: id} }

// TenantOf is the company that a partition belongs to. It is for the worker, which gets keys; a
// request gets its tenant from its principal.
func TenantOf(partition string) (tenant.ID, bool) {
	rest, ok := strings.CutPrefix(partition, "T#")
	if !ok {
		return 0, false
	}
	number, _, ok := strings.Cut(rest, "#")
	if !ok {
		return 0, false
	}
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || id <= 0 || tenant.ID(id).String() != number {
		return 0, false
	}
	return tenant.ID(id), true
}
