package seal

import (
	"context"
	"encoding/hex"
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
	chain, err := pades.Certificates([]byte(env.Config.Seal.Chain))
	if env.Config.Seal.Chain == "" {
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
