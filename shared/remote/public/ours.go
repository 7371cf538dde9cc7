package public

import (
	"net/url"
	"strings"
)

// Below refuses a domain with all names below it, for Options.Refused.
func Below(domain string) func(host string) bool {
	return func(host string) bool { return domain != "" && (host == domain || strings.HasSuffix(host, "."+domain)) }
}

// Host is the host of an address that Check has let through, in the form that Options.Refused gets.
func Host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host, _, _ := normal(u.Hostname())
	return host
}
