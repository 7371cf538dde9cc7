package public

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/say"
)

func client(o Options) *Client {
	if o.Now == nil {
		o.Now = time.Now
	}
	return New(o)
}

// said returns what an error tells the owner of a receiver, and "" for no error.
func said(err error) say.Message {
	e, ok := errors.AsType[say.Message](err)
	if err != nil && !ok {
		return say.Message("not for users: " + err.Error())
	}
	return e
}

// ours is the domain of a platform.
func ours(host string) bool { return strings.HasSuffix("."+host, ".tenantry.example") }

// Each row is an address that somebody gives us, and what is wrong with it.
func TestAddresses(t *testing.T) {
	c := client(Options{Refused: ours})
	for address, want := range map[string]say.Message{
		"https://example.com":                                    "",
		"https://example.com/":                                   "",
		"https://example.com:443/hooks":                          "",
		"https://example.com:8443/x?y=1":                         "",
		"https://example.com:/x":                                 "",
		"HTTPS://Example.COM./x":                                 "",
		"https://r3---sn-apo3qvuoxuxbt.example.com/":             "",
		"https://bücher.example/":                                "",
		"https://xn--bcher-kva.example/":                         "",
		"https://пример.қаз/вебхук":                              "",
		"https://8.8.8.8/":                                       "",
		"https://[2A00:1450:4001:80b::200d]:8443/":               "",
		"https://127.0.0.1.example.com/":                         "", // Post sees what it resolves to
		"https://localhost.example.com/":                         "",
		"https://tenantry.example.com/":                          "",
		"https://nottenantry.example/":                           "",
		"https://example.com/@127.0.0.1:80/":                     "",
		"https://example.com/?u=http://127.0.0.1":                "",
		"https://example.com/" + strings.Repeat("a", longest-20): "",

		// What is no address of a receiver.
		"":                                                       errHTTPS,
		"example.com":                                            errHTTPS,
		"//example.com/":                                         errHTTPS,
		"http://example.com/":                                    errHTTPS,
		"http://example.com:443/":                                errHTTPS,
		"ftp://example.com/":                                     errHTTPS,
		"file:///etc/passwd":                                     errHTTPS,
		"gopher://127.0.0.1:6379/_INFO":                          errHTTPS,
		"javascript:alert(1)":                                    errHTTPS,
		"unix:///var/run/docker.sock":                            errHTTPS,
		"ws://example.com/":                                      errHTTPS,
		"https:":                                                 errURL,
		"https:example.com":                                      errURL,
		"https:/example.com":                                     errURL,
		"https:///example.com":                                   errURL,
		"https://":                                               errURL,
		"https://:443/":                                          errURL,
		"https://./":                                             errURL,
		"https://example..com/":                                  errURL,
		"https://example.com../":                                 errURL,
		"https://.example.com/":                                  errURL,
		"https://example.com。./":                                 errURL,
		" https://example.com/":                                  errURL,
		"https://example.com/ ":                                  errURL,
		"https://example.com/a b":                                errURL,
		"https://example.com/\r\nHost: a.b":                      errURL,
		"https://example.com/\x00":                               errURL,
		"https://example.com/\x7f":                               errURL,
		"https://example.com/\u0085":                             errURL,
		"https://example.com/\u202emoc.live":                     errURL,
		"https://example.com/\xff":                               errURL,
		"https://exa\u200bmple.com/":                             errURL,
		"https://example.com%00.evil.com/":                       errURL,
		"https://example.com%2f@evil.com/":                       errUser,
		"https://%31%32%37.0.0.1/":                               errURL,
		"https://exam_ple.com/":                                  errURL,
		"https://example.com\\@127.0.0.1/":                       errURL,
		"https://127.0.0.1\\.example.com/":                       errURL,
		"https://example.com;127.0.0.1/":                         errURL,
		"https://example.com,127.0.0.1/":                         errURL,
		"https://*.example.com/":                                 errURL,
		"https://xn--a.example/":                                 errURL,
		"https://" + strings.Repeat("a", 64) + ".example/":       errURL,
		"https://" + strings.Repeat("a.", 127) + "example/":      errURL,
		"https://example.com/" + strings.Repeat("a", longest-19): errLong,
		"https://user@example.com/":                              errUser,
		"https://user:secret@example.com/":                       errUser,
		"https://@example.com/":                                  errUser,
		"https://example.com:443@127.0.0.1/":                     errUser,
		"https://8.8.8.8@169.254.169.254/":                       errUser,
		"https://example.com/#":                                  errFragment,
		"https://example.com/#@127.0.0.1/":                       errFragment,
		"https://127.0.0.1#@example.com/":                        errFragment,
		"https://127.0.0.1#.example.com/":                        errFragment,
		"https://example.com:80/":                                errPort,
		"https://example.com:9001/":                              errPort,
		"https://example.com:0443/":                              errPort,
		"https://example.com:0/":                                 errPort,
		"https://example.com:65979/":                             errPort, // 443 after 16 bits
		"https://example.com:443:80/":                            errURL,
		"https://example.com:https/":                             errURL,
		"https://example.com:-443/":                              errURL,
		"https://example.com:４４３/":                               errURL,

		// This machine, its network and its cloud, as names and in every way to write an address.
		"https://localhost/":                                  errNotPublic,
		"https://LOCALHOST.:8443/":                            errNotPublic,
		"https://a.localhost/":                                errNotPublic,
		"https://ⓛocalhost/":                                  errNotPublic,
		"https://intranet/":                                   errNotPublic,
		"https://com./":                                       errNotPublic,
		"https://printer.local/":                              errNotPublic,
		"https://router.home.arpa/":                           errNotPublic,
		"https://metadata.google.internal/computeMetadata/v1": errNotPublic,
		"https://ip-10-0-0-5.eu-central-1.compute.internal/":  errNotPublic,
		"https://metadata.google.internal./":                  errNotPublic,
		"https://127.0.0.1/":                                  errNotPublic,
		"https://127.0.0.1./":                                 errNotPublic,
		"https://127.1/":                                      errNotPublic,
		"https://127.0.1/":                                    errNotPublic,
		"https://2130706433/":                                 errNotPublic,
		"https://017700000001/":                               errNotPublic,
		"https://0x7f000001/":                                 errNotPublic,
		"https://0x7f.1/":                                     errNotPublic,
		"https://0x7f.0.0.0x1/":                               errNotPublic,
		"https://0177.0.0.1/":                                 errNotPublic,
		"https://127.0.0.01/":                                 errNotPublic,
		"https://127.0.0.1.1/":                                errNotPublic,
		"https://127.0.0.256/":                                errNotPublic,
		"https://8.8.2056/":                                   errNotPublic, // 8.8.8.8, but written to deceive
		"https://a.0x7f/":                                     errNotPublic,
		"https://0/":                                          errNotPublic,
		"https://0.0.0.0/":                                    errNotPublic,
		"https://１２７.０.０.１/":                                  errNotPublic,
		"https://127。0。0。1/":                                  errNotPublic,
		"https://①②⑦.⓪.⓪.①/":                                  errNotPublic,
		"https://169.254.169.254/latest/meta-data/":           errNotPublic,
		"https://2852039166/":                                 errNotPublic, // the same
		"https://169.254.170.2/v2/credentials":                errNotPublic,
		"https://10.0.0.5/":                                   errNotPublic,
		"https://172.31.255.255/":                             errNotPublic,
		"https://192.168.1.1/":                                errNotPublic,
		"https://100.100.100.200/":                            errNotPublic,
		"https://192.0.0.192/":                                errNotPublic,
		"https://198.18.0.1/":                                 errNotPublic,
		"https://224.0.0.1/":                                  errNotPublic,
		"https://255.255.255.255/":                            errNotPublic,
		"https://[::]/":                                       errNotPublic,
		"https://[::1]/":                                      errNotPublic,
		"https://[0:0:0:0:0:0:0:1]:8443/":                     errNotPublic,
		"https://[::127.0.0.1]/":                              errNotPublic,
		"https://[::ffff:127.0.0.1]/":                         errNotPublic,
		"https://[::ffff:7f00:1]/":                            errNotPublic,
		"https://[::ffff:169.254.169.254]/":                   errNotPublic,
		"https://[::ffff:0:127.0.0.1]/":                       errNotPublic,
		"https://[64:ff9b::169.254.169.254]/":                 errNotPublic,
		"https://[64:ff9b:1::10.0.0.1]/":                      errNotPublic,
		"https://[2002:7f00:1::]/":                            errNotPublic,
		"https://[2001:0:7f00:1::]/":                          errNotPublic,
		"https://[fd00:ec2::254]/latest/meta-data/":           errNotPublic,
		"https://[fe80::1]/":                                  errNotPublic,
		"https://[fe80::1%25eth0]/":                           errNotPublic,
		"https://[2a00:1450:4001:80b::200d%25eth0]/":          errNotPublic,
		"https://[fec0::1]/":                                  errNotPublic,
		"https://[ff02::1]/":                                  errNotPublic,
		"https://[5f00::1]/":                                  errNotPublic,
		"https://[127.0.0.1]/":                                errURL,
		"https://[::1/":                                       errURL,
		"https://::1/":                                        errURL,
		"https://[v1.a]/":                                     errURL,
		"https://[::1].example.com/":                          errURL,

		// Ourselves.
		"https://tenantry.example/v1/":           errOurs,
		"https://API.Tenantry.Example.:8443/v1/": errOurs,
		"https://acme.tenantry.example/":         errOurs,
		"https://acme。tenantry。example/":         errOurs,
		"https://ａｃｍｅ.tenantry.example/":         errOurs,
		"https://acme.tenantry.%EF%BD%85xample/": errOurs,
		"https://кафе.tenantry.example/":         errOurs,
		"https://acme.ten\u00adantry.example/":   errURL, // a soft hyphen
	} {
		err := c.Check(address)
		if said(err) != want {
			t.Errorf("%.80q: %v, want %q", address, err, want)
		}
		if want == "" {
			continue
		}
		if answer, err := c.Post(t.Context(), address, nil, nil); said(err) != want || answer.Status != 0 {
			t.Errorf("%.80q is called: %v, %+v", address, err, answer)
		}
	}
}

// A host is compared and connected to in one form, however it is written.
func TestForms(t *testing.T) {
	for address, want := range map[string]string{
		"https://Bücher.Example.:8443/a?b": "xn--bcher-kva.example:8443",
		"https://xn--bcher-kva.example/":   "xn--bcher-kva.example",
		"https://EXAMPLE。com:/":            "example.com",
		"https://faß.example/":             "xn--fa-hia.example",
		"https://[2A00:0:0::1]:443/":       "[2a00::1]:443",
		"https://[2a00::8.8.8.8]/":         "[2a00::808:808]",
		"https://8.8.8.8/":                 "8.8.8.8",
	} {
		asked := ""
		u, err := client(Options{Refused: func(host string) bool { asked = host; return false }}).parse(address)
		if err != nil || u.Host != want || asked != u.Hostname() {
			t.Errorf("%s: %v, %v, asked for %s", address, u, err, asked)
		}
	}
}

// The local platform reaches its own machine, and nothing else that others don't.
func TestLoopback(t *testing.T) {
	for address, want := range map[string]say.Message{
		"http://localhost:8080/hooks":    "",
		"http://127.0.0.1:9001/":         "",
		"http://[::1]:80/":               "",
		"https://localhost:8080/":        "",
		"https://example.com/":           "",
		"http://example.com/":            errHTTPS,
		"https://example.com:8080/":      errPort,
		"http://169.254.169.254/":        errHTTPS,
		"https://169.254.169.254/":       errNotPublic,
		"https://10.0.0.1/":              errNotPublic,
		"http://127.1/":                  errHTTPS,
		"https://intranet/":              errNotPublic,
		"http://user@localhost/":         errUser,
		"http://localhost.example.com/":  errHTTPS,
		"https://acme.tenantry.example/": errOurs,
	} {
		if err := client(Options{Loopback: true, Refused: ours}).Check(address); said(err) != want {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
	for address, want := range map[string]say.Message{
		"127.0.0.1:9001": "", "[::1]:80": "", "[::ffff:127.0.0.1]:80": "", "8.8.8.8:443": "",
		"10.0.0.1:443": errNotPublic, "8.8.8.8:80": errPort,
	} {
		if err := client(Options{Loopback: true}).control("tcp", address, nil); said(err) != want {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

// special are the blocks of IANA's registries of special-purpose addresses that are not globally reachable, or are so in part;
// multicast, and what has never been given away.
func special() []string {
	return []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
		"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
		"240.0.0.0/4", "255.255.255.255/32",
		"::/128", "::1/128", "::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23",
		"2001::/32", "2001:2::/48", "2001:10::/28", "2001:20::/28", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7",
		"fe80::/10", "fec0::/10", "ff00::/8", "4000::/3", "8000::/3", "e000::/4",
	}
}

func TestGlobal(t *testing.T) {
	c := client(Options{})
	refused := func(a netip.Addr) bool {
		called := c.control("tcp", netip.AddrPortFrom(a, 443).String(), nil)
		if (called == nil) != global(a) || called != nil && said(called) != errNotPublic {
			t.Errorf("%s is connected to: %v", a, called)
		}
		return !global(a)
	}
	for _, text := range special() {
		block := netip.MustParsePrefix(text)
		if first, last := block.Addr(), lastOf(block); !refused(first) || !refused(last) || !refused(first.Next()) && block.Bits() < first.BitLen() {
			t.Errorf("%s is taken for public", block)
		}
	}
	for _, text := range []string{
		"1.0.0.0", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
		"169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.88.98.255",
		"192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0",
		"203.0.112.255", "203.0.114.0", "223.255.255.255",
		"2000::1", "2001:200::1", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "2600:1f14::1", "2a00:1450:4001:80b::200d",
		"3ffe:ffff::1", "3fff:1000::1",
	} {
		if refused(netip.MustParseAddr(text)) {
			t.Errorf("%s is not taken for public", text)
		}
	}
	for _, text := range []string{"fe80::1%eth0", "2a00::1%eth0", "::ffff:8.8.8.8"} {
		if !refused(netip.MustParseAddr(text)) {
			t.Errorf("%s is taken for public", text)
		}
	}
	for _, address := range []string{"", "8.8.8.8", "example.com:443", "8.8.8.8:https", "/var/run/docker.sock"} {
		if err := c.control("unix", address, nil); said(err) != errNotPublic {
			t.Errorf("%q: %v", address, err)
		}
	}
	for port, want := range map[string]bool{"443": true, "8443": true, "80": false, "9001": false, "0": false, "65535": false} {
		if err := c.control("tcp4", "8.8.8.8:"+port, nil); (err == nil) != want || err != nil && said(err) != errPort {
			t.Errorf("port %s: %v", port, err)
		}
	}
}

func lastOf(block netip.Prefix) netip.Addr {
	bytes := block.Addr().AsSlice()
	for n := block.Bits(); n < len(bytes)*8; n++ {
		bytes[n/8] |= 1 << (7 - n%8)
	}
	last, _ := netip.AddrFromSlice(bytes)
	return last
}

// What Check lets through is called as it was checked: in plain letters, on a port for receivers, and at no address that
// the check of connections refuses.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		"https://example.com:8443/x?y=1", "https://[2a00::1%25a]:443/", "https://１２７.1/", "https://b\u00fc.example。", "https://8.8.8.8:443#",
		"https://a@b.c:8443/\\", "https://xn--bcher-kva.example./%2e", "https://0x7f.1", "https://[::ffff:8.8.8.8]/",
	} {
		f.Add(seed)
	}
	c := client(Options{})
	f.Fuzz(func(t *testing.T, address string) {
		u, err := c.parse(address)
		if err != nil {
			if _, ok := errors.AsType[say.Message](err); !ok {
				t.Fatalf("%q: %v is not for users", address, err)
			}
			return
		}
		again, err := url.Parse(u.String())
		if err != nil || again.Host != u.Host || again.User != nil || again.Scheme != "https" {
			t.Fatalf("%q is called as %q: %v", address, u, err)
		}
		if same, err := c.parse(u.String()); len(u.String()) <= longest && (err != nil || same.Host != u.Host) {
			t.Errorf("%q is called as %q, which is %v: %v", address, u, same, err)
		}
		host, port := u.Hostname(), u.Port()
		if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-:") != "" || port != "" && port != "443" && port != "8443" {
			t.Errorf("%q is called as %q", address, u)
		}
		ip := net.ParseIP(host)
		if ip == nil {
			return
		}
		if err := c.control("tcp", net.JoinHostPort(host, "443"), nil); err != nil || ip.IsPrivate() || !ip.IsGlobalUnicast() {
			t.Errorf("%q: %s is let through: %v", address, ip, err)
		}
	})
}
