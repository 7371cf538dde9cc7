package throttle

import (
	"testing"
	"time"
)

func TestCaller(t *testing.T) {
	for ip, want := range map[string]string{
		"203.0.113.7":                 "203.0.113.7",
		"::ffff:203.0.113.7":          "203.0.113.7",
		"::FFFF:cb00:7107":            "203.0.113.7",
		"2001:db8:1:2::":              "2001:db8:1:2::/64",
		"2001:DB8:1:2:3:4:5:6":        "2001:db8:1:2::/64",
		"2001:db8:1:2:ffff:ffff:0:1":  "2001:db8:1:2::/64",
		"2001:db8:1:3::1":             "2001:db8:1:3::/64",
		"fe80::1%eth0":                "fe80::/64",
		"fe80::2%eth1":                "fe80::/64",
		"::1":                         "::/64",
		"":                            "",
		"no address":                  "no address",
		"2001:db8::1, 203.0.113.7":    "2001:db8::1, 203.0.113.7",
		"0:0:0:0:0:ffff:203.0.113.7":  "203.0.113.7",
		"2001:0db8:0001:0002:0:0:0:9": "2001:db8:1:2::/64",
	} {
		if got := Caller(ip); got != want {
			t.Errorf("%q: %q, want %q", ip, got, want)
		}
	}
}

func TestRemember(t *testing.T) {
	th, clock := newThrottle(t)
	trust := Trust{"proof", time.Hour}
	want := func(what string, tr Trust, want bool, subject ...string) {
		t.Helper()
		if got, err := th.Remembers(t.Context(), tr, subject...); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", what, got, err, want)
		}
	}
	want("before", trust, false, "a", "b")
	th.Remember(t.Context(), trust, "a", "b")
	want("after", trust, true, "a", "b")
	want("another subject", trust, false, "a", "c")
	want("another trust", Trust{"other", time.Hour}, false, "a", "b")
	clock.now = clock.now.Add(time.Hour - time.Second)
	want("the last second", trust, true, "a", "b")
	th.Remember(t.Context(), trust, "a", "b")
	clock.now = clock.now.Add(time.Hour - time.Second)
	want("proven again", trust, true, "a", "b")
	clock.now = clock.now.Add(time.Second)
	want("expired, whether it was swept or not", trust, false, "a", "b")
}
