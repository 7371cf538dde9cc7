// Package issuer is a small OpenID Connect issuer, with which the whole way of signing in with
// an identity of another party can be walked on one machine, by a browser or by a test.
//
// It does what the protocol asks of an issuer, strictly: exact redirect addresses, PKCE with
// S256, a client that authenticates, codes that work once. But it believes everybody: who comes
// chooses the e-mail address whose identity to be. It keeps nothing, and its key is made anew
// each time.
//
// What never goes in here: lies. Tests that need an issuer that lies make their own.
package issuer

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"math/big"
	"net"
	"net/http"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Client is the relying party that the issuer knows.
type Client struct{ ID, Secret, RedirectURL string }

// Issuer is a running issuer.
type Issuer struct {
	// URL is its name, and where it answers.
	URL string

	client Client
	now    func() time.Time
	key    *rsa.PrivateKey
	kid    string
	page   *template.Template
	server *http.Server

	mu      sync.Mutex
	newCode func() string
	grants  map[string]grant // by code
}

// grant is what a code stands for.
type grant struct {
	email, nonce, challenge string
	expires                 time.Time
}

const (
	codeLives  = time.Minute
	tokenLives = time.Hour
	keyBits    = 2048
)

//go:embed authorize.html
var pages embed.FS

// Start makes an issuer that answers on a listener until Close.
func Start(l net.Listener, c Client, now func() time.Time) (*Issuer, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return nil, fmt.Errorf("issuer: %w", err)
	}
	page, err := template.ParseFS(pages, "authorize.html")
	if err != nil {
		return nil, fmt.Errorf("issuer: %w", err)
	}
	i := &Issuer{
		URL: "http://" + l.Addr().String(), client: c, now: now,
		key: key, kid: rand.Text(), page: page, newCode: rand.Text, grants: map[string]grant{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.describe)
	mux.HandleFunc("GET /keys", i.keys)
	mux.HandleFunc("GET /authorize", i.ask)
	mux.HandleFunc("POST /authorize", i.decide)
	mux.HandleFunc("POST /token", i.token)
	i.server = &http.Server{Handler: i.own(mux), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = i.server.Serve(l) }() // it ends with Close
	return i, nil
}

// Open starts an issuer on a free port of this machine.
func Open(ctx context.Context, c Client, now func() time.Time) (*Issuer, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("issuer: %w", err)
	}
	i, err := Start(l, c, now)
	if err != nil {
		_ = l.Close()
	}
	return i, err
}

// Codes has the issuer give codes that are known before.
func (i *Issuer) Codes(next func() string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.newCode = next
}

// Close ends it.
func (i *Issuer) Close() { _ = i.server.Close() }

// own refuses requests under other host names. A stranger's name may point here, so that a page
// of a stranger could read the answers.
func (i *Issuer) own(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if "http://"+r.Host != i.URL {
			http.Error(w, "This issuer is "+i.URL, http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (i *Issuer) describe(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"issuer": i.URL, "jwks_uri": i.URL + "/keys",
		"authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256"}, "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic", "client_secret_post"},
		"scopes_supported":                      []string{"openid", "email"},
	})
}

func (i *Issuer) keys(w http.ResponseWriter, _ *http.Request) {
	text := base64.RawURLEncoding.EncodeToString
	answer(w, http.StatusOK, map[string]any{"keys": []any{map[string]string{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": i.kid,
		"n": text(i.key.N.Bytes()), "e": text(big.NewInt(int64(i.key.E)).Bytes()),
	}}})
}

// wrong tells what is wrong with a request to authorize. Before the client and its address are
// known, nobody is sent anywhere.
func (i *Issuer) wrong(q url.Values) (fault string, sendBack bool) {
	switch {
	case q.Get("client_id") != i.client.ID:
		return "unknown client_id", false
	case q.Get("redirect_uri") != i.client.RedirectURL:
		return "the redirect_uri is not that of the client", false
	case q.Get("response_type") != "code":
		return "unsupported_response_type", true
	case !slices.Contains(strings.Fields(q.Get("scope")), "openid"):
		return "invalid_scope", true
	case q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != base64.RawURLEncoding.EncodedLen(sha256.Size):
		return "invalid_request", true
	}
	return "", false
}

// ask shows the page on which a person chooses an identity.
func (i *Issuer) ask(w http.ResponseWriter, r *http.Request) {
	if i.refuse(w, r, r.URL.Query()) {
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Referrer-Policy", "no-referrer")
	// A browser applies form-action to where the form's answer leads, too.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "+
		"frame-ancestors 'none'; form-action 'self' "+origin(i.client.RedirectURL))
	_ = i.page.Execute(w, map[string]any{"Asked": r.URL.Query(), "Back": origin(i.client.RedirectURL)})
}

// decide sends the person back, with a code or with the word that there is none.
func (i *Issuer) decide(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "This is no form.", http.StatusBadRequest)
		return
	}
	q := r.PostForm
	if i.refuse(w, r, q) {
		return
	}
	email := strings.ToLower(strings.TrimSpace(q.Get("email")))
	if q.Get("answer") != "approve" {
		i.back(w, r, q, "error", "access_denied")
		return
	}
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email {
		http.Error(w, "This is no e-mail address. Go back and choose another.", http.StatusBadRequest)
		return
	}
	i.mu.Lock()
	code := i.newCode()
	i.grants[code] = grant{email, q.Get("nonce"), q.Get("code_challenge"), i.now().Add(codeLives)}
	i.mu.Unlock()
	i.back(w, r, q, "code", code)
}

func (i *Issuer) refuse(w http.ResponseWriter, r *http.Request, q url.Values) bool {
	fault, sendBack := i.wrong(q)
	switch {
	case fault == "":
		return false
	case sendBack:
		i.back(w, r, q, "error", fault)
	default:
		http.Error(w, fault, http.StatusBadRequest)
	}
	return true
}

// back sends the browser to the client.
func (i *Issuer) back(w http.ResponseWriter, r *http.Request, q url.Values, name, value string) {
	said := url.Values{name: {value}}
	if state := q.Get("state"); state != "" {
		said.Set("state", state)
	}
	http.Redirect(w, r, i.client.RedirectURL+"?"+said.Encode(), http.StatusSeeOther)
}

// token exchanges a code.
func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	if err := r.ParseForm(); err != nil {
		refuseToken(w, http.StatusBadRequest, "invalid_request")
		return
	}
	q := r.PostForm
	switch {
	case !i.authentic(r):
		refuseToken(w, http.StatusUnauthorized, "invalid_client")
		return
	case q.Get("grant_type") != "authorization_code":
		refuseToken(w, http.StatusBadRequest, "unsupported_grant_type")
		return
	}
	g, ok := i.take(q.Get("code"))
	sum := sha256.Sum256([]byte(q.Get("code_verifier")))
	if !ok || q.Get("redirect_uri") != i.client.RedirectURL || g.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) {
		refuseToken(w, http.StatusBadRequest, "invalid_grant")
		return
	}
	said, err := i.state(g)
	if err != nil {
		refuseToken(w, http.StatusInternalServerError, "server_error")
		return
	}
	answer(w, http.StatusOK, map[string]any{
		"access_token": rand.Text(), "token_type": "Bearer", "expires_in": int(tokenLives.Seconds()), "id_token": said,
	})
}

// authentic tells whether the client has shown its secret, in the header or in the form.
func (i *Issuer) authentic(r *http.Request) bool {
	id, secret, ok := r.BasicAuth()
	if ok {
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
	} else {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	return id == i.client.ID && subtle.ConstantTimeCompare([]byte(secret), []byte(i.client.Secret)) == 1
}

// take removes a code, right or wrong: it works once.
func (i *Issuer) take(code string) (grant, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	g, ok := i.grants[code]
	delete(i.grants, code)
	return g, ok && i.now().Before(g.expires)
}

// state signs an ID token. Addresses that begin with "unverified" are not verified, to see what
// comes of it.
func (i *Issuer) state(g grant) (string, error) {
	claims := jwt.MapClaims{
		"iss": i.URL, "aud": i.client.ID, "azp": i.client.ID, "sub": Subject(g.email),
		"email": g.email, "email_verified": !strings.HasPrefix(g.email, "unverified"),
		"iat": i.now().Unix(), "exp": i.now().Add(tokenLives).Unix(),
	}
	if g.nonce != "" {
		claims["nonce"] = g.nonce
	}
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)
	token.Header["kid"] = i.kid
	return token.SignedString(i.key)
}

// Subject is the number that the identity of an address has, with every run.
func Subject(email string) string {
	sum := sha256.Sum256([]byte("issuer\x00" + email))
	return "1" + fmt.Sprintf("%020s", strconv.FormatUint(binary.BigEndian.Uint64(sum[:]), 10))
}

// Approve does what a browser does whose user chooses an identity at the address to which the
// platform sent it: it returns what comes back.
func Approve(ctx context.Context, authURL, email string) (code, state string, err error) {
	u, err := url.Parse(authURL)
	if err != nil {
		return "", "", err
	}
	form := u.Query()
	form.Set("email", email)
	form.Set("answer", "approve")
	u.RawQuery = ""
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), strings.NewReader(form.Encode()))
	if err != nil {
		return "", "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	back, err := stay.Do(r)
	if err != nil {
		return "", "", err
	}
	defer back.Body.Close()
	to, err := back.Location()
	if err != nil {
		return "", "", fmt.Errorf("issuer: %s: %w", back.Status, err)
	}
	if to.Query().Get("code") == "" {
		return "", "", errors.New("issuer: sent back to " + to.String())
	}
	return to.Query().Get("code"), to.Query().Get("state"), nil
}

func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func refuseToken(w http.ResponseWriter, status int, code string) {
	answer(w, status, map[string]string{"error": code})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // it fails only if the client is gone
}
