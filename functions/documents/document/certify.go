package document

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/functions/documents/egov"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/throttle"
)

// Certify signs by a CMS that was verified (Verify).
func (k *Desk) Certify(ctx context.Context, w *record.Work, d *Document, s *Sign, c Certified, by By) error {
	if err := d.Ready(); err != nil {
		return err
	}
	if err := s.Allow(EGov); err != nil {
		return err
	}
	if f := d.FileOf(Original); string(f.SHA256) != string(c.SHA256) {
		return errChanged
	}
	e := Evidence{Act: ActSign, Cert: &c.Certificate, File: c.CMS.SHA256}
	if by.User == 0 { // what staff hands in was signed elsewhere, where nobody knows what was agreed to
		consent := ConsentIn(by.Language, EGov)
		if !by.Read.is(d, consent) {
			return errChanged
		}
		e.Consent = &consent
	}
	if err := k.move(ctx, w, d, s, Certify, by, k.act(w, d, by, EGov), e); err != nil {
		return err
	}
	d.AddFile(c.CMS, CMS, CMSName(s.ID))
	k.take(w, d, s, c)
	return d.signed(ctx, w, s)
}

// taken is a CMS that has signed, which it does once in a company.
type taken struct {
	table.Item
	Document int64 `dynamo:"d"`
	Sign     int64 `dynamo:"s"`
}

const takenVersion = 1

// ErrUsedCMS says that a CMS has signed already, here or in another document.
var ErrUsedCMS = fault.New(fault.Conflict, say.CMSUsed).Coded()

// take notes that a CMS has signed, so that it signs nothing else. The unit of work finds a sign that is signed before it comes here, so
// a request that was sent twice is not told that its CMS was used.
func (k *Desk) take(w *record.Work, d *Document, s *Sign, c Certified) {
	t := w.Scope().Table
	item := taken{Item: table.At(t.CMS(hex.EncodeToString(c.Signature)), takenVersion), Document: d.ID, Sign: s.ID}
	w.Also(func(tx *table.Tx) error {
		tx.Put(t.Create(item), ErrUsedCMS)
		return nil
	})
}

// CMSName is the name of the CMS of a sign.
func CMSName(sign int64) string { return fmt.Sprintf("sign-%d.p7s", sign) }

// maxOriginal is how large a file can be that is signed by a CMS, in bytes.
const maxOriginal = 26 << 20

// Certified is a CMS that was verified.
type Certified struct {
	Certificate Certificate
	CMS         files.Object
	Signature   []byte // a hash by which the signature is known again, however it is sent
	SHA256      []byte // of the original that was signed
}

// clocks is how far the clock of a signer's computer may be behind ours.
const clocks = 5 * time.Minute

// takesCMS fails where no CMS can sign now, before one is verified.
func takesCMS(v *egov.Verifier, d *Document, s *Sign) error {
	if d.Withdrawn() != nil {
		return ErrWithdrawn
	}
	if err := d.Ready(); err != nil {
		return err
	}
	if d.IsSigned() {
		return ErrSigned
	}
	if _, err := s.Allows(Certify); err != nil {
		return err
	}
	if err := s.Allow(EGov); err != nil {
		return err
	}
	return v.On()
}

// CMSs is how many CMSs may be verified for a sign: each reads the document's file, and asks the certification centre.
func CMSs() throttle.Rule { return throttle.Rule{Name: "eds", Limit: 30, Window: time.Hour} }

// Verify verifies a CMS as the signature of a sign's signer over the document's original, and stores it. It is called
// before the unit of work that signs (Certify), because it asks the certification centre.
func (k *Desk) Verify(
	ctx context.Context, v *egov.Verifier, limits throttle.Throttle, t *table.Tenant, d *Document, s *Sign, cms string,
) (c Certified, err error) {
	if err := takesCMS(v, d, s); err != nil {
		return c, err
	}
	if _, err := limits.Take(ctx, CMSs().Of(s.UUID.String())); err != nil {
		return c, err
	}
	f := d.FileOf(Original)
	content, err := k.Files.Get(ctx, t.ID(), f.ID, f.Version, maxOriginal)
	if err != nil {
		return c, err
	}
	who := egov.Expected{IIN: s.Signer.Number}
	if s.Signer.Organisation {
		who = egov.Expected{BIN: s.Signer.Number, Company: true}
	}
	who.Since = time.UnixMicro(s.CreatedAt).Add(-clocks)
	by, err := v.Verify(ctx, []byte(cms), content, who)
	if err != nil {
		return c, err
	}
	stored, err := k.Files.Put(ctx, t.ID(), k.newUUID(), "application/pkcs7-signature", by.CMS)
	if err != nil {
		return c, err
	}
	return Certified{
		Certificate: Certificate{
			Subject: by.Subject, IIN: by.IIN, BIN: by.BIN, Serial: by.Serial, Issuer: by.Issuer, Algorithm: by.Algorithm,
			NotBefore: by.NotBefore, NotAfter: by.NotAfter, DER: by.Certificate, OCSP: by.OCSP,
		},
		CMS: stored, Signature: by.SHA256, SHA256: f.SHA256,
	}, nil
}
