// Package issuertest gives tests an issuer of identities.
package issuertest

import (
	"context"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/issuer"
	"github.com/tenantry/tenantry/shared/app"
)

// us is how an issuer of the tests knows the platform.
func us() issuer.Client {
	return issuer.Client{
		ID: "tests.apps.tenantry.example", Secret: "the secret of the tests", RedirectURL: "https://app.tenantry.example/google",
	}
}

func config(i *issuer.Issuer) app.OIDC {
	c := us()
	return app.OIDC{Issuer: i.URL, ClientID: c.ID, ClientSecret: c.Secret, RedirectURL: c.RedirectURL}
}

// New starts an issuer with the clock of a test, which ends with the test, and returns how the
// platform is known to it.
func New(t testing.TB, now func() time.Time) app.OIDC {
	t.Helper()
	i, err := issuer.Open(t.Context(), us(), now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Close)
	return config(i)
}

// shared is the issuer of this test process.
var shared = sync.OnceValues(func() (*issuer.Issuer, error) { return issuer.Open(context.Background(), us(), time.Now) })

// Config is for tests that need an issuer to be there, and nobody to come back from it: they
// share one.
func Config(t testing.TB) app.OIDC {
	t.Helper()
	i, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return config(i)
}

// Approve chooses an identity at the issuer, and returns what the web client gets.
func Approve(t testing.TB, authURL, email string) (code, state string) {
	t.Helper()
	code, state, err := issuer.Approve(t.Context(), authURL, email)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(authURL)
	if err != nil || u.Query().Get("state") != state {
		t.Fatalf("sent with %s, and back with the state %s: %v", authURL, state, err)
	}
	return code, state
}
