// Package search searches, filters and orders the records of a kind, which a flat list can't do
// by its listing alone.
//
// What never goes in here: by which fields a list can be filtered, and how a value of a query
// is parsed. The columns define both (shared/record/column).
//
// # Entries
//
// A searchable record carries its own search entry: Indexed, embedded in its stored struct,
// puts the attributes ix and x into its item. The sparse index "search" holds only these
// attributes and the keys. So an entry never differs from its record, and costs one write unit
// together with it. An entry has at most 190 bytes with its keys: up to 96 bytes of the folded
// text, and numbers and short texts under names of one letter. The archived copy of a deleted
// record must not carry an entry.
//
// # Reading
//
// A list reads the whole index of the kind, in parallel over ranges of ids that come from
// shared/record/listing. It filters and orders the entries in memory, and gets the records of
// its page. For 10,000 records that takes 4 calls. A page of more than 100 records whose ids are
// close together is read as one range. The count is exact for every combination of filters. A kind
// with more than MaxRecords live records is refused before anything is read: ErrTooManyRecords.
//
// Entries that the listing does not count are left out: the records of an import that is not
// committed are in the index, but no search finds them.
//
// A word is found anywhere in the text of an entry. A word of digits is also found in any part
// of the spellings that Index.Digits returns for the entry's numbers; separators that are usual
// in telephone numbers are ignored there, so "(701)" is 701. If a number is written in groups,
// each group is a word of its own.
//
// An entry may hold only the beginning of a long text. If the words of a query are not in that
// part, or if the order depends on the rest, the texts of the records are read: a few records
// by their ids, many by reading all records, in at most MaxReads calls. If that is not enough
// the list is refused: ErrTooMuchText.
//
// # What is exact
//
// The index and the records of a page lag behind writes by about a second on AWS, as both reads
// are eventually consistent. If a record of the page is missing when the page gets it, the list
// is read once again, this time with consistent reads of the records; what is still missing is
// left out of the page and the count. No rule may depend on a search.
package search
