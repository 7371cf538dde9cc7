// Package resource is the HTTP side of a kind of records: it makes their operations from one
// declaration that extends that of the kind (shared/record).
//
//	points := resource.Resource[*point, body, RentalPoint]{Kind: kind(), Apply: apply, View: view}
//	operations := points.Operations(env.Now)
//
// A group declares what callers may send (a body of shared/decode), the rule that applies a
// body to a record (Apply), and what callers are shown (View). Everything else is the same for
// every kind: list, search, filters and ordering; create, read, change and delete, each one
// unit of work; the answer of a create, stored under its Idempotency-Key; an ETag, which is
// the record's revision and is obeyed in If-Match. Action declares further operations.
// Embedded does the same for a list inside a record, and Under for records that stand below
// others.
//
// What never goes in here: the storage of records and the rules that hold for every change of
// them (shared/record), and the meaning of any one kind of records.
package resource
