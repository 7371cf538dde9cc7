package pades

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// Certificates reads certificates in PEM. A text without any is an error.
func Certificates(text []byte) (list []*x509.Certificate, err error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("pades: a %s stands among the certificates", block.Type)
		}
		x, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("pades: certificate: %w", err)
		}
		list = append(list, x)
	}
	if len(list) == 0 {
		return nil, errors.New("pades: no certificate in PEM stands in it")
	}
	return list, nil
}
