package oidc

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// Each row is one lie of an issuer about itself.
func TestDiscovery(t *testing.T) {
	for name, c := range map[string]struct {
		tls  bool
		lie  func(l *liar)
		want string
	}{
		"the truth":          {true, func(*liar) {}, "fine"},
		"the truth, by http": {false, func(*liar) {}, "fine"},
		"another issuer":     {true, func(l *liar) { l.document["issuer"] = "https://accounts.google.com" }, "unavailable"},
		"a slash more":       {true, func(l *liar) { l.document["issuer"] = l.URL + "/" }, "unavailable"},
		"no issuer":          {true, func(l *liar) { delete(l.document, "issuer") }, "unavailable"},
		"tokens by http":     {true, func(l *liar) { l.document["token_endpoint"] = "http://login.example.com/token" }, "unavailable"},
		"keys by http":       {true, func(l *liar) { l.document["jwks_uri"] = "http://login.example.com/keys" }, "unavailable"},
		"people by http":     {true, func(l *liar) { l.document["authorization_endpoint"] = "http://login.example.com/" }, "unavailable"},
		"people by script":   {true, func(l *liar) { l.document["authorization_endpoint"] = "javascript:alert(1)//" }, "unavailable"},
		"tokens by file":     {true, func(l *liar) { l.document["token_endpoint"] = "file:///etc/passwd" }, "unavailable"},
		"no token endpoint":  {true, func(l *liar) { delete(l.document, "token_endpoint") }, "unavailable"},
		"no keys":            {true, func(l *liar) { delete(l.document, "jwks_uri") }, "unavailable"},
		"a user in an address": {true, func(l *liar) {
			l.document["token_endpoint"] = strings.Replace(l.URL, "https://", "https://a:b@", 1) + "/token"
		}, "unavailable"},
		"metadata of a cloud":  {true, func(l *liar) { l.document["token_endpoint"] = "https://169.254.169.254/latest" }, "unavailable"},
		"a private network":    {true, func(l *liar) { l.document["jwks_uri"] = "https://10.0.0.5/keys" }, "unavailable"},
		"this machine by name": {true, func(l *liar) { l.document["jwks_uri"] = "https://localhost/keys" }, "unavailable"},
		"a lookalike of it":    {true, func(l *liar) { l.document["jwks_uri"] = "https://[::ffff:127.0.0.1]/keys" }, "unavailable"},
		"endpoints elsewhere":  {true, func(l *liar) { l.document["authorization_endpoint"] = "https://login.example.com/" }, "fine"},
		"no JSON":              {true, func(l *liar) { l.before = says(200, "<html>") }, "unavailable"},
		"a list":               {true, func(l *liar) { l.before = says(200, "[]") }, "unavailable"},
		"not found":            {true, func(l *liar) { l.before = says(404, "{}") }, "unavailable"},
		"an error":             {true, func(l *liar) { l.before = says(500, strings.Repeat("x", 100_000)) }, "unavailable"},
		"huge": {true, func(l *liar) {
			l.before = says(200, `{"x":"`+strings.Repeat("x", maxAnswer)+`"}`)
		}, "unavailable"},
		"without an end": {true, func(l *liar) {
			l.before = func(w http.ResponseWriter, _ *http.Request) bool {
				for line := []byte(strings.Repeat(" ", 4096)); ; {
					if _, err := w.Write(line); err != nil {
						return true
					}
				}
			}
		}, "unavailable"},
		"it hangs up": {true, func(l *liar) {
			l.before = func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }
		}, "unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			l, i := newLiar(t, c.tls)
			c.lie(l)
			_, err := i.AuthURL(t.Context(), attempt)
			if got := outcome(err); got != c.want {
				t.Errorf("%s, want %s: %v", got, c.want, err)
			}
			if err != nil && len(err.Error()) > 400 {
				t.Errorf("the log gets %d letters", len(err.Error()))
			}
			if reached := i.Reach(t.Context()); outcome(reached) != c.want {
				t.Errorf("reached: %v", reached)
			}
		})
	}
}

func says(status int, body string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
		return true
	}
}

// An issuer that offers HTTP/2 is spoken to in HTTP/1.1, which is all that functions are compiled with.
func TestProtocol(t *testing.T) {
	l, i := newLiar(t, true)
	if _, err := i.Identify(t.Context(), "a code", attempt); err != nil {
		t.Fatal(err)
	}
	if l.calls["HTTP/1.1"] != 3 || l.calls["HTTP/2.0"] != 0 {
		t.Errorf("%v", l.calls)
	}
}

// A redirect is not followed, wherever it leads and whatever sent it.
func TestRedirects(t *testing.T) {
	for _, path := range []string{"/.well-known/openid-configuration", "/token", "/keys"} {
		l, i := newLiar(t, false)
		followed := false
		elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed = true }))
		defer elsewhere.Close()
		l.before = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == path {
				http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
			}
			return r.URL.Path == path
		}
		if _, err := i.Identify(t.Context(), "a code", attempt); outcome(err) != "unavailable" || followed {
			t.Errorf("%s: %v, followed: %t", path, err, followed)
		}
	}
}

// An issuer that takes the connection and says nothing is given up.
func TestASlowIssuer(t *testing.T) {
	for _, path := range []string{"/.well-known/openid-configuration", "/token", "/keys"} {
		l, i := newLiar(t, false)
		i.client.Timeout = 50 * time.Millisecond // instead of patience
		over := make(chan struct{})
		l.before = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == path {
				<-over
			}
			return r.URL.Path == path
		}
		if _, err := i.Identify(t.Context(), "a code", attempt); outcome(err) != "unavailable" {
			t.Errorf("%s: %v", path, err)
		}
		close(over)
	}
}

// A name is no way to a private address, even if the configuration has the name.
func TestPrivateAddresses(t *testing.T) {
	l, _ := newLiar(t, false)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(l.URL, "http://"))
	dial := func(issuer, address string) error {
		c, err := newClient(issuer).Transport.(bounded).next.(*http.Transport).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err
	}
	here := "127.0.0.1:" + port
	if err := dial(l.URL, here); err != nil {
		t.Errorf("the configured address: %v", err)
	}
	for issuer, address := range map[string]string{
		"https://accounts.google.com": here,
		"https://127.0.0.2":           here,
		"https://10.0.0.1":            here,
		"https://login.example.com":   "localhost:" + port, // as if it resolved to it
		"http://127.0.0.1:" + port:    "localhost:" + port,
	} {
		if err := dial(issuer, address); err == nil || !strings.Contains(err.Error(), "not a public address") {
			t.Errorf("%s reaches %s: %v", issuer, address, err)
		}
	}
	if err := dial("http://localhost:"+port, "localhost:"+port); err != nil && strings.Contains(err.Error(), "public") {
		t.Errorf("the configured name: %v", err)
	}
	if p := newClient(l.URL).Transport.(bounded).next.(*http.Transport).Proxy; p != nil {
		t.Error("a proxy would dial for us, unchecked")
	}
}

func TestPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"8.8.8.8": true, "142.250.1.84": true, "2a00:1450:4001:80b::200d": true, "::ffff:8.8.8.8": true,
		"100.63.255.255": true, "172.32.0.1": true,

		"127.0.0.1": false, "127.9.9.9": false, "10.0.0.1": false, "172.16.0.1": false, "172.31.255.255": false, "192.168.1.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "100.127.255.255": false, "0.0.0.0": false, "0.1.2.3": false, "192.0.0.170": false,
		"192.0.2.1": false, "198.18.0.1": false, "198.51.100.1": false, "203.0.113.1": false, "224.0.0.1": false, "240.0.0.1": false,
		"255.255.255.255": false, "::": false, "::1": false, "::127.0.0.1": false, "::ffff:127.0.0.1": false,
		"::ffff:10.0.0.1": false, "fe80::1": false,
		"fe80::1%eth0": false, "fc00::1": false, "fd00:ec2::254": false, "fec0::1": false, "ff02::1": false, "64:ff9b::7f00:1": false,
		"2002:7f00:1::": false, "2001:db8::1": false, "2001::1": false,
	} {
		if got := public(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %t, want %t", address, got, want)
		}
	}
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST.": true, "a.localhost": true, "127.0.0.1": true, "accounts.google.com": false,
		"8.8.8.8": false, "localhost.example": false,
	} {
		if got := here(host); got != want {
			t.Errorf("%s: %t, want %t", host, got, want)
		}
	}
	if err := publicOnly("tcp", "no address", nil); err == nil {
		t.Error("what is no address is dialed")
	}
}
