package credential_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/shared/fault"
)

func TestPasswords(t *testing.T) {
	p := credential.New()
	hash := func() string {
		text, err := p.Hash(t.Context(), "correct horse")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	a, b := hash(), hash()
	if a == b {
		t.Error("two hashes have one salt")
	}
	if !strings.HasPrefix(a, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("hash %q is of another cost", a)
	}
	for name, c := range map[string]struct {
		stored, password string
		want             bool
	}{
		"right":                       {a, "correct horse", true},
		"wrong":                       {a, "correct horsf", false},
		"other letters":               {a, "Correct horse", false},
		"longer":                      {a, "correct horse ", false},
		"empty":                       {a, "", false},
		"nobody's":                    {credential.Nobody, "correct horse", false},
		"nobody's, empty":             {credential.Nobody, "", false},
		"a lighter one, stored as is": {"$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$DhBjsqQIqmZYiCUsxb8vZg/PjP4LKDl2DhASZcGUNYs", "correct horse", false},
	} {
		if got, err := p.Matches(t.Context(), c.stored, c.password); err != nil || got != c.want {
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
		}
	}
	for _, broken := range []string{
		"", "plain", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA", "$argon2i$v=19$m=19456,t=2,p=1$c2FsdA$AAAA", "$argon2id$v=18$m=19456,t=2,p=1$c2FsdA$AAAA",
		"$argon2id$v=19$m=19456,t=0,p=1$c2FsdA$AAAA", "$argon2id$v=19$m=19456,t=2,p=0$c2FsdA$AAAA", "$argon2id$v=19$m=19456,t=2,p=1$!$AAAA",
		"$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$AAAA", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$!",
	} {
		if got, err := p.Matches(t.Context(), broken, ""); got || !errors.Is(err, credential.ErrStored) {
			t.Errorf("%q: %v, %v", broken, got, err)
		}
	}
}

func TestNobodyWaitsForASlotLongerThanTheRequest(t *testing.T) {
	p := credential.New()
	for range cap(p.Slots) {
		p.Slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, hashed := p.Hash(ctx, "correct horse")
	_, matched := p.Matches(ctx, credential.Nobody, "correct horse")
	for _, err := range []error{hashed, matched} {
		if f, ok := fault.As(err); !ok || f.Code != fault.Unavailable {
			t.Errorf("%v, want that it is unavailable", err)
		}
	}
	<-p.Slots
	if _, err := p.Hash(t.Context(), "correct horse"); err != nil {
		t.Errorf("a slot is free: %v", err)
	}
}
