// Package pades signs PDFs (ETSI EN 319 142-1, levels B-B and B-T) and verifies what it has signed.
//
// A signature covers the whole file but itself. Readers call it valid even where something was
// appended later, such as another page, so Verify demands more than they do: one signature, in the
// last update, over all bytes; and what the signature can't cover, its own CMS, in the one form in
// which Sign writes it. So no byte of a signed file can change.
//
// What never goes in here: what a signature means to the platform, and calls of other services.
package pades

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"time"

	"golang.org/x/crypto/cryptobyte"
	tags "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/tenantry/tenantry/functions/seal/pdf"
)

type pkixExtension = pkix.Extension

// What a CMS needs besides its certificates, and what it needs for a time stamp: the tokens of public
// services have 3 to 7 KB.
const (
	bareRoom  = 1 << 10
	stampRoom = 9 << 10
)

// room is how many bytes are kept for the CMS.
func (s Signature) room() int {
	n := bareRoom
	for _, x := range s.Chain {
		n += len(x.Raw)
	}
	if s.Stamp != nil {
		n += stampRoom
	}
	return n
}

// Entries of a signature that are ours: how many bytes the file had before the update, and the SHA-256 of
// the certificates in the CMS, which the signature in it covers only in part.
const (
	prefixKey = "TNTY_Prefix"
	chainKey  = "TNTY_Chain"
)

// ErrSigned says that a file has a signature, or a field for one.
var ErrSigned = errors.New("pades: it has a signature already")

// Signature says how a file is signed.
type Signature struct {
	Signer crypto.Signer       // on P-256
	Chain  []*x509.Certificate // the signer's first, then each one's issuer; the root may be left out
	// Stamp returns a time stamp of bytes (StampQuery.Token), or an error; nil signs without one.
	Stamp  func(ctx context.Context, of []byte) (token []byte, err error)
	At     time.Time
	Name   string // of who signs
	Reason string
}

// Sign appends an update to a file and signs all of it. The update gets the catalog, with a field
// for the signature that lies, invisible, on a page; the page's annotations hold the field.
func (s Signature) Sign(
	ctx context.Context, f *pdf.File, u *pdf.Update, catalog pdf.Dict, field, page pdf.Ref, id [2]pdf.Raw,
) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	signature := u.Reserve()
	u.Set(field, pdf.Dict{
		"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Widget"), "FT": pdf.Name("Sig"), "T": pdf.Text("TenantrySeal"),
		"V": signature, "F": pdf.Int(4 | 128), "Rect": pdf.Array{pdf.Int(0), pdf.Int(0), pdf.Int(0), pdf.Int(0)}, "P": page,
	})
	form, err := formWith(f, catalog["AcroForm"], field)
	if err != nil {
		return nil, err
	}
	if catalog["Perms"] != nil {
		return nil, ErrSigned
	}
	catalog["AcroForm"] = form
	catalog["Perms"] = pdf.Dict{"DocMDP": signature}
	root, ok := f.Trailer["Root"].(pdf.Ref)
	if !ok {
		return nil, pdf.ErrSyntax
	}
	u.Set(root, catalog)

	room := s.room()
	written, ranges, contents := s.dictionary(len(f.Data), room)
	u.SetWritten(signature, written)
	whole, at := u.Append(id)
	begin := at[signature]
	from, to := begin+contents, begin+contents+2+2*room
	copy(whole[begin+ranges:], byteRange(from, to, len(whole)))
	h := sha256.New()
	h.Write(whole[:from])
	h.Write(whole[to:])
	der, err := s.cms(ctx, h.Sum(nil))
	if err != nil {
		return nil, err
	}
	if len(der) > room {
		return nil, fmt.Errorf("pades: the signature has %d bytes, and room for %d", len(der), room)
	}
	hex.Encode(whole[from+1:], der)
	return whole, nil
}

func (s Signature) check() error {
	if len(s.Chain) == 0 {
		return errors.New("pades: no certificate is configured")
	}
	public, ok := s.Signer.Public().(*ecdsa.PublicKey)
	switch {
	case !ok || public.Curve != elliptic.P256():
		return errors.New("pades: the key isn't on P-256")
	case !public.Equal(s.Chain[0].PublicKey):
		return errors.New("pades: the certificate isn't of the key")
	}
	for i, x := range s.Chain[1:] {
		if err := s.Chain[i].CheckSignatureFrom(x); err != nil {
			return fmt.Errorf("pades: certificate %d of the chain isn't the issuer of the one before: %w", i+1, err)
		}
	}
	return nil
}

// formWith is the catalog's form with one more field. A form that has a signature field is refused.
func formWith(f *pdf.File, old pdf.Value, field pdf.Ref) (pdf.Dict, error) {
	form, err := f.Dict(old)
	if err != nil {
		return nil, err
	}
	if flags, ok, err := f.Int(form["SigFlags"]); err != nil || ok && flags&1 != 0 {
		return nil, errors.Join(ErrSigned, err)
	}
	fields, err := f.Array(form["Fields"])
	if err != nil {
		return nil, err
	}
	next := pdf.Dict{}
	for key, value := range form {
		next[key] = value
	}
	next["Fields"] = append(append(pdf.Array{}, fields...), field)
	next["SigFlags"] = pdf.Int(3) // signatures exist, append only
	return next, nil
}

// rangeWidth is how wide the text of a byte range is, so that it can be filled in.
const rangeWidth = 48

// byteRange says which bytes are signed: all but those between from and to.
func byteRange(from, to, length int) string {
	return fmt.Sprintf("%-*s", rangeWidth, fmt.Sprintf("[0 %d %d %d]", from, to, length-to))
}

// dictionary writes the signature's dictionary with room for byte range and CMS, and says where
// these begin. That nothing may change is for readers (DocMDP).
func (s Signature) dictionary(prefix, room int) (written []byte, ranges, contents int) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<</Type /Sig\n/Filter /Adobe.PPKLite\n/SubFilter /ETSI.CAdES.detached\n/M (D:%s)\n/Name %s\n/Reason %s\n",
		s.At.UTC().Format("20060102150405Z"), pdf.Text(s.Name), pdf.Text(s.Reason))
	b.WriteString("/Reference [<</Type /SigRef\n/TransformMethod /DocMDP\n" +
		"/TransformParams <</Type /TransformParams\n/P 1\n/V /1.2\n>>\n>>]\n")
	chain := (&cms{certificates: s.Chain}).chainSum()
	fmt.Fprintf(&b, "/%s %d\n/%s %s\n/ByteRange ", prefixKey, prefix, chainKey, pdf.Hex(chain))
	ranges = b.Len()
	fmt.Fprintf(&b, "%-*s\n/Contents ", rangeWidth, "")
	contents = b.Len()
	b.WriteByte('<')
	b.Write(bytes.Repeat([]byte{'0'}, 2*room))
	b.WriteString(">\n>>")
	return b.Bytes(), ranges, contents
}

// cms signs a digest of the file.
func (s Signature) cms(ctx context.Context, digest []byte) ([]byte, error) {
	attributes, err := attributesOf(digest, s.Chain[0])
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(attributes)
	signature, err := s.Signer.Sign(rand.Reader, sum[:], crypto.SHA256)
	if err != nil {
		return nil, fmt.Errorf("pades: sign: %w", err)
	}
	if signature, err = lowest(signature); err != nil {
		return nil, err
	}
	c := cms{
		kind: oidData(), certificates: s.Chain, hash: crypto.SHA256, attributes: attributes, signature: signature,
	}
	if s.Stamp != nil {
		if c.stamp, err = s.Stamp(ctx, signature); err != nil {
			return nil, err
		}
	}
	return c.encode()
}

// attributesOf are what is signed: a SET in the order that DER demands. There is no signing time:
// PAdES has it in the dictionary.
func attributesOf(digest []byte, leaf *x509.Certificate) ([]byte, error) {
	var b cryptobyte.Builder
	add := func(b *cryptobyte.Builder, kind asn1.ObjectIdentifier, value func(*cryptobyte.Builder)) {
		b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
			b.AddASN1ObjectIdentifier(kind)
			b.AddASN1(tags.SET, value)
		})
	}
	b.AddASN1(tags.SET, func(b *cryptobyte.Builder) {
		add(b, oidContentType(), func(b *cryptobyte.Builder) { b.AddASN1ObjectIdentifier(oidData()) })
		add(b, oidMessageDigest(), func(b *cryptobyte.Builder) { b.AddASN1OctetString(digest) })
		add(b, oidSigningCertificateV2(), func(b *cryptobyte.Builder) {
			b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
					b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) { // ESSCertIDv2; SHA-256 is its default
						sum := sha256.Sum256(leaf.Raw)
						b.AddASN1OctetString(sum[:])
					})
				})
			})
		})
	})
	return b.Bytes()
}

// lowest is the one of the two ECDSA signatures that both hold, s and n-s, which has the smaller s.
// Verify takes no other.
func lowest(signature []byte) ([]byte, error) {
	var in, inner cryptobyte.String
	var r, s big.Int
	in = signature
	if !in.ReadASN1(&inner, tags.SEQUENCE) || !in.Empty() || !inner.ReadASN1Integer(&r) || !inner.ReadASN1Integer(&s) || !inner.Empty() {
		return nil, errMalformed
	}
	n := elliptic.P256().Params().N
	if other := new(big.Int).Sub(n, &s); other.Cmp(&s) < 0 {
		s = *other
	}
	var b cryptobyte.Builder
	b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1BigInt(&r)
		b.AddASN1BigInt(&s)
	})
	return b.Bytes()
}
