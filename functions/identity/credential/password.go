// Package credential checks the password of an account, and bounds how often somebody may try: for the sign-in, and where somebody
// who is signed in is asked for the password again.
//
// What never goes in here: tokens and sign-ins (functions/identity), and which passwords are refused as too common (denylist).
package credential

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/tenantry/tenantry/shared/fault"
)

// These values are the cost of a hash. A stored hash contains its cost, so they can be raised.
const (
	hashMemory  = 19 << 10 // KiB
	hashTime    = 2
	hashThreads = 1
	saltLength  = 16
	hashLength  = 32
)

// Nobody is the hash that a password is compared with if the account is unknown. The
// comparison takes as long as any other, and no password matches it.
const Nobody = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGhhcyB0aGlzIQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// Passwords hashes and compares passwords. A hash takes a core and 19 MiB, so no more hashes run at once than there
// are cores.
type Passwords struct{ Slots chan struct{} }

// New makes the Passwords of a process.
func New() Passwords { return Passwords{make(chan struct{}, runtime.GOMAXPROCS(0))} }

// derive computes a hash. It waits for a free slot, but not longer than the request's deadline.
func (p Passwords) derive(ctx context.Context, password string, salt []byte, memory, time uint32, threads uint8) ([]byte, error) {
	select {
	case p.Slots <- struct{}{}:
	case <-ctx.Done():
		return nil, fault.ErrUnavailable.Because(fmt.Errorf("credential: waiting to hash: %w", ctx.Err()))
	}
	defer func() { <-p.Slots }()
	return argon2.IDKey([]byte(password), salt, time, memory, threads, hashLength), nil
}

// Hash returns what is stored for a password, in the PHC string format.
func (p Passwords) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // it never fails
	derived, err := p.derive(ctx, password, salt, hashMemory, hashTime, hashThreads)
	if err != nil {
		return "", err
	}
	text := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashMemory, hashTime, hashThreads,
		text(salt), text(derived)), nil
}

// ErrStored says that what is stored is no hash of ours.
var ErrStored = errors.New("credential: what is stored is no hash of a password")

// Matches compares a password with what is stored.
func (p Passwords) Matches(ctx context.Context, stored, password string) (bool, error) {
	var version int
	var memory, time uint32
	var threads uint8
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" {
		return false, ErrStored
	}
	_, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &time, &threads)
	if err != nil || version != argon2.Version || time == 0 || threads == 0 {
		return false, ErrStored
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, ErrStored
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) != hashLength {
		return false, ErrStored
	}
	derived, err := p.derive(ctx, password, salt, memory, time, threads)
	return err == nil && subtle.ConstantTimeCompare(derived, want) == 1, err
}
