// Package listing gives the records of a kind their ids. It knows exactly how many records are
// alive, and in which ranges of ids they are. So any page of a flat list costs the same: page
// 40,000 is found like page 1.
//
// What never goes in here: what a record is. The caller writes its own items; this package adds
// its counters to the same transaction. One transaction may change several listings (Write).
//
// # Numbers
//
// A record's id is given out once, by a sequence, and never again. An id that no record uses is
// a hole, like the id of a deleted record; holes cost nothing.
//
// # Counters
//
// An attribute of a counter item is one decimal number of 36 digits. Each digit is the number
// of live records among 9 consecutive ids. So ADD of a power of ten counts a record without
// reading anything, additions commute, and no digit can overflow. 32 attributes (c0 … cv) make
// a bucket: 10,368 ids.
//
// A bucket is stored as several items, a base and stripes, and its value is their sum. Any of
// these items may take any change, so that writers can avoid each other. A create takes one of
// 32 stripes, chosen by its id. A delete takes the base. A writer that conflicts with another
// transaction there takes a random stripe instead. A single counter may be negative; the sum is
// not.
//
// Each item also has n, the sum of its own changes. The sum of all n is the number of live
// records. It also reveals a torn read. A query is not a snapshot: it may see a delete but not
// the create before it. Then a digit falls below zero and borrows from its neighbour, and the
// digits of the bucket no longer add up to n. (If the digit stays above zero, the result is no
// worse than a list that lags, which the first, eventually consistent read may return anyway.)
//
// # Folding
//
// When all ids of a bucket are given out, its stripes are folded into its base. First they are
// sealed, so that nobody adds to them any more. Then they are read. Then one conditional put of
// the base adds their sum to its own, and sets z, the number of generations of stripes that it
// has absorbed. Readers ignore the stripes of generations below z, so no query sees half a
// fold. Later writes go to generation z. The base of a folded bucket stores full attributes as
// the bits of f and leaves out zeros. It counts its changes in r, and the put is conditional on
// r. Sealed stripes are removed when every request that could have met them unsealed has ended
// (SweepAfter). A sweep removes only those of its own fold, as another fold may have absorbed
// more since. Fold can be repeated, interrupted at any point, and run twice at the same time.
//
// # Pending ranges
//
// An import has more records than a transaction holds (shared/record/bulk). Its ids are a range
// of whole groups of nine, which no other record shares. Until the records are counted, this
// package does not know of them, because Count, Page and Split use the counters. The range is
// also an item of the listing, p#<first id>. It exists from before the first record is written
// until the transaction that counts all records, or until they are removed. Page uses it to
// read around the range: a page that includes the range costs one more query, however large the
// range is.
//
// A torn view of a range can be recognised: either rows are found in groups that no counter
// counts, or counters count records in groups that are pending. Then the listing is read again,
// as described below.
//
// # What is exact
//
// At rest, everything. A list reads twice: the listing, then a range of records. The two reads
// are not one snapshot, and at first they are eventually consistent. If the rows don't match
// the listing, or the listing is torn, Page reads both again, consistently, at most five times
// in all. Where nothing cuts the range off, it asks for one row more than the listing counts,
// so that a row in excess is noticed too.
//
// If writers come between the two reads every time, the rows of the fifth reading decide. It
// begins with the page and reads on behind it, to the end of the list or 100 records further.
// The records before it are counted by the listing, those in it by being seen, those behind it
// by the listing again. So a page always holds as many records as its count says. It never
// holds a row twice, nor a row from outside its range, nor one of a group in which the listing
// counts no record: what an import has not committed is not shown.
//
// # Crashes
//
// A create first takes its id and then writes everything in one transaction. A crash between
// the two leaves a hole. If the answer to the transaction is lost for good, the record itself
// is looked up (Settle, Has): an id is given out once, so if the record exists, this request
// has created it.
package listing
