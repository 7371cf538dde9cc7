package document

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/say"
)

// Limits of the codes by which a sign is signed.
const (
	CodeLifetime = 10 * time.Minute
	codePause    = 60 * time.Second
	codeTries    = 5
	codesADay    = 10
)

// Code is the code that was last sent for a sign. The code itself is stored nowhere: it is a MAC of
// what it is bound to. It is good only while the sign's telephone, and what the document shows, are
// what they were.
type Code struct {
	ID      uuid.UUID `dynamo:"i"` // confirm_id
	At      int64     `dynamo:"a"` // microseconds
	Phone   string    `dynamo:"p"`
	SHA256  []byte    `dynamo:"h"`
	Shown   int64     `dynamo:"r"`
	Tries   int64     `dynamo:"n"`           // wrong ones
	Today   int64     `dynamo:"t"`           // codes of that day (UTC), this one included
	Message string    `dynamo:"m"`           // the outbox's id, by which the provider knows the SMS
	SentAt  int64     `dynamo:"s,omitempty"` // when the provider took it
	Told    string    `dynamo:"o,omitempty"` // what the provider said, where it did not take it
	Used    bool      `dynamo:"u,omitempty"`
	// What was agreed to when the code was asked for.
	Language   string `dynamo:"l,omitempty"`
	Consent    string `dynamo:"c,omitempty"` // the id of the text
	ConsentSum []byte `dynamo:"x,omitempty"` // the text's SHA-256
	Name       []byte `dynamo:"b,omitempty"` // the SHA-256 of the document's name
}

// NewCode makes a sign's next code, for a signer who agrees to a text. It fails where it is too early for another one.
func (d *Document) NewCode(s *Sign, id uuid.UUID, message string, to Consent, now time.Time) error {
	f := d.FileOf(Original)
	if s.Signer.Phone == nil {
		return fault.New(fault.Conflict, say.SignerWithoutPhone).Coded()
	}
	next := &Code{
		ID: id, At: now.UnixMicro(), Phone: *s.Signer.Phone, SHA256: f.SHA256, Shown: d.Shown, Today: 1, Message: message,
		Language: to.Language, Consent: to.ID, ConsentSum: to.SHA256, Name: d.nameSum(),
	}
	if last := s.Code; last != nil {
		then := time.UnixMicro(last.At).UTC()
		if wait := then.Add(codePause).Sub(now); wait > 0 {
			return fault.TooMany(wait)
		}
		if today := now.UTC().Truncate(24 * time.Hour); !then.Before(today) {
			if next.Today = last.Today + 1; next.Today > codesADay {
				return fault.TooMany(today.Add(24 * time.Hour).Sub(now))
			}
		}
	}
	s.Code = next
	return nil
}

// Faults of a code. A wrong one does not tell whether its confirm_id was right.
var (
	errCode = fault.Field("code", say.SignCodeWrong)
	errUsed = fault.Field("code", say.SignCodeOver)
)

// Guess tells whether a code may still be tried; a wrong one is counted by the caller.
func (d *Document) Guess(s *Sign, id uuid.UUID, now time.Time) error {
	c, f := s.Code, d.FileOf(Original)
	switch {
	case c == nil || c.ID != id:
		return errCode
	case c.Used || c.Tries >= codeTries || !now.Before(time.UnixMicro(c.At).Add(CodeLifetime)):
		return errUsed
	case f == nil || s.Signer.Phone == nil || *s.Signer.Phone != c.Phone || c.Shown != d.Shown ||
		subtle.ConstantTimeCompare(c.SHA256, f.SHA256) != 1 || !bytes.Equal(c.Name, d.nameSum()):
		return errUsed
	}
	return nil
}

// Agreed is the text that was agreed to when the code was asked for. The confirmation needs no language, and can't name another
// one. A text that isn't ours any more makes the code void.
func (c *Code) Agreed(language string) (Consent, error) {
	if language != "" && language != c.Language {
		return Consent{}, fault.Field("language", say.SignCodeInOtherLanguage(c.Language))
	}
	if is := ConsentIn(c.Language, SMS); is.ID == c.Consent && bytes.Equal(is.SHA256, c.ConsentSum) {
		return is, nil
	}
	return Consent{}, errUsed
}

// nameSum is the SHA-256 of the document's name, which its signers are shown.
func (d *Document) nameSum() []byte {
	sum := sha256.Sum256([]byte(d.Name))
	return sum[:]
}

// ErrWrongCode is the fault about a code that differs from the one that was sent.
func ErrWrongCode() error { return errCode }

// Text returns the six digits of a code, which are bound to all that the code is good for.
func (c *Code) Text(ctx context.Context, k keys.Keys, d *Document, s *Sign) (string, error) {
	mac, err := keys.Make(ctx, k, keys.Codes, c.bound(d, s))
	if err != nil {
		return "", fmt.Errorf("document: code: %w", err)
	}
	return digits(mac), nil
}

// IsCode tells whether a text is the code. While the key of codes is replaced, the one that was sent may be of either.
func (c *Code) IsCode(ctx context.Context, k keys.Keys, d *Document, s *Sign, text string) (bool, error) {
	_, right, err := keys.Match(ctx, k, keys.Codes, c.bound(d, s), func(mac []byte) bool {
		return subtle.ConstantTimeCompare([]byte(digits(mac)), []byte(text)) == 1
	})
	if err != nil {
		return false, fmt.Errorf("document: code: %w", err)
	}
	return right, nil
}

// bound is all that the code is good for.
func (c *Code) bound(d *Document, s *Sign) []byte {
	return fmt.Appendf(nil, "sign code\n%s %s %s %s %x %d %s %s %x %x",
		d.UUID, s.UUID, c.ID, c.Phone, c.SHA256, c.Shown, c.Language, c.Consent, c.ConsentSum, c.Name)
}

func digits(mac []byte) string { return fmt.Sprintf("%06d", binary.BigEndian.Uint64(mac)%1_000_000) }

// Left is what is left of a code, for the signer.
func (c *Code) Left() SeenConfirm {
	at := time.UnixMicro(c.At)
	return SeenConfirm{
		ConfirmID: c.ID, ExpiresAt: encode.Instant(at.Add(CodeLifetime)), RetryAt: encode.Instant(at.Add(codePause)),
		TriesLeft: codeTries - c.Tries,
	}
}
