package document

import (
	"encoding/hex"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/encode"
)

// Seen is a document as a signer sees it: the own sign, and of the others nothing but name, method and status.
type Seen struct {
	Name      string      `json:"name"`
	Company   SeenCompany `json:"company"`
	CreatedAt string      `json:"created_at" format:"date-time"`
	Signed    bool        `json:"signed" doc:"Everybody has signed."`
	SealedAt  *string     `json:"sealed_at" nullable:"true" format:"date-time"`
	Level     *string     `json:"level" nullable:"true" enum:"B-B,B-T" doc:"Of the seal."`
	Withdrawn *string     `json:"withdrawn" nullable:"true" format:"date-time" doc:"When the company withdrew the document: its signs stay as they are."`
	Paused    *string     `json:"paused" nullable:"true" enum:"suspended,plan" doc:"Why the caller can't sign at the moment, as the refusal's code would say: the company is suspended, or its plan has no room for another sealed document. Null if nothing of that kind is in the way."`
	File      *SeenFile   `json:"file" doc:"What is signed."`
	Sealed    *SeenFile   `json:"sealed" doc:"The file with its seal."`
	Sign      SeenSign    `json:"sign" doc:"The caller's own."`
	Signs     []SeenOther `json:"signs" doc:"All signs."`
	Consent   SeenConsent `json:"consent" doc:"What a signature means, by method."`
}

// SeenCompany is whose document it is.
type SeenCompany struct {
	Name  string  `json:"name"`
	BIN   *string `json:"bin" nullable:"true"`
	Phone *string `json:"phone" nullable:"true"`
	Email *string `json:"email" nullable:"true" format:"email"`
	// TimeZone is that of the company's days: the page's date is one of them.
	TimeZone string `json:"timezone" doc:"IANA name of the zone in which the company's days begin."`
}

// SeenFile is a file that a signer can read.
type SeenFile struct {
	ID          int64  `json:"id"`
	File        string `json:"file" format:"uri" doc:"Answers with the file; see documents-public-file."`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256" doc:"In hexadecimal."`
}

// SeenSign is the signer's own sign.
type SeenSign struct {
	UUID          uuid.UUID    `json:"uuid" format:"uuid"`
	Name          string       `json:"name"`
	Type          SignerType   `json:"type"`
	Method        Method       `json:"method"`
	MethodAllowed []Method     `json:"method_allowed" open:"true"`
	Status        Status       `json:"status"`
	Phone         *string      `json:"phone" nullable:"true" doc:"Where codes are sent, all but its last digits hidden."`
	UpdatedAt     string       `json:"updated_at" format:"date-time"`
	Confirm       *SeenConfirm `json:"confirm" doc:"The code that was sent, if it is still good."`
}

// SeenConfirm is what is left of a code.
type SeenConfirm struct {
	ConfirmID uuid.UUID `json:"confirm_id" format:"uuid"`
	ExpiresAt string    `json:"expires_at" format:"date-time"`
	RetryAt   string    `json:"retry_at" format:"date-time"`
	TriesLeft int64     `json:"tries_left"`
}

// SeenOther is a sign of anybody.
type SeenOther struct {
	Name   string `json:"name"`
	Method Method `json:"method"`
	Status Status `json:"status"`
}

// SeenConsent is the texts that a signer agrees to.
type SeenConsent struct {
	SMS  SeenText `json:"sms"`
	EGov SeenText `json:"egov"`
}

// SeenText is a text in a language.
type SeenText struct {
	ID       string `json:"id" doc:"Of this text in this language; a text that changes gets another one, such as sms-ru-2."`
	Language string `json:"language" enum:"ru,kk,en"`
	Text     string `json:"text"`
}

// Viewer is who sees a document, and when.
type Viewer struct {
	Base     string // the API's own address
	Language string
	Now      time.Time
	Company  SeenCompany
}

// Seen is the document as the signer of a sign sees it. It fails with fault.ErrNotFound if it has no such sign.
func (d *Document) Seen(id uuid.UUID, v Viewer) (Seen, error) {
	s, err := d.SignByUUID(id)
	if err != nil {
		return Seen{}, err
	}
	seen := Seen{
		Name: d.Name, CreatedAt: encode.Instant(d.Created.Time()), Signed: d.IsSigned(),
		Company: v.Company, Withdrawn: d.Withdrawn(),
		File: d.seenFile(Original, id, v.Base), Sealed: d.seenFile(SealedFile, id, v.Base),
		Sign: SeenSign{
			UUID: s.UUID, Name: s.Signer.Name, Type: s.Signer.Type, Method: s.Method, MethodAllowed: s.Allowed, Status: s.Status,
			Phone: MaskedPhone(s.Signer.Phone), UpdatedAt: encode.Instant(time.UnixMicro(s.UpdatedAt)), Confirm: s.confirm(d, v.Now),
		},
		Signs:   make([]SeenOther, len(d.Signs)),
		Consent: SeenConsent{textOf(ConsentIn(v.Language, SMS)), textOf(ConsentIn(v.Language, EGov))},
	}
	for i := range d.Signs {
		seen.Signs[i] = SeenOther{d.Signs[i].Signer.Name, d.Signs[i].Method, d.Signs[i].Status}
	}
	if d.Seal != nil {
		at := encode.Instant(time.UnixMicro(d.Seal.At))
		seen.SealedAt, seen.Level = &at, &d.Seal.Level
	}
	return seen, nil
}

func textOf(c Consent) SeenText { return SeenText{c.ID, c.Language, c.Text} }

func (d *Document) seenFile(kind FileType, sign uuid.UUID, base string) *SeenFile {
	f := d.FileOf(kind)
	if f == nil {
		return nil
	}
	id := FileID(d.ID, f.Number)
	return &SeenFile{
		ID: id, File: base + "/v2/documents/" + sign.String() + "/documents/" + strconv.FormatInt(id, 10) + "/",
		ContentType: f.ContentType, Size: f.Size, SHA256: hex.EncodeToString(f.SHA256),
	}
}

// IsPublic tells whether signers may read a file: what is signed and what is sealed, and no scan or CMS of others.
func (f *File) IsPublic() bool { return f.Type == Original || f.Type == SealedFile }

// confirm is what is left of the sign's code; nil if it is over.
func (s *Sign) confirm(d *Document, now time.Time) *SeenConfirm {
	c := s.Code
	if c == nil || s.Status != Confirmation || d.Guess(s, c.ID, now) != nil {
		return nil
	}
	told := c.Left()
	return &told
}
