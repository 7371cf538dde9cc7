// Package document is the domain of documents: what a document holds, who signs it, and how a
// signature comes about.
//
// A document is one item of the table. What a list shows of it is inside: its files, links and
// signs with the stages of each, so that a page is one query and a change of state and its stage
// are one write. What is large or personal about a stage (agents, reasons, certificates) is a file
// of evidence in the bucket, of which the stage holds the SHA-256 (Evidence).
//
// # States of a sign
//
// Step is the whole table of transitions. Each change of state appends one stage; what repeats a
// state is counted in the sign. The stages of a sign are chained by MACs (Chain), so that a stage
// that was changed, or one that is missing, shows. When every sign is signed, the same write arms
// the message that seals the document (SealKind): from then on its signs don't change.
//
// # Who reaches a document
//
// Staff reaches it by its number, within its company. Signers reach it through the item of their
// sign's uuid alone: Public is the only way from a uuid to a company.
//
// What never goes in here: HTTP, how a PDF is made (functions/render) or sealed (functions/seal),
// and how a CMS is verified (functions/documents/egov).
package document

import (
	"bytes"
	"slices"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
)

// Limits of a document. Its lists are inside its item, which every list of documents reads.
const (
	maxFiles  = 24
	maxSigns  = 20
	maxGone   = 20 // removed signs that are kept
	maxLinks  = 50
	maxStages = 30
	maxItem   = 100 << 10 // bytes
	MaxName   = 512       // characters
)

// Source is where the original of a document comes from.
type Source int64

// Sources.
const (
	Generated Source = 0
	Uploaded  Source = 1
)

// Values are the sources with their names.
func (Source) Values() []enum.Value {
	return enum.Numbers(map[Source]string{Generated: "generated", Uploaded: "uploaded"})
}

// FileType is what a file of a document is.
type FileType int64

// Types of files.
const (
	Original   FileType = 0 // what is shown, hashed and signed
	SealedFile FileType = 1 // the original with its seal
	CMS        FileType = 2 // an electronic signature, detached
	Scan       FileType = 3 // of a signature by hand
)

// Values are the types of files with their names.
func (FileType) Values() []enum.Value {
	return enum.Numbers(map[FileType]string{Original: "original", SealedFile: "overlay", CMS: "electronic signature", Scan: "signature"})
}

// PDF is the content type of what can be signed.
const PDF = "application/pdf"

// Document is a document of a company.
type Document struct {
	record.Meta
	UUID      uuid.UUID
	Name      string
	Source    Source
	CreatedBy int64   // 0: made by no user
	LastFile  int64   // the last number that a file got
	LastSign  int64   // the last number that a sign got
	Template  int64   // what it was made of; 0: no template
	Content   *Object // the HTML that a generated document is made of
	Layout    *Object // the page of a document that was made of a template; nil: a plain one
	// Upload is what was uploaded, where the original is made from it: the file that can be signed.
	Upload *Object
	// Shown is raised by each change of what is shown and signed. A code is good for one value.
	Shown int64
	Files []File
	Signs []Sign
	// Removed are signs that were removed after something had happened to them. No answer shows them; the chain, the seal and its
	// record hold them, each with the stage that removed it.
	Removed []Sign
	Links   []Link
	Seal    *Seal  // nil: not sealed yet
	Base    string // the gateway's address by which it was last signed, of the page that the seal names
}

// Object is one version of one stored file. The company that it belongs to is in the
// document's key.
type Object struct {
	ID      uuid.UUID
	Version string
}

// File is one file of a document. A number is used only once in a document.
type File struct {
	Object
	Number      int64
	Type        FileType
	Name        string // as it was uploaded; empty for what we generate
	ContentType string
	Size        int64
	SHA256      []byte
}

// Seal says how a document was sealed.
type Seal struct {
	At          int64  // microseconds
	Level       string // of PAdES: "B-B" or "B-T"
	Certificate []byte // the SHA-256 of the certificate
	Head        []byte // of the chain, as it is in the sealed file
}

// filesPerDocument is how many file numbers a document can have.
const filesPerDocument = 100_000

// FileID is the id of a file, unique in the company.
func FileID(document, number int64) int64 { return document*filesPerDocument + number }

// Link is a record that a document belongs to.
type Link struct {
	Model    string // as callers name it: "Document"
	ObjectID int64
	Role     int64
	Label    string // the record's name when it was linked
}

// Roles of links.
const (
	Main      int64 = 0
	Secondary int64 = 1
)

// IsSigned tells whether everybody has signed.
func (d *Document) IsSigned() bool {
	return len(d.Signs) > 0 && !slices.ContainsFunc(d.Signs, func(s Sign) bool { return s.Status != Signed })
}

// IsLocked tells whether the document must not be changed, because somebody has signed or is
// about to sign what it says.
func (d *Document) IsLocked() bool {
	return slices.ContainsFunc(d.Signs, func(s Sign) bool {
		return s.Status.Locks()
	})
}

// HasSignature tells whether anybody has signed.
func (d *Document) HasSignature() bool {
	return slices.ContainsFunc(d.Signs, func(s Sign) bool { return s.Status == Signed })
}

// MainLink returns the link to the record that the document mainly belongs to; nil if there is
// none.
func (d *Document) MainLink() *Link {
	for i := range d.Links {
		if d.Links[i].Role == Main {
			return &d.Links[i]
		}
	}
	return nil
}

// SetMain makes l the main link; with nil, the document has no main link any more. The list is
// copied, so that a document that was read stays unchanged.
func (d *Document) SetMain(l *Link) {
	links := slices.DeleteFunc(slices.Clone(d.Links), func(l Link) bool { return l.Role == Main })
	if l != nil {
		links = slices.Insert(links, 0, *l)
	}
	d.Links = links
}

// File returns the file with an id; nil if the document has no such file.
func (d *Document) File(id int64) *File {
	for i := range d.Files {
		if FileID(d.ID, d.Files[i].Number) == id {
			return &d.Files[i]
		}
	}
	return nil
}

// FileOf returns the first file of a type; nil if there is none.
func (d *Document) FileOf(kind FileType) *File {
	if i := slices.IndexFunc(d.Files, func(f File) bool { return f.Type == kind }); i >= 0 {
		return &d.Files[i]
	}
	return nil
}

// SetOriginal makes stored bytes the document's original. The file keeps its number, so its
// address stays; nil removes it. Other bytes than before raise Shown.
func (d *Document) SetOriginal(o *files.Object, name string) {
	at := slices.IndexFunc(d.Files, func(f File) bool { return f.Type == Original })
	if o == nil {
		if at >= 0 {
			d.Files = slices.Delete(slices.Clone(d.Files), at, at+1)
			d.Shown++
		}
		return
	}
	f := fileOf(*o, Original, name)
	d.Files = slices.Clone(d.Files)
	if at < 0 {
		d.Shown++
		d.add(f)
		return
	}
	if !bytes.Equal(d.Files[at].SHA256, f.SHA256) {
		d.Shown++
	}
	f.Number = d.Files[at].Number
	d.Files[at] = f
}

func fileOf(o files.Object, kind FileType, name string) File {
	return File{
		Object: Object{ID: o.ID, Version: o.Version}, Type: kind, Name: name,
		ContentType: o.ContentType, Size: o.Size, SHA256: o.SHA256,
	}
}

// AddFile adds stored bytes as a further file.
func (d *Document) AddFile(o files.Object, kind FileType, name string) {
	d.Files = slices.Clone(d.Files)
	d.add(fileOf(o, kind, name))
}

// add adds a file to a list that nobody else has.
func (d *Document) add(f File) {
	d.LastFile++
	f.Number = d.LastFile
	d.Files = append(d.Files, f)
}

// Room that is kept in an item, in bytes.
const (
	sealRoom  = 3 << 10 // for the seal and the sealed file, whose name is the document's
	signRoom  = 512     // for a code, and the file of a CMS
	stageRoom = stageSize + 8
)

// room is what a document still needs so that all its signs can be signed, and the document sealed. Staff is told that there
// is none; a signer, or the seal, never finds that out.
func (d *Document) room() int {
	if len(d.Signs) == 0 || d.Seal != nil {
		return 0
	}
	room := sealRoom
	for i := range d.Signs {
		if s := &d.Signs[i]; s.Status != Signed {
			room += signRoom + (maxStages-len(s.Stages))*stageRoom
		}
	}
	return room
}

// check refuses a document that is larger than its item may be.
func (d *Document) check(size int) error {
	errs := fault.FieldErrors{}
	limit := func(field string, n, most int) {
		if n > most {
			errs.Add(field, say.TooManyItems(most))
		}
	}
	limit("files", len(d.Files), maxFiles)
	limit("signs", len(d.Signs), maxSigns)
	limit("links", len(d.Links), maxLinks)
	for _, list := range [][]Sign{d.Signs, d.Removed} {
		for _, s := range list {
			limit("stages", len(s.Stages), maxStages)
		}
	}
	if len(errs) == 0 && (size-d.marks()+d.room() > maxItem || d.LastFile >= filesPerDocument) {
		errs.Add(fault.NonField, say.DocumentTooLarge)
	}
	return errs.Err()
}
