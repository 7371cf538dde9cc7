// Package search searches, filters and orders the records of a kind: what a
// flat list can't do by its listing alone.
//
// What never goes in here: which fields a list can be filtered by, and how a value of
// a query is read, which columns say (shared/record/column).
//
// # Entries
//
// A record that can be found carries its own entry: Indexed, embedded in its
// stored struct, puts the attributes ix and x into its item, and the sparse
// index "search" holds nothing but them and the keys. So an entry is never apart
// from its record, and it costs one write unit with it. An entry is at most 190
// bytes with its keys: the folded text, of which at most 96 bytes, and numbers
// and short texts under names of one letter. The deleted copy of a record must not
// carry one.
//
// # Reading
//
// A list reads the whole index of the kind, in parallel over ranges of ids that
// shared/record/listing cuts, filters and orders it in memory, and gets the records
// of its page. For 10,000 records that is 4 calls. The count is exact for every
// combination. Beyond MaxRecords live records it refuses before it reads:
// ErrTooManyRecords.
//
// What the listing does not count is left out: the records of an import that
// has not committed are in the index, and nobody finds one of them.
//
// A word is found in the text of an entry or, if it is of digits, in one of the
// spellings that Index.Digits gives the entry's numbers, as part of it. The signs
// that stand in telephone numbers don't matter there: "(701)" is 701. Each word of
// a number that is written in groups is found by itself.
//
// Where a text is longer than its entry holds and the words of a query are not
// in that part, or where an order is decided beyond it, the texts of the records
// are read: a few by their ids, many by reading all records, in at most MaxReads
// calls. Beyond that it is ErrTooMuchText.
//
// # What is exact
//
// The index and the records of a page lag behind writes by about a second on
// AWS: both reads are eventually consistent. A record that is gone when the page
// gets it makes the list read once again, the records then consistently; what
// is still missing is left out of page and count. No rule is decided here.
package search
