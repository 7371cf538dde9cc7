package egov

import (
	"bytes"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	const der = "300704010104020203"
	raw, _ := hex.DecodeString(der)
	text := base64.StdEncoding.EncodeToString(raw)
	for _, row := range []struct {
		name string
		sent string
		want string // hexadecimal, or nothing where it is refused
	}{
		{"DER", string(raw), der},
		{"base64", text, der},
		{"base64 without padding", strings.TrimRight(text, "="), der},
		{"base64 in lines", text[:4] + "\r\n" + text[4:] + "\r\n", der},
		{"PEM", "-----BEGIN CMS-----\n" + text + "\n-----END CMS-----\n", der},
		{"PEM of NCALayer's older name, in one line", "-----BEGIN PKCS7-----" + text + "-----END PKCS7-----", der},
		{"a line end behind DER", string(raw) + "\r\n", der},
		{"an end that is marked", "\x30\x80\x04\x01\x01\x04\x02\x02\x03\x00\x00", der},
		{"lengths that are too long", "\x30\x81\x09\x04\x01\x01\x04\x82\x00\x02\x02\x03", der},
		{"bytes in pieces", "\x30\x0d\x24\x80\x04\x01\x01\x24\x04\x04\x02\x02\x03\x00\x00", "30050403010203"},

		{"nothing", "", ""},
		{"spaces", "   ", ""},
		{"no base64", "Кто здесь?", ""},
		{"PEM that has no end", "-----BEGIN CMS-----\n" + text, ""},
		{"PEM with another end", "-----BEGIN CMS-----\n" + text + "\n-----END PKCS7-----", ""},
		{"two PEMs", strings.Repeat("-----BEGIN CMS-----\n"+text+"\n-----END CMS-----\n", 2), ""},
		{"a byte behind", string(raw) + "\x00", ""},
		{"cut", string(raw[:len(raw)-1]), ""},
		{"a marked end that is missing", "\x30\x80\x04\x01\x01", ""},
		{"a marked end of what has no parts", "\x30\x04\x04\x80\x00\x00", ""},
		{"a length beyond everything", "\x30\x84\xff\xff\xff\xff", ""},
		{"a length of five bytes", "\x30\x85\x00\x00\x00\x00\x01\x00", ""},
		{"a long tag", "\x30\x04\x1f\x81\x01\x00", ""},
		{"numbers among the pieces of bytes", "\x30\x05\x24\x03\x02\x01\x01", ""},
		{"deep", strings.Repeat("\x30\x80", 1000) + strings.Repeat("\x00\x00", 1000), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := decode([]byte(row.sent))
			switch {
			case row.want == "" && !errors.Is(err, ErrMalformed):
				t.Errorf("got %x, %v", got, err)
			case row.want != "" && (err != nil || hex.EncodeToString(got) != row.want):
				t.Errorf("got %x, %v, want %s", got, err, row.want)
			}
		})
	}
}

func TestDecodeTooLarge(t *testing.T) {
	if _, err := decode(wrap(tagSequence, wrap(tagOctets, make([]byte, Most-8)))); err != nil {
		t.Errorf("64 KB are refused: %v", err)
	}
	large := wrap(tagSequence, wrap(tagOctets, make([]byte, Most-7)))
	for name, sent := range map[string][]byte{
		"DER":    large,
		"base64": []byte(base64.StdEncoding.EncodeToString(large)),
		"spaces": bytes.Repeat([]byte(" "), 2*Most+1),
	} {
		if _, err := decode(sent); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever comes is refused or becomes DER, which stays as it is.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x30\x80\x24\x80\x04\x01\x01\x00\x00\x00\x00"))
	f.Add([]byte("-----BEGIN CMS-----\nMAA=\n-----END CMS-----"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		der, err := decode(sent)
		if err != nil {
			return
		}
		var v asn1.RawValue
		if rest, err := asn1.Unmarshal(der, &v); err != nil || len(rest) > 0 {
			t.Fatalf("%x became %x, which is no DER: %v", sent, der, err)
		}
		again, err := decode(der)
		if err != nil || !bytes.Equal(again, der) {
			t.Fatalf("%x became %x (%v)", der, again, err)
		}
	})
}
