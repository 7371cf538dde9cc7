// Package bulk makes many records at once: up to MaxRows, which a transaction
// can't hold, and yet all of them are seen or none, whatever crashes.
//
// What never goes in here: what a row is, and which values it reserves. The
// group says so with Imports and a Plan.
//
// # An import
//
// It is known by the first of its ids, and its state is an item of its own:
// running, then done or dead, and nothing after that. Begin reserves the ids
// and writes, in one transaction, the state, the range of ids that are pending
// (shared/record/listing: no list shows them), a message to the worker, and as many
// rows as have room. Write writes the others, a hundred operations at a time.
// Commit is one transaction: running becomes done, the range ends, the
// listing counts the ids, and whatever the caller adds. Run does all of it.
//
// Transactions of rows follow one another. Each checks that the import is
// running, and two that check one item at once are in each other's way; nor
// would more be faster for long: all rows of a company are in one partition,
// which takes a thousand units a second.
//
// # What rows carry
//
// Each row has im, the import that made it, for ever, and w, until the worker
// has taken it away after the commit. Who reads a record with w by its number
// asks Visible; lists need not. Who writes such a record, because it is
// visible, leaves w out. A unique value that a row reserves has im too.
//
// # Crashes
//
// A running import has a lease, which is longer than a request can last. Who
// finds it running after that declares it dead: the worker, whose message is due
// then, or a reader who needs to know. Only that ends it, and a commit depends
// on its running, so an import that somebody saw dead will never be committed.
// Nor does it write any more: a transaction of rows that was under way, and
// comes late, finds that it is not running. So the worker sweeps in peace: the
// values that its rows have reserved, if they are still this import's; the rows;
// and then the range. It may be interrupted anywhere and begins again.
//
// The values of a dead import don't wait for that: who needs one takes it over
// (shared/record/unique).
//
// Where the answer to a commit is lost for good, the state tells. Where even
// that is not to be had, or it still says running, Run abandons the import, and
// what comes of that is certain.
package bulk
