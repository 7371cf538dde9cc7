package identity

import (
	"time"

	"github.com/tenantry/tenantry/shared/throttle"
)

// limit is how often something may be tried in a window of time: by one caller
// for one account, and, much higher, by all callers for that account. Tries are
// never limited by the caller's address alone: many people share one.
type limit struct {
	pair    int
	account int
	window  time.Duration
}

// The rules. Tries at sign-in that succeed are given back.
const (
	tryLogin   = "login"
	tryConfirm = "confirm"
	issueCross = "cross"
)

var limits = map[string]limit{
	tryLogin:   {pair: 10, account: 500, window: 10 * time.Minute},
	tryConfirm: {pair: 20, account: 200, window: 10 * time.Minute},
	issueCross: {pair: 30, account: 300, window: time.Minute},
}

// counts are a rule's. A caller over their own limit does not count for the
// account: one caller alone can't use up what all have.
func counts(rule, account, ip string) []throttle.Count {
	l := limits[rule]
	return []throttle.Count{
		throttle.Rule{Name: rule, Limit: l.pair, Window: l.window}.Of(account, ip),
		throttle.Rule{Name: rule, Limit: l.account, Window: l.window}.Of(account),
	}
}

// How many codes one caller may have sent, beside what an address gets
// (codesADay). To one address it is half of the address's: with one machine
// nobody keeps another from registering, and several machines can do so for a
// day at most, which is the price of an address not being flooded. To all
// addresses together it is far more than people behind one IP ask for, and far
// less than what costs the platform its name with mail providers: that is the
// one bound by the caller's IP alone, and it holds back no one with an account.
const (
	codesToOne  = 5 // a day of UTC
	codesFromIP = 300
)

// codeCounts are those of a code that is sent.
func codeCounts(address, ip string) []throttle.Count {
	return []throttle.Count{
		throttle.Rule{Name: "code", Limit: codesToOne, Window: 24 * time.Hour}.Of(address, ip),
		throttle.Rule{Name: "codes", Limit: codesFromIP, Window: time.Hour}.Of(ip),
	}
}
