// Package record makes the operations of a kind of records out of one
// declaration: list, create, read, change and delete, with everything that such
// operations owe their callers.
//
//	resource := record.Resource[point, body, RentalPoint]{Kind: kinds.RentalPoint, Path: …, Apply: …, View: …}
//	operations := resource.Operations(env.Now)
//
// A group says what a record holds (a struct that embeds Meta), what callers may
// send (a body of shared/decode), the rule that takes the one to the other
// (Apply), and what they are shown (View). All else is the same for every kind:
//
//   - a number that is never given twice, and an exact list (shared/directory);
//   - search, filters and other orders (shared/slimindex);
//   - references and custom fields, checked with what the table says now, read
//     in one call; their errors stand beside those of the rule;
//   - values that are unique in the company (shared/unique);
//   - an audit record in the transaction of every change (shared/history);
//   - an answer kept under an Idempotency-Key, in the same transaction;
//   - an ETag, the record's revision, obeyed in If-Match: every change is
//     conditional on the revision that it was decided on.
//
// # Cost
//
// A create is two calls, a change or a delete two (one reads); one more looks up
// references and custom fields where the kind has them, another those that are
// named within custom fields. The units are in docs/performance.md.
//
// What never goes in here: what any one kind of records means. Where a record
// is written together with others, the group writes by itself, with a Writer.
package record
