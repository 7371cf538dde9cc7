package platform

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/functions/seal/pades"
	"github.com/tenantry/tenantry/infra/local/serve"
	"github.com/tenantry/tenantry/infra/local/tsa"
	"github.com/tenantry/tenantry/infra/sealcert/certificate"
	"github.com/tenantry/tenantry/shared/keys"
)

// sealing is what documents are sealed with on this machine: a certificate that the local key has issued to itself, and a
// time-stamp service.
type sealing struct {
	*serve.Server // the time-stamp service

	chain string
	root  pades.Sum
}

// startSealing makes the certificate, which is the same with each start, and starts the service on a free port.
func startSealing(ctx context.Context, s *Storage) (*sealing, error) {
	sealer, err := keys.SealerFromFile(s.file("keys.json"))
	if err != nil {
		return nil, err
	}
	key, err := sealer(ctx)
	if err != nil {
		return nil, err
	}
	const since, until = 2026, 2056
	certified, err := certificate.SelfIssued(key, certificate.Name{Common: "Tenantry on this machine"},
		time.Date(since, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(until, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		return nil, err
	}
	service, err := tsa.Open(s.file("time-stamps.pem"), time.Now)
	if err != nil {
		return nil, err
	}
	server, err := serve.Start(ctx, service)
	if err != nil {
		return nil, fmt.Errorf("the time-stamp service: %w", err)
	}
	return &sealing{server, string(certificate.PEM(certified)), pades.SumOf(service.Root())}, nil
}

// parameters are the template's.
func (s *sealing) parameters() map[string]string {
	return map[string]string{"SealChain": s.chain, "TimeStampUrl": s.URL, "TimeStampRoots": hex.EncodeToString(s.root[:])}
}
