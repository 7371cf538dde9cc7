// Package listing numbers the records of a kind and knows, exactly, how many
// are alive and where in the numbers they are. It is what makes any page of a
// flat list cost the same: page 40,000 is found like page 1.
//
// What never goes in here: what a record is. The caller writes its own items;
// this package adds its counters to the same transaction. One transaction may
// change several listings (Write), each of which chooses its own items.
//
// # Numbers
//
// A record's id is given out once, by a sequence, and never again. An id that
// no record took is a hole, like the id of a deleted record; holes cost nothing.
//
// # Counters
//
// An attribute of a counter item is one decimal number of 36 digits, and each
// digit is the number of live records among 9 consecutive ids. So ADD of a
// power of ten counts a record without reading anything, additions commute, and
// no digit can overflow. 32 attributes (c0 … cv) make a bucket: 10,368 ids.
//
// A bucket is the sum of its items: a base and stripes. Any of them may take
// any change, so writers avoid each other: a create takes one of 32 stripes by
// its id, a delete takes the base, and who meets another transaction there takes
// a stripe by lot. A counter by itself may be negative; the sum is not.
//
// Each item also has n, the sum of its own changes. The sum of all n is the
// number of live records. And it tells a torn read: a query is no snapshot, and
// where it has seen a delete but not the create before it, a digit that falls
// below zero borrows from its neighbour, and the digits of the bucket no longer
// add up to n. (A digit that stays above zero shows no more than a list that
// lags, which the first, eventual read may do anyway.)
//
// # Folding
//
// When all ids of a bucket are given out, its stripes are folded into its base:
// they are sealed, so that nobody adds any more; read; and one conditional put
// of the base makes the sum its own, with z, the number of generations of
// stripes it has absorbed. Readers ignore the stripes of generations below z,
// so no query sees half a fold. What is written later goes to the generation
// z. The base of a folded bucket keeps full attributes as the bits of f and
// leaves out zeros, and r counts its changes, on which the put depends.
// Sealed stripes are removed when every request that could have met them
// unsealed has died (SweepAfter); only those of that fold, as another may have
// absorbed more since. Fold can be repeated, and interrupted
// anywhere, and run by two at once.
//
// # Pending ranges
//
// An import has more records than a transaction holds (shared/record/bulk). Its ids
// are a range of whole groups of nine, which no other record shares, and until
// they are counted nothing here knows of its records: Count, Page and Split go
// by the counters. The range is also an item of the listing, p#<first id>,
// from before the first record is written until the transaction that counts them
// all, or until they are removed. It is there so that Page reads around it: a
// page within which it lies costs one more query, whatever the range holds.
//
// A view that is torn shows: rows stand in groups that nothing counts, or are
// counted in groups that are pending. It is read again, as below.
//
// # What is exact
//
// At rest, everything. A list reads twice: the listing, then a range of
// records. The reads are not one snapshot and, first, not consistent: where the
// rows do not stand where the listing says, or the listing is torn, Page
// reads both again, consistently, at most three times in all. A page never holds
// a row twice or one of elsewhere, nor one of a group in which the listing
// counts none.
//
// # Crashes
//
// A create first takes its id and then writes everything in one transaction. A
// crash between the two leaves a hole. Where the answer to the transaction is
// lost for good the record itself is looked for (Settle, Has): an id is given
// once, so if it is there it is ours.
package listing
