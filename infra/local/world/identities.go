package world

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"

	"github.com/tenantry/tenantry/infra/local/issuer"
)

// verifier is that of the client with which people of the world sign in.
const verifier = "a-verifier-of-the-world-that-is-no-secret-at-all"

const google = "/v1/auth/google/"

// identities: bob has linked an identity. ann is back from the issuer with one of her own (link), with bob's (taken), and with one whose
// address nobody has verified (unverified); bob with another one (another). Somebody is back to sign in as bob (login), and as nobody
// (stranger). Each of them has a code and a state, which can be used once.
func (s *story) identities(ctx context.Context) error {
	if s.w.engines.Identities == nil {
		return nil
	}
	const bobs = "bob@gmail.example"
	if err := s.came(ctx, "bob", "bob.link", bobs); err != nil {
		return err
	}
	returned, err := json.Marshal(map[string]string{"code": s.values["bob.link.code"], "state": s.values["bob.link.state"]})
	if err != nil {
		return err
	}
	if err := s.call(ctx, s.values["bob.access"], http.MethodPost, google+"callback/", string(returned), nil); err != nil {
		return err
	}
	for _, c := range []struct{ who, name, email string }{
		{"ann", "link", "ann@gmail.example"},
		{"ann", "taken", bobs},
		{"ann", "unverified", "unverified@gmail.example"},
		{"bob", "another", "robert@gmail.example"},
		{"", "login", bobs},
		{"", "stranger", "stranger@gmail.example"},
	} {
		if err := s.came(ctx, c.who, c.name, c.email); err != nil {
			return err
		}
	}
	s.values["verifier"] = verifier
	return nil
}

// came sends somebody to the issuer, to link or, where nobody is signed in, to sign in, and keeps the code and the state with which they
// come back.
func (s *story) came(ctx context.Context, who, name, email string) (err error) {
	var to struct{ URL string }
	if who == "" {
		sum := sha256.Sum256([]byte(verifier))
		err = s.call(ctx, "", http.MethodPost, google+"login/init/",
			`{"code_challenge":"`+base64.RawURLEncoding.EncodeToString(sum[:])+`"}`, &to)
	} else {
		var answer *httptest.ResponseRecorder
		if answer, err = s.send(ctx, s.values[who+".access"], http.MethodGet, google+"auth-url/", ""); err == nil {
			to.URL = answer.Header().Get("Location")
		}
	}
	if err != nil {
		return err
	}
	s.w.engines.Identities.Codes(func() string { return "the code of " + name })
	s.values[name+".code"], s.values[name+".state"], err = issuer.Approve(ctx, to.URL, email)
	return err
}
