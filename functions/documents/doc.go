// Package documents keeps a company's documents: generated from a template or from HTML,
// or uploaded, each with its files, its links to other records and its signs.
//
// A document is one item of the table. What a list shows of it is inside, so
// that a page is one query; its bytes are in the bucket, and are stored before
// the item is written: a crash between the two leaves bytes that nobody refers
// to, never a document without bytes (docs/decisions/0010-files.md). The item names a version of each file, so
// what a document serves changes only with the document.
//
// A generated document is a PDF. Values are put into the template first, as texts; the HTML that comes
// out is sanitised; the company's own images are put inside; and then the function render lays it out,
// which fetches nothing. What was laid out is kept beside the PDF, so that it can be made again when the
// template is gone. Documents of before are HTML files until they are made again.
//
// # Who may read a document
//
//	staff of the company, from read-only on   the document and its files (GET without a Role, group.go: see
//	                                          web.Operation.LeastRole), its signs (signs.go), of these uuids
//	                                          from employee on (reader), and its history (kinds.Kind.Role)
//	a signer, by the link of a sign           files that IsPublic, and names of other signers, until the
//	                                          link expires (document.Reached, document.SignByLink)
//	whoever has the sealed file               whether it is genuine (functions/signing), not the document
//	a feed                                    nothing
//	a key for programs                        by its scopes: documents with their files, and signs apart from them
//
// The API's tests hold the roles (TestRoleMatrix in infra/conformance). Nothing depends on the single
// document; another company's, a deleted and a withdrawn one are 404.
//
// Every change is conditional on the revision that it was decided on, and is
// decided anew on the next one.
//
// What never goes in here: how pages are found (shared/record/listing), how texts
// are searched (shared/record/search), how bytes are stored (shared/files), how HTML becomes
// pages (functions/render), what a template may say (functions/documents/values), and what
// signers reach by their links (functions/signing).
package documents
