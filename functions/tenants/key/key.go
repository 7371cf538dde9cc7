// Package key provides the keys for programs of a company: credentials with which a program of somebody, such as an ERP, calls what
// their scopes open, in the name of no user.
//
// A key is shown once, to the owner who makes it; only its SHA-256 is stored. It is valid until it expires or is revoked, from the
// networks that it names.
//
// What never goes in here: which operation asks for which scope (the route tables of the groups), how a request with a key is
// recognised (authorizer), and the check of the owner's password (identity/credential).
package key

import (
	"bytes"
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/nullable"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant/scope"
)

const (
	// Most is how many keys a company may have.
	Most = 50
	// MostNetworks is how many networks a key may name: what the authorizer reads of a key stays within one unit.
	MostNetworks = 50
)

// shownEnd is how many of its last characters tell a key from others.
const shownEnd = 4

// Key is a key as its company sees it. Beside it the platform has an item by which the authorizer knows the key
// (crosstenant.KeyItem); both are always written together.
type Key struct {
	record.Meta
	Name      string         `dynamo:"n"`
	Scopes    scope.Set      `dynamo:"sc"`
	Networks  []netip.Prefix `dynamo:"nw,omitempty"` // from where it may be used; none: from anywhere
	Expires   *moment.Micros `dynamo:"xp,omitempty"` // nil: never
	CreatedBy int64          `dynamo:"cb"`
	Hash      string         `dynamo:"h"`
	Hint      string         `dynamo:"en"` // the last characters of the key
}

// Shown is what a history tells of a key.
type Shown struct {
	Name      string         `json:"name"`
	Scopes    []scope.Scope  `json:"scopes"`
	Networks  []netip.Prefix `json:"networks"`
	ExpiresAt *string        `json:"expires_at"`
	CreatedBy int64          `json:"created_by"`
	Hint      string         `json:"hint"`
}

// Kind declares the kind of keys.
func Kind() *record.Kind[*Key] { return declared.Get(declare) }

var declared record.Declared[*Key]

func declare() record.Kind[*Key] {
	return record.Kind[*Key]{
		Kind: kinds.Of(kinds.Key), Most: Most,
		Shown: func(k *Key) any {
			return Shown{k.Name, k.Scopes.List(), k.From(), encode.Moment(k.Expires), k.CreatedBy, k.Hint}
		},
	}
}

// From lists the networks of a key.
func (k *Key) From() []netip.Prefix { return append([]netip.Prefix{}, k.Networks...) }

// Widens tells whether a key can do more than it could before: something else, longer, or from elsewhere.
func (k *Key) Widens(before *Key) bool {
	later := before.Expires != nil && (k.Expires == nil || *k.Expires > *before.Expires)
	elsewhere := len(before.Networks) > 0 && len(k.Networks) == 0 || slices.ContainsFunc(k.Networks, func(n netip.Prefix) bool {
		return len(before.Networks) > 0 && !slices.ContainsFunc(before.Networks, func(old netip.Prefix) bool {
			return old.Bits() <= n.Bits() && old.Contains(n.Addr())
		})
	})
	return later || elsewhere || len(k.Scopes.Without(before.Scopes)) > 0
}

// Keys makes, changes and removes keys, with the platform's access to the table.
type Keys struct{ all crosstenant.Table }

// Open returns the keys of all companies.
func Open(c *table.Conn) Keys { return Keys{crosstenant.Open(c)} }

// Scope returns the scope of a unit of work that writes keys.
func (k Keys) Scope(s record.Scope) record.Scope {
	s.Through = k.all
	return s
}

// drawn is how many bytes the characters of a key are drawn from: far more than it takes, because some bytes are drawn again.
const drawn = 128

// Text makes the text of a key. Its characters come of two random uuids, which have 244 random bits.
func Text(newUUID func() uuid.UUID) (string, error) {
	a, b := newUUID(), newUUID()
	random, err := hkdf.Key(sha256.New, slices.Concat(a[:], b[:]), nil, "key for programs", drawn)
	if err != nil {
		return "", err
	}
	return crosstenant.KeyText(bytes.NewReader(random))
}

// Give makes a new key that has a text.
func (k Keys) Give(w *record.Work, of *Key, text string) error {
	hash, ok := crosstenant.KeyHash(text)
	if !ok {
		return errors.New("key: no text of a key")
	}
	of.Hash, of.Hint, of.CreatedBy = hash, text[len(text)-shownEnd:], w.Scope().Actor.User
	Kind().Create(w, "", of)
	w.Also(func(tx *table.Tx) error {
		item := crosstenant.KeyItem{
			Item: table.At(crosstenant.Key(hash), crosstenant.KeyVersion), Tenant: w.Scope().Table.ID(), ID: record.ID(of),
			Scopes: of.Scopes, Networks: of.Networks,
		}
		if of.Expires != nil {
			item.Expires = *of.Expires
		}
		tx.Put(k.all.Create(item), errors.New("key: another key has the same text"))
		company.Usable(tx, w.Scope().Table)
		return nil
	})
	return nil
}

// Change brings what the authorizer reads in step with a key that is being changed. before is what the key was.
func (k Keys) Change(w *record.Work, of, before *Key) {
	if of.Scopes == before.Scopes && slices.Equal(of.Networks, before.Networks) && nullable.Same(of.Expires, before.Expires) {
		return // the authorizer knows no names
	}
	w.Also(func(tx *table.Tx) error {
		change := k.all.Update(crosstenant.Key(of.Hash)).Set("s", of.Scopes)
		if len(of.Networks) > 0 {
			change.Set("w", of.Networks)
		} else {
			change.Remove("w")
		}
		if of.Expires != nil {
			change.Set("x", *of.Expires)
		} else {
			change.Remove("x")
		}
		tx.Update(change.If("attribute_exists(pk)"), fmt.Errorf("key: %d has no item of the platform", of.ID))
		return nil
	})
}

// Revoke removes a key. Requests that come later are refused.
func (k Keys) Revoke(ctx context.Context, w *record.Work, of *Key) error {
	if err := Kind().Remove(ctx, w, record.ID(of)); err != nil {
		return err
	}
	w.Also(func(tx *table.Tx) error {
		tx.Delete(k.all.Delete(crosstenant.Key(of.Hash)), errors.New("key: a key can't be removed")) // it has no condition
		return nil
	})
	return nil
}

// LastUsed returns the days on which keys were used last, as 2026-03-02; "" of one that never was.
func (k Keys) LastUsed(ctx context.Context, list []*Key) ([]string, error) {
	if len(list) == 0 {
		return nil, nil
	}
	keys, places := make([]dynamo.Keyed, len(list)), make(map[table.Key]int, len(list))
	for i, one := range list {
		at := crosstenant.Key(one.Hash)
		keys[i], places[at] = at, i
	}
	var items []crosstenant.KeyItem
	err := k.all.Table().Batch("pk", "sk").Get(keys...).All(ctx, &items)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, fmt.Errorf("key: last uses: %w", err)
	}
	days := make([]string, len(list))
	for _, item := range items {
		days[places[item.Key()]] = item.Day
	}
	return days, nil
}
