package oidc

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

var (
	noon    = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	attempt = Attempt{State: "a state", Nonce: "a nonce", Verifier: "a verifier that is long enough to be one, 43 letters"}
)

// rsaKeys makes two keys once: it takes a while.
var rsaKeys = sync.OnceValue(func() (keys [2]*rsa.PrivateKey) {
	for n := range keys {
		keys[n], _ = rsa.GenerateKey(rand.Reader, 2048)
	}
	return keys
})

// liar is an issuer that says what a test wants it to say.
type liar struct {
	*httptest.Server
	t *testing.T

	// What it says, and who signs it how.
	document map[string]any
	claims   map[string]any
	answer   map[string]any // of the token endpoint, beside the ID token
	status   int            // of the token endpoint
	alg      jose.SignatureAlgorithm
	signer   any
	kid      string
	keys     []any
	raw      string // sent as the ID token instead of a signed one; empty: a signed one is sent
	// before is called before each answer. If it returns true, it has answered.
	before func(w http.ResponseWriter, r *http.Request) bool

	mu    sync.Mutex
	calls map[string]int        // by path, and by protocol
	forms []map[string][]string // that were sent to the token endpoint
}

// newLiar starts an issuer that tells the truth until a test changes that, and us.
func newLiar(t *testing.T, tls bool) (*liar, *Issuer) {
	t.Helper()
	l := &liar{t: t, status: http.StatusOK, alg: jose.RS256, kid: "1", calls: map[string]int{}, answer: map[string]any{
		"access_token": "opaque", "token_type": "Bearer",
	}}
	l.signer = rsaKeys()[0]
	l.keys = []any{jwk(&rsaKeys()[0].PublicKey, "1")}
	if tls {
		l.Server = httptest.NewUnstartedServer(l)
		l.EnableHTTP2 = true // beside HTTP/1.1, as issuers do
		l.StartTLS()
	} else {
		l.Server = httptest.NewServer(l)
	}
	t.Cleanup(l.Close)
	l.document = map[string]any{
		"issuer": l.URL, "jwks_uri": l.URL + "/keys",
		"authorization_endpoint": l.URL + "/authorize", "token_endpoint": l.URL + "/token",
		"token_endpoint_auth_methods_supported": []string{"client_secret_post", "client_secret_basic"},
		"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
	}
	l.claims = map[string]any{
		"iss": l.URL, "aud": "us", "sub": "110169484474386276334", "nonce": attempt.Nonce,
		"email": "ann@gmail.example", "email_verified": true,
		"iat": noon.Unix(), "exp": noon.Add(time.Hour).Unix(),
	}
	i := New(Config{l.URL, "us", "a secret & more", "https://app.example.com/google"}, func() time.Time { return noon })
	if tls {
		transport(i).TLSClientConfig = l.Client().Transport.(*http.Transport).TLSClientConfig
	}
	return l, i
}

func transport(i *Issuer) *http.Transport { return i.client.Transport.(bounded).next.(*http.Transport) }

func (l *liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.calls[r.URL.Path]++
	l.calls[r.Proto]++
	l.mu.Unlock()
	if l.before != nil && l.before(w, r) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		_ = json.NewEncoder(w).Encode(l.document)
	case "/keys":
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": l.keys})
	case "/token":
		_ = r.ParseForm()
		l.mu.Lock()
		l.forms = append(l.forms, r.PostForm)
		l.mu.Unlock()
		body := maps.Clone(l.answer)
		if body["id_token"] == nil && l.status == http.StatusOK {
			body["id_token"] = l.token()
		}
		w.WriteHeader(l.status)
		_ = json.NewEncoder(w).Encode(body)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// token is the ID token, signed as the test wants it.
func (l *liar) token() string {
	if l.raw != "" {
		return l.raw
	}
	options := new(jose.SignerOptions).WithType("JWT")
	if l.kid != "" {
		options = options.WithHeader("kid", l.kid)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: l.alg, Key: l.signer}, options)
	if err != nil {
		l.t.Error(err)
		return ""
	}
	payload, err := json.Marshal(l.claims)
	if err != nil {
		l.t.Error(err)
		return ""
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		l.t.Error(err)
		return ""
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		l.t.Error(err)
	}
	return token
}

func (l *liar) called(path string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls[path]
}

func jwk(public crypto.PublicKey, id string) jose.JSONWebKey {
	return jose.JSONWebKey{Key: public, KeyID: id, Use: "sig"}
}

func ecKey(t *testing.T, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// unsigned is a token with the header and claims of a test, and a signature of its choice.
func unsigned(t *testing.T, header, claims map[string]any, signature func(text string) []byte) string {
	t.Helper()
	encode := func(v any) string {
		content, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(content)
	}
	text := encode(header) + "." + encode(claims)
	return text + "." + base64.RawURLEncoding.EncodeToString(signature(text))
}

func signRSA(key *rsa.PrivateKey) func(string) []byte {
	return func(text string) []byte {
		sum := sha256.Sum256([]byte(text))
		signature, _ := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
		return signature
	}
}
