package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/gateway"
)

const refusal = `{"statusCode":401,"headers":{"www-authenticate":"Bearer","X-Request-Id":"1","Access-Control-Allow-Origin":"*"}}`

// in serves an authorizer and a function that refuses, and tells what was invoked.
func in(t *testing.T, w gateway.Weather) (address string, seen *recorder) {
	t.Helper()
	seen = &recorder{}
	return serve(t, gateway.Config{
		Routes: []gateway.Route{{
			Method: "ANY", Path: "$default", Function: function("f", refusal), Authorizer: function("guard", `{"isAuthorized":true}`),
		}},
		Record: seen.add, Weather: func() gateway.Weather { return w },
	}).URL, seen
}

func TestHeadersAreRenamed(t *testing.T) {
	for _, c := range []struct {
		weather     gateway.Weather
		name, other string
	}{
		{gateway.Weather{}, "Www-Authenticate", "X-Amzn-Remapped-Www-Authenticate"},
		{gateway.Weather{Renames: true}, "X-Amzn-Remapped-Www-Authenticate", "Www-Authenticate"},
	} {
		address, _ := in(t, c.weather)
		a, _ := do(t, "GET", address, "", nil)
		if a.Header.Get(c.name) != "Bearer" || a.Header.Get(c.other) != "" || a.Header.Get("X-Request-Id") != "1" {
			t.Errorf("%+v: %v", c.weather, a.Header)
		}
	}
}

// What the gateway refuses by itself has its own body and nothing of the platform, and reaches no function.
func TestTheGatewaysOwnRefusals(t *testing.T) {
	for _, c := range []struct {
		name    string
		weather gateway.Weather
		status  int
		body    string
	}{
		{"over the rate", gateway.Weather{Throttles: 2}, http.StatusTooManyRequests, `{"message":"Too Many Requests"}`},
		{"a starved authorizer", gateway.Weather{Starves: 2}, http.StatusInternalServerError, `{"message":"Internal Server Error"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			address, seen := in(t, c.weather)
			for _, method := range []string{"GET", "OPTIONS"} {
				if a, _ := do(t, method, address, "", http.Header{"Origin": {"https://app.example"}}); a.StatusCode != http.StatusUnauthorized {
					t.Fatalf("the first answered %d", a.StatusCode)
				}
				a, body := do(t, method, address, "", http.Header{"Origin": {"https://app.example"}})
				if a.StatusCode != c.status || body != c.body || a.Header.Get("Content-Type") != "application/json" {
					t.Errorf("%d %s", a.StatusCode, body)
				}
				for name := range a.Header {
					if strings.HasPrefix(name, "Access-Control-") || name == "X-Request-Id" {
						t.Errorf("the gateway knows %s", name)
					}
				}
			}
			if got := seen.functions(); got != "guard f guard f" {
				t.Errorf("invoked %s", got)
			}
		})
	}
}

func TestParseWeather(t *testing.T) {
	for text, want := range map[string]gateway.Weather{
		"": {}, "renames": {Renames: true}, "renames, throttles=20,starves=50": {Renames: true, Throttles: 20, Starves: 50},
	} {
		if got, err := gateway.ParseWeather(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"rain", "renames=1", "throttles", "throttles=0", "starves=-1", "starves=x"} {
		if got, err := gateway.ParseWeather(text); err == nil || !strings.Contains(err.Error(), "is no weather") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
