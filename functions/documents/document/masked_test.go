package document

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/keys"
)

func TestMasked(t *testing.T) {
	const none = "-"
	shown := func(s *string) string {
		if s == nil {
			return none
		}
		return *s
	}
	for phone, want := range map[string]string{
		"+77011234567": "+7••••••4567", "+12345": "••••45", "12345": none, "": none,
	} {
		if got := shown(MaskedPhone(&phone)); got != want {
			t.Errorf("%s: %s", phone, got)
		}
	}
	for email, want := range map[string]string{
		"aigul.s@example.com": "a•••@example.com", "ұлан@example.com": "ұ•••@example.com", "a@example.com": "•••@example.com",
		`"a@b"@example.com`: `"•••@example.com`, "@example.com": none, "nothing": none, "": none,
	} {
		if got := shown(MaskedEmail(&email)); got != want {
			t.Errorf("%s: %s", email, got)
		}
	}
	if MaskedPhone(nil) != nil || MaskedEmail(nil) != nil {
		t.Error("nothing is something")
	}
	for ip, want := range map[string][2]string{
		"203.0.113.77": {"203.0.113.0/24", "203.0.113.0"}, "2001:db8:1:2::77": {"2001:db8:1::/48", "2001:db8:1::"},
		"::ffff:203.0.113.77": {"203.0.113.0/24", "203.0.113.0"}, "": {}, "no address": {},
	} {
		g := newStage(Ready, Viewing, Act{At: time.Unix(1, 0), IP: ip, User: 7}, keys.ID{})
		m := g.Masked()
		if g.Network() != want[0] || m.IP() != want[1] || m.User() != 7 || m.At() != g.At() || !m.IsWhole() || m.Network() != want[0] {
			t.Errorf("%s: %s, %s", ip, g.Network(), m.IP())
		}
	}
}
