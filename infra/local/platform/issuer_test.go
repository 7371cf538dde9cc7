package platform

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/console"
	"github.com/tenantry/tenantry/infra/local/issuer"
)

// The whole way, as a browser walks it: to the issuer, back to the page of the console, and to the API.
func TestSigningInWithAnIdentity(t *testing.T) {
	p := start(t, withDemo(t))
	c := session(t, p)
	sent, _ := get(t, c, "/v1/auth/google/auth-url/")
	to, err := url.Parse(sent.Header.Get("Location"))
	if err != nil || sent.StatusCode != http.StatusOK || !strings.HasPrefix(to.String(), p.Issuer.URL+"/authorize?") {
		t.Fatalf("%s, sent to %q: %v", sent.Status, to, err)
	}
	back := to.Query().Get("redirect_uri")
	page, body := get(t, &client{}, back+"?code=c&state=s")
	if page.StatusCode != http.StatusOK || !strings.Contains(body, `data-home="`+p.URL+`"`) {
		t.Fatalf("%s: %s %s", back, page.Status, body)
	}
	code, state, err := issuer.Approve(t.Context(), to.String(), "ann@gmail.example")
	if err != nil {
		t.Fatal(err)
	}
	var linked struct{ Email string }
	returned := map[string]string{"code": code, "state": state}
	err = c.must(t.Context(), http.MethodPost, "/v1/auth/google/callback/", returned, &linked)
	if err != nil || linked.Email != "ann@gmail.example" {
		t.Fatalf("%+v, %v", linked, err)
	}
}

// neighbours listens on two ports of which one is the next after the other, as the issuer's is after the platform's.
func neighbours(t *testing.T) (first, next net.Listener) {
	t.Helper()
	listen := func(address string) (net.Listener, error) {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
		if err == nil {
			t.Cleanup(func() { _ = l.Close() })
		}
		return l, err
	}
	for range 100 { // somebody may have the port after a free one
		first, err := listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if next, err = listen(loopback(port(first) + 1)); err == nil {
			return first, next
		}
	}
	t.Fatal("no two ports beside each other are free")
	return nil, nil
}

func TestThePortOfTheIssuer(t *testing.T) {
	platform, next := neighbours(t)
	c := issuerClient(platform)
	if want := "http://" + platform.Addr().String() + console.Returns; c.RedirectURL != want {
		t.Errorf("it sends back to %s, want %s", c.RedirectURL, want)
	}
	if other := issuerClient(platform); other.Secret == c.Secret {
		t.Error("two starts have one secret")
	}
	i, err := startIssuer(t.Context(), platform, c)
	if err != nil {
		t.Fatal(err)
	}
	if i.URL == "http://"+next.Addr().String() {
		t.Errorf("%s is taken", i.URL)
	}
	i.Close()
	_ = next.Close()
	if i, err = startIssuer(t.Context(), platform, c); err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	if i.URL != "http://"+next.Addr().String() {
		t.Errorf("it is %s, and %s was free", i.URL, next.Addr())
	}
}
