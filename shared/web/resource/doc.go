// Package resource is the HTTP face of a kind of records: its operations, out of
// one declaration beside that of the kind (shared/record).
//
//	points := resource.Resource[point, body, RentalPoint]{Kind: kind(), Apply: apply, View: view}
//	operations := points.Operations(env.Now)
//
// A group says what callers may send (a body of shared/decode), the rule that
// takes it to a record (Apply), and what they are shown (View). All else is the
// same for every kind: list, search, filters and other orders; create, read,
// change and delete, each one unit of work; the answer of a create kept under its
// Idempotency-Key; an ETag, the record's revision, obeyed in If-Match; and
// operations that are none of these (Action). Embedded is the same for a list inside
// a record, Under for records that stand below others.
//
// What never goes in here: what a record is and what its changes owe
// (shared/record), and what any one kind of records means.
package resource
