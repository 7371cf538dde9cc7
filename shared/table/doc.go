// Package table is the platform's one DynamoDB table: its keys, the handle
// that is bound to a company, and transactions.
//
// What never goes in here: what a record means. A store keeps its own struct
// and says its own access patterns with the handle it is given.
//
// # Keys
//
// Everything of a company lies in partitions that begin with T#<tenant>#, so a
// company can be exported or deleted by its keys. <kind> is a Kind, <id> a
// record's number in 12 digits.
//
//	partition (pk)             sort key (sk)      item
//	T#<tenant>#<kind>          <id>               a live record
//	T#<tenant>#<kind>#gone     <id>               a deleted record
//	T#<tenant>#<kind>#seq      -                  the last number given out
//	T#<tenant>#<kind>#dir      <bucket>           counters of live records; see shared/directory
//	T#<tenant>#<kind>#dir      <bucket>#<g>#<s>   the same, generation g, stripe s
//	T#<tenant>#<kind>#dir      p#<id>             a range of ids, from this one, that an import has not committed
//	T#<tenant>#<kind>#log#<id> <revision>         what a change made of a record; see shared/history
//	T#<tenant>#<kind>#bulk     <id>               the state of an import; see shared/bulk
//	T#<tenant>#unique#<name>#<value>  -           whose a unique value is; see shared/unique
//	T#<tenant>#fields          <key>              the custom fields of a kind of resources; see shared/customfield
//	T#<tenant>#replay#<hash>   -                  an answer kept under an Idempotency-Key; see shared/idempotency
//	T#<tenant>#company         -                  the company
//	T#<tenant>#member          <user>             a user's place in the company
//	T#<tenant>#upload          <uuid>             an upload that was announced; its ttl ends it, taken or not
//	T#<tenant>#outbox          outbox#<id>        a message; see shared/outbox
//
// What belongs to no company (users, e-mail addresses, domains, challenges)
// has its keys in shared/table/crosstenant.
//
// # Indexes
//
//	slim     ix, sk   sparse; x    what can be searched, filtered and ordered; see shared/slimindex
//	pending  pq, pd   sparse; keys messages that wait, by the time they are due
//
// # Consistency
//
// Get is consistent. Lists and the indexes may lag by about a second; no rule
// is decided on them.
package table
