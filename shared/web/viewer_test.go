package web_test

import (
	"crypto/sha256"
	"testing"

	"github.com/tenantry/tenantry/shared/web"
)

func TestViewers(t *testing.T) {
	const source, first, second = "203.0.113.9", "the first secret of the distribution", "the one that follows it"
	known := web.Viewers{sha256.Sum256([]byte(first)), sha256.Sum256([]byte(second))}
	for name, c := range map[string]struct {
		viewers web.Viewers
		headers map[string]string
		want    string
	}{
		"through CloudFront": {known, map[string]string{"x-origin-secret": first, "cloudfront-viewer-address": "198.51.100.10:46532"}, "198.51.100.10"},
		"with the other secret": {
			known, map[string]string{"x-origin-secret": second, "cloudfront-viewer-address": "198.51.100.10:46532"}, "198.51.100.10",
		},
		"IPv6": {known, map[string]string{"x-origin-secret": first, "cloudfront-viewer-address": "2001:db8:85a3::8a2e:370:7334:443"}, "2001:db8:85a3::8a2e:370:7334"},
		"IPv6 in brackets": {
			known, map[string]string{"x-origin-secret": first, "cloudfront-viewer-address": "[2001:db8::1]:443"}, "2001:db8::1",
		},
		"IPv4 in IPv6":   {known, map[string]string{"x-origin-secret": first, "cloudfront-viewer-address": "::ffff:198.51.100.10:443"}, "198.51.100.10"},
		"a wrong secret": {known, map[string]string{"x-origin-secret": first + "s", "cloudfront-viewer-address": "198.51.100.10:1"}, source},
		"both secrets in one": {
			known, map[string]string{"x-origin-secret": first + "," + second, "cloudfront-viewer-address": "198.51.100.10:1"}, source,
		},
		"no secret":        {known, map[string]string{"cloudfront-viewer-address": "198.51.100.10:46532"}, source},
		"an empty secret":  {web.Viewers{sha256.Sum256(nil)}, map[string]string{"x-origin-secret": "", "cloudfront-viewer-address": "198.51.100.10:1"}, source},
		"no secrets known": {nil, map[string]string{"x-origin-secret": first, "cloudfront-viewer-address": "198.51.100.10:46532"}, source},
		"a hash as secret": {
			known, map[string]string{"x-origin-secret": string(known[0][:]), "cloudfront-viewer-address": "198.51.100.10:1"}, source,
		},
		"no viewer":               {known, map[string]string{"x-origin-secret": first}, source},
		"a viewer without a port": {known, map[string]string{"x-origin-secret": first, "cloudfront-viewer-address": "198.51.100.10"}, source},
		"a viewer that is a name": {known, map[string]string{"x-origin-secret": first, "cloudfront-viewer-address": "evil.example:1"}, source},
		"two viewers": {
			known, map[string]string{"x-origin-secret": first, "cloudfront-viewer-address": "198.51.100.1:1,198.51.100.2:1"}, source,
		},
		"forwarded for": {
			known, map[string]string{"x-origin-secret": first, "x-forwarded-for": "198.51.100.10", "forwarded": "for=198.51.100.10"}, source,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.viewers.Address(c.headers, source); got != c.want {
				t.Errorf("%s instead of %s", got, c.want)
			}
		})
	}
}
