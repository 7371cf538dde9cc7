package page

import "strings"

// headersOf are the headers of a page.
func headersOf(lang, policy string) map[string]string {
	return map[string]string{
		"Content-Type":                 "text/html; charset=utf-8",
		"Content-Language":             lang,
		"Content-Security-Policy":      policy,
		"Cache-Control":                "no-store",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy":              "no-referrer",
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"X-Robots-Tag":                 "noindex, nofollow",
	}
}

// ends are the ends of every policy.
const ends = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// policy allows a page what is ours, and the page of a signer also the bucket that the document and the company's logo
// come from, and the signer's NCALayer. Nothing is inline, nothing is evaluated, and nothing is sent by a form.
func policy(s Settings, signer bool) string {
	connect, images, worker := "'self'", "'self'", ""
	if signer {
		connect = strings.Join(strings.Fields("'self' "+s.Bucket+" "+s.nca()), " ")
		images = strings.TrimSpace("'self' " + s.Bucket)
		worker = "worker-src 'self'; "
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src " + images + "; connect-src " + connect + "; " +
		worker + ends
}

// isOurs tells whether an address is a path on our own host.
func isOurs(address string) bool {
	return strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//") && !strings.ContainsAny(address, "\\\r\n\t")
}
