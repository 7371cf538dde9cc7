package identity

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table/throttle"
)

// limit is how often something may be tried in a window of time: by one caller
// for one account, and, much higher, by all callers for that account. A caller
// is an IPv4 address or the /64 of an IPv6 one (throttle.Caller). Tries are
// never limited by the caller's address alone: many people share one.
type limit struct {
	pair    int
	account int // 0: something else bounds it
	window  time.Duration
}

// The rules. Tries at sign-in that succeed are given back.
const (
	tryLogin   = "login"
	tryConfirm = "confirm"
	tryReset   = "reset"
	issueCross = "cross"
)

// Guesses at codes have no limit for the account, which strangers could use up:
// with triesInAll and codesADay it is 250 guesses a day at registration codes, and
// 50 at those for a password, from wherever they come.
var limits = map[string]limit{
	tryLogin:   {pair: 10, account: 500, window: 10 * time.Minute},
	tryConfirm: {pair: 20, window: 10 * time.Minute},
	tryReset:   {pair: 20, window: 10 * time.Minute},
	issueCross: {pair: 30, account: 300, window: time.Minute},
}

// pairCount is a rule's for one caller and one account.
func pairCount(rule, account, ip string) throttle.Count {
	return throttle.Rule{Name: rule, Limit: limits[rule].pair, Window: limits[rule].window}.Of(account, throttle.Caller(ip))
}

// accountCount is a rule's for an account. It comes after that of the caller,
// who, over the own limit, does not count for the account: one caller alone
// can't use up what all have.
func accountCount(rule, account string) throttle.Count {
	return throttle.Rule{Name: rule, Limit: limits[rule].account, Window: limits[rule].window}.Of(account)
}

// signedIn remembers the callers that an account was signed in to from.
func signedIn() throttle.Trust { return throttle.Trust{Name: "signedin", Lasts: 30 * 24 * time.Hour} }

// takeLogin counts a try to sign in. Some fifty callers with wrong passwords
// fill the account's count, in every window again. Then callers that it was
// signed in to from, in the last 30 days, still have their own limit, so its
// owner gets in from there; there are few of them, so guessing gains nothing.
// From a new address the owner waits, as everybody does.
//
// Who shares an address with the owner can use up their limit there, and, while
// an attack goes on, can see that the account was signed in to from it. Nobody
// else sees anything: what is unknown is looked for all the same.
func (s *service) takeLogin(ctx context.Context, account, ip string) (throttle.Taken, error) {
	own, err := s.throttle.Take(ctx, pairCount(tryLogin, account, ip))
	if err != nil {
		return nil, err
	}
	all, err := s.throttle.Take(ctx, accountCount(tryLogin, account))
	if f, ok := fault.As(err); ok && f.Code == fault.Throttled {
		known, readErr := s.throttle.Remembers(ctx, signedIn(), account, throttle.Caller(ip))
		if readErr != nil {
			return nil, readErr
		}
		if known {
			return own, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return append(own, all...), nil
}

// How many codes one caller may have sent, beside what an address gets
// (codesADay). To one address, for one purpose, it is half of the address's: with
// one machine nobody keeps another from registering or from a new password, and
// several machines can do so for a day at most, which is the price of an address not being flooded. To all
// addresses together it is far more than people behind one IP ask for, and far
// less than what costs the platform its name with mail providers: that is the
// one bound by the caller's IP alone, and it holds back no one with an account.
const (
	codesToOne  = 5 // a day of UTC
	codesFromIP = 300
)

// codeCounts are those of a code that is sent.
func codeCounts(purpose, address, ip string) []throttle.Count {
	caller := throttle.Caller(ip)
	return []throttle.Count{
		throttle.Rule{Name: "code", Limit: codesToOne, Window: 24 * time.Hour}.Of(purpose, address, caller),
		throttle.Rule{Name: "codes", Limit: codesFromIP, Window: time.Hour}.Of(caller),
	}
}
