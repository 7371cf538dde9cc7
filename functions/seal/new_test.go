package seal

import (
	"encoding/hex"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/seal/job"
	"github.com/tenantry/tenantry/functions/seal/pades"
	"github.com/tenantry/tenantry/functions/seal/pdf/pdftest"
	"github.com/tenantry/tenantry/infra/sealcert/certificate"
	"github.com/tenantry/tenantry/shared/app"
)

func TestNew(t *testing.T) {
	o := newOffice(t, false)
	server := httptest.NewServer(o.service)
	defer server.Close()
	sum := pades.SumOf(o.service.Root())
	chain, root := string(certificate.PEM(o.chain...)), hex.EncodeToString(sum[:])
	for name, c := range map[string]struct {
		app.Seal
		level string // empty: it fails
		says  string
	}{
		"without a time-stamp service": {app.Seal{Chain: chain}, job.LevelBB, ""},
		"with one":                     {app.Seal{Chain: chain, TimeStampURL: server.URL, TimeStampRoots: root}, job.LevelBT, ""},
		"with one of several":          {app.Seal{Chain: chain, TimeStampURL: server.URL, TimeStampRoots: strings.Repeat("0", 64) + ", " + root}, job.LevelBT, ""},
		"with another one":             {app.Seal{Chain: chain, TimeStampURL: server.URL, TimeStampRoots: strings.Repeat("0", 64)}, "", "time stamp"},
		"over http, with anybody":      {app.Seal{Chain: chain, TimeStampURL: server.URL}, "", "over http"},
		"with a broken sum":            {app.Seal{Chain: chain, TimeStampURL: server.URL, TimeStampRoots: "00"}, "", "SHA-256"},
		"no certificate":               {app.Seal{}, "", "SealChain is empty"},
		"no PEM":                       {app.Seal{Chain: "x"}, "", "PEM"},
		"another PEM":                  {app.Seal{Chain: "-----BEGIN X-----\n-----END X-----\n"}, "", "among the certificates"},
		"a broken certificate":         {app.Seal{Chain: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}, "", "certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			f := New(app.Env{Files: o.store, SealSigner: o.signer, Now: now, Config: app.Config{Seal: c.Seal}})
			a, err := job.Call(t.Context(), f, o.request(t, pdftest.Page(), 1, 1))
			if c.level != a.Level || (err != nil) != (c.level == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}
