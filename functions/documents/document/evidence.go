package document

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Evidence is what is kept about an act of signing besides its stage, in a file of its own: what is personal or long. The
// stage holds the file's SHA-256, which is also its name.
type Evidence struct {
	Act      string       `json:"act"`              // one of the acts
	Before   []byte       `json:"before,omitempty"` // the SHA-256 of the sign's evidence before this one
	At       time.Time    `json:"at"`
	Document uuid.UUID    `json:"document"`
	Shown    int64        `json:"shown"` // which state of what the document shows
	SHA256   []byte       `json:"sha256"`
	Sign     uuid.UUID    `json:"sign"`
	Signer   Party        `json:"signer"`
	Method   Method       `json:"method"`
	IP       string       `json:"ip,omitempty"`
	Agent    string       `json:"agent,omitempty"`
	User     int64        `json:"user,omitempty"`
	Staff    string       `json:"staff,omitempty"` // the name of that user as it was then, of a signature by hand and of a removal
	Channel  Channel      `json:"channel,omitempty"`
	To       string       `json:"to,omitempty"`
	Reason   string       `json:"reason,omitempty"`
	Consent  *Consent     `json:"consent,omitempty"`
	Code     *Asked       `json:"code,omitempty"`
	Cert     *Certificate `json:"certificate,omitempty"`
	File     []byte       `json:"file,omitempty"` // the SHA-256 of the CMS, or of the scan
}

// Acts of which evidence is kept.
const (
	ActLink   = "link"
	ActOpen   = "open"
	ActCode   = "code"
	ActSign   = "sign"
	ActReject = "reject"
	ActRemove = "remove"
)

// Party is a signer as he was known then.
type Party struct {
	Name  string     `json:"name"`
	Type  SignerType `json:"type"`
	Phone *string    `json:"phone,omitempty"`
	Email *string    `json:"email,omitempty"`
}

// Asked is what is known about the code that a sign was signed with; the code itself is not.
type Asked struct {
	ConfirmID uuid.UUID  `json:"confirm_id"`
	Phone     string     `json:"phone"`
	Message   string     `json:"message"` // by which the provider knows the SMS
	At        time.Time  `json:"at"`
	SentAt    *time.Time `json:"sent_at,omitempty"`
	Provider  string     `json:"provider,omitempty"`
	Wrong     int64      `json:"wrong"` // codes that were tried before the right one
}

// Certificate is what is kept of the certificate of an electronic signature.
type Certificate struct {
	Subject   string    `json:"subject"`
	IIN       string    `json:"iin,omitempty"`
	BIN       string    `json:"bin,omitempty"`
	Serial    string    `json:"serial"`
	Issuer    string    `json:"issuer"`
	Algorithm string    `json:"algorithm"`
	NotBefore time.Time `json:"not_before"`
	NotAfter  time.Time `json:"not_after"`
	DER       []byte    `json:"der"`
	OCSP      []byte    `json:"ocsp,omitempty"`
}

// evidenceType is the content type of evidence.
const evidenceType = "application/json"

// maxEvidence is more than any evidence has, in bytes.
const maxEvidence = 1 << 20

// EvidenceID is the name of the file of evidence with a SHA-256.
func EvidenceID(sum []byte) uuid.UUID {
	id := uuid.UUID(sum[:16])
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // version 8: made of a hash
	return id
}

// Keep stores evidence and returns its SHA-256. The same evidence is the same file.
func (e Evidence) Keep(ctx context.Context, store *files.Store, company tenant.ID) ([]byte, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("document: evidence: %w", err)
	}
	sum := sha256.Sum256(data)
	if _, err := store.Put(ctx, company, EvidenceID(sum[:]), evidenceType, data); err != nil {
		return nil, err
	}
	return sum[:], nil
}

// ErrEvidence says that evidence has other bytes than those that it is named by.
var ErrEvidence = errors.New("document: evidence has other bytes")

// ReadEvidence reads evidence. It fails with files.ErrNotFound or ErrEvidence.
func ReadEvidence(ctx context.Context, store *files.Store, company tenant.ID, sum []byte) (e Evidence, err error) {
	data, err := store.Latest(ctx, company, EvidenceID(sum), maxEvidence)
	if err != nil {
		return e, err
	}
	if got := sha256.Sum256(data); string(got[:]) != string(sum) {
		return e, fmt.Errorf("%w: %x", ErrEvidence, sum)
	}
	err = json.Unmarshal(data, &e)
	return e, err
}
