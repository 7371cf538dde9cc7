// Package job is what the function seal is asked and what it answers: who signed a document, where
// the bytes are, and what became of them. Whoever calls the function imports this package, which
// links nothing that makes or reads PDFs.
//
// The sealed file is the original, unchanged, and one incremental update: pages that tell who
// signed, how and when, the same as data (AuditName), each CMS of a signer, and one PAdES
// signature over all of it.
package job

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/tenant"
)

// AuditName is the name under which the sealed file holds its Record as JSON.
const AuditName = "audit.json"

// Bounds of a request.
const (
	MaxOriginal    = 25 << 20 // bytes of a file that is sealed
	MaxAttachment  = 64 << 10 // bytes of a CMS
	MaxSigns       = 20
	MaxRemoved     = 20
	MaxStages      = 30 // of a sign
	MaxAttachments = 24
)

// Levels of a seal (ETSI EN 319 142-1). LevelBT has a time stamp.
const (
	LevelBB = "B-B"
	LevelBT = "B-T"
)

// Object is one version of one of the company's files.
type Object struct {
	ID      uuid.UUID `json:"id"`
	Version string    `json:"version"`
	SHA256  []byte    `json:"sha256"`
}

// Request asks for the sealed file of a document. The same request gives the same bytes, but for
// the signature and the time stamp.
type Request struct {
	Tenant      tenant.ID    `json:"tenant"`
	Output      uuid.UUID    `json:"output"` // the file that becomes the sealed one; sealing again makes another version of it
	Original    Object       `json:"original"`
	Attachments []Attachment `json:"attachments,omitempty"`
	Record      Record       `json:"record"`
	VerifyURL   string       `json:"verify_url"` // the page that verifies, with the SHA-256 of the original
	At          time.Time    `json:"at"`         // when the last one signed
	Language    string       `json:"language"`   // ru, kk or en: of the record's pages
	// Level is the least that is demanded; empty: any. The seal gets a time stamp wherever a service is
	// configured. If it can't be had, sealing fails: a seal is never made at a lower level instead.
	Level string `json:"level"`
}

// Attachment is a file that goes inside, unchanged. Its name is unique in its request.
type Attachment struct {
	Name   string `json:"name"` // sign-3.p7s
	Object Object `json:"object"`
}

// RecordVersion is the version of records. In them the telephones and addresses of the signers are masked, and the browsers left out,
// because everybody who signs gets the file.
const RecordVersion = 2

// Record says of a document who signed it, how and when. It is printed on pages, and is inside the
// sealed file as AuditName.
type Record struct {
	Version  int       `json:"version,omitempty"`
	Document uuid.UUID `json:"document"`
	Number   int64     `json:"number"`
	Name     string    `json:"name"`
	Company  string    `json:"company"`
	BIN      string    `json:"bin,omitempty"`
	Original string    `json:"original"` // the SHA-256 of the original, in hex
	Pages    int       `json:"pages"`    // of the original; the seal counts them
	Created  time.Time `json:"created"`
	Signs    []Sign    `json:"signs"`
	Removed  []Sign    `json:"removed,omitempty"` // signs that were removed after something had happened to them
	Stages   int       `json:"stages"`            // of all signs, removed ones included
	// Head is the last hash of the chain of stages, in hex. With Stages it shows that none is missing
	// from the end.
	Head    string    `json:"head"`
	Consent []Consent `json:"consent,omitempty"`
}

// Sign is one signer's.
type Sign struct {
	ID          int64        `json:"id"`
	Name        string       `json:"name"`
	Type        string       `json:"type"`   // client or company
	Phone       *string      `json:"phone"`  // masked
	Email       *string      `json:"email"`  // masked
	Method      int64        `json:"method"` // 0 manual, 1 a code by SMS, 2 eGov
	Status      int64        `json:"status"`
	SignedAt    time.Time    `json:"signed_at,omitzero"`    // a removed sign has none
	Staff       string       `json:"staff,omitempty"`       // who has recorded a signature by hand
	Scan        string       `json:"scan,omitempty"`        // the SHA-256 of its scan, in hex
	RemovedBy   string       `json:"removed_by,omitempty"`  // the name of who removed the sign; when is its last stage's time
	Language    string       `json:"language,omitempty"`    // in which the signer read the consent
	Consent     string       `json:"consent,omitempty"`     // the SHA-256 of its text, which is among the record's
	Certificate *Certificate `json:"certificate,omitempty"` // of an eGov signature
	Attachment  string       `json:"attachment,omitempty"`  // the name of the CMS among the attachments
	Stages      []Stage      `json:"stages"`
	// Elsewhere says that the first stages were made on another installation; nil: all were made here.
	Elsewhere *Elsewhere `json:"elsewhere,omitempty"`
}

// Elsewhere tells of the first stages of a sign whose company came from another installation. Of these the last one alone has a hash.
type Elsewhere struct {
	Stages    int64     `json:"stages"` // how many
	TakenOver time.Time `json:"taken_over"`
	Note      string    `json:"note"` // says it in a sentence, for whoever reads the record as it is
}

// NewElsewhere says it.
func NewElsewhere(stages int64, taken time.Time) *Elsewhere {
	return &Elsewhere{stages, taken, fmt.Sprintf("Stages 1 to %d were made on another installation and taken over on %s; "+
		"numbers of staff in them are its own. They can be proven by that installation's key alone.", stages, taken.Format(time.DateOnly))}
}

// Certificate is what a signer's certificate says of its owner.
type Certificate struct {
	Subject   string    `json:"subject"`
	IIN       string    `json:"iin,omitempty"`
	BIN       string    `json:"bin,omitempty"`
	Serial    string    `json:"serial"` // in hex
	Issuer    string    `json:"issuer"`
	Algorithm string    `json:"algorithm"`
	NotAfter  time.Time `json:"not_after"`
}

// Stage is one change of a sign's status.
type Stage struct {
	ID   int64     `json:"id"`
	From int64     `json:"from"`
	To   int64     `json:"to"`
	At   time.Time `json:"at"`
	// Stored is the stage as it is stored, in hex, but with Network in the place of the address. The chain hashes the address too, so
	// whoever shows the whole stage shows that it is this one.
	Stored   string `json:"stored"`
	Hash     string `json:"hash"`              // of the chain at this stage, in hex; see Elsewhere
	Network  string `json:"network,omitempty"` // from which it came: 203.0.113.0/24
	IP       string `json:"ip,omitempty"`      // in records without a version, as Agent
	Agent    string `json:"agent,omitempty"`
	Method   string `json:"method,omitempty"`
	Evidence string `json:"evidence,omitempty"` // the SHA-256 of the evidence that is kept, in hex
	By       string `json:"by,omitempty"`       // ByLink or ByStaff
	User     int64  `json:"user,omitempty"`     // the number of the member of staff
}

// Who has done what a stage tells. Without either it is the signer, whom the method proves.
const (
	ByLink  = "link" // whoever had the link: nothing else is known
	ByStaff = "staff"
)

// Consent is a text to which signers agreed.
type Consent struct {
	ID       string `json:"id,omitempty"`
	SHA256   string `json:"sha256"` // of Text, in hex
	Language string `json:"language"`
	Text     string `json:"text"`
}

// Answer is what was stored as the output, or the problem that the original or the request has.
type Answer struct {
	Version     string     `json:"version,omitempty"`
	SHA256      []byte     `json:"sha256,omitempty"`
	Size        int64      `json:"size,omitempty"`
	Level       string     `json:"level,omitempty"`
	Time        *time.Time `json:"time,omitempty"`        // of the time stamp
	Certificate []byte     `json:"certificate,omitempty"` // the SHA-256 of the seal's certificate
	Problem     string     `json:"problem,omitempty"`     // one of the Problems; trying again doesn't help
	Text        string     `json:"text,omitempty"`        // says it in a sentence
}

// Problems. What has to do with the moment, such as a time-stamp service that doesn't answer, is
// an error instead.
const (
	BadRequest   = "bad_request"   // out of bounds, or without what a seal needs
	NotPDF       = "not_pdf"       // the original can't be read
	XRefStream   = "xref_stream"   // it has cross-reference streams; normalising removes them
	Encrypted    = "encrypted"     // it is encrypted
	Signed       = "signed"        // it has a signature
	EmbedsFiles  = "embeds_files"  // it has embedded files
	OtherBytes   = "other_bytes"   // a file's bytes don't have the SHA-256 that was named
	Missing      = "missing"       // a file's version isn't there
	TooLarge     = "too_large"     // the original or an attachment is
	NoTimeStamps = "no_time_stamp" // LevelBT is demanded and no time-stamp service is configured
)

// Call asks the function for a sealed file.
func Call(ctx context.Context, seal invoke.Function, r Request) (Answer, error) {
	var a Answer
	if err := seal.Ask(ctx, r, &a); err != nil {
		return Answer{}, fmt.Errorf("seal: %w", err)
	}
	if a.Problem == "" && (a.Version == "" || len(a.SHA256) != 32 || a.Level == "") {
		return Answer{}, fmt.Errorf("seal: its answer names no sealed file: %+v", a)
	}
	return a, nil
}
