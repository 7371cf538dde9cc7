// Package eventlog keeps what happened in a company in one order, which is the same for all who read it: each event has a number, the
// numbers have no gap, none is given twice, and the revisions of a record rise.
//
// # How an event gets its number
//
// A counter in the transaction of each change would be an item that all changes of a company wait for. So it takes two steps:
//
//  1. The transaction of a change puts its events into the company's inbox (Add), as one item. The item's key begins with a
//     stamp: the time, but later than the revision of any record that the change has edited. So it sorts behind what happened to these
//     records before, whatever the clocks of two machines are. What has a history and is no record (record.Work.Revise: the company and
//     its custom fields) keeps no time of its last change; there the clocks decide.
//  2. A worker gives the oldest of the inbox their numbers (Log.Sequence): it reads the next number, and then the inbox. It
//     puts a page of the log under that number, unless there is one. It deletes the changes of the page from the inbox. Then it moves
//     the number on, unless another worker has. Any number of workers may do so at once, and each may die after any step: a worker
//     that finds a page under the number finishes that page first.
//
// The order of these steps is what makes it right. The number is read before the inbox: otherwise a worker that slept in between could
// give events of a finished page numbers again. The inbox is read until it stays the same up to the last event that was found: an
// event that became visible late, between two others, may belong before them. (A transaction shows its items one after the other, within
// milliseconds: who changes a record that is visible already, whose events are not, and is numbered by a worker that reads twice before
// they are, would stand before them. Nobody has seen that; a reader who needs revisions in order compares them.) What a page
// has is deleted before the number moves: otherwise another worker would number it again. And a page that is there is finished and never
// skipped.
//
// Before the changes of a page are deleted, the messages of those are armed who follow events of its types (Follow). Followers stand in
// the item with the next number, which is read anyway, so that a company without them pays nothing for it.
//
// # Who reads it
//
// Log.Read reads pages from a number on, eventually consistently, and stops where one is missing that is not visible yet. A page is
// kept for 31 days, of which 30 can be read. What concerns a record whose kind has a timeline (kinds.Kind.Timeline) is put under that
// record too, where it stays (Log.Told).
//
// What never goes in here: what an event means, who may read it, and HTTP.
package eventlog
