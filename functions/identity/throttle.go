package identity

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// limit is how often something may be tried in a window of time: by one caller
// for one account, and, much higher, by all callers for that account. Nothing
// is limited by the caller's address alone: many people share one.
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

// throttle counts tries in fixed windows, before they are made, so that tries
// at once count too.
type throttle struct {
	table crosstenant.Table
	now   func() time.Time
}

// taken is a counted try.
type taken []table.Key

// take counts one try, or refuses it. A caller over its own limit does not
// count for the account: one caller alone can't use up what all have.
func (t throttle) take(ctx context.Context, rule, account, ip string) (taken, error) {
	l := limits[rule]
	now := t.now()
	start := now.Truncate(l.window)
	window := strconv.FormatInt(start.Unix(), 10)
	pair := crosstenant.Throttle(rule, subject(account, ip), window)
	all := crosstenant.Throttle(rule, subject(account), window)
	var done taken
	for _, c := range []struct {
		key   table.Key
		limit int
	}{{pair, l.pair}, {all, l.account}} {
		err := t.table.Update(c.key).Add("c", 1).Set("ttl", start.Add(2*l.window).Unix()).
			If("attribute_not_exists(c) OR c < ?", c.limit).Run(ctx)
		if dynamo.IsCondCheckFailed(err) {
			return nil, fault.TooMany(start.Add(l.window).Sub(now))
		}
		if err != nil {
			return nil, fmt.Errorf("identity: throttle %s: %w", rule, err)
		}
		done = append(done, c.key)
	}
	return done, nil
}

// giveBack takes a try out of the count: it was no guess. Where that fails, a
// try too many has been counted, and nobody has to know.
func (t throttle) giveBack(ctx context.Context, done taken) {
	for _, key := range done {
		_ = t.table.Update(key).Add("c", -1).If("c > ?", 0).Run(ctx)
	}
}

// subject names accounts and addresses in keys of one length, unreadable.
func subject(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16])
}
