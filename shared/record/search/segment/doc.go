// Package segment keeps what a search knows of many records in one immutable block of bytes, a segment, and answers
// queries from several segments and the changes since. docs/search-format.md describes the bytes.
//
//   - Build makes a segment from entries, Merge one from several and from changes, Open reads one. Most of a segment is
//     used as it is stored; Open derives where each word stands, and the place of each row by name.
//   - A Set is segments that belong together: of several versions of one record the latest counts. A View is a set with
//     the changes since, which are looked at entry by entry. It answers queries: Find gets a page, Each all.
//   - A Stream answers queries from views of ranges of ids, which needn't be in memory together.
//   - Words are looked up in a sorted list of the words that occur, each with its rows. A query's word has no space, so
//     it is in a text if and only if it is in one of the text's words.
//   - Pages are found by selection: a sample of the matches tells what is near a page, and only that is sorted.
//
// Segments, sets and views never change, so many may use them at the same time.
//
// What never goes in here: where the bytes are stored, and what a record is.
package segment
