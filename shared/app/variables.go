package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/outbox/notify/smsrates"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table/tokenbucket"
	"github.com/tenantry/tenantry/shared/tenant/principal"
	"github.com/tenantry/tenantry/shared/web"
)

// variables reads the environment and remembers everything that is wrong.
type variables struct {
	getenv   func(string) string
	problems []string
}

func (v *variables) wrong(name, format string, args ...any) {
	v.problems = append(v.problems, name+" "+fmt.Sprintf(format, args...))
}

func (v *variables) required(name string) string {
	s := v.getenv(name)
	if s == "" {
		v.wrong(name, "is not set")
	}
	return s
}

func (v *variables) duration(name string) time.Duration {
	s := v.required(name)
	d, err := time.ParseDuration(s)
	if s != "" && (err != nil || d <= 0) {
		v.wrong(name, "is no duration above zero: %q", s)
	}
	return d
}

// rate reads how many requests may be sent in a second, 0 or nothing for as many as one likes, and at once.
func (v *variables) rate(second, burst string) tokenbucket.Rate {
	r := tokenbucket.Rate{PerSecond: v.count(second), Burst: v.count(burst)}
	if r.PerSecond > 0 && r.Burst == 0 {
		v.wrong(burst, "is not set, and %s is", second)
	}
	return r
}

// days reads a number of days; nothing is none.
func (v *variables) days(name string) time.Duration {
	s := v.getenv(name)
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 || n > mostDays {
		v.wrong(name, "is no number of days from 1 to 3650: %q", s)
	}
	return time.Duration(n) * 24 * time.Hour
}

// mostDays are ten years.
const mostDays = 3650

// megabytes reads an amount of memory, in bytes.
func (v *variables) megabytes(name string) int64 {
	s := v.required(name)
	n, err := strconv.ParseInt(s, 10, 64)
	if s != "" && (err != nil || n <= 0 || n > mostMegabytes) {
		v.wrong(name, "is no number of megabytes above zero: %q", s)
	}
	return n << 20
}

// mostMegabytes is more than any function has.
const mostMegabytes = 10240

// host reads a domain name: in lower case, with at least one dot.
func (v *variables) host(name string) string {
	s := v.required(name)
	if s != "" && (s != strings.ToLower(s) || !strings.Contains(strings.Trim(s, "."), ".") || strings.ContainsAny(s, "/: ")) {
		v.wrong(name, "is no domain name in lower case: %q", s)
	}
	return s
}

func (v *variables) address(name string) string {
	s := v.required(name)
	if s != "" {
		if a, err := mail.ParseAddress(s); err != nil || a.Address != s {
			v.wrong(name, "is no e-mail address: %q", s)
		}
	}
	return s
}

// oidc reads how to reach the issuer of identities. Without a client id there is none.
func (v *variables) oidc() OIDC {
	if v.getenv("OIDC_CLIENT_ID") == "" {
		return OIDC{}
	}
	return OIDC{
		Issuer: v.url("OIDC_ISSUER"), ClientID: v.getenv("OIDC_CLIENT_ID"),
		ClientSecret: v.required("OIDC_CLIENT_SECRET"), RedirectURL: v.url("OIDC_REDIRECT_URL"),
	}
}

// sms reads how SMS are sent, and what they cost.
func (v *variables) sms() SMS {
	s := SMS{
		CallbackSecret: v.getenv("SMS_CALLBACK_SECRET"), Token: v.getenv("SMS_PROVIDER_TOKEN"), CallbackURL: v.getenv("SMS_CALLBACK_URL"),
		TopUp: v.getenv("SMS_TOP_UP") == "open",
	}
	if v.getenv("SMS_PROVIDER_URL") != "" {
		s.URL = v.url("SMS_PROVIDER_URL")
	}
	switch provider := v.getenv("SMS_PROVIDER"); provider {
	case "", "none":
	case ProviderSNS, ProviderHTTP, ProviderLog:
		text := v.required("SMS_PRICE")
		price, err := money.ParseAmount(text)
		if text != "" && (err != nil || price.Cmp(money.Amount{}) <= 0) {
			v.wrong("SMS_PRICE", "is no amount above zero: %q", text)
		}
		s.Provider, s.Price = provider, price
		s.Free, s.Daily = v.count("SMS_FREE"), v.count("SMS_DAILY")
		if countries := v.getenv("SMS_COUNTRIES"); countries != "" && price.Cmp(money.Amount{}) > 0 {
			if s.Rates, err = smsrates.Parse(countries, price); err != nil {
				v.wrong("SMS_COUNTRIES", "is no list of countries and their prices: %v", err)
			}
		}
	default:
		v.wrong("SMS_PROVIDER", "is no provider: %q", provider)
	}
	return s
}

// count reads a number that is not below 0; without the variable it is 0.
func (v *variables) count(name string) int64 {
	text := v.getenv(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		v.wrong(name, "is no number from 0 on: %q", text)
	}
	return n
}

// url reads an address of https. An address of this machine may be one of http.
func (v *variables) url(name string) string {
	s := v.required(name)
	if s != "" && !isSecure(s) {
		v.wrong(name, "is no address of https: %q", s)
	}
	return s
}

// isSecure tells whether a text is an address of https, or of http and this machine.
func isSecure(s string) bool {
	u, err := url.Parse(s)
	secure := err == nil && (u.Scheme == "https" || u.Scheme == "http" && isHere(u.Hostname()))
	return secure && u.Host != "" && u.User == nil && u.Fragment == ""
}

// service checks the address of a service whose answers are signed, so that it need not be one of https. It may be empty.
func (v *variables) service(name, address string) string {
	if address == "" {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.Fragment != "" {
		v.wrong(name, "is no address of http or https: %q", address)
	}
	return address
}

// services reads a list of addresses, which may be empty.
func (v *variables) services(name string) []string {
	var list []string
	for _, s := range strings.FieldsFunc(v.getenv(name), func(r rune) bool { return r == ',' || r == ' ' }) {
		list = append(list, v.service(name, s))
	}
	return list
}

// viewers reads SHA-256 sums of the secrets with which CloudFront proves itself: at most two, so that one can follow the
// other. There may be none.
func (v *variables) viewers(name string) web.Viewers {
	var sums web.Viewers
	for _, s := range strings.FieldsFunc(v.getenv(name), func(r rune) bool { return r == ',' || r == ' ' }) {
		sum, err := hex.DecodeString(s)
		if err != nil || len(sum) != sha256.Size {
			v.wrong(name, "holds what is no SHA-256 sum in hex")
			continue
		}
		sums = append(sums, [sha256.Size]byte(sum))
	}
	if len(sums) > 2 {
		v.wrong(name, "holds more than two sums")
	}
	return sums
}

// isHere tells whether a host is this machine.
func isHere(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && address.IsLoopback()
}

// languages reads a list of languages, of which the first is the default. Without the variable it is nil, which means English alone.
func (v *variables) languages(name string) []say.Language {
	text := v.getenv(name)
	if text == "" {
		return nil
	}
	var list []say.Language
	for s := range strings.SplitSeq(text, ",") {
		l := say.Language(strings.TrimSpace(s))
		if !slices.Contains(say.Languages(), l) {
			v.wrong(name, "is no list of languages of the platform: %q", text)
			return nil
		}
		if !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list
}

// origins reads a list of origins, which may be empty.
func (v *variables) origins(name string) []string {
	var list []string
	for _, s := range strings.Split(v.getenv(name), ",") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		origin := principal.Origin(s)
		if origin == "" {
			v.wrong(name, "holds what is no origin: %q", s)
			continue
		}
		list = append(list, origin)
	}
	return list
}
