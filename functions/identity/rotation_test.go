package identity

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/table"
)

// several are keys of which each use has the same list.
type several struct {
	keys.Keys
	list []keys.ID
	macs *int
}

func (s several) Secrets(keys.Use) []keys.ID { return s.list }

func (s several) MAC(_ context.Context, use keys.Use, key keys.ID, message []byte) ([]byte, error) {
	*s.macs++
	h := hmac.New(sha256.New, slices.Concat([]byte(use), key[:]))
	_, _ = h.Write(message)
	return h.Sum(nil), nil
}

// While a key is replaced, what the old one made holds, and what is made anew is of the new one.
func TestKeysAreReplaced(t *testing.T) {
	macs := 0
	with := func(list ...keys.ID) *service {
		return newService(app.Env{Table: table.Open(nil, "none"), Keys: several{list: list, macs: &macs}})
	}
	old, fresh := keys.ID{1}, keys.ID{2}
	before, behind, during, after := with(old), with(old, fresh), with(fresh, old), with(fresh)
	r := refreshToken{User: 7, Family: "0b0e8f5e-6a54-4c3c-9d0f-3a5b1c9d2e01", Generation: 3}
	secret, err := before.familySecret(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	token := r.text(secret)
	secret, ok, err := during.authentic(t.Context(), r, token)
	if err != nil || !ok {
		t.Fatalf("a refresh token of the old key: %t, %v", ok, err)
	}
	next := r.next().text(secret)
	code, err := before.code(t.Context(), register, "challenge")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		s         *service
		old, next bool
		macs      int // that the old token takes
	}{
		{"before", before, true, false, 1},
		{"the new one behind", behind, true, true, 1},
		{"the new one in front", during, true, true, 2},
		{"after", after, false, true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			macs = 0
			if _, ok, err := c.s.authentic(t.Context(), r, token); err != nil || ok != c.old || macs != c.macs {
				t.Errorf("the old token: %t, %v, %d MACs", ok, err, macs)
			}
			if _, ok, err := c.s.authentic(t.Context(), r.next(), next); err != nil || ok != c.next {
				t.Errorf("its successor: %t, %v", ok, err)
			}
			if ok, err := c.s.isCode(t.Context(), register, "challenge", code); err != nil || ok != c.old {
				t.Errorf("the old code: %t, %v", ok, err)
			}
			if ok, _ := c.s.isCode(t.Context(), reset, "challenge", code); ok {
				t.Error("a code is good for another purpose")
			}
		})
	}
}
