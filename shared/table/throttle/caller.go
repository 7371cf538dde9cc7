package throttle

import "net/netip"

// ownBits is how many bits of an IPv6 address identify its owner: the owner has all addresses
// that share these bits, and may use a different one for each request.
const ownBits = 64

// Caller is the address under which a caller's IP is counted: an IPv4 address itself, however
// it is written, or the /64 of an IPv6 address. A text that is not an address is returned
// unchanged.
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
