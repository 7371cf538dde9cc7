// Package keyspace is the registry of keys. It lists every kind of partition of the table and
// of its indexes, and every folder of the bucket, with what is stored there and how all of one
// company's partitions are found.
//
// The guard of shared/table refuses keys that are not registered here before they are sent. So
// nothing can be written that the export or the deletion of a company would miss. docs/keys.md
// is generated from the registry.
//
// What never goes in here: making keys, which shared/table, its crosstenant and shared/files
// do, and what an item holds beyond a line about it.
package keyspace

import "github.com/tenantry/tenantry/shared/kinds"

// Found says how a company's partitions of one kind are found.
type Found string

// The ways to find them.
const (
	// ByName: kinds, names of unique values and shards are all known, so the
	// partitions can be listed; see Space.Named.
	ByName Found = "by name"
	// ByNumber: there is one partition for each id that the kind has given out; see
	// Space.Numbered.
	ByNumber Found = "by number"
	// ByTime: the partitions can't be listed; each item ends by its ttl.
	ByTime Found = "by time"
	// ByOthers: the partitions belong to no company. Those that concern a company are named by
	// the company's own items: its members, its host, the addresses that it invites.
	ByOthers Found = "of no company"
)

// Layout is the version of the registry. It changes when items of the previous layout would no
// longer be found.
const Layout = "4"

// Partition is one kind of partition of the table. A name in angle brackets is a placeholder;
// at the end of a key it may stand for anything.
type Partition struct {
	Name  string // by which roles name it; see Patterns
	Key   string // "T#<tenant>#<kind>#log#<id>"
	Found Found
	Items []Item
}

// Item is one kind of item of a partition.
type Item struct {
	Sort  string // "<revision>"
	Holds string
}

// Partitions lists every kind of partition.
func Partitions() []Partition {
	return []Partition{
		{"live", "T#<tenant>#<kind>", ByName, []Item{{"<id>", "a live record"}}},
		{"gone", "T#<tenant>#<kind>#gone", ByName, []Item{{"<id>", "a deleted record"}}},
		{"sum", "T#<tenant>#<kind>#sum", ByName, []Item{
			{"<id>", "sums and entries beside a record, and how many others hold it; see shared/record. 0: of all records of the kind"},
		}},
		{"days", "T#<tenant>#<kind>#days#<id>", ByNumber, []Item{
			{"<text>", "a month, as 2026-03: what is booked beside a record on each of its days; see shared/record"},
		}},
		{"seq", "T#<tenant>#<kind>#seq", ByName, []Item{{"-", "the last number given out"}}},
		{"dir", "T#<tenant>#<kind>#dir", ByName, []Item{
			{"<bucket>", "counters of live records; see shared/record/listing"},
			{"<bucket>#<generation>#<stripe>", "the same, a stripe of a generation"},
			{"p#<id>", "a range of ids, from this one, that an import has not committed"},
			{"s#", "the manifest: which segments of the bucket hold what can be searched of the kind's records; see shared/record/search"},
		}},
		{
			"log", "T#<tenant>#<kind>#log#<id>", ByNumber,
			[]Item{{"<id>", "what made a revision of a record, and what it changed; see shared/record/audit"}},
		},
		{
			"told", "T#<tenant>#<kind>#told#<id>", ByNumber,
			[]Item{{"<id>", "an event of another record that concerns this one, by its number in the log; see shared/record/eventlog"}},
		},
		{"bulk", "T#<tenant>#<kind>#bulk", ByName, []Item{{"<id>", "the state of an import, by its first number; see shared/record/bulk"}}},
		{
			"cal", "T#<tenant>#cal", ByName,
			[]Item{{
				"<id>", "when an inventory item is occupied, by its number; 0: what holds for all; see functions/inventory/calendar",
			}},
		},
		{"prices", "T#<tenant>#prices", ByName, []Item{
			{"-", "the price book: all active price rules, and its number; see functions/orders/pricebook"},
			{"<id>", "the price book that had this number; it never changes"},
		}},
		{"metrics", "T#<tenant>#metrics", ByName, []Item{
			{"<text>", "what the rows of metrics of a day come to, as 2026-11-21; see functions/metrics/row"},
			{"rebuild", "how far the metrics are worked out anew; see functions/metrics/row"},
		}},
		{"usage", "T#<tenant>#usage", ByName, []Item{
			{"<text>", "what the company had and used on a day, as 2026-11-27; see functions/tenants/usage"},
			{"month#<text>", "what is counted while it is used, by day, of a month, as 2026-11; see functions/tenants/usage"},
		}},
		{
			"smsaccount", "T#<tenant>#smsaccount", ByName,
			[]Item{
				{"-", "the balance for SMS, the last invoice number, and what of a day's free share is used; see functions/sms/account"},
				{"receipt#<text>", "what the operator has booked under a reference"},
				{"return#<text>", "that the price of an SMS was given back, or never will be, by its message; its ttl ends it"},
			},
		},
		{
			"smsreport", "T#<tenant>#smsreport", ByName,
			[]Item{{"<text>", "a report of a provider of SMS, by its signature; its ttl ends it"}},
		},
		{
			"cms", "T#<tenant>#cms", ByName,
			[]Item{{"<text>", "which sign was signed by a CMS, by the hash of its signature: it signs no other"}},
		},
		{"unique", "T#<tenant>#unique#<unique>#<shard>", ByName, []Item{{"<text>", "whose a unique value is; see shared/record/unique"}}},
		{"fields", "T#<tenant>#fields", ByName, []Item{{"<text>", "the custom fields of a key; see shared/record/customfield"}}},
		{
			"replay", "T#<tenant>#replay#<hash>", ByTime,
			[]Item{{"-", "an answer kept under an Idempotency-Key, by the hash of its scope; see shared/web/idempotency"}},
		},
		{"allowance", "T#<tenant>#allowance", ByName, []Item{
			{"company", "when the company's allowance of read units is whole again; its ttl ends it; see shared/table/allowance"},
			{"user#<number>", "the same of a user of the company"},
			{"feed#<number>", "the same of a feed"},
			{"key#<number>", "the same of a key for programs"},
		}},
		{"rate", "T#<tenant>#rate", ByName, []Item{
			{"company", "when the company's bucket of requests is whole again; its ttl ends it; see shared/table/tokenbucket"},
			{"feed#<number>", "the same of a feed"},
			{"key#<number>", "the same of a key for programs"},
		}},
		{"export", "T#<tenant>#export", ByName, []Item{{"-", "the last export of the company; see functions/tenants/export"}}},
		{"company", "T#<tenant>#company", ByName, []Item{{"-", "the company"}}},
		{"member", "T#<tenant>#member", ByName, []Item{{"<id>", "a user's place in the company, by the user's number"}}},
		{"upload", "T#<tenant>#upload", ByName, []Item{{"<uuid>", "an upload that was announced; its ttl ends it, taken or not"}}},
		{"outbox", "T#<tenant>#outbox", ByName, []Item{{"outbox#<text>", "a message; see shared/outbox"}}},
		{"inbox", "T#<tenant>#inbox", ByName, []Item{
			{"outbox#e#<text>", "events that have no place in the company's log yet, by their stamp; see shared/record/eventlog"},
		}},
		{"events", "T#<tenant>#events", ByName, []Item{
			{"<id>", "a page of the company's log of events, by the number of its first one; its ttl ends it"},
			{"head", "the number of the next event, and who follows the log"},
		}},
		{"hooks", "T#<tenant>#hooks", ByName, []Item{
			{"<id>", "how far a webhook is in the log, and what of it is to be tried again; see functions/webhooks/endpoint"},
			{"<id>#<id>", "deliveries of a webhook, by the number of their first one; its ttl ends it"},
		}},

		{"user", "U#<number>", ByOthers, []Item{
			{"user", "a person who can sign in"},
			{"memberships", "the companies and the epoch of a user, as the authorizer needs them"},
			{"family#<uuid>", "a token family: one sign-in"},
			{"replay#<text>", "an answer kept under an Idempotency-Key of no company"},
			{"identity#<text>", "the identity with which a user can sign in, by the hash of its issuer"},
		}},
		{"userrate", "L#<number>", ByTime, []Item{
			{"rate", "when a user's bucket of requests is whole again, whatever the company; its ttl ends it"},
		}},
		{"email", "E#<text>", ByOthers, []Item{
			{"email", "whose e-mail address this is"},
			{"invite#<tenant>", "an invitation into a company, for whoever has the address"},
		}},
		{"host", "D#<text>", ByOthers, []Item{{"domain", "whose host name this is"}}},
		{"feed", "F#<text>", ByOthers, []Item{{"feed", "whose feed token this is, by the hash of it"}}},
		{"program", "K#<text>", ByOthers, []Item{
			{"key", "whose key for programs this is, what it may do, and the day of its last use, by the hash of it"},
		}},
		{"sign", "S#<uuid>", ByOthers, []Item{{"sign", "of which company's document a sign is, by its uuid"}}},
		{"fingerprint", "H#<text>", ByOthers, []Item{
			{"sealed#<tenant>#<id>", "which document has a sealed file with this SHA-256"},
			{"erased", "when, and at which level, a file with this SHA-256 was sealed by a company that was erased since; it names nobody"},
			{
				"original#at#<id>#<id>#<id>",
				"which sealed document has an original with this SHA-256, by the second of its seal, its company and number",
			},
		}},
		{"challenge", "C#<word>#<text>", ByTime, []Item{{"challenge", "a one-time code that was sent, by its purpose and address"}}},
		{"identity", "I#<text>", ByOthers, []Item{{"identity", "whose an identity of an issuer is, by the hash of issuer and subject"}}},
		{
			"state", "O#<text>", ByTime,
			[]Item{{"state", "a way to an issuer of identities that somebody has begun, by the hash of its state"}},
		},
		{"cross", "X#<text>", ByTime, []Item{{"cross", "a cross-login token, by the hash of it: the stream carries keys"}}},
		{
			"throttle", "R#<word>#<text>", ByTime,
			[]Item{{"<text>", "a throttle's count of a subject within a window; under proven a caller known to a subject"}},
		},
		{"users", "G#user", ByOthers, []Item{{"seq", "the last number given to a user"}}},
		{"companies", "G#tenant", ByOthers, []Item{{"seq", "the last number given to a company"}}},
		{
			"ping", "ping", ByOthers,
			[]Item{{"-", "nothing, ever: by asking for it, the function fallback finds out whether the table answers"}},
		},
		{"post", "G#outbox", ByOthers, []Item{{"outbox#<text>", "a message of no company"}}},
	}
}

// Index is one sparse index of the table.
type Index struct {
	Name       string
	Hash, Sort string   // the attributes of its keys
	Number     bool     // Sort is a number and no text
	Holds      []string // attributes besides the keys; empty means keys only
	Partition  []string // the patterns of Hash
	Says       string
}

// Indexes lists every index.
func Indexes() []Index {
	return []Index{
		{
			Name: "changes", Hash: "ix", Sort: "xm", Number: true, Holds: []string{"x"},
			Partition: []string{"T#<tenant>#<kind>"},
			Says: "what of a record can be searched, filtered and ordered, by the microsecond of its last write, its deletion included; " +
				"see shared/record/search",
		},
		{
			Name: "children", Hash: "by", Sort: "bs",
			Partition: []string{"T#<tenant>#<kind>#of#<kind>#<id>"},
			Says:      "records of a kind below a record, in an order; see shared/record",
		},
		{
			Name: "pending", Hash: "pq", Sort: "pd",
			Partition: []string{"urgent#<number>", "normal#<number>", "bulk#<number>", "hooks#<number>", "pending#<number>", "failed"},
			Says: "messages that are not done, by the time when the sweep looks at them, and those that were given up; " +
				"`pending#<number>` are those of the release before",
		},
	}
}

// Folder is one folder of the bucket. The key of an object in it begins with its company, and
// ends with a uuid; company 0 means no company.
type Folder struct {
	Name string
	Key  string // below the folder: "<tenant>/<uuid>"
	// Days is after how many days the bucket's lifecycle deletes an object, and Old after how many
	// it deletes one that was deleted or replaced before. 0: it stays until its company is deleted.
	Days, Old int
	Holds     string
}

// The folders' names.
const (
	Uploads   = "uploads"
	Files     = "t"
	Temporary = "temporary"
	Render    = "render"
	Segments  = "search"
)

// Folders lists every folder.
func Folders() []Folder {
	return []Folder{
		{Uploads, "<tenant>/<uuid>", 1, 1, "an upload that no record has taken"},
		{Files, "<tenant>/<uuid>", 0, 0, "a file of a record"},
		{Temporary, "<tenant>/<uuid>", 1, 1, "what need not be kept: large answers, exports"},
		{Render, "<tenant>/<uuid>", 1, 1, "what goes to the function render, and what it makes"},
		{
			Segments, "<tenant>/<kind>/<uuid>", 0, 35, // as long as the table can be restored: its manifests name old segments
			"a segment: what can be searched of records of a kind; a manifest names it; see shared/record/search",
		},
	}
}

// uniques are the full names of the unique values of some kinds.
func uniques(list []kinds.Kind) (names []string) {
	for _, k := range list {
		for _, name := range k.Unique {
			names = append(names, k.UniqueName(name))
		}
	}
	return names
}
