package app

import (
	"net/url"
	"testing"
)

// What a link holds for the page stands behind the #; a company without a proven host has the stage's own client.
func TestLink(t *testing.T) {
	values := url.Values{"code": {"123456"}, "reset": {"a+b@c.test"}}
	for _, c := range []struct{ client, host, want string }{
		{"", "acme.tenantry.test", ""},
		{"https://{host}/", "acme.tenantry.test", "https://acme.tenantry.test/#code=123456&reset=a%2Bb%40c.test"},
		{"https://{host}", "", "https://tenantry.test#code=123456&reset=a%2Bb%40c.test"},
		{"https://app.example.com:8443/{host}/in", "rent.acme.kz", "https://app.example.com:8443/rent.acme.kz/in#code=123456&reset=a%2Bb%40c.test"},
		{"https://app.example.com", "rent.acme.kz", "https://app.example.com#code=123456&reset=a%2Bb%40c.test"},
	} {
		v := valid()
		v["WEB_CLIENT"] = c.client
		env, err := from(v)
		if err != nil {
			t.Fatal(err)
		}
		if got := env.Config.Link(c.host, values); got != c.want {
			t.Errorf("%s, %s: %s", c.client, c.host, got)
		}
	}
}
