package identity

import (
	"strconv"
	"time"

	"github.com/tenantry/tenantry/functions/identity/denylist"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table/throttle"
)

// limit is how often something may be tried in a window of time: by one caller for one
// account, and, much higher, by all callers for that account. A caller is an IPv4 address or
// the /64 of an IPv6 address (throttle.Caller). What of signing in is limited is in credential.
type limit struct {
	pair    int
	account int // 0: bounded in another way
	window  time.Duration
}

// The rules.
const (
	tryConfirm = "confirm"
	tryReset   = "reset"
	issueCross = "cross"
	beginLink  = "link"
)

// Guesses at codes have no limit per account, because strangers could use it up. triesInAll
// and codesADay bound them instead: 250 guesses a day at registration codes, and 50 at
// password codes, wherever they come from.
var limits = map[string]limit{
	tryConfirm: {pair: 20, window: 10 * time.Minute},
	tryReset:   {pair: 20, window: 10 * time.Minute},
	issueCross: {pair: 30, account: 300, window: time.Minute},
	beginLink:  {pair: 30, account: 300, window: time.Minute},
}

// pairCount returns the counter of a rule for one caller and one account.
func pairCount(rule, account, ip string) throttle.Count {
	return throttle.Rule{Name: rule, Limit: limits[rule].pair, Window: limits[rule].window}.Of(account, throttle.Caller(ip))
}

// accountCount returns the counter of a rule for an account. It comes after the caller's own
// counter: a caller over the own limit does not count for the account, so that one caller
// can't use up the limit of all.
func accountCount(rule, account string) throttle.Count {
	return throttle.Rule{Name: rule, Limit: limits[rule].account, Window: limits[rule].window}.Of(account)
}

var errCommon = fault.Field("password", say.PasswordCommon)

// uncommon refuses a password that many people have, because it is among the first that somebody tries.
func uncommon(password string) error {
	if denylist.Has(password) {
		return errCommon
	}
	return nil
}

// How many codes one caller may request, in addition to the limit of an address (codesADay).
// For one address and one purpose it is half of the address's limit. So a single machine can't
// keep a person from registering or from setting a new password; several machines can, for a
// day at most, which is the price for protecting mailboxes from floods. The limit for all
// addresses together is far more than the people behind one IP address need, and far less than
// what would damage the platform's reputation with mail providers. Of the limits by IP address
// alone it is one of two, and it never keeps anybody with an account from signing in.
const (
	codesToOne  = 5 // a day of UTC
	codesFromIP = 300
)

// codeCounts returns the counters of a code that is sent.
func codeCounts(purpose codePurpose, address, ip string) []throttle.Count {
	caller := throttle.Caller(ip)
	return []throttle.Count{
		throttle.Rule{Name: "code", Limit: codesToOne, Window: 24 * time.Hour}.Of(string(purpose), address, caller),
		throttle.Rule{Name: "codes", Limit: codesFromIP, Window: time.Hour}.Of(caller),
	}
}

// linksADay is how often an account may be linked to an identity in a day of UTC: each time its owner is told by e-mail, and
// what is unlinked can be linked again.
const linksADay = 10

func linkCount(user int64) throttle.Count {
	return throttle.Rule{Name: "identity-link", Limit: linksADay, Window: 24 * time.Hour}.Of(strconv.FormatInt(user, 10))
}

// beginsFromIP is how many ways to the issuer of identities one caller may begin in a minute,
// each of which leaves an item in the table for a day. It is the other limit by IP address alone:
// far more than the people behind one address need, who can also sign in with a password.
const beginsFromIP = 300

func beginCount(ip string) throttle.Count {
	return throttle.Rule{Name: "begin", Limit: beginsFromIP, Window: time.Minute}.Of(throttle.Caller(ip))
}
