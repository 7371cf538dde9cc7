// Package oidc is the platform as a relying party of OpenID Connect: it sends people to an
// issuer such as Google, and finds out who came back.
//
// The protocol is github.com/coreos/go-oidc and golang.org/x/oauth2. What they leave open is
// closed here: who may be dialed and how much is read (client.go), how often keys are fetched
// (keys.go), and what else an ID token must say (token.go).
//
// An issuer is not trusted with anything but its own identities. Whatever it answers, or if it
// does not answer, the result is a fault of the caller's code, or that the service is
// unavailable; it is never an error of ours.
//
// What never goes in here: states and links, which identity stores, and what an identity is
// allowed to do.
package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

// Config is how the platform is known to an issuer.
type Config struct {
	Issuer       string // exactly as its ID tokens name it
	ClientID     string
	ClientSecret string
	RedirectURL  string
}

// Issuer is an issuer of identities. It is asked nothing before it is needed; what it says of
// itself and its keys are remembered.
type Issuer struct {
	config Config
	client *http.Client
	now    func() time.Time

	mu    sync.Mutex
	known *metadata
}

const (
	// patience is how long the issuer may take for all that one request needs of it.
	patience = 4 * time.Second
	// remembered is how long what the issuer says of itself and its keys is used.
	remembered = time.Hour
	// retryAfter is what callers are told to wait if the issuer does not do its part.
	retryAfter = 5 * time.Second
)

// New makes an Issuer. It makes no calls.
func New(c Config, now func() time.Time) *Issuer {
	return &Issuer{config: c, client: newClient(c.Issuer), now: now}
}

// Name is the issuer's name, by which its subjects are told from those of others.
func (i *Issuer) Name() string { return i.config.Issuer }

// Attempt binds what comes back from the issuer to the request that sent somebody there.
type Attempt struct {
	State    string
	Nonce    string // comes back in the ID token
	Verifier string // of PKCE; only its hash is sent
}

// Identity is who came back.
type Identity struct {
	Subject string // never changes and is never given to anybody else
	Email   string // verified by the issuer; it may change
}

var errCode = fault.Field("code", say.OneTimeCodeWrong)

// AuthURL is where a person is sent.
func (i *Issuer) AuthURL(ctx context.Context, a Attempt) (string, error) {
	m, err := i.metadata(ctx)
	if err != nil {
		return "", err
	}
	return m.client.AuthCodeURL(
		a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier), oauth2.SetAuthURLParam("prompt", "select_account"),
	), nil
}

// Reach tells whether the issuer can be asked now: what it says of itself is known, or becomes
// known.
func (i *Issuer) Reach(ctx context.Context) error {
	_, err := i.metadata(ctx)
	return err
}

// Identify exchanges the code with which a person came back.
func (i *Issuer) Identify(ctx context.Context, code string, a Attempt) (Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m, err := i.metadata(ctx)
	if err != nil {
		return Identity{}, err
	}
	token, err := m.client.Exchange(i.calling(ctx), code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return Identity{}, refused(err)
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return Identity{}, unavailable(errors.New("no ID token"))
	}
	return i.verify(ctx, m, raw, a.Nonce)
}

// refused is the fault of an exchange that failed. The answer is not logged, as it may hold
// tokens.
func refused(err error) error {
	answer := new(oauth2.RetrieveError)
	switch {
	case !errors.As(err, &answer):
		return unavailable(fmt.Errorf("exchange: %w", err))
	case answer.ErrorCode == "invalid_grant":
		return errCode
	default:
		return unavailable(fmt.Errorf("exchange: status %d, error %.64q", answer.Response.StatusCode, answer.ErrorCode))
	}
}

// unavailable is the fault of an issuer that does not do its part.
func unavailable(err error) error {
	f := fault.ErrUnavailable.Because(fmt.Errorf("oidc: %.300s", err.Error()))
	f.RetryAfter = retryAfter
	return f
}

// metadata is what an issuer says of itself.
type metadata struct {
	at     time.Time
	client oauth2.Config
	keys   *keySet
}

// metadata returns what the issuer says of itself. It is asked again after a while; then its
// keys are forgotten too.
func (i *Issuer) metadata(ctx context.Context) (*metadata, error) {
	i.mu.Lock()
	known := i.known
	i.mu.Unlock()
	if known != nil && i.now().Sub(known.at) < remembered {
		return known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m, err := i.discover(ctx)
	if err != nil {
		return nil, unavailable(fmt.Errorf("discovery: %w", err))
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.known = m
	return m, nil
}

// discover reads the issuer's own description. That it names the same issuer is checked by
// NewProvider.
func (i *Issuer) discover(ctx context.Context) (*metadata, error) {
	p, err := oidc.NewProvider(i.calling(ctx), i.config.Issuer)
	if err != nil {
		return nil, err
	}
	var says struct {
		Keys    string   `json:"jwks_uri"`
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := p.Claims(&says); err != nil {
		return nil, err
	}
	at := p.Endpoint()
	for name, address := range map[string]string{"authorization": at.AuthURL, "token": at.TokenURL, "keys": says.Keys} {
		if err := i.permit(address); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	at.AuthStyle = oauth2.AuthStyleInHeader // what an issuer that names no method takes
	if slices.Contains(says.Methods, "client_secret_post") {
		at.AuthStyle = oauth2.AuthStyleInParams
	}
	return &metadata{
		at: i.now(),
		client: oauth2.Config{
			ClientID: i.config.ClientID, ClientSecret: i.config.ClientSecret, RedirectURL: i.config.RedirectURL,
			Endpoint: at, Scopes: []string{oidc.ScopeOpenID, "email"},
		},
		keys: &keySet{
			fetch: func(ctx context.Context) ([]byte, error) { return i.get(ctx, says.Keys) },
			now:   func() time.Time { return i.now() },
		},
	}, nil
}

// permit checks an address that the issuer names. Only an issuer that is itself reached by http
// may name such addresses.
func (i *Issuer) permit(address string) error {
	own, err := url.Parse(i.config.Issuer)
	if err != nil {
		return err
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return err
	case u.Host == "" || u.User != nil || u.Fragment != "":
		return fmt.Errorf("%.100q is no address of an endpoint", address)
	case u.Scheme != "https" && u.Scheme != own.Scheme:
		return fmt.Errorf("%.100q is not of https", address)
	case u.Hostname() != own.Hostname() && here(u.Hostname()):
		return fmt.Errorf("%.100q is a private address", address)
	}
	return nil
}
