// Package keystest is what every implementation of keys.Keys has to pass, and
// keys for the tests of others.
package keystest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/tenantry/tenantry/shared/keys"
)

// New makes keys that nobody else has.
func New(t testing.TB) keys.Keys {
	t.Helper()
	k, err := keys.FromFile(filepath.Join(t.TempDir(), "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Kid is the kid of the key that signs.
func Kid(t testing.TB, k keys.Keys) string {
	t.Helper()
	token, err := k.Sign(context.Background(), jwt.RegisteredClaims{})
	if err != nil {
		t.Fatal(err)
	}
	parsed, _, err := jwt.NewParser().ParseUnverified(token, &jwt.RegisteredClaims{})
	if err != nil {
		t.Fatal(err)
	}
	kid, _ := parsed.Header["kid"].(string)
	return kid
}

// Verify checks a token against the public keys of k with the library alone.
func Verify(k keys.Keys, token string) (jwt.MapClaims, error) {
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		return k.Public(context.Background(), kid)
	}, jwt.WithValidMethods([]string{"ES256"}))
	return claims, err
}

// Run checks an implementation. open gives the same keys each time; retired are
// tokens that older keys of theirs have signed.
func Run(t *testing.T, open func(t *testing.T) keys.Keys, retired ...string) {
	ctx := t.Context()
	t.Run("a token verifies, and no other text", func(t *testing.T) {
		k := open(t)
		for range 50 { // numbers of a signature with leading zeros come up about once in 128
			token, err := k.Sign(ctx, jwt.MapClaims{"user": "u1", "exp": time.Now().Add(time.Hour).Unix()})
			if err != nil {
				t.Fatal(err)
			}
			claims, err := Verify(k, token)
			if err != nil || claims["user"] != "u1" {
				t.Fatalf("claims %v, %v", claims, err)
			}
			parts := strings.Split(token, ".")
			parts[1] = base64.RawURLEncoding.EncodeToString([]byte(`{"user":"u2"}`))
			if _, err := Verify(k, strings.Join(parts, ".")); err == nil {
				t.Fatal("other claims under the same signature verify")
			}
		}
	})
	t.Run("the kid is the thumbprint of a key in the set", func(t *testing.T) {
		k := open(t)
		list := set(t, k)
		if len(list) != 1+len(retired) {
			t.Fatalf("%d keys in the set, want %d", len(list), 1+len(retired))
		}
		if first := list[0]["kid"]; first != Kid(t, k) {
			t.Errorf("the first key of the set is %s, the one that signs %s", first, Kid(t, k))
		}
		for _, key := range list {
			canonical := fmt.Sprintf(`{"crv":"P-256","kty":"EC","x":%q,"y":%q}`, key["x"], key["y"])
			sum := sha256.Sum256([]byte(canonical))
			if want := base64.RawURLEncoding.EncodeToString(sum[:]); key["kid"] != want {
				t.Errorf("kid %s, want %s", key["kid"], want)
			}
			want := map[string]string{
				"crv": "P-256",
				"kty": "EC",
				"use": "sig",
				"alg": "ES256",
				"kid": key["kid"],
				"x":   key["x"],
				"y":   key["y"],
			}
			if fmt.Sprint(key) != fmt.Sprint(want) {
				t.Errorf("key %v, want %v: a private part would be a leak", key, want)
			}
			public, err := k.Public(ctx, key["kid"])
			if err != nil {
				t.Fatal(err)
			}
			point, err := public.Bytes()
			if err != nil || key["x"] != base64.RawURLEncoding.EncodeToString(point[1:33]) {
				t.Errorf("Public and Set disagree on %s: %v", key["kid"], err)
			}
		}
	})
	t.Run("retired keys verify and don't sign", func(t *testing.T) {
		k := open(t)
		for i, token := range retired {
			if _, err := Verify(k, token); err != nil {
				t.Errorf("token %d: %v", i, err)
			}
		}
	})
	t.Run("an unknown kid is unknown", func(t *testing.T) {
		for _, kid := range []string{"", "x", Kid(t, New(t))} {
			if public, err := open(t).Public(ctx, kid); !errors.Is(err, keys.ErrUnknownKey) || public != nil {
				t.Errorf("kid %q: %v, %v", kid, public, err)
			}
		}
	})
	for _, use := range uses() {
		t.Run("a MAC of "+string(use), func(t *testing.T) { runUse(t, open, use) })
	}
	t.Run("many at once", func(t *testing.T) {
		k := open(t)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				token, err := k.Sign(ctx, jwt.MapClaims{"user": "u1"})
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := Verify(k, token); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

func set(t *testing.T, k keys.Keys) []map[string]string {
	t.Helper()
	encoded, err := k.Set(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var s struct{ Keys []map[string]string }
	if err := json.Unmarshal(encoded, &s); err != nil {
		t.Fatal(err)
	}
	return s.Keys
}

func uses() []keys.Use { return []keys.Use{keys.Codes, keys.Refresh, keys.Chains, keys.Hooks} }

// runUse checks the keys of a use.
func runUse(t *testing.T, open func(t *testing.T) keys.Keys, use keys.Use) {
	ctx := t.Context()
	mac := func(k keys.Keys, use keys.Use, key keys.ID, message string) string {
		m, err := k.MAC(ctx, use, key, []byte(message))
		if err != nil || len(m) != sha256.Size {
			t.Fatalf("%d bytes, %v", len(m), err)
		}
		return string(m)
	}
	a, b := open(t), open(t)
	list := a.Secrets(use)
	if len(list) == 0 || !slices.Equal(list, b.Secrets(use)) {
		t.Fatalf("keys %v, %v", list, b.Secrets(use))
	}
	first := mac(a, use, list[0], "m")
	t.Run("it is of its message, its key and its use", func(t *testing.T) {
		if made, err := keys.Make(ctx, b, use, []byte("m")); err != nil || string(made) != first {
			t.Errorf("the first key does not make it: %v", err)
		}
		others := []string{mac(a, use, list[0], "n")}
		stranger := New(t)
		others = append(others, mac(stranger, use, stranger.Secrets(use)[0], "m"))
		for _, other := range uses() {
			if other != use {
				others = append(others, mac(a, other, a.Secrets(other)[0], "m"))
			}
		}
		for _, key := range list[1:] {
			others = append(others, mac(a, use, key, "m"))
		}
		if slices.Contains(others, first) {
			t.Error("two messages, two secrets or two uses have one MAC")
		}
	})
	t.Run("each key of the list verifies", func(t *testing.T) {
		for _, key := range list {
			old := mac(a, use, key, "m")
			made, ok, err := keys.Match(ctx, b, use, []byte("m"), func(m []byte) bool { return string(m) == old })
			if err != nil || !ok || string(made) != first {
				t.Errorf("key %x: %t, %v", key, ok, err)
			}
		}
		made, ok, err := keys.Match(ctx, b, use, []byte("m"), func([]byte) bool { return false })
		if err != nil || ok || string(made) != first {
			t.Errorf("what none has made: %t, %v", ok, err)
		}
	})
	t.Run("another key is unknown", func(t *testing.T) {
		if m, err := a.MAC(ctx, use, keys.ID{1}, []byte("m")); !errors.Is(err, keys.ErrUnknownKey) || m != nil {
			t.Errorf("%d bytes, %v", len(m), err)
		}
	})
	t.Run("a message is not too long", func(t *testing.T) {
		mac(a, use, list[0], strings.Repeat("m", keys.MaxMessage))
		if m, err := a.MAC(ctx, use, list[0], make([]byte, keys.MaxMessage+1)); !errors.Is(err, keys.ErrTooLong) || m != nil {
			t.Errorf("%d bytes, %v", len(m), err)
		}
	})
}
