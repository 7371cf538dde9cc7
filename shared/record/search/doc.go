// Package search searches, filters and orders the records of a kind, which a flat list can't do
// by its listing alone. What can be searched lies in a few immutable segments in the bucket;
// what was written since is read from an index of the table.
//
// What never goes in here: by which fields a list can be filtered, and how a value of a query
// is parsed. The columns define both (shared/record/column). What a segment is made of, and how
// a query is answered from it, belongs to the package segment.
//
// # Entries
//
// A searchable record carries its own search entry: Indexed, embedded in its stored struct. The
// sparse index "changes" holds nothing but entries. Its range key is the microsecond at which
// the record was written. It rises with each write of the record, whatever a clock says, so of
// several versions of one record the one with the highest counts. The archived copy of a
// deleted record keeps an entry without values (Gone), which takes the record out of older
// segments. An entry has a fingerprint of the columns that its writer knew. A reader that knows
// other columns reads the record instead.
//
// # Custom fields
//
// An entry also holds the scalars of the record's free part `extra`, up to 512 bytes of them, whatever custom fields there are.
// Columns of custom fields are made of these when a query names one, and when segments are made; where an entry has no
// scalars because there are more, the record is read. So a query that names no custom field costs nothing more, and a field by
// which lists become filtered needs only new segments. A merge reads which fields there are; the manifest has a fingerprint of
// their columns of its own, which says whether segments are to be made anew.
//
// # Manifest
//
// The manifest is one item beside the counters of the kind's listing. It names the segments,
// with their versions and checksums, and the mark: each entry from before the mark is in a
// segment. It is only ever replaced on the condition of its revision. The mark lies MarkAge
// behind the time at which it is written, so that every write from before it has ended, and the
// index has its entry. Where more than 1,000 changes come after it, a merge moves it up to ten seconds
// behind, so that searches read few of them. The merges after that read from where the mark was sure, until
// it is so again.
//
// Segments never change. The key of a segment consists of the company, the kind and an id of
// its own, and the first two are the reader's own. So a manifest that was tampered with leads
// to no other company, and the checksum refuses other bytes.
//
// # Reading
//
// A list reads the manifest and the changes since the mark side by side, and then the records
// of its page: three calls. It finds its matches in memory, in the segments and in the changes.
// The count is exact for every combination of filters. A query that names up to 1,000 records by
// their ids is answered by reading these.
//
// A kind with at most Small live records has no segments: its records are read. So they are, up
// to 10,000, where segments are not made yet, are missing, or are broken. A kind with more
// records has to wait for its segments (ErrPreparing), and so has a query of a column that the
// segments don't know yet. Such a query asks for new
// segments at once; of the queries that the old ones can answer, one in twenty does.
//
// # Parts
//
// A file has at most 50,000 rows. So what one merge makes, a generation, may have several files,
// its parts. The ids of each part are above those of the part before it. The manifest lists all files
// in one list, and says which of them continue the generation of the file before. How many rows are
// left alone, merged or kept is decided for a generation, never for a part of it.
//
// A merge goes through ranges of ids, one after the other, because all files together may not fit into
// memory. It opens the files that have ids of the range, and stores what it makes of them. A file
// stays as it is if nothing else has ids of its range. A part that would become too large is cut into
// equal parts; parts that have become small are put together.
//
// # Streaming
//
// If the segments of a kind take more memory than an instance may keep, a search goes through ranges
// of ids in the same way. It opens the files of one range, makes a view of that range, takes what it
// needs, and goes on. The files stay in memory only until others need the room. What it keeps of a
// range is small: the count, and for a page the keys of its first rows. A key has all fields of the
// order, so it sorts as in a set of all segments. A page that lies far back takes more passes: the
// first one takes a sample of keys, which tells between which keys the page lies.
//
// A part may turn out to be broken or unreadable in the middle of a search. Then the search begins
// again from the records, as it does if a segment can't be opened at first. Rows doesn't repeat what
// it has called do with.
//
// # Memory
//
// An instance keeps segments that it has opened, up to a number of bytes: those whose uses save most
// time for each byte. A search loads those that it lacks side by side, and all searches of an instance
// together load only so many bytes at a time. A streamed search needs the files of one range beside them. An instance goes on with
// the manifest that it has as long as this yields at most 300 changes, so it loads a segment less often
// than segments are made. It takes the latest manifest earlier
// if that has taken in an import or has looked for late entries since, or if it does not know all
// of the instance's segments: then they are from a time that was lost when the table was restored.
// If the stored revision is lower than its own, the read lagged or the table was restored, and it
// reads again consistently.
//
// The index lags behind the table. So an instance remembers its own changes for ten seconds, and
// finds them at once. A record of which it has read an older version it reads once more.
//
// # Imports
//
// The records of an import (shared/record/bulk) have no entries. Its commit leaves its range of
// ids in the listing, as committed. Readers read the records of such a range themselves, until
// a merge has put them into a segment. The transaction that stores this manifest also marks the
// range with the manifest's revision. An instance with an older manifest goes on reading the range. The range is
// removed ten seconds later at the earliest; by then nobody reads a manifest from before it, so
// whoever misses the range sees the records in the segments.
//
// # Merging
//
// A Merger makes segments, on a message (Ask). Readers ask for it when there are more than 300
// changes, and imports when they have ended. A merge makes one generation of the changes since the
// mark and of the generations before them that are not more than four times as large, or fit one file
// with it; so there are few generations, and a record is written few times. Every 15 minutes it reads an hour more, and so
// finds entries that came late to the index.
//
// A merge names each file as garbage in the manifest before it stores it, and at last puts the manifest
// that uses them. If it dies, the files are garbage already. Garbage is condemned after an hour and deleted by the next merge, when
// no request works with it any more. While a merge stores files, the manifest tells other merges to wait, for half a
// minute at most after it has named the last. Of two merges that write at the same time all the same, one finds that the revision has
// changed, and begins again. A manifest that no merge can have written is not searched by, and everything is
// made anew.
//
// A merge takes in up to 80 imports at a time, or those that it can read in eight seconds, and goes on while its
// invocation has the time for more.
//
// # Rebuilding
//
// Segments are made anew from the records where there are none, where the columns have changed,
// and where one is broken (Ask with check). The records are read in portions, each of up to 40,000
// records or eight seconds. After each of them the manifest tells how far it went, so another
// invocation goes on from there. Meanwhile searches go on with the old
// segments. What is written meanwhile has entries after the new mark, which was fixed at the
// beginning. Records of an import are taken only if it is committed; if it is committed later,
// its range is still there for the next merge.
//
// # What is exact
//
// At rest, everything. Otherwise the index, and the records of a page, lag behind writes by
// about a second on AWS, as both reads are eventually consistent. A change that moves within the
// index while it is read appears late rather than never. An entry that came to the index later
// than MarkAge is missing until a merge looks for late entries; one that came there later than ten seconds,
// while a thousand others did, until the next merge, some three minutes later at most. If a record of the page is
// missing when the page gets it, the list is read once again, consistently as far as that is
// possible; what is still missing is left out of the page and the count. No rule may depend on a
// search.
package search
