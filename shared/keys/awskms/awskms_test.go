package awskms_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/golang-jwt/jwt/v5"

	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/awskms"
	"github.com/tenantry/tenantry/shared/keys/keystest"
	"github.com/tenantry/tenantry/shared/table/meter"
)

// service is the three calls of KMS that we make, over its real protocol, with
// real keys.
type service struct {
	signing map[string]*ecdsa.PrivateKey
	secrets map[string][]byte

	mu    sync.Mutex
	calls []string // "Sign current"
	down  bool
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{signing: map[string]*ecdsa.PrivateKey{}, secrets: map[string][]byte{}}
	for _, id := range []string{"codes", "refresh", "old-refresh", "chains", "old-chains", "hooks"} {
		s.secrets[id] = []byte(rand.Text())
	}
	for _, id := range []string{"current", "old"} {
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		s.signing[id] = private
	}
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		KeyID            string `json:"KeyId"`
		Message          []byte
		MessageType      string
		SigningAlgorithm string
		MacAlgorithm     string
	}
	_ = json.NewDecoder(r.Body).Decode(&in) // what is missing is refused below
	call := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "TrentService.")
	s.mu.Lock()
	s.calls = append(s.calls, call+" "+in.KeyID)
	down := s.down
	s.mu.Unlock()
	private, secret := s.signing[in.KeyID], s.secrets[in.KeyID]
	out := map[string]any{"KeyId": in.KeyID}
	switch {
	case down:
	case call == "GetPublicKey" && private != nil:
		out["PublicKey"], _ = x509.MarshalPKIXPublicKey(&private.PublicKey)
	case call == "Sign" && private != nil && in.MessageType == "DIGEST" && in.SigningAlgorithm == "ECDSA_SHA_256" && len(in.Message) == 32:
		out["Signature"], _ = private.Sign(rand.Reader, in.Message, crypto.SHA256)
	case call == "GenerateMac" && secret != nil && in.MacAlgorithm == "HMAC_SHA_256" && len(in.Message) <= 4096:
		h := hmac.New(sha256.New, secret)
		h.Write(in.Message)
		out["Mac"] = h.Sum(nil)
	}
	if len(out) == 1 {
		w.WriteHeader(http.StatusBadRequest)
		out = map[string]any{"__type": "KMSInvalidStateException"}
	}
	_ = json.NewEncoder(w).Encode(out)
}

func (s *service) took() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.calls
	s.calls = nil
	return calls
}

// client counts how often a client is made.
func (s *service) client(t *testing.T, made *int) func() keys.KMS {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	config := aws.Config{
		Region: "eu-central-1", BaseEndpoint: aws.String(server.URL),
		Credentials:      credentials.NewStaticCredentialsProvider("id", "secret", ""),
		RetryMaxAttempts: 1,
	}
	newClient := awskms.New(config)
	return func() keys.KMS { *made++; return newClient() }
}

func names() keys.Names {
	return keys.Names{Signing: []string{"current", "old"}, Secrets: map[keys.Use][]string{
		keys.Codes: {"codes"}, keys.Refresh: {"refresh", "old-refresh"}, keys.Chains: {"chains", "old-chains"}, keys.Hooks: {"hooks"},
	}}
}

func TestFromKMS(t *testing.T) {
	s := newService(t)
	made := 0
	old, err := keys.FromKMS(s.client(t, &made), keys.Names{Signing: []string{"old"}}).Sign(t.Context(), jwt.MapClaims{"user": "u1"})
	if err != nil {
		t.Fatal(err)
	}
	keystest.Run(t, func(t *testing.T) keys.Keys {
		return keys.FromKMS(s.client(t, new(int)), names())
	}, old)
}

func TestCalls(t *testing.T) {
	s := newService(t)
	made := 0
	k := keys.FromKMS(s.client(t, &made), names())
	if made != 0 || len(s.took()) != 0 {
		t.Fatal("a client was made before there was a need")
	}
	ctx := t.Context()
	step := func(name, want string, do func() error) {
		t.Helper()
		if err := do(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := strings.Join(s.took(), ", "); got != want {
			t.Errorf("%s: calls %q, want %q", name, got, want)
		}
	}
	var token string
	sign := func() (err error) { token, err = k.Sign(ctx, jwt.MapClaims{}); return err }
	verify := func() error { _, err := keystest.Verify(k, token); return err }
	step("first token", "GetPublicKey current, Sign current", sign)
	step("second token", "Sign current", sign)
	step("verify", "", verify)
	matches := func(n int) func() error {
		return func() error {
			_, _, err := keys.Match(ctx, k, keys.Refresh, []byte("m"), func([]byte) bool { n--; return n == 0 })
			return err
		}
	}
	step("chain", "GenerateMac chains", func() error { _, err := keys.Make(ctx, k, keys.Chains, []byte("m")); return err })
	step("mac", "GenerateMac codes", func() error { _, err := keys.Make(ctx, k, keys.Codes, []byte("m")); return err })
	step("match", "GenerateMac refresh", matches(1))
	step("match of before", "GenerateMac refresh, GenerateMac old-refresh", matches(2))
	step("no match", "GenerateMac refresh, GenerateMac old-refresh", matches(9))
	unknown := func() error { _, _ = k.Public(ctx, "unknown"); return nil }
	step("unknown kid", "GetPublicKey old", unknown)
	step("unknown kid again", "", unknown)
	step("set", "", func() error { _, err := k.Set(ctx); return err })
	if made != 1 {
		t.Errorf("%d clients were made, want 1", made)
	}
	ctx, m := meter.Start(ctx)
	s.took()
	if err := errors.Join(sign(), matches(2)()); err != nil {
		t.Fatal(err)
	}
	if n := len(s.took()); n != 3 || m.Usage() != (meter.Usage{KMSCalls: n}) {
		t.Errorf("%d calls are counted as %+v", n, m.Usage())
	}
}

func TestFailuresAreNotRemembered(t *testing.T) {
	s := newService(t)
	made := 0
	k := keys.FromKMS(s.client(t, &made), names())
	s.down = true
	if _, err := k.Public(t.Context(), "any"); err == nil || strings.Contains(err.Error(), keys.ErrUnknownKey.Error()) {
		t.Errorf("error %v, want one that says nothing about the kid", err)
	}
	if _, err := keys.Make(t.Context(), k, keys.Codes, nil); err == nil {
		t.Error("a MAC without an answer")
	}
	if _, _, err := keys.Match(t.Context(), k, keys.Codes, nil, func([]byte) bool { return true }); err == nil {
		t.Error("a match without an answer")
	}
	s.down = false
	if _, err := k.Sign(t.Context(), jwt.MapClaims{}); err != nil {
		t.Error(err)
	}
}

func TestNoKeysConfigured(t *testing.T) {
	k := keys.FromKMS(func() keys.KMS { t.Error("a client was made"); return nil }, keys.Names{})
	if _, err := k.Set(t.Context()); err == nil {
		t.Error("a set without keys")
	}
	if _, err := k.Sign(t.Context(), jwt.MapClaims{}); err == nil {
		t.Error("a token without keys")
	}
	if _, err := k.Public(t.Context(), "x"); err == nil {
		t.Error("a public key without keys")
	}
	if _, err := keys.Make(t.Context(), k, keys.Codes, nil); err == nil {
		t.Error("a MAC without keys")
	}
}

// A key is named by its id or by its ARN; what was made under either is found under the other.
func TestNamesOfAKey(t *testing.T) {
	id := func(name string) keys.ID {
		return keys.FromKMS(nil, keys.Names{Secrets: map[keys.Use][]string{keys.Chains: {name}}}).Secrets(keys.Chains)[0]
	}
	const one = "0b9e4c1a-1f2d-4a5b-8c7d-0123456789ab"
	if id(one) != id("arn:aws:kms:eu-central-1:123456789012:key/"+one) || id(one) == id("another") {
		t.Error("the ids of one key differ, or those of two don't")
	}
}

func TestSealerFromKMS(t *testing.T) {
	s := newService(t)
	keystest.RunSealer(t, func(t *testing.T) keys.Sealer { return keys.SealerFromKMS(s.client(t, new(int)), "current") })
	s.took()
	made := 0
	sealer := keys.SealerFromKMS(s.client(t, &made), "current")
	if made != 0 {
		t.Error("a client was made before there was a need")
	}
	s.down = true
	if _, err := sealer(t.Context()); err == nil {
		t.Error("a key without a service")
	}
	s.down = false
	s.took()
	ctx, m := meter.Start(t.Context())
	for range 2 {
		k, err := sealer(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Sign(nil, make([]byte, 32), crypto.SHA256); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(s.took(), ", "); got != "GetPublicKey current, Sign current, Sign current" || made != 1 {
		t.Errorf("calls %q by %d clients", got, made)
	}
	if n := m.Usage().KMSCalls; n != 3 {
		t.Errorf("%d calls are counted", n)
	}
	k, err := sealer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.down = true
	if _, err := k.Sign(nil, make([]byte, 32), crypto.SHA256); err == nil {
		t.Error("a signature without a service")
	}
}
