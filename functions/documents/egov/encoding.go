package egov

import (
	"bytes"
	"encoding/asn1"
	"encoding/base64"
	"errors"
	"strings"
)

var (
	errText     = errors.New("egov: neither PEM nor base64 nor DER")
	errEncoding = errors.New("egov: not BER")
)

// decode reads a CMS as programs hand it out: DER, BER, PEM or base64. It returns DER.
func decode(sent []byte) ([]byte, error) {
	if len(sent) > 2*Most {
		return nil, ErrTooLarge
	}
	raw := sent
	if len(raw) == 0 || raw[0] != tagSequence {
		var err error
		if raw, err = fromText(string(sent)); err != nil {
			return nil, ErrMalformed.Because(err)
		}
	}
	if len(raw) > Most {
		return nil, ErrTooLarge
	}
	der, rest, err := toDER(raw, 0)
	if err != nil {
		return nil, ErrMalformed.Because(err)
	}
	if len(bytes.TrimRight(rest, "\r\n")) > 0 {
		return nil, ErrMalformed.Because(errors.New("egov: bytes after the end"))
	}
	return der, nil
}

// fromText reads base64 that may be folded, and may stand between the lines of PEM.
func fromText(s string) ([]byte, error) {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "-----BEGIN "); ok {
		var label, after string
		if label, rest, ok = strings.Cut(rest, "-----"); !ok {
			return nil, errText
		}
		if s, after, ok = strings.Cut(rest, "-----END "+label+"-----"); !ok || strings.TrimSpace(after) != "" {
			return nil, errText
		}
	}
	s = strings.Join(strings.Fields(s), "")
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	if err != nil || len(raw) == 0 || raw[0] != tagSequence {
		return nil, errText
	}
	return raw, nil
}

const (
	tagOctets   = 0x04
	tagSequence = 0x30
	tagSet      = 0x31
	constructed = 0x20
	longTag     = 0x1f

	deepest = 24 // a CMS with certificates needs about 14
)

// toDER reads one value of BER and writes it as DER: lengths are definite and as short as can be,
// strings of bytes are in one piece. It doesn't put sets into order.
func toDER(ber []byte, depth int) (der, rest []byte, err error) {
	if depth > deepest || len(ber) < 2 || ber[0]&longTag == longTag {
		return nil, nil, errEncoding
	}
	tag := ber[0]
	length, rest, err := readLength(ber[1:])
	switch {
	case err != nil:
		return nil, nil, err
	case tag&constructed == 0 && length < 0:
		return nil, nil, errEncoding
	case tag&constructed == 0:
		return wrap(tag, rest[:length]), rest[length:], nil
	}
	inner := rest
	if length >= 0 {
		inner, rest = rest[:length], rest[length:]
	}
	var content []byte
	for {
		if length >= 0 && len(inner) == 0 {
			break
		}
		if length < 0 && bytes.HasPrefix(inner, []byte{0, 0}) {
			rest = inner[2:]
			break
		}
		var value []byte
		if value, inner, err = toDER(inner, depth+1); err != nil {
			return nil, nil, err
		}
		if tag == tagOctets|constructed {
			if value, err = octets(value); err != nil {
				return nil, nil, err
			}
		}
		content = append(content, value...)
	}
	if tag == tagOctets|constructed {
		tag = tagOctets
	}
	return wrap(tag, content), rest, nil
}

// octets is the content of one piece of a string of bytes.
func octets(value []byte) ([]byte, error) {
	if value[0] != tagOctets {
		return nil, errEncoding
	}
	length, content, err := readLength(value[1:])
	if err != nil {
		return nil, err
	}
	return content[:length], nil
}

// readLength reads a length, which is -1 if the end is marked. It is within what follows.
func readLength(ber []byte) (length int, rest []byte, err error) {
	if len(ber) == 0 {
		return 0, nil, errEncoding
	}
	first, rest := int(ber[0]), ber[1:]
	switch size := first & 0x7f; {
	case first < 0x80:
		length = first
	case first == 0x80:
		return -1, rest, nil
	case size > 4 || size > len(rest):
		return 0, nil, errEncoding
	default:
		for _, b := range rest[:size] {
			length = length<<8 | int(b)
		}
		rest = rest[size:]
	}
	if length < 0 || length > len(rest) {
		return 0, nil, errEncoding
	}
	return length, rest, nil
}

// wrap puts a tag and a length before a content.
func wrap(tag byte, content []byte) []byte {
	out := make([]byte, 0, len(content)+5)
	out = append(out, tag)
	switch n := len(content); {
	case n < 0x80:
		out = append(out, byte(n))
	case n < 1<<8:
		out = append(out, 0x81, byte(n))
	case n < 1<<16:
		out = append(out, 0x82, byte(n>>8), byte(n))
	default:
		out = append(out, 0x83, byte(n>>16), byte(n>>8), byte(n))
	}
	return append(out, content...)
}

// unmarshal reads a whole value.
func unmarshal(der []byte, into any) error {
	rest, err := asn1.Unmarshal(der, into)
	if err == nil && len(rest) > 0 {
		err = errors.New("egov: bytes after the end")
	}
	return err
}

// values splits what is inside a set or a sequence.
func values(content []byte) (all []asn1.RawValue, err error) {
	for len(content) > 0 {
		var v asn1.RawValue
		if content, err = asn1.Unmarshal(content, &v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}
