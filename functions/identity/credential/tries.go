package credential

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table/throttle"
)

// The limits of trying a password, in a Window: by one caller at one account, and, much higher, by all callers at that account. A
// caller is an IPv4 address or the /64 of an IPv6 address (throttle.Caller). A try that succeeds does not count.
const (
	PerCaller  = 10
	PerAccount = 500
	Window     = 10 * time.Minute
)

// FailingAccounts is at how many accounts a caller may fail within an hour.
const FailingAccounts = 20

// Tries counts tries of passwords.
type Tries struct{ throttle throttle.Throttle }

// NewTries counts with a throttle.
func NewTries(t throttle.Throttle) Tries { return Tries{t} }

// Known is the memory of the callers from which each account was signed in to.
func Known() throttle.Trust { return throttle.Trust{Name: "signedin", Lasts: 30 * 24 * time.Hour} }

// spraying limits at how many accounts a caller may fail within an hour, besides the tries at each of them. Whoever tries
// a password that many people have at many accounts needs one try of each, and fails at nearly all of them; people behind
// one address fail at their own account and then sign in, which takes it off the count again.
//
// Tries that are being made count too. The limit keeps nobody from an account that was signed in to from the same address
// before. At a new address whose limit a stranger has used up one can wait for the next hour, or set a new password by
// a code, which makes the address a known one.
func spraying() throttle.Spread {
	return throttle.Spread{
		Name: "login", Each: throttle.Rule{Limit: PerCaller, Window: Window}, Things: FailingAccounts, Window: time.Hour,
	}
}

// Attempt is what was counted of an attempt.
type Attempt struct {
	own throttle.Tried
	all throttle.Taken
}

// Take counts an attempt to prove an account by its password, before it is made. About fifty callers with wrong passwords use up the
// account's limit, again in every window. Callers from which the account was signed in to in
// the last 30 days still have their own limit then, so its owner can sign in from there. There
// are only a few such callers, so an attacker gains nothing by guessing from them. From a new
// address the owner has to wait.
//
// A person who shares an address with the owner can use up the owner's limit there. During an
// attack, such a person can also find out that the account was signed in to from that address.
// Nobody else learns anything, because the same look-ups are made for an unknown account.
func (t Tries) Take(ctx context.Context, account, ip string) (a Attempt, err error) {
	caller := throttle.Caller(ip)
	known := func() (bool, error) { return t.throttle.Remembers(ctx, Known(), account, caller) }
	if a.own, err = t.throttle.Try(ctx, spraying(), caller, account, known); err != nil {
		return a, err
	}
	a.all, err = t.throttle.Take(ctx, throttle.Rule{Name: "login", Limit: PerAccount, Window: Window}.Of(account))
	if f, ok := fault.As(err); ok && f.Code == fault.Throttled {
		if was, readErr := known(); was || readErr != nil {
			return a, readErr
		}
	}
	return a, err
}

// GiveBack undoes the count of an attempt that succeeded.
func (t Tries) GiveBack(ctx context.Context, a Attempt) {
	t.throttle.Succeed(ctx, a.own)
	t.throttle.GiveBack(ctx, a.all)
}

// Remember notes that an account was signed in to from an address.
func (t Tries) Remember(ctx context.Context, account, ip string) {
	t.throttle.Remember(ctx, Known(), account, throttle.Caller(ip))
}
