package public

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/tenantry/tenantry/shared/say"
)

// names is a DNS server of this machine. A name has addresses that change: each row is an answer, and the last one stays.
type names struct {
	mu      sync.Mutex
	answers map[string][][]string
	asked   map[string]int // by name and type
}

// resolver starts the server.
func (n *names) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		for buffer := make([]byte, 4096); ; {
			size, from, err := server.ReadFrom(buffer)
			if err != nil {
				return
			}
			if answer := n.answer(buffer[:size]); answer != nil {
				server.WriteTo(answer, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func (n *names) answer(query []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	q := m.Questions[0]
	n.mu.Lock()
	defer n.mu.Unlock()
	rows, known := n.answers[strings.TrimSuffix(q.Name.String(), ".")]
	if !known {
		m.RCode = dnsmessage.RCodeNameError
	} else {
		key := q.Name.String() + q.Type.String()
		row := rows[min(n.asked[key], len(rows)-1)]
		n.asked[key]++
		for _, text := range row {
			var body dnsmessage.ResourceBody
			ip := netip.MustParseAddr(text)
			switch {
			case ip.Is4() && q.Type == dnsmessage.TypeA:
				body = &dnsmessage.AResource{A: ip.As4()}
			case !ip.Is4() && q.Type == dnsmessage.TypeAAAA:
				body = &dnsmessage.AAAAResource{AAAA: ip.As16()}
			default:
				continue
			}
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: body,
			})
		}
	}
	answer, _ := m.Pack()
	return answer
}

// A name is public while it is looked at, and leads to us when it is called.
func TestNamesThatChange(t *testing.T) {
	public4, public6 := "93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"
	for title, later := range map[string][]string{
		"this machine":               {"127.0.0.1"},
		"this machine, IPv6":         {"::1"},
		"this machine, both":         {"127.0.0.1", "::1"},
		"this machine, any":          {"0.0.0.0", "::"},
		"this machine, mapped":       {"::ffff:127.0.0.1"},
		"metadata":                   {"169.254.169.254"},
		"metadata, IPv6":             {"fd00:ec2::254"},
		"metadata, both":             {"169.254.169.254", "fd00:ec2::254"},
		"metadata, NAT64":            {"64:ff9b::a9fe:a9fe"},
		"metadata, mapped":           {"::ffff:169.254.169.254"},
		"metadata, 6to4":             {"2002:a9fe:a9fe::"},
		"credentials of a container": {"169.254.170.2"},
		"a private network":          {"10.0.0.5", "172.16.0.1", "192.168.0.1", "100.64.0.1", "fc00::1", "fe80::1"},
		"each in turn":               {"127.0.0.1", "127.0.0.2", "169.254.169.254", "10.0.0.1", "::1", "fd00:ec2::254", "fec0::1"},
	} {
		t.Run(title, func(t *testing.T) {
			zone := names{asked: map[string]int{}, answers: map[string][][]string{"receiver.example": {{public4, public6}, later}}}
			c := client(Options{})
			c.dialer.Resolver = zone.resolver(t)
			const address = "https://receiver.example:8443/hooks"
			if err := c.Check(address); err != nil {
				t.Fatal(err)
			}
			first, err := c.dialer.Resolver.LookupNetIP(t.Context(), "ip", "receiver.example.")
			if err != nil || len(first) != 2 || !global(first[0]) || !global(first[1]) {
				t.Fatalf("whoever looks first sees %v, %v", first, err)
			}
			if answer, err := c.Post(t.Context(), address, nil, nil); said(err) != errNotPublic || answer.Status != 0 {
				t.Errorf("%+v, %v", answer, err)
			}
			zone.mu.Lock()
			defer zone.mu.Unlock()
			if zone.asked["receiver.example.TypeA"] != 2 || zone.asked["receiver.example.TypeAAAA"] != 2 {
				t.Errorf("asked %v", zone.asked)
			}
		})
	}
}

// The same name and port are reached by a client that may reach this machine, so it is the check that keeps others away; and each
// address is checked, not the first one alone.
func TestNamesOfThisMachine(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	zone := names{asked: map[string]int{}, answers: map[string][][]string{
		"receiver.example": {{"127.0.0.1"}},
		"many.example":     {{"169.254.169.254", "10.0.0.1", "127.0.0.1"}},
		"nothing.example":  {{}},
	}}
	resolver := zone.resolver(t)
	dial := func(loopback bool, name string) error {
		c := client(Options{Loopback: loopback})
		c.dialer.Resolver = resolver
		conn, err := c.dial(t.Context(), "tcp", net.JoinHostPort(name, server.port))
		if err == nil {
			conn.Close()
			return nil
		}
		return reason(err)
	}
	for _, row := range []struct {
		name         string
		local, other say.Message
	}{
		{"receiver.example", "", errNotPublic},
		{"many.example", "", errNotPublic},
		{"nothing.example", errName, errName},
		{"unknown.example", errName, errName},
		{"127.0.0.1", "", errNotPublic},
	} {
		if err := dial(true, row.name); said(err) != row.local {
			t.Errorf("%s, locally: %v", row.name, err)
		}
		if err := dial(false, row.name); said(err) != row.other {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

// A resolver that fails is no name that isn't there; none of its addresses are told.
func TestLookupFails(t *testing.T) {
	c := client(Options{})
	c.dialer.Resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, net.UnknownNetworkError("10.9.8.7")
	}}
	if _, err := c.Post(t.Context(), "https://receiver.example/", nil, nil); said(err) != errLookup {
		t.Error(err)
	}
}
