// Package idempotency keeps the answers of requests that came with an
// Idempotency-Key, so that a caller who got no answer can send the request
// again: it happens once, and both tries are answered alike.
//
// An answer is written in the transaction that makes it true, on the condition that no answer
// is stored for the key. Therefore nothing is locked, and a request that dies leaves nothing
// behind. If two requests run at the same time, one wins; the transaction of the other fails
// with ErrTaken, and it reads the winner's answer.
//
// A key belongs to one user, feed, or program with a key of its own, in one company, for one operation. It stands for one request:
// with another body it is a Mismatch. Only successful answers are kept, for a day.
//
// A request that needs several transactions holds its key in the first of them. A hold expires
// by itself, so nothing is left to clean up if its holder dies.
//
// What never goes in here: HTTP, which is the web layer's, and answers that hold
// a secret.
package idempotency

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/shared/say"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Life is how long an answer is kept.
const Life = 24 * time.Hour

// MaxKey is the longest key.
const MaxKey = 255

// patience is the longest time that a caller is asked to wait for a held key. Most requests
// release their key long before their hold expires.
const patience = 5 * time.Second

// ErrTaken fails the transaction of a request if another request has meanwhile stored an
// answer for its key, or holds it.
var ErrTaken = errors.New("idempotency: another request with the key was faster")

// ErrMismatch is the fault of a key that was used for another request.
var ErrMismatch = fault.New(fault.Mismatch, say.KeyReused).
	Coded()

// errHeld is the fault of a key whose first request is still in progress.
var errHeld = fault.New(fault.Conflict, say.InProgress).
	Coded()

// IsKey tells whether a text can be a key: 1 to 255 visible ASCII characters.
func IsKey(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return s != "" && len(s) <= MaxKey
}

// Scope is where a key is valid: the same key in another scope is another key.
type Scope struct {
	Tenant    tenant.ID // 0: the operation has no company
	User      int64
	Feed      int64 // the number of a feed token in the company; 0 for others
	Program   int64 // the number of a key for programs in the company; 0 for others
	Operation string
	Key       string
}

// hash is the name under which the answer of a scope is stored. The key can't be read from it.
func (s Scope) hash() string {
	caller := strconv.FormatInt(s.User, 10)
	switch {
	case s.Feed != 0:
		caller = "feed " + strconv.FormatInt(s.Feed, 10)
	case s.Program != 0:
		caller = "key " + strconv.FormatInt(s.Program, 10)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s\n%s", s.Tenant, caller, s.Operation, s.Key))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Answer is a successful answer.
type Answer struct {
	Status      int
	Header      map[string]string
	ContentType string
	Body        []byte
}

// Large keeps bodies that are too large for the table, at least for Life.
type Large interface {
	PutTemporary(ctx context.Context, t tenant.ID, id uuid.UUID, contentType string, data []byte) error
	GetTemporary(ctx context.Context, t tenant.ID, id uuid.UUID) ([]byte, error)
}

// Store is where answers are kept.
type Store struct {
	Table *table.Conn
	Large Large // nil if no answer is large
	Now   func() time.Time
}

// handle returns the part of the table in which the answer of a scope is stored.
type handle interface {
	Get(ctx context.Context, k table.Key, out any) error
	Put(item any) *dynamo.Put
	Delete(k table.Key) *dynamo.Delete
}

// Slot is the place where the answer of one request is stored.
type Slot struct {
	store  Store
	handle handle
	tenant tenant.ID
	key    table.Key
	owner  string // the request's id
	hash   []byte // of the content of the request
	held   bool   // Hold was called

	stored     uuid.UUID // names the large body that was stored, if any
	storedHash [sha256.Size]byte
}

// Open returns the place for the answer of a request. request is the request's own id, hash a
// hash of its content.
func (s Store) Open(scope Scope, request string, hash []byte) *Slot {
	slot := &Slot{store: s, tenant: scope.Tenant, owner: request, hash: hash}
	if scope.Tenant != 0 {
		t := table.Of(s.Table, scope.Tenant)
		slot.handle, slot.key = t, t.Replay(scope.hash())
	} else {
		slot.handle, slot.key = crosstenant.Open(s.Table), crosstenant.Replay(scope.User, scope.hash())
	}
	return slot
}

// Find returns the answer that was stored for the request. It returns nil if no answer was stored, or if the request
// itself holds the key. It fails with ErrMismatch if the key was used for another request, and with a Conflict if
// another request holds it. It takes one call, and one unit for up to 4 KB.
func (s *Slot) Find(ctx context.Context) (*Answer, error) {
	var r record
	err := s.handle.Get(ctx, s.key, &r)
	if errors.Is(err, table.ErrNotFound) {
		return nil, nil // nothing was stored under the key yet
	}
	if err != nil {
		return nil, err
	}
	now := s.store.Now()
	left := time.UnixMilli(r.Until).Sub(now)
	switch {
	case left <= 0, r.Owner == s.owner:
		return nil, nil
	case string(r.Hash) != string(s.hash):
		return nil, ErrMismatch
	case r.Owner != "":
		held := *errHeld
		held.RetryAfter = max(time.Second, min(left, patience))
		return nil, &held
	}
	return s.answer(ctx, &r)
}

// Keep adds an answer to a transaction. The transaction then fails with ErrTaken if another
// request has stored an answer for the key, or holds it.
func (s *Slot) Keep(ctx context.Context, tx *table.Tx, a Answer) error {
	if a.Status < 200 || a.Status > 299 {
		return fmt.Errorf("idempotency: an answer of status %d is not kept", a.Status)
	}
	r, err := s.record(ctx, a)
	if err != nil {
		return err
	}
	s.put(tx, r, s.store.Now().Add(Life))
	return nil
}

// Hold adds to a transaction that the request is in progress, until the given time at most.
func (s *Slot) Hold(tx *table.Tx, until time.Time) {
	s.held = true
	s.put(tx, record{Owner: s.owner}, until)
}

// put writes a record. The transaction fails if there is a record that has not expired, unless
// it is the request's own hold.
func (s *Slot) put(tx *table.Tx, r record, until time.Time) {
	r.Item, r.Hash = table.At(s.key, version), s.hash
	r.Until, r.TTL = until.UnixMilli(), until.Unix()+1
	tx.Put(s.handle.Put(r).If("attribute_not_exists(pk) OR 'u' <= ? OR 'o' = ?", s.store.Now().UnixMilli(), s.owner), ErrTaken)
}

// Release gives up the request's hold on its key. It may fail without harm: a hold expires by
// itself.
func (s *Slot) Release(ctx context.Context) {
	if s.held {
		_ = s.handle.Delete(s.key).If("'o' = ?", s.owner).Run(ctx)
	}
}
