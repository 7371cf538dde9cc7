package documents

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/record"
)

// Limits of a document. Its lists are inside its item, which every list of documents reads.
const (
	maxFiles  = 20
	maxSigns  = 20
	maxLinks  = 50
	maxStages = 30
	maxItem   = 100 << 10 // bytes
	maxName   = 512       // characters
)

// Sources.
const (
	generated int64 = 0
	uploaded  int64 = 1
)

// Types of files.
const original int64 = 0

// States of a sign.
const (
	signConfirmation int64 = 3
	signSigned       int64 = 5
)

// document is a document of a company.
type document struct {
	record.Meta
	UUID      uuid.UUID
	Name      string
	Source    int64
	CreatedBy int64   // 0: made by no user
	LastFile  int64   // the last number that a file got
	Content   *object // the HTML that a generated document is made of
	Files     []file
	Signs     []sign
	Links     []link
}

// object is one version of one stored file. The company that it belongs to is in the
// document's key.
type object struct {
	ID      uuid.UUID
	Version string
}

// file is one file of a document. A number is used only once in a document.
type file struct {
	object
	Number      int64
	Type        int64
	Name        string // as it was uploaded; empty for what we generate
	ContentType string
	Size        int64
	SHA256      []byte
}

// filesPerDocument is how many file numbers a document can have.
const filesPerDocument = 100_000

// fileID is the id of a file, unique in the company.
func fileID(document, number int64) int64 { return document*filesPerDocument + number }

// link is a record that a document belongs to.
type link struct {
	Model    string // as callers name it: "Document"
	ObjectID int64
	Role     int64
	Label    string // the record's name when it was linked
}

// Roles of links.
const (
	mainRole      int64 = 0
	secondaryRole int64 = 1
)

// sign is one signature that a document waits for or has.
type sign struct {
	ID        int64     `dynamo:"i"`
	UUID      uuid.UUID `dynamo:"u"`
	Method    int64     `dynamo:"m"`
	Allowed   []int64   `dynamo:"a"`
	Signer    signer    `dynamo:"p"`
	Status    int64     `dynamo:"s"`
	CreatedAt time.Time `dynamo:"c"`
	UpdatedAt time.Time `dynamo:"e"`
	Stages    []stage   `dynamo:"g"`
}

type signer struct {
	ID      int64   `dynamo:"i"`
	Name    string  `dynamo:"n"`
	Phone   *string `dynamo:"p"`
	Email   *string `dynamo:"e"`
	Type    string  `dynamo:"t"` // company or client
	OuterID *int64  `dynamo:"o"`
}

// stage is one change of a sign's status.
type stage struct {
	ID        int64     `dynamo:"i"`
	From      int64     `dynamo:"f"`
	To        int64     `dynamo:"t"`
	CreatedAt time.Time `dynamo:"c"`
	Meta      string    `dynamo:"x"` // JSON
}

// signed tells whether everybody has signed.
func (d *document) signed() bool {
	return len(d.Signs) > 0 && !slices.ContainsFunc(d.Signs, func(s sign) bool { return s.Status != signSigned })
}

// locked tells whether the document must not be changed, because somebody has signed or is
// about to sign what it says.
func (d *document) locked() bool {
	return slices.ContainsFunc(d.Signs, func(s sign) bool {
		return s.Status == signConfirmation || s.Status == signSigned
	})
}

// mainLink returns the link to the record that the document mainly belongs to; nil if there is
// none.
func (d *document) mainLink() *link {
	for i := range d.Links {
		if d.Links[i].Role == mainRole {
			return &d.Links[i]
		}
	}
	return nil
}

// setMain makes l the main link; with nil, the document has no main link any more. The list is
// copied, so that a document that was read stays unchanged.
func (d *document) setMain(l *link) {
	links := slices.DeleteFunc(slices.Clone(d.Links), func(l link) bool { return l.Role == mainRole })
	if l != nil {
		links = slices.Insert(links, 0, *l)
	}
	d.Links = links
}

// file returns the file with an id; nil if the document has no such file.
func (d *document) file(id int64) *file {
	for i := range d.Files {
		if fileID(d.ID, d.Files[i].Number) == id {
			return &d.Files[i]
		}
	}
	return nil
}

// setOriginal makes stored bytes the document's original. The file keeps its
// number, so its address stays; nil removes it.
func (d *document) setOriginal(o *files.Object, name string) {
	at := slices.IndexFunc(d.Files, func(f file) bool { return f.Type == original })
	if o == nil {
		if at >= 0 {
			d.Files = slices.Delete(slices.Clone(d.Files), at, at+1)
		}
		return
	}
	f := file{
		object: object{ID: o.ID, Version: o.Version}, Type: original, Name: name,
		ContentType: o.ContentType, Size: o.Size, SHA256: o.SHA256,
	}
	d.Files = slices.Clone(d.Files)
	if at >= 0 {
		f.Number = d.Files[at].Number
		d.Files[at] = f
		return
	}
	d.LastFile++
	f.Number = d.LastFile
	d.Files = append(d.Files, f)
}

// check refuses a document that is larger than its item may be.
func (d *document) check(size int) error {
	errs := fault.FieldErrors{}
	limit := func(field string, n, most int) {
		if n > most {
			errs.Add(field, fmt.Sprintf("Ensure this field has no more than %d elements.", most))
		}
	}
	limit("files", len(d.Files), maxFiles)
	limit("signs", len(d.Signs), maxSigns)
	limit("links", len(d.Links), maxLinks)
	for _, s := range d.Signs {
		limit("stages", len(s.Stages), maxStages)
	}
	if len(errs) == 0 && (size > maxItem || d.LastFile >= filesPerDocument) {
		errs.Add(fault.NonField, "A document is limited to 100 KB beside the bytes of its files.")
	}
	return errs.Err()
}
