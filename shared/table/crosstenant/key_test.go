package crosstenant_test

import (
	"bytes"
	"crypto/rand"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// The checksum is computed here by another way: python3 -c 'import zlib; zlib.crc32(b"tnt_key_" + b"0"*30)' is 2169438810, and that is
// 2Mok8Y in base 62.
func TestKeyText(t *testing.T) {
	text, err := crosstenant.KeyText(bytes.NewReader(append([]byte{255, 248, 253}, make([]byte, 30)...)))
	if want := "tnt_key_" + strings.Repeat("0", 30) + "2Mok8Y"; err != nil || text != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
	if !crosstenant.IsKey(text) || crosstenant.IsKey("tnt_feed_a") || crosstenant.IsKey("") {
		t.Error("a key isn't told from other tokens")
	}
	if _, err := crosstenant.KeyText(bytes.NewReader(make([]byte, 29))); err == nil {
		t.Error("a key of too little")
	}
}

// Each of the 62 characters comes as often as any other: of 60,000 some 968 each, within seven deviations.
func TestKeysAreFair(t *testing.T) {
	count := map[rune]int{}
	for range 2000 {
		text, err := crosstenant.KeyText(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range text[len("tnt_key_"):][:30] {
			count[r]++
		}
	}
	for r, n := range count {
		if n < 750 || n > 1190 {
			t.Errorf("%c came %d times", r, n)
		}
	}
	if len(count) != 62 {
		t.Errorf("%d characters", len(count))
	}
}

// A changed, cut or extended text is no key.
func TestKeyHash(t *testing.T) {
	text, err := crosstenant.KeyText(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	hash, ok := crosstenant.KeyHash(text)
	if !ok || len(hash) != 43 {
		t.Fatalf("%q, %v", hash, ok)
	}
	for i := len("tnt_key_"); i < len(text); i++ {
		for _, c := range []string{"0", "z", "-", " ", "я"} {
			if other := text[:i] + c + text[i+1:]; other != text {
				if _, ok := crosstenant.KeyHash(other); ok {
					t.Errorf("%q is a key, and so is %q", text, other)
				}
			}
		}
	}
	for _, other := range []string{"", "tnt_key_", text[:len(text)-1], text + "0", " " + text, text[len("tnt_key_"):], "tnt_feed_" + text[8:]} {
		if _, ok := crosstenant.KeyHash(other); ok {
			t.Errorf("%q is a key", other)
		}
	}
}

func TestAdmits(t *testing.T) {
	at := time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)
	networks := func(list ...string) (of []netip.Prefix) {
		for _, text := range list {
			of = append(of, netip.MustParsePrefix(text))
		}
		return of
	}
	office := networks("203.0.113.0/24", "2001:db8:1::/48", "198.51.100.7/32")
	for _, c := range []struct {
		name     string
		key      crosstenant.KeyItem
		address  string
		admitted bool
	}{
		{"without bounds", crosstenant.KeyItem{}, "192.0.2.1", true},
		{"without bounds, of no address", crosstenant.KeyItem{}, "", true},
		{"the moment before", crosstenant.KeyItem{Expires: moment.Of(at) + 1}, "192.0.2.1", true},
		{"the moment of its end", crosstenant.KeyItem{Expires: moment.Of(at)}, "192.0.2.1", false},
		{"after its end", crosstenant.KeyItem{Expires: moment.Of(at) - 1, Networks: office}, "203.0.113.9", false},
		{"in a network", crosstenant.KeyItem{Networks: office}, "203.0.113.255", true},
		{"beside it", crosstenant.KeyItem{Networks: office}, "203.0.114.0", false},
		{"of IPv6", crosstenant.KeyItem{Networks: office}, "2001:db8:1:ffff::1", true},
		{"beside that", crosstenant.KeyItem{Networks: office}, "2001:db8:2::1", false},
		{"one address", crosstenant.KeyItem{Networks: office}, "198.51.100.7", true},
		{"its neighbour", crosstenant.KeyItem{Networks: office}, "198.51.100.8", false},
		{"IPv4 written as IPv6", crosstenant.KeyItem{Networks: office}, "::ffff:203.0.113.9", true},
		{"no address", crosstenant.KeyItem{Networks: office}, "", false},
		{"no address at all", crosstenant.KeyItem{Networks: office}, "203.0.113", false},
	} {
		if got := c.key.Admits(at, c.address); got != c.admitted {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
