package tsa

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"encoding/asn1"
	"errors"
	"math/big"
	"time"

	"golang.org/x/crypto/cryptobyte"
	tags "golang.org/x/crypto/cryptobyte/asn1"
)

// query is a request, as far as the service looks at it.
type query struct {
	imprint []byte // the whole MessageImprint
	nonce   *big.Int
}

func read(body []byte) (q query, err error) {
	in := cryptobyte.String(body)
	var request, imprint cryptobyte.String
	var version int64
	if !in.ReadASN1(&request, tags.SEQUENCE) || !in.Empty() || !request.ReadASN1Integer(&version) || version != 1 ||
		!request.ReadASN1Element(&imprint, tags.SEQUENCE) || !request.SkipOptionalASN1(tags.OBJECT_IDENTIFIER) {
		return q, errors.New("no request for a time stamp")
	}
	q.imprint = imprint
	if request.PeekASN1Tag(tags.INTEGER) {
		q.nonce = new(big.Int)
		if !request.ReadASN1Integer(q.nonce) {
			return q, errors.New("no nonce")
		}
	}
	return q, nil
}

// answer is a TimeStampResp.
func (s *Service) answer(body []byte, m Mode, serial int64) ([]byte, error) {
	q, err := read(body)
	if err != nil {
		return nil, err
	}
	switch m {
	case Garbage:
		return []byte("<html>It works!</html>"), nil
	case Large:
		return make([]byte, 64<<20), nil
	case OtherNonce:
		q.nonce = big.NewInt(1)
	case NoNonce:
		q.nonce = nil
	case OtherData:
		q.imprint = bytes.Clone(q.imprint)
		q.imprint[len(q.imprint)-1] ^= 1
	}
	var token []byte
	if m != Refuses {
		if token, err = s.token(q, m, serial); err != nil {
			return nil, err
		}
	}
	var b cryptobyte.Builder
	b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
			if m == Refuses {
				b.AddASN1Int64(2)
			} else {
				b.AddASN1Int64(0)
			}
		})
		b.AddBytes(token)
	})
	return b.Bytes()
}

func info(q query, at time.Time, serial int64) ([]byte, error) {
	var b cryptobyte.Builder
	b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1Int64(1)
		b.AddASN1ObjectIdentifier(Policy())
		b.AddBytes(q.imprint)
		b.AddASN1Int64(serial)
		b.AddASN1(tags.GeneralizedTime, func(b *cryptobyte.Builder) { b.AddBytes([]byte(at.UTC().Format("20060102150405.000Z"))) })
		b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) { b.AddASN1Int64(1) }) // accurate to a second
		if q.nonce != nil {
			b.AddASN1BigInt(q.nonce)
		}
	})
	return b.Bytes()
}

func pkcs(arcs ...int) asn1.ObjectIdentifier {
	return append(asn1.ObjectIdentifier{1, 2, 840, 113549, 1}, arcs...)
}

func attribute(b *cryptobyte.Builder, kind asn1.ObjectIdentifier, value func(*cryptobyte.Builder)) {
	b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(kind)
		b.AddASN1(tags.SET, value)
	})
}

// attributes are what is signed.
func attributes(content, certificate []byte, m Mode) ([]byte, error) {
	var b cryptobyte.Builder
	b.AddASN1(tags.SET, func(b *cryptobyte.Builder) {
		attribute(b, pkcs(9, 3), func(b *cryptobyte.Builder) { b.AddASN1ObjectIdentifier(pkcs(9, 16, 1, 4)) })
		attribute(b, pkcs(9, 4), func(b *cryptobyte.Builder) { b.AddASN1OctetString(digest(content)) })
		if m == Unnamed {
			return
		}
		attribute(b, pkcs(9, 16, 2, 47), func(b *cryptobyte.Builder) {
			b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
					b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) { b.AddASN1OctetString(digest(certificate)) })
				})
			})
		})
	})
	return b.Bytes()
}

func context(n uint8) tags.Tag { return tags.Tag(n).ContextSpecific().Constructed() }

// token is the CMS of a stamp.
func (s *Service) token(q query, m Mode, serial int64) ([]byte, error) {
	by, err := s.by(m)
	if err != nil {
		return nil, err
	}
	content, err := info(q, s.at(m), serial)
	if err != nil {
		return nil, err
	}
	named := by.chain[0]
	if m == OtherName {
		named = s.unknown.chain[0]
	}
	signed, err := attributes(content, named.Raw, m)
	if err != nil {
		return nil, err
	}
	signature, err := by.key.Sign(rand.Reader, digest(signed), crypto.SHA256)
	if err != nil {
		return nil, err
	}
	if m == OtherStamp {
		content[len(content)-1] ^= 1
	}
	signed[0] = byte(context(0))
	verbose := m == Verbose
	hash := func(b *cryptobyte.Builder) {
		algorithm(b, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}, verbose)
	}
	var b cryptobyte.Builder
	b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(pkcs(7, 2))
		b.AddASN1(context(0), func(b *cryptobyte.Builder) {
			b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1Int64(3)
				b.AddASN1(tags.SET, hash)
				b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
					b.AddASN1ObjectIdentifier(pkcs(9, 16, 1, 4))
					b.AddASN1(context(0), func(b *cryptobyte.Builder) { b.AddASN1OctetString(content) })
				})
				b.AddASN1(context(0), func(b *cryptobyte.Builder) {
					if verbose {
						b.AddBytes(s.unknown.chain[0].Raw)
					}
					for _, x := range by.chain {
						b.AddBytes(x.Raw)
					}
				})
				b.AddASN1(tags.SET, func(b *cryptobyte.Builder) {
					b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) { encodeSigner(b, by, hash, signed, signature, verbose) })
				})
			})
		})
	})
	return b.Bytes()
}

func algorithm(b *cryptobyte.Builder, oid asn1.ObjectIdentifier, null bool) {
	b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(oid)
		if null {
			b.AddASN1NULL()
		}
	})
}

func encodeSigner(b *cryptobyte.Builder, by signer, hash func(*cryptobyte.Builder), signed, signature []byte, verbose bool) {
	b.AddASN1Int64(1)
	b.AddASN1(tags.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddBytes(by.chain[0].RawIssuer)
		b.AddASN1BigInt(by.chain[0].SerialNumber)
	})
	hash(b)
	b.AddBytes(signed)
	if _, ok := by.key.(*rsa.PrivateKey); ok {
		algorithm(b, pkcs(1, 11), true) // sha256WithRSAEncryption
	} else {
		algorithm(b, asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}, false)
	}
	b.AddASN1OctetString(signature)
	if verbose {
		b.AddASN1(context(1), func(b *cryptobyte.Builder) {
			attribute(b, pkcs(9, 99), func(b *cryptobyte.Builder) { b.AddASN1OctetString([]byte("whatever")) })
		})
	}
}
