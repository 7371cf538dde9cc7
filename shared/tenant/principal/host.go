package principal

import (
	"net"
	"net/url"
	"strings"
)

// The authorizer and the web layer compare hosts with companies' domains. Both use these
// functions, so that they read hosts in the same way.

// Host is a host name in lower case, without a port.
func Host(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// OriginHost returns the host of an Origin header; "" if the header is not exactly an http or
// https origin.
func OriginHost(origin string) string {
	u := parseOrigin(origin)
	if u == nil {
		return ""
	}
	return Host(u.Hostname())
}

// Origin returns an Origin header in one spelling: lower case, and without the scheme's
// default port. It returns "" where OriginHost does.
func Origin(origin string) string {
	u := parseOrigin(origin)
	if u == nil {
		return ""
	}
	host := strings.ToLower(u.Host)
	if port := u.Port(); port == "" || port == defaultPorts[u.Scheme] {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return u.Scheme + "://" + host
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

func parseOrigin(origin string) *url.URL {
	u, err := url.Parse(origin)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.User != nil || u.Hostname() == "" ||
		!strings.EqualFold(origin, u.Scheme+"://"+u.Host) {
		return nil
	}
	return u
}
