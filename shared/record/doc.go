// Package record declares what a kind of records is, and provides the unit of work in which
// records are created, changed and removed.
//
//	kind := record.Kind[*point]{Kind: kinds.Of(kinds.RentalPoint), Name: …, Shown: …}
//	err := scope.Do(ctx, answer, func(w *record.Work) error {
//		p, err := kind.Edit(ctx, w, id)
//		…
//	})
//
// # A kind
//
// A Kind says what is special about its records: what a record is called and searched by, which
// values are unique, which records it refers to, what its history shows. Everything else is the
// same for every kind: ids that are never given out twice and an exact list
// (shared/record/listing), search (shared/record/search) with filters and orders by columns
// (shared/record/column), values that are unique in the company (shared/record/unique), custom
// fields (shared/record/customfield), and an audit record of every change
// (shared/record/audit).
//
// # A unit of work
//
// A decision is the function that the caller passes to Do. It edits, creates and removes
// records of any kinds, adds to sums and leaves messages. It may call verbs of other domains,
// which do the same to the same Work. Then everything is checked in one read, new records get
// their ids, and everything is written as one transaction, together with the history and the
// answer of the request. Changes to the same item are merged: two verbs that edit one record
// share one working copy, all additions to one sum are one operation, and so is a unique value
// that one record releases and another reserves.
//
// A record is written on the condition that it still has the revision that was read. If another
// request has changed it meanwhile, the decision is called again and reads anew, up to ten
// times; after that the error is a fault Unavailable. If the answer to the transaction is lost,
// it is known to have taken place by a message that it sent, a revision that it made, a record that
// it appended, or by the entries beside a record being as it has them. What only stores an answer,
// arms messages, or writes records without history may simply be repeated. A unit of work that
// nothing tells of is refused, as a mistake in our code.
//
// A transaction holds 100 operations and 4 MB. A record takes one operation, or two if it is
// removed. Each of these takes one more: its history (or that of its parent, if the parent's
// history tells the change), a unique value that it reserves or releases, the counters of each
// kind that gains or loses records, the item of sums beside a record, what is booked beside it in
// a month, a message, the answer, a record that is relied on and not written, and each item that
// Also and Provided add.
//
// # What a decision calls
//
//	Kind.Read, Rely, Edit, Create, Remove    records
//	Kind.AddToSums, SetEntry, Book           numbers beside a record
//	Work.Send, SendAt, Arm                   messages
//	Work.Errors, Check, CheckAll             what is wrong so far
//	Work.Number, Next                        ids before the end
//	Work.Load, Know, Item                    reads in advance, and plain items
//	Work.Also, Provided, Once, Revise        items that are not records
//	Work.Beforehand, Finally                 before the transaction; after the checks
//
// # Cost
//
// A create is two calls; a change or a delete is two as well, one of which reads. One more call
// looks up references and custom fields where the kind has them, and another one the records
// that custom fields refer to. The units are in docs/performance.json.
//
// What never goes in here: what a particular kind of records means, and HTTP
// (shared/web/resource). Retrying after a lost race, reserving values and resolving lost
// answers happen only here, except for the many records of an import (shared/record/bulk).
package record
