package platform

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tenantry/tenantry/infra/local/nca"
	"github.com/tenantry/tenantry/infra/local/nca/layer"
	"github.com/tenantry/tenantry/infra/local/serve"
)

// certification is what stands in for Kazakhstan's certification centre and for NCALayer, with which people sign.
type certification struct {
	*nca.Centre
	// OCSP is the address that tells whether a certificate was revoked.
	OCSP string
	// Layer is where one chooses as whom to sign; empty if nothing stands in for NCALayer.
	Layer string

	ends serve.Ends
}

// startCertification starts them. Their keys are in the data folder.
func startCertification(ctx context.Context, s *Storage, out io.Writer) (*certification, error) {
	centre, err := nca.Open(s.file("nca.json"), time.Now, nca.Demo(time.Now()))
	if err != nil {
		return nil, err
	}
	responder, err := serve.Start(ctx, centre)
	if err != nil {
		return nil, fmt.Errorf("the certification centre: %w", err)
	}
	c := &certification{Centre: centre, OCSP: responder.URL + "/"}
	c.ends.Add(responder.Close)
	// Only one program can be where pages expect NCALayer: NCALayer itself, or another platform's stand-in.
	l, err := layer.Open(ctx, s.file("ncalayer.pem"), centre, time.Now)
	if err != nil {
		_, _ = fmt.Fprintf(out, "%s: the eGov demo is off, and only NCALayer itself can sign.\n", unheard(loopback(layer.Port), err))
		return c, nil
	}
	c.ends.Add(l.Close)
	c.Layer = l.URL
	return c, nil
}

// close ends them.
func (c *certification) close() { c.ends.Close() }
