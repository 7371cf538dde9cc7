package oidc

import (
	"context"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"

	"github.com/tenantry/tenantry/shared/fault"
)

// outcome names an error by what a caller is told.
func outcome(err error) string {
	f, ok := fault.As(err)
	switch {
	case err == nil:
		return "fine"
	case ok && f.Fields["code"] != nil:
		return "code"
	case ok && f.Members["code"] == ErrUnverified.Members["code"]:
		return "unverified"
	case ok && f.Code == fault.Unavailable && f.RetryAfter > 0:
		return "unavailable"
	}
	return "an error of ours: " + err.Error()
}

func TestTheWayThere(t *testing.T) {
	l, i := newLiar(t, true)
	to, err := i.AuthURL(t.Context(), attempt)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(to)
	if err != nil || !strings.HasPrefix(to, l.URL+"/authorize?") {
		t.Fatalf("%s, %v", to, err)
	}
	want := url.Values{
		"client_id": {"us"}, "redirect_uri": {"https://app.example.com/google"}, "response_type": {"code"}, "scope": {"openid email"},
		"state": {attempt.State}, "nonce": {attempt.Nonce}, "prompt": {"select_account"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(attempt.Verifier)}, "code_challenge_method": {"S256"},
	}
	if u.Query().Encode() != want.Encode() {
		t.Errorf("%s, want %s", u.Query().Encode(), want.Encode())
	}
	if strings.Contains(to, attempt.Verifier) || strings.Contains(to, "secret") {
		t.Errorf("it gives a secret away: %s", to)
	}
}

func TestWhoCameBack(t *testing.T) {
	l, i := newLiar(t, true)
	who, err := i.Identify(t.Context(), "a code", attempt)
	if want := (Identity{"110169484474386276334", "ann@gmail.example"}); err != nil || who != want {
		t.Fatalf("%+v, %v", who, err)
	}
	form := url.Values(l.forms[0])
	want := url.Values{
		"grant_type": {"authorization_code"}, "code": {"a code"}, "redirect_uri": {"https://app.example.com/google"},
		"code_verifier": {attempt.Verifier}, "client_id": {"us"}, "client_secret": {"a secret & more"},
	}
	if form.Encode() != want.Encode() {
		t.Errorf("%s, want %s", form.Encode(), want.Encode())
	}
	if _, err := i.Identify(t.Context(), "a code", attempt); err != nil {
		t.Fatal(err)
	}
	for path, calls := range map[string]int{"/.well-known/openid-configuration": 1, "/keys": 1, "/token": 2} {
		if got := l.called(path); got != calls {
			t.Errorf("%s was called %d times, want %d", path, got, calls)
		}
	}
	i.now = func() time.Time { return noon.Add(remembered) }
	if _, err := i.AuthURL(t.Context(), attempt); err != nil || l.called("/.well-known/openid-configuration") != 2 {
		t.Errorf("after an hour it is not asked again: %v", err)
	}
}

// An issuer that takes a secret in the header only gets it there, and no code is sent twice.
func TestASecretInTheHeader(t *testing.T) {
	for _, methods := range []any{[]string{"client_secret_basic"}, nil} {
		l, i := newLiar(t, false)
		l.document["token_endpoint_auth_methods_supported"] = methods
		l.before = func(_ http.ResponseWriter, r *http.Request) bool {
			if id, secret, _ := r.BasicAuth(); r.URL.Path == "/token" && (id != "us" || secret != url.QueryEscape("a secret & more")) {
				t.Errorf("%s: %q", id, secret)
			}
			return false
		}
		_, err := i.Identify(t.Context(), "a code", attempt)
		if form := url.Values(l.forms[0]); err != nil || len(l.forms) != 1 || form.Has("client_secret") {
			t.Errorf("%v: %v, %v", methods, err, l.forms)
		}

		l, i = newLiar(t, false)
		l.document["token_endpoint_auth_methods_supported"] = methods
		l.status, l.answer = 401, map[string]any{"error": "invalid_client"}
		if _, err := i.Identify(t.Context(), "a code", attempt); outcome(err) != "unavailable" || len(l.forms) != 1 {
			t.Errorf("%v: a code that was refused was sent %d times: %v", methods, len(l.forms), err)
		}
	}
}

// Each row is one lie in an ID token.
func TestIDTokens(t *testing.T) {
	const hour = 3600
	type claims = map[string]any
	set := func(name string, value any) func(*testing.T, *liar) {
		return func(_ *testing.T, l *liar) { l.claims[name] = value }
	}
	drop := func(name string) func(*testing.T, *liar) {
		return func(_ *testing.T, l *liar) { delete(l.claims, name) }
	}
	for name, c := range map[string]struct {
		lie  func(*testing.T, *liar)
		want string
	}{
		"the truth": {func(*testing.T, *liar) {}, "fine"},
		"ES256": {func(t *testing.T, l *liar) {
			key := ecKey(t, elliptic.P256())
			l.alg, l.signer, l.keys = jose.ES256, key, []any{jwk(&key.PublicKey, "1")}
		}, "fine"},
		"no kid, one key": {func(_ *testing.T, l *liar) { l.kid = "" }, "fine"},
		"no kid, the second key": {func(_ *testing.T, l *liar) {
			l.kid, l.keys = "", []any{jwk(&rsaKeys()[1].PublicKey, "2"), jwk(&rsaKeys()[0].PublicKey, "1")}
		}, "fine"},
		"keys of other kinds beside": {func(_ *testing.T, l *liar) {
			l.keys = append(l.keys, claims{"kty": "OKP", "crv": "X448", "x": "AA"}, claims{"kty": "oct", "k": "AAAA", "kid": "1"},
				claims{"kty": "none"}, "no key", nil)
		}, "fine"},

		"alg none":            {signed(claims{"alg": "none"}, func(string) []byte { return nil }), "unavailable"},
		"alg None":            {signed(claims{"alg": "None"}, func(string) []byte { return nil }), "unavailable"},
		"no alg":              {signed(claims{"kid": "1"}, signRSA(rsaKeys()[0])), "unavailable"},
		"HS256, our secret":   {signed(claims{"alg": "HS256"}, mac([]byte("a secret & more"))), "unavailable"},
		"HS256, a public key": {signed(claims{"alg": "HS256", "kid": "1"}, mac(publicPEM())), "unavailable"},
		"RS512, its own key":  {func(_ *testing.T, l *liar) { l.alg = jose.RS512 }, "unavailable"},
		"PS256, its own key":  {func(_ *testing.T, l *liar) { l.alg = jose.PS256 }, "unavailable"},
		"another key":         {func(_ *testing.T, l *liar) { l.signer = rsaKeys()[1] }, "unavailable"},
		"another key, no kid": {func(_ *testing.T, l *liar) { l.signer, l.kid = rsaKeys()[1], "" }, "unavailable"},
		"an unknown kid":      {func(_ *testing.T, l *liar) { l.kid = "2" }, "unavailable"},
		"a key in the header": {
			signed(claims{"alg": "RS256", "jwk": jwk(&rsaKeys()[1].PublicKey, "1")}, signRSA(rsaKeys()[1])), "unavailable",
		},
		"a critical extension": {
			signed(claims{"alg": "RS256", "kid": "1", "crit": []string{"b64"}, "b64": false}, signRSA(rsaKeys()[0])), "unavailable",
		},
		"a key to encrypt": {func(_ *testing.T, l *liar) {
			key := jwk(&rsaKeys()[0].PublicKey, "1")
			key.Use = "enc"
			l.keys = []any{key}
		}, "unavailable"},
		"a key of another alg": {func(_ *testing.T, l *liar) {
			key := jwk(&rsaKeys()[0].PublicKey, "1")
			key.Algorithm = "RS512"
			l.keys = []any{key}
		}, "unavailable"},
		"a short key": {func(t *testing.T, l *liar) {
			t.Setenv("GODEBUG", "rsa1024min=0")
			key, err := rsa.GenerateKey(rand.Reader, 1024)
			if err != nil {
				t.Fatal(err)
			}
			l.signer, l.keys = key, []any{jwk(&key.PublicKey, "1")}
		}, "unavailable"},
		"ES256 of P-384": {func(t *testing.T, l *liar) {
			key := ecKey(t, elliptic.P384())
			l.alg, l.signer, l.keys = jose.ES384, key, []any{jwk(&key.PublicKey, "1")}
		}, "unavailable"},

		"another issuer":        {set("iss", "https://accounts.google.com"), "unavailable"},
		"the issuer's prefix":   {func(_ *testing.T, l *liar) { l.claims["iss"] = l.URL + "/" }, "unavailable"},
		"no issuer":             {drop("iss"), "unavailable"},
		"another audience":      {set("aud", "them"), "unavailable"},
		"no audience":           {drop("aud"), "unavailable"},
		"an empty audience":     {set("aud", []string{}), "unavailable"},
		"us as a prefix":        {set("aud", "us.example"), "unavailable"},
		"a list of us":          {set("aud", []string{"us"}), "fine"},
		"two audiences, no azp": {set("aud", []string{"us", "them"}), "unavailable"},
		"two audiences, azp us": {func(_ *testing.T, l *liar) { l.claims["aud"], l.claims["azp"] = []string{"us", "them"}, "us" }, "fine"},
		"two audiences, azp them": {func(_ *testing.T, l *liar) {
			l.claims["aud"], l.claims["azp"] = []string{"us", "them"}, "them"
		}, "unavailable"},
		"azp us":       {set("azp", "us"), "fine"},
		"azp them":     {set("azp", "them"), "unavailable"},
		"azp a number": {set("azp", 5), "unavailable"},

		"expired an hour ago":        {set("exp", noon.Unix()-hour), "unavailable"},
		"expired 61 seconds ago":     {set("exp", noon.Unix()-61), "unavailable"},
		"expired 59 seconds ago":     {set("exp", noon.Unix()-59), "fine"},
		"no expiry":                  {drop("exp"), "unavailable"},
		"an expiry that is a text":   {set("exp", "tomorrow"), "unavailable"},
		"issued in 59 seconds":       {set("iat", noon.Unix()+59), "fine"},
		"issued in 61 seconds":       {set("iat", noon.Unix()+61), "unavailable"},
		"no time of issue":           {drop("iat"), "unavailable"},
		"not before an hour":         {set("nbf", noon.Unix()+hour), "unavailable"},
		"another nonce":              {set("nonce", "another nonce"), "code"},
		"no nonce":                   {drop("nonce"), "code"},
		"an empty nonce":             {set("nonce", ""), "code"},
		"no subject":                 {drop("sub"), "unavailable"},
		"an empty subject":           {set("sub", ""), "unavailable"},
		"a subject of 255 letters":   {set("sub", strings.Repeat("1", 255)), "fine"},
		"a subject of 256 letters":   {set("sub", strings.Repeat("1", 256)), "unavailable"},
		"a subject that is a number": {set("sub", 5), "unavailable"},

		"not verified":              {set("email_verified", false), "unverified"},
		"verified, as a text":       {set("email_verified", "true"), "fine"},
		"not verified, as a text":   {set("email_verified", "false"), "unverified"},
		"verified, as a number":     {set("email_verified", 1), "unverified"},
		"nothing about verified":    {drop("email_verified"), "unverified"},
		"no address":                {drop("email"), "unverified"},
		"an empty address":          {set("email", ""), "unverified"},
		"an address with a name":    {set("email", "Ann <ann@gmail.example>"), "unverified"},
		"an address with a line":    {set("email", "ann@gmail.example\r\nBcc: all@gmail.example"), "unverified"},
		"an address of 255 letters": {set("email", strings.Repeat("a", 241)+"@gmail.example"), "unverified"},
		"an address that is a list": {set("email", []string{"ann@gmail.example"}), "unavailable"},

		"no token":  {func(_ *testing.T, l *liar) { l.answer["id_token"] = 5 }, "unavailable"},
		"no JWT":    {func(_ *testing.T, l *liar) { l.raw = "a.b.c" }, "unavailable"},
		"two parts": {func(_ *testing.T, l *liar) { l.raw = "a.b" }, "unavailable"},
		"a JWE":     {func(_ *testing.T, l *liar) { l.raw = "a.b.c.d.e" }, "unavailable"},
		"claims a list": {func(t *testing.T, l *liar) {
			l.raw = unsigned(t, claims{"alg": "RS256", "kid": "1"}, nil, signRSA(rsaKeys()[0]))
		}, "unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			l, i := newLiar(t, false)
			c.lie(t, l)
			who, err := i.Identify(t.Context(), "a code", attempt)
			if got := outcome(err); got != c.want {
				t.Errorf("%s, want %s: %+v, %v", got, c.want, who, err)
			}
			if err != nil && who != (Identity{}) {
				t.Errorf("it is said to be %+v", who)
			}
		})
	}
}

// signed makes the ID token of its true claims, with a header and a signature of its own.
func signed(header map[string]any, signature func(string) []byte) func(*testing.T, *liar) {
	return func(t *testing.T, l *liar) { l.raw = unsigned(t, header, l.claims, signature) }
}

func mac(key []byte) func(string) []byte {
	return func(text string) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(text))
		return h.Sum(nil)
	}
}

func publicPEM() []byte {
	der, _ := x509.MarshalPKIXPublicKey(&rsaKeys()[0].PublicKey)
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// Each row is what an issuer may answer to an exchange instead.
func TestExchanges(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		answer map[string]any
		want   string
	}{
		"a bad code":           {400, map[string]any{"error": "invalid_grant", "error_description": "Bad Request"}, "code"},
		"a bad code, 401":      {401, map[string]any{"error": "invalid_grant"}, "code"},
		"a bad client":         {401, map[string]any{"error": "invalid_client"}, "unavailable"},
		"a bad request":        {400, map[string]any{"error": "redirect_uri_mismatch"}, "unavailable"},
		"an error without one": {500, map[string]any{"access_token": "very secret"}, "unavailable"},
		"a redirect":           {302, map[string]any{}, "unavailable"},
		"no access token":      {200, map[string]any{"access_token": ""}, "unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			l, i := newLiar(t, false)
			l.status, l.answer = c.status, c.answer
			_, err := i.Identify(t.Context(), "a code", attempt)
			if got := outcome(err); got != c.want {
				t.Errorf("%s, want %s: %v", got, c.want, err)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the log gets a secret: %v", err)
			}
			if l.called("/token") != 1 {
				t.Errorf("the code was sent %d times", l.called("/token"))
			}
		})
	}
}

// An issuer that changes its keys is read again, at most once a minute.
func TestKeysChange(t *testing.T) {
	l, i := newLiar(t, false)
	identify := func(want string, reads int) {
		t.Helper()
		_, err := i.Identify(t.Context(), "a code", attempt)
		if got := outcome(err); got != want || l.called("/keys") != reads {
			t.Errorf("%s, want %s, after %d reads, want %d: %v", got, want, l.called("/keys"), reads, err)
		}
	}
	identify("fine", 1)
	l.signer, l.kid = rsaKeys()[1], "2"
	identify("unavailable", 1) // read a moment ago
	i.now = func() time.Time { return noon.Add(keysPause) }
	identify("unavailable", 2) // not there yet
	l.keys = append(l.keys, jwk(&rsaKeys()[1].PublicKey, "2"))
	identify("unavailable", 2)
	i.now = func() time.Time { return noon.Add(2 * keysPause) }
	identify("fine", 3)
	l.signer, l.kid = rsaKeys()[0], "1"
	identify("fine", 3)
}

// Keys that could not be read are read again at once.
func TestKeysThatFail(t *testing.T) {
	l, i := newLiar(t, false)
	for name, answer := range map[string]string{
		"no JSON": "<html>", "no keys": `{}`, "a list": `[]`, "none that fits": `{"keys":[{"kty":"oct","k":"AAAA","kid":"1"}]}`,
	} {
		l.before = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/keys" {
				_, _ = w.Write([]byte(answer))
			}
			return r.URL.Path == "/keys"
		}
		if _, err := i.Identify(t.Context(), "a code", attempt); outcome(err) != "unavailable" {
			t.Errorf("%s: %v", name, err)
		}
	}
	l.before = nil
	if _, err := i.Identify(t.Context(), "a code", attempt); err != nil {
		t.Error(err)
	}
}

func TestACanceledRequest(t *testing.T) {
	_, i := newLiar(t, false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := i.Identify(ctx, "a code", attempt); outcome(err) != "unavailable" {
		t.Error(err)
	}
}
