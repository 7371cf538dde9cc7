package public

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const longest = 2048 // bytes of an address

// Check tells what is wrong with an address of a receiver, as a message (package say). It looks nothing up: an address that is fine may be
// a name of a private one, which Post refuses.
func (c *Client) Check(address string) error {
	_, err := c.parse(address)
	return err
}

// parse returns an address that may be called, with its host in one form. Errors are messages.
func (c *Client) parse(address string) (*url.URL, error) {
	if len(address) > longest {
		return nil, errLong
	}
	if !utf8.ValidString(address) || strings.ContainsFunc(address, unseen) {
		return nil, errURL
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errURL
	}
	host, ip, err := normal(u.Hostname())
	here := c.options.Loopback && (host == "localhost" || ip.IsLoopback())
	switch port := u.Port(); {
	case u.Scheme != "https" && (u.Scheme != "http" || !here):
		return nil, errHTTPS
	case u.User != nil:
		return nil, errUser
	case strings.Contains(address, "#"):
		return nil, errFragment
	case err != nil:
		return nil, err
	case !here && port != "" && port != "443" && port != "8443":
		return nil, errPort
	case !here && (ip.IsValid() && !global(ip) || reserved(host)):
		return nil, errNotPublic
	case c.options.Refused != nil && c.options.Refused(host):
		return nil, errOurs
	case port != "":
		u.Host = net.JoinHostPort(host, port)
	case ip.Is6():
		u.Host = "[" + host + "]"
	default:
		u.Host = host
	}
	return u, nil
}

// unseen finds what an address is not shown with: control characters, spaces, and marks that turn the direction of a text.
func unseen(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) }

// normal returns a host in the form in which hosts are compared and connected to, and its address if it is one. Other programs
// read 127.1 and 0x7f.0.0.1 as addresses, so a name ends with a label that begins with a letter.
func normal(host string) (string, netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.String(), ip, nil
	}
	names := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckHyphens(false), idna.VerifyDNSLength(true))
	name, err := names.ToASCII(host)
	name = strings.TrimSuffix(name, ".")
	if err != nil || name == "" || strings.HasSuffix(name, ".") {
		return "", netip.Addr{}, errURL
	}
	if first := name[strings.LastIndexByte(name, '.')+1]; first < 'a' || first > 'z' {
		return "", netip.Addr{}, errNotPublic
	}
	return name, netip.Addr{}, nil
}

// reserved tells whether a name means something else in each network, or this machine.
func reserved(name string) bool {
	return !strings.ContainsAny(name, ".:") || slices.ContainsFunc([]string{".localhost", ".local", ".internal", ".home.arpa"},
		func(below string) bool { return strings.HasSuffix("."+name, below) })
}

// open tells whether receivers may be on a port.
func open(port uint16) bool { return port == 443 || port == 8443 }

// global tells whether an address belongs to one host on the internet: it is unicast, and the registries of IANA for special
// purposes don't take it out. Where they let a part of a block through, all of the block is
// refused, and so are addresses that hold an IPv4 address, because that may be a private one.
func global(a netip.Addr) bool {
	within := func(block string) bool { return netip.MustParsePrefix(block).Contains(a) }
	if a.Is4() {
		return !slices.ContainsFunc([]string{
			"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
			"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
			"224.0.0.0/3", // multicast, reserved, broadcast
		}, within)
	}
	// Unicast that IANA has given away is in 2000::/3. Outside of it are loopback, mapped and compatible addresses, NAT64,
	// discard, SRv6, unique local, link-local, site-local and multicast; and
	// for netip each address with a zone is.
	return within("2000::/3") && !slices.ContainsFunc([]string{
		"2001::/23",     // protocols: Teredo, benchmarks, ORCHID and others
		"2001:db8::/32", // documentation
		"2002::/16",     // 6to4
		"3fff::/20",     // documentation
	}, within)
}
