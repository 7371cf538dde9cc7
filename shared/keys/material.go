package keys

import (
	"crypto/ecdsa"
	"crypto/x509"
	"fmt"
)

// Material is what a developer's file of keys holds, by purpose. A key service on this machine serves it (infra/local/kms);
// functions get it as Keys and Sealer.
type Material struct {
	Signing []*ecdsa.PrivateKey // the first one signs
	Code    []byte
	Refresh []byte
	Chain   []byte
	Hook    []byte
	Seal    *ecdsa.PrivateKey
}

// MaterialFromFile reads the file, which is made if it is missing.
func MaterialFromFile(path string) (m Material, err error) {
	content, err := open(path)
	if err != nil {
		return m, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("keys: %s: %w", path, err)
		}
	}()
	for i, encoded := range content.Signing {
		parsed, err := x509.ParsePKCS8PrivateKey(encoded)
		if err != nil {
			return m, err
		}
		private, ok := parsed.(*ecdsa.PrivateKey)
		if !ok {
			return m, fmt.Errorf("key %d is a %T", i, parsed)
		}
		m.Signing = append(m.Signing, private)
	}
	m.Code = content.Secret
	if m.Refresh, err = derived(content.Secret, "refresh"); err != nil {
		return m, err
	}
	if m.Chain, err = derived(content.Secret, "chain"); err != nil {
		return m, err
	}
	if m.Hook, err = derived(content.Secret, "hooks"); err != nil {
		return m, err
	}
	m.Seal, err = derivedKey(content.Secret)
	return m, err
}
