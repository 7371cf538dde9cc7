package seal

import (
	"context"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/functions/seal/pades"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/remote"
)

// New makes the function.
func New(env app.Env) invoke.Function {
	s := &sealer{files: env.Files, signer: env.SealSigner, now: env.Now}
	chain, err := certificates(env.Config.Seal.Chain)
	if err == nil && len(chain) == 0 {
		err = errors.New("seal: the key has no certificate: the template's SealChain is empty")
	}
	s.chain = chain
	if url := env.Config.Seal.TimeStampURL; url != "" && err == nil {
		s.stamps = &stamps{url: url, client: remote.New(), now: env.Now}
		s.stamps.trusted, err = sums(env.Config.Seal.TimeStampRoots)
		if err == nil && len(s.stamps.trusted) == 0 && !strings.HasPrefix(url, "https://") {
			err = errors.New("seal: over http anybody could stamp: the template's TimeStampRoots is empty")
		}
	}
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		return s.handle(ctx, payload)
	}
}

// certificates reads certificates in PEM.
func certificates(text string) (list []*x509.Certificate, err error) {
	rest := []byte(text)
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("seal: a %s stands among the certificates", block.Type)
		}
		x, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("seal: certificate: %w", err)
		}
		list = append(list, x)
	}
	if len(list) == 0 && text != "" {
		return nil, errors.New("seal: certificates are configured that aren't PEM")
	}
	return list, nil
}

// sums reads SHA-256 sums of certificates, in hex and separated by commas.
func sums(text string) (list []pades.Sum, err error) {
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		sum, err := hex.DecodeString(one)
		if err != nil || len(sum) != len(pades.Sum{}) {
			return nil, fmt.Errorf("seal: %q is not the SHA-256 of a certificate", one)
		}
		list = append(list, pades.Sum(sum))
	}
	return list, nil
}
