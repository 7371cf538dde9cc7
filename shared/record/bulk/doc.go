// Package bulk creates many records at once: up to MaxRows, more than one transaction can hold.
// Readers see either all of them or none, even if a process crashes at any point.
//
// What never goes in here: what a row is, and which values it reserves. The group defines these
// with Imports and a Plan.
//
// # An import
//
// An import is identified by the first of its record ids. Its state is an item of its own:
// first running, then either done or dead, and that is final. Begin reserves the ids. Then it
// writes one transaction with the state, the range of pending ids (shared/record/listing: no
// list shows them), a message to the worker, and as many rows as there is room for. Write
// writes the other rows, a hundred operations at a time. Commit is one transaction: it sets the
// state from running to done, ends the pending range, counts the ids in the listing, and adds
// the caller's own operations. A kind that is searched keeps the range, as committed, until
// segments have the rows, and a message asks for that. Run does all of it.
//
// The transactions that write rows run one after another, not in parallel. Each checks that the
// import is still running, and two transactions that check the same item at once conflict.
// Running more of them in parallel would not be faster for long either: all rows of a company
// are in one partition, which takes a thousand write units a second.
//
// # What rows carry
//
// Each row keeps the attribute im for ever: the import that made it. It also carries w until
// the worker removes that after the commit. Code that reads a record by its id and finds w asks
// Visible; lists need not. Code that writes such a record, which it does only if the record is
// visible, leaves w out. The reservation of a unique value that a row needs carries im too.
//
// # Crashes
//
// A running import has a lease, which is longer than a request can last. If an import is still
// running after its lease, the first one to notice declares it dead: the worker, whose message
// is due then, or a reader who needs to know the state. Nothing else ends a running import,
// except its own process. A commit requires that the import is running, so an import that
// somebody has seen dead is never committed. It writes no more rows either: a transaction of
// rows that arrives late finds that the import is not running, and fails. So the worker can
// sweep safely. It deletes the reservations of the rows that still carry this import, then the
// rows, and then the pending range. It may be interrupted at any point and starts again.
//
// The values of a dead import need not wait for the sweep: whoever needs one takes its
// reservation over (shared/record/unique).
//
// If the answer to a commit is lost for good, the state of the import tells what happened. If
// the state can't be read, or still says running, Run abandons the import, so that the outcome
// is certain.
package bulk
