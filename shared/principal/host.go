package principal

import (
	"net"
	"net/url"
	"strings"
)

// The authorizer and the web layer compare hosts with companies' domains. They
// must read them alike, so both use these.

// Host is a host name in lower case, without a port.
func Host(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// OriginHost is the host of an Origin header; empty where the header is not
// exactly an http or https origin.
func OriginHost(origin string) string {
	u, err := url.Parse(origin)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.User != nil || !strings.EqualFold(origin, u.Scheme+"://"+u.Host) {
		return ""
	}
	return Host(u.Hostname())
}
