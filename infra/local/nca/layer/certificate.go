package layer

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"time"

	"github.com/tenantry/tenantry/infra/local/keypair"
)

// certificate returns the one in a file, or a new one, which it writes there. A browser that was told
// to go on remembers it. Without a file it is new each time.
func certificate(file string, now time.Time) (tls.Certificate, error) {
	create := func() (tls.Certificate, error) {
		return keypair.New(&x509.Certificate{
			SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "Local stand-in for NCALayer"},
			NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(2, 0, 0),
			KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
			DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		}, nil)
	}
	if file == "" {
		return create()
	}
	return keypair.Open(file, create)
}
