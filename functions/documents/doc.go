// Package documents keeps a company's documents: generated from HTML or
// uploaded, each with its files, its links to other records and its signs.
//
// A document is one item of the table. What a list shows of it is inside, so
// that a page is one query; its bytes are in the bucket, and are stored before
// the item is written: a crash between the two leaves bytes that nobody refers
// to, never a document without bytes (docs/decisions/0010-files.md). The item names a version of each file, so
// what a document serves changes only with the document.
//
// Every change is conditional on the revision that it was decided on, and is
// decided anew on the next one.
//
// What never goes in here: how pages are found (shared/record/listing), how texts
// are searched (shared/record/search), how bytes are stored (shared/files), and the
// routes of signing and templates, which are not built yet.
package documents
