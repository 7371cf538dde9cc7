package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"

	"github.com/tenantry/tenantry/infra/local/issuer"
)

const (
	google   = "/v1/auth/google/"
	identity = "smoke@gmail.example"
)

// google checks where an identity is linked, if the stage has an issuer of identities. If that one is on this machine, the
// walk goes there and comes back: it links an identity, signs in with it, and unlinks it.
func (w *walk) google(ctx context.Context) {
	a := w.step(ctx, "where an identity is linked", get(google+"auth-url/"), status(200, 404))
	if a == nil || a.StatusCode == http.StatusNotFound {
		return
	}
	to, err := url.Parse(a.Header.Get("Location"))
	if err != nil || len(a.body) > 0 || to.Query().Get("state") == "" || to.Query().Get("code_challenge_method") != "S256" {
		w.fail("where an identity is linked", fmt.Errorf("sent to %q with the body %q", to, a.body))
		return
	}
	w.step(ctx, "an unknown state", post(google+"callback/", `{"code":"x","state":"x"}`), status(400), has("state"))
	if address, err := netip.ParseAddr(to.Hostname()); err != nil || !address.IsLoopback() {
		return // people have to sign in there
	}
	back, ok := w.back(ctx, to.String())
	if !ok {
		return
	}
	linked := w.step(ctx, "an identity is linked", post(google+"callback/", body(back)), status(200, 400))
	if linked.text("code") == "identity_linked" {
		return // by a person, who keeps it
	}
	if linked.text("email") != identity {
		w.fail("an identity is linked", fmt.Errorf("it says %s", linked))
		return
	}
	w.loginWith(ctx)
	w.step(ctx, "the identity is unlinked", request{method: "DELETE", path: google + "callback/"}, status(204), empty)
}

// loginWith signs in with the identity, and out again.
func (w *walk) loginWith(ctx context.Context) {
	verifier := rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(verifier))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	begun := w.step(ctx, "where to sign in with it", post(google+"login/init/", body(map[string]string{"code_challenge": challenge})),
		status(200), has("url"))
	back, ok := w.back(ctx, begun.text("url"))
	if !ok {
		return
	}
	back["code_verifier"] = verifier
	tokens := w.step(ctx, "sign-in with it", post(google+"login/", body(back)), status(200), has("access", "refresh"))
	if tokens == nil {
		return
	}
	w.step(ctx, "its state is spent", post(google+"login/", body(back)), status(400), has("state"))
	w.step(ctx, "whose profile it is", get("/v1/auth/profile/").with("Authorization", "Bearer "+tokens.text("access")),
		status(200), has("email"))
	w.step(ctx, "and out again", post("/v1/auth/logout/", body(map[string]string{"refresh": tokens.text("refresh")})), status(200))
}

// back is what the issuer on this machine sends back.
func (w *walk) back(ctx context.Context, address string) (map[string]string, bool) {
	code, state, err := issuer.Approve(ctx, address, identity)
	if err != nil {
		return nil, w.fail("the issuer of identities", err)
	}
	return map[string]string{"code": code, "state": state}, true
}

func body(fields map[string]string) string {
	encoded, _ := json.Marshal(fields) // texts: it can't fail
	return string(encoded)
}
