package app

import (
	"net/url"
	"strings"
)

// WebClient is where people find the web client: an address of https with {host} in the place of a company's host. It is empty where
// nobody has said that.
type WebClient string

// host is the place of a company's host in the address.
const host = "{host}"

// Link is the address of the client of a company with a host, which may be empty for the stage's own client, with values for the page.
// These stand behind the #, so that no server learns them: they may hold a code. It is empty if nobody has said where the client is.
func (c Config) Link(of string, values url.Values) string {
	if c.WebClient == "" {
		return ""
	}
	if of == "" {
		of = c.PlatformDomain
	}
	return strings.ReplaceAll(string(c.WebClient), host, of) + "#" + values.Encode()
}

// webClient reads where the web client is; it may be nowhere.
func (v *variables) webClient(name string) WebClient {
	pattern := v.getenv(name)
	if pattern == "" {
		return ""
	}
	if at := strings.ReplaceAll(pattern, host, "company.example"); strings.ContainsAny(at, "{}\"'<> #") || !isSecure(at) {
		v.wrong(name, "is no address of https with places for %s alone: %q", host, pattern)
	}
	return WebClient(pattern)
}
