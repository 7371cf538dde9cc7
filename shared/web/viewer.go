package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/netip"
	"strings"
)

// The headers of a request that came through CloudFront.
const (
	// OriginSecret proves that CloudFront has sent the request: only its distribution knows the secret in it.
	OriginSecret = "X-Origin-Secret"
	// viewerAddress is whom CloudFront was asked by: an address, a colon and a port. IPv6 stands without brackets.
	viewerAddress = "cloudfront-viewer-address"
)

// Viewers tells the addresses of callers behind CloudFront. It knows SHA-256 sums of the secrets that prove a
// request to be CloudFront's; without any, nothing proves it.
type Viewers [][sha256.Size]byte

// Address returns the address of a request's caller: the gateway's own view of it, or, where one of the secrets is in
// the request, whom CloudFront names. No other header counts, because any client can send it.
func (v Viewers) Address(headers map[string]string, source string) string {
	if !v.proven(headers[strings.ToLower(OriginSecret)]) {
		return source
	}
	named := headers[viewerAddress]
	address := named[:max(strings.LastIndexByte(named, ':'), 0)]
	viewer, err := netip.ParseAddr(strings.Trim(address, "[]"))
	if err != nil || viewer.Zone() != "" {
		return source
	}
	return viewer.Unmap().String()
}

// proven compares a secret with all that are known, in the same time whether one fits or not.
func (v Viewers) proven(secret string) bool {
	sum, fits := sha256.Sum256([]byte(secret)), 0
	for i := range v {
		fits |= subtle.ConstantTimeCompare(sum[:], v[i][:])
	}
	return fits == 1 && secret != ""
}
