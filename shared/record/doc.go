// Package record is what a kind of records is, and the unit of work in which records
// are made, changed and removed.
//
//	kind := record.Kind[point]{Kind: kinds.Of(kinds.RentalPoint), Name: …, Shown: …}
//	err := scope.Do(ctx, answer, func(w *record.Work) error {
//		p, err := kind.Edit(ctx, w, id)
//		…
//	})
//
// # A kind
//
// A Kind says what is special about its records: what one is called and searched
// by, what is unique, what it refers to, what its history tells. All else is the
// same for every kind: a number that is never given twice and an exact list
// (shared/record/listing), search (shared/record/search) with filters and orders by its
// columns (shared/record/column), values that are unique in the company (shared/record/unique), custom fields (shared/record/customfield), an audit record of
// every change (shared/record/audit).
//
// # A unit of work
//
// A decision edits, makes and removes records of any kinds, adds to sums and leaves
// messages; it calls verbs of other domains, which do the same to the same Work. Then
// everything is checked in one read, numbered, and written as one transaction with
// its history and the answer of the request. What meets on one item is merged: two
// verbs that edit one record have one working copy, additions to one sum are one
// operation, and so is a unique value that one record leaves and another takes.
//
// Each record is written on the revision that was read. Where another was faster
// the whole decision is made anew, on what is true then, up to ten times; then it
// is a fault Unavailable. Where the answer to the transaction is lost, a revision
// that it made, or a record that it appended, tells whether it happened; a unit of
// work with neither is refused.
//
// A transaction holds 100 operations and 4 MB. A record takes one operation, two
// where it is removed; one more each: its history (its parent's, where that tells
// it), a unique value that it gets or leaves, the counters of each kind that gains or
// loses records, the item of sums beside a record, a message, the answer.
//
// # Cost
//
// A create is two calls, a change or a delete two (one reads); one more looks up
// references and custom fields where the kind has them, another those that are
// named within custom fields. The units are in docs/performance.md.
//
// What never goes in here: what any one kind of records means, and HTTP
// (shared/web/resource). Retrying what lost a race, claiming values and settling lost
// answers happen nowhere else, but for the many records of an import
// (shared/record/bulk).
package record
