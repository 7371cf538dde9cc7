// Package principal is what the authorizer tells a function about the caller of a request. It
// is the only information about the caller that a function trusts.
//
// The authorizer encodes it and the web layer decodes it. Both functions are here, so that
// they always agree. Nothing here verifies a token or reads a membership.
package principal

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/tenant/scope"
)

// Verdict is what the authorizer found.
type Verdict string

// The verdicts. A context that is absent or unreadable is Missing.
const (
	OK          Verdict = "ok"
	Missing     Verdict = "missing"     // no bearer token
	Invalid     Verdict = "invalid"     // a token that is not valid
	Unavailable Verdict = "unavailable" // the token or the memberships could not be checked
	Throttled   Verdict = "throttled"   // the caller, or the company, sends more requests than may be
)

// Basis says what chose the company of a request.
type Basis string

// The bases, in the order in which they are tried.
const (
	ByHeader Basis = "header" // X-Tenant-Id
	ByHost   Basis = "host"   // the request's own host is the company's
	ByOrigin Basis = "origin" // the host of Origin is the company's
	ByOnly   Basis = "only"   // the caller has no other company
	ByFeed   Basis = "feed"   // the caller is a feed, which is of one company
	ByKey    Basis = "key"    // the caller has a key for programs, which is of one company
	// BySeveral says that the caller has several companies, and nothing chose one.
	BySeveral Basis = "several"
	ByNone    Basis = "none"
)

// Principal is the caller of a request: a user, a feed, or a program with a key. Tenant is zero if the caller is not a
// member of the company that Basis names, or if nothing chose a company.
type Principal struct {
	Verdict Verdict
	User    int64 // 0 for a feed and for a key
	Feed    int64 // the id of the feed token in its company; 0 for others. A feed has no role
	Key     int64 // the id of the key in its company; 0 for others. A key comes with scopes and without a role
	Scopes  scope.Set
	Family  string // the token family of this sign-in
	Cross   bool   // the token comes from a cross login, and can't issue cross-login tokens
	Tenant  tenant.ID
	Role    tenant.Role
	Finance bool // the member may read finance and metrics, whatever the role is
	Basis   Basis
	// Standing is that of Tenant; its Since isn't told.
	Standing tenant.Standing
	Excess   Excess // if the verdict is Throttled
}

// Caller names who calls, among all companies: for limits that count each caller. A user is the same one in each company.
func (p Principal) Caller() string {
	switch {
	case p.Feed != 0:
		return fmt.Sprintf("feed %d %d", p.Tenant, p.Feed)
	case p.Key != 0:
		return fmt.Sprintf("key %d %d", p.Tenant, p.Key)
	}
	return strconv.FormatInt(p.User, 10)
}

// Limit names the limit of requests that was exceeded.
type Limit string

// The limits, as answers name them.
const (
	OfCaller  Limit = "caller-requests"
	OfCompany Limit = "company-requests"
)

// Excess says which limit of requests was exceeded. It is all that is known of a request that was refused for it, but for whose it
// is, as far as that was known: a caller who sends too many is refused before anything is read.
type Excess struct {
	Of     Limit
	Burst  int64 // requests that may be sent at once
	Window int64 // seconds in which so many may be sent again
	Wait   int64 // seconds until one may be
}

// Header returns the values of RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers).
func (e Excess) Header() (policy, limit string) {
	return fmt.Sprintf("%q;q=%d;w=%d", e.Of, e.Burst, e.Window), fmt.Sprintf("%q;r=0;t=%d", e.Of, e.Wait)
}

// yes is how Context writes Cross and Finance, which it leaves out where they are false.
const yes = "yes"

// said is the member of Context that has a notice which is a message. It is written as JSON, because a gateway need not pass on the
// control characters within a message.
const said = "said"

// Context is the authorizer's answer: a flat map of strings, as the gateway
// passes it on.
func (p Principal) Context() map[string]any {
	m := map[string]any{"verdict": string(p.Verdict)}
	switch p.Verdict {
	case OK:
	case Throttled:
		m["limit"] = string(p.Excess.Of)
		for name, n := range p.numbers() {
			if *n != 0 {
				m[name] = strconv.FormatInt(*n, 10)
			}
		}
		return m
	default:
		return m
	}
	m["basis"] = string(p.Basis)
	if p.Standing.State != "" {
		m["state"] = string(p.Standing.State)
	}
	switch notice := p.Standing.Notice; {
	case notice.ID() != "":
		encoded, _ := encode.JSON(notice) // a text always is JSON
		m[said] = string(encoded)
	case notice != "":
		m["notice"] = string(notice)
	}
	if p.Standing.Full > 0 {
		m["full"] = strconv.FormatInt(p.Standing.Full, 10)
	}
	if p.Feed != 0 {
		m["feed"], m["tenant"] = strconv.FormatInt(p.Feed, 10), p.Tenant.String()
		return m
	}
	if p.Key != 0 {
		m["key"], m["tenant"], m["scopes"] = strconv.FormatInt(p.Key, 10), p.Tenant.String(), string(p.Scopes)
		return m
	}
	m["user"] = strconv.FormatInt(p.User, 10)
	m["family"] = p.Family
	if p.Cross {
		m["cross"] = yes
	}
	if p.Tenant > 0 {
		m["tenant"] = p.Tenant.String()
		m["role"] = string(p.Role)
		if p.Finance {
			m["finance"] = yes
		}
	}
	return m
}

// numbers are the members of the context of a throttled request that are numbers. The first three are always there.
func (p *Principal) numbers() map[string]*int64 {
	e := &p.Excess
	return map[string]*int64{
		"burst": &e.Burst, "window": &e.Window, "wait": &e.Wait,
		"user": &p.User, "feed": &p.Feed, "key": &p.Key, "tenant": (*int64)(&p.Tenant),
	}
}

// FromContext reads the authorizer's answer. Anything that Context would not write is Missing,
// so a function fails closed.
func FromContext(m map[string]any) Principal {
	text := func(name string) string { return textOf(m, name) }
	missing := Principal{Verdict: Missing, Basis: ByNone}
	switch v := Verdict(text("verdict")); v {
	case Invalid, Unavailable:
		return Principal{Verdict: v, Basis: ByNone}
	case Throttled:
		return throttled(m, missing)
	case OK:
	default:
		return missing
	}
	p := missing
	if _, fed := m["feed"]; fed || Basis(text("basis")) == ByFeed {
		p = feed(m, missing)
	} else if _, keyed := m["key"]; keyed || Basis(text("basis")) == ByKey {
		p = key(m, missing)
	} else {
		p = user(m, missing)
	}
	if p.Verdict != OK || !p.stands(m) {
		return missing
	}
	return p
}

// stands reads how the company stands. It is false for what Context would not write.
func (p *Principal) stands(m map[string]any) bool {
	to := &p.Standing
	for name, text := range map[string]*string{"state": (*string)(&to.State), "notice": (*string)(&to.Notice)} {
		if v, there := m[name]; there {
			if *text, _ = v.(string); *text == "" || p.Tenant == 0 {
				return false
			}
		}
	}
	if to.Notice.ID() != "" {
		return false
	}
	if v, there := m[said]; there {
		text, _ := v.(string)
		if to.Notice != "" || json.Unmarshal([]byte(text), &to.Notice) != nil || to.Notice.ID() == "" || p.Tenant == 0 {
			return false
		}
	}
	if _, there := m["full"]; there {
		n, ok := number(textOf(m, "full"))
		if !ok || p.Tenant == 0 {
			return false
		}
		p.Standing.Full = n
	}
	return true
}

// user reads the context of a user.
func user(m map[string]any, missing Principal) Principal {
	text := func(name string) string { return textOf(m, name) }
	if _, scoped := m["scopes"]; scoped {
		return missing
	}
	id, ok := number(text("user"))
	if !ok {
		return missing
	}
	p := Principal{Verdict: OK, User: id, Family: text("family"), Basis: Basis(text("basis"))}
	switch p.Basis {
	case ByHeader, ByHost, ByOrigin, ByOnly, BySeveral, ByNone:
	default:
		return missing
	}
	if _, cross := m["cross"]; cross {
		if text("cross") != yes {
			return missing
		}
		p.Cross = true
	}
	_, finance := m["finance"]
	if _, chosen := m["tenant"]; !chosen && !finance {
		return p
	}
	company, ok := number(text("tenant"))
	role := tenant.Role(text("role"))
	if !ok || !role.Valid() || finance && text("finance") != yes || p.Basis == ByNone || p.Basis == BySeveral {
		return missing
	}
	p.Tenant, p.Role, p.Finance = tenant.ID(company), role, finance
	return p
}

// throttled reads the context of a request that was refused for a limit.
func throttled(m map[string]any, missing Principal) Principal {
	p := Principal{Verdict: Throttled, Basis: ByNone, Excess: Excess{Of: Limit(textOf(m, "limit"))}}
	for name, n := range p.numbers() {
		if _, there := m[name]; !there {
			continue
		}
		value, ok := number(textOf(m, name))
		if !ok {
			return missing
		}
		*n = value
	}
	e := p.Excess
	if e.Of != OfCaller && e.Of != OfCompany || e.Burst == 0 || e.Window == 0 || e.Wait == 0 {
		return missing
	}
	return p
}

// feed reads the context of a feed, which has nothing that makes a user.
func feed(m map[string]any, missing Principal) Principal {
	if hasAny(m, "user", "family", "cross", "role", "finance", "key", "scopes") {
		return missing
	}
	id, isFeed := number(textOf(m, "feed"))
	company, isCompany := number(textOf(m, "tenant"))
	if !isFeed || !isCompany || Basis(textOf(m, "basis")) != ByFeed {
		return missing
	}
	return Principal{Verdict: OK, Feed: id, Tenant: tenant.ID(company), Basis: ByFeed}
}

// key reads the context of a program with a key, which has nothing that makes a user either.
func key(m map[string]any, missing Principal) Principal {
	if hasAny(m, "user", "family", "cross", "role", "finance", "feed") {
		return missing
	}
	id, isKey := number(textOf(m, "key"))
	company, isCompany := number(textOf(m, "tenant"))
	scopes := scope.Set(textOf(m, "scopes"))
	if !isKey || !isCompany || Basis(textOf(m, "basis")) != ByKey || scopes == "" || scope.Of(scopes.List()...) != scopes {
		return missing
	}
	return Principal{Verdict: OK, Key: id, Scopes: scopes, Tenant: tenant.ID(company), Basis: ByKey}
}

func hasAny(m map[string]any, names ...string) bool {
	for _, name := range names {
		if _, there := m[name]; there {
			return true
		}
	}
	return false
}

func textOf(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return s
}

// number reads a number above zero in exactly the form that Context writes.
func number(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n > 0 && strconv.FormatInt(n, 10) == s
}
