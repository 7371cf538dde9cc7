package authorizer_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/keys/keystest"
)

// forge signs claims with a method and a key of the attacker's choice.
func forge(t *testing.T, method jwt.SigningMethod, key any, header map[string]any, claims jwt.Claims) string {
	t.Helper()
	token := jwt.NewWithClaims(method, claims)
	maps.Copy(token.Header, header)
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (w *world) claims(change func(jwt.MapClaims)) jwt.MapClaims {
	c := jwt.MapClaims{
		"token_type": "access", "user_id": user, "family": family, "jti": uuid.NewString(), "iss": "tenantry",
		"iat": w.now.Unix(), "exp": w.now.Add(time.Hour).Unix(),
	}
	if change != nil {
		change(c)
	}
	return c
}

func TestForgedTokens(t *testing.T) {
	w := newWorld(t)
	good := w.token(t)
	parts := strings.Split(good, ".")
	kid := keystest.Kid(t, w.keys)
	public, err := w.keys.Public(t.Context(), kid)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	point, err := public.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	b64 := base64.RawURLEncoding.EncodeToString
	ours := func(change func(jwt.MapClaims)) string {
		token, err := w.keys.Sign(t.Context(), w.claims(change))
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	withHeader := func(header string) string { return b64([]byte(header)) + "." + parts[1] + "." + parts[2] }
	withClaims := func(claims string) string { return parts[0] + "." + b64([]byte(claims)) + "." + parts[2] }
	flip := func(s string, at int) string {
		c := byte('A')
		if s[at] == c {
			c = 'B'
		}
		return s[:at] + string(c) + s[at+1:]
	}
	hs := func(secret []byte) string {
		return forge(t, jwt.SigningMethodHS256, secret, map[string]any{"kid": kid}, w.claims(nil))
	}
	otherPoint, err := other.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	otherWeb := map[string]any{"kty": "EC", "crv": "P-256", "x": b64(otherPoint[1:33]), "y": b64(otherPoint[33:])}
	attacks := map[string]string{
		"alg none":                       forge(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, map[string]any{"kid": kid}, w.claims(nil)),
		"alg none, our signature":        withHeader(`{"alg":"none","kid":"` + kid + `","typ":"JWT"}`),
		"alg None":                       withHeader(`{"alg":"None","kid":"` + kid + `","typ":"JWT"}`),
		"alg es256":                      withHeader(`{"alg":"es256","kid":"` + kid + `","typ":"JWT"}`),
		"no alg":                         withHeader(`{"kid":"` + kid + `","typ":"JWT"}`),
		"HS256 with the public key, DER": hs(der),
		"HS256 with the public key, PEM": hs(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
		"HS256 with the public point":    hs(point),
		"another key, our kid":           forge(t, jwt.SigningMethodES256, other, map[string]any{"kid": kid}, w.claims(nil)),
		"another key, its own kid":       forge(t, jwt.SigningMethodES256, other, map[string]any{"kid": "other"}, w.claims(nil)),
		"another key, no kid":            forge(t, jwt.SigningMethodES256, other, nil, w.claims(nil)),
		"another key in the header":      forge(t, jwt.SigningMethodES256, other, map[string]any{"kid": kid, "jwk": otherWeb, "jku": "https://evil.example/jwks.json"}, w.claims(nil)),
		"our key, another kid":           withHeader(`{"alg":"ES256","kid":"other","typ":"JWT"}`),
		"kid that is no text":            withHeader(`{"alg":"ES256","kid":["` + kid + `"],"typ":"JWT"}`),
		"critical header":                withHeader(`{"alg":"ES256","kid":"` + kid + `","typ":"JWT","crit":["exp"]}`),
		"another user":                   withClaims(fmt.Sprintf(`{"token_type":"access","user_id":8,"family":%q,"exp":%d,"iss":"tenantry"}`, family, w.now.Add(time.Hour).Unix())),
		"changed signature":              parts[0] + "." + parts[1] + "." + flip(parts[2], 5),
		"changed header":                 flip(parts[0], 10) + "." + parts[1] + "." + parts[2],
		"changed claims":                 parts[0] + "." + flip(parts[1], 10) + "." + parts[2],
		"no signature":                   parts[0] + "." + parts[1] + ".",
		"no third part":                  parts[0] + "." + parts[1],
		"cut by a letter":                good[:len(good)-1],
		"cut in half":                    good[:len(good)/2],
		"a fourth part":                  good + "." + parts[2],
		"twice":                          good + "," + good,
		"signature in DER":               parts[0] + "." + parts[1] + "." + b64([]byte{0x30, 6, 2, 1, 1, 2, 1, 1}),
		"signature of zeros":             parts[0] + "." + parts[1] + "." + b64(make([]byte, 64)),
		"padded":                         good + "==",
		"one word of nothing":            "",
		"two words":                      good + " x",
		"dots":                           "..",
		"not base64":                     "%.%.%",
		"huge":                           parts[0] + "." + strings.Repeat("A", 9000) + "." + parts[2],
		"many dots":                      strings.Repeat(".", 9000),
		"a refresh token":                "7." + family + ".1.AAAAAAAAAAAAAAAAAAAAAA",

		"expired":                  ours(func(c jwt.MapClaims) { c["exp"] = w.now.Unix() }),
		"without expiry":           ours(func(c jwt.MapClaims) { delete(c, "exp") }),
		"not yet valid":            ours(func(c jwt.MapClaims) { c["nbf"] = w.now.Add(time.Minute).Unix() }),
		"token_type refresh":       ours(func(c jwt.MapClaims) { c["token_type"] = "refresh" }),
		"without token_type":       ours(func(c jwt.MapClaims) { delete(c, "token_type") }),
		"another issuer":           ours(func(c jwt.MapClaims) { c["iss"] = "other" }),
		"without issuer":           ours(func(c jwt.MapClaims) { delete(c, "iss") }),
		"user 0":                   ours(func(c jwt.MapClaims) { c["user_id"] = 0 }),
		"user as a text":           ours(func(c jwt.MapClaims) { c["user_id"] = "7" }),
		"a family that is no uuid": ours(func(c jwt.MapClaims) { c["family"] = "memberships" }),
		"another user's family":    ours(func(c jwt.MapClaims) { c["user_id"] = 8 }),
		"an unknown family":        ours(func(c jwt.MapClaims) { c["family"] = uuid.NewString() }),
	}
	for name, token := range attacks {
		if got := w.ask(t.Context(), t, map[string]string{"authorization": "Bearer " + token}); got != invalid {
			t.Errorf("%s: %s, want %s", name, got, invalid)
		}
	}
	if got := w.ask(t.Context(), t, map[string]string{"authorization": "Bearer " + ours(nil)}); got != signedIn {
		t.Errorf("what the attacks were made of: %s, want %s", got, signedIn)
	}
	if w.log.Len() > 0 {
		t.Errorf("attacks are no faults of ours: logged %s", w.log)
	}
}
