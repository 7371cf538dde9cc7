package throttle

import "net/netip"

// ownBits is how much of an IPv6 address names whose it is: whoever has an
// address has all that share these, and may use another with each request.
const ownBits = 64

// Caller is the address that counts are kept of for a caller's IP: an IPv4
// address itself, however it is written, and the /64 of an IPv6 address. What
// is no address stays as it is.
func Caller(ip string) string {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return ip
	}
	if a = a.Unmap(); a.Is4() {
		return a.String()
	}
	return netip.PrefixFrom(a.WithZone(""), ownBits).Masked().String()
}
