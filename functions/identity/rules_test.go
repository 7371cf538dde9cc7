package identity

import (
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

var noon = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"a@b.test": "a@b.test", " Anna@B.Test ": "anna@b.test", "ИВАН@почта.рф": "иван@почта.рф",
		"\u212Aelvin@b.test": "kelvin@b.test", // the sign of the unit; the code goes to kelvin@
		"":                   "", strings.Repeat("a", 255): "", strings.Repeat("a", 254): strings.Repeat("a", 254),
	} {
		got := crosstenant.Fold(in)
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if crosstenant.Fold(got) != got {
			t.Errorf("%q folds again to %q", got, crosstenant.Fold(got))
		}
	}
}

func TestIssue(t *testing.T) {
	sent := func(at time.Time, today int) challenge {
		return challenge{Item: table.Item{V: 1}, ID: "old", Sent: at.UnixMilli(), Day: at.Format(time.DateOnly), Today: today}
	}
	night := time.Date(2026, time.March, 2, 23, 59, 30, 0, time.UTC)
	for name, c := range map[string]struct {
		last  challenge
		now   time.Time
		today int
		wait  time.Duration
	}{
		"the first":                 {challenge{}, noon, 1, 0},
		"the second, at once":       {sent(noon, 1), noon, 0, time.Minute},
		"59.5 seconds later":        {sent(noon, 1), noon.Add(59500 * time.Millisecond), 0, time.Second},
		"60 seconds later":          {sent(noon, 1), noon.Add(time.Minute), 2, 0},
		"the tenth":                 {sent(noon, 9), noon.Add(time.Minute), 10, 0},
		"the eleventh":              {sent(noon, 10), noon.Add(time.Minute), 0, 12*time.Hour - time.Minute},
		"the eleventh, too soon":    {sent(noon, 10), noon.Add(time.Second), 0, 59 * time.Second},
		"the next day":              {sent(noon, 10), noon.AddDate(0, 0, 1), 1, 0},
		"over midnight, too soon":   {sent(night, 10), night.Add(time.Minute - time.Second), 0, time.Second},
		"over midnight, after that": {sent(night, 10), night.Add(time.Minute), 1, 0},
		"another zone, same day":    {sent(noon, 3), noon.Add(time.Hour).In(time.FixedZone("", 14*3600)), 4, 0},
	} {
		next, err := issue(c.last, "new", c.now)
		if c.wait > 0 {
			f, ok := fault.As(err)
			if !ok || f.Code != fault.Throttled || f.RetryAfter != c.wait {
				t.Errorf("%s: %v (%v), want to wait %v", name, err, next, c.wait)
			}
			continue
		}
		if err != nil || next.Today != c.today || next.ID != "new" || next.Sent != c.now.UnixMilli() || next.Tries != 0 || next.Used {
			t.Errorf("%s: %+v, %v; want the number %d", name, next, err, c.today)
		}
		if time.Unix(next.TTL, 0).Before(noon.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)) {
			t.Errorf("%s: swept before the day is over", name)
		}
	}
}

func TestOpen(t *testing.T) {
	fresh := challenge{Item: table.Item{V: 1}, Sent: noon.UnixMilli()}
	for name, c := range map[string]struct {
		change func(*challenge)
		after  time.Duration
		want   bool
	}{
		"fresh":           {func(*challenge) {}, 0, true},
		"the last moment": {func(*challenge) {}, 10*time.Minute - time.Millisecond, true},
		"expired":         {func(*challenge) {}, 10 * time.Minute, false},
		"24 guesses":      {func(c *challenge) { c.Tries = 24 }, 0, true},
		"25 guesses":      {func(c *challenge) { c.Tries = 25 }, 0, false},
		"used":            {func(c *challenge) { c.Used = true }, 0, false},
		"none":            {func(c *challenge) { *c = challenge{} }, 0, false},
	} {
		challenge := fresh
		c.change(&challenge)
		if got := challenge.open(register, noon.Add(c.after)); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestJudge(t *testing.T) {
	family := crosstenant.FamilyItem{
		Item: table.Item{V: 1}, Generation: 5, Rotated: noon.UnixMilli(), Expires: noon.Add(time.Hour).Unix(),
	}
	revoked := family
	revoked.Revoked = noon.Unix()
	for name, c := range map[string]struct {
		family     crosstenant.FamilyItem
		generation int64
		epoch      int64
		after      time.Duration
		want       reuse
	}{
		"the one before, at once":        {family, 4, 0, 0, repeated},
		"the one before, 10 s later":     {family, 4, 0, 10 * time.Second, repeated},
		"the one before, later":          {family, 4, 0, 10*time.Second + time.Millisecond, stolen},
		"an older one: successor used":   {family, 3, 0, 0, stolen},
		"the first":                      {family, 1, 0, 0, stolen},
		"one that was never given":       {family, 6, 0, 0, stolen},
		"revoked":                        {revoked, 4, 0, 0, ended},
		"expired":                        {family, 4, 0, time.Hour, ended},
		"an older one, of an ended one":  {revoked, 1, 0, 0, ended},
		"a family that is not there":     {crosstenant.FamilyItem{}, 1, 0, 0, ended},
		"an engine's clock runs behind":  {family, 4, 0, -time.Second, repeated},
		"one of a cross login's family":  {crosstenant.FamilyItem{Item: table.Item{V: 1}, Expires: noon.Add(time.Hour).Unix()}, 1, 0, 0, stolen},
		"the last second of its time":    {family, 4, 0, time.Hour - time.Second, stolen},
		"exactly at the end of its time": {family, 4, 0, time.Hour, ended},
		"one of an earlier epoch":        {family, 4, 1, 0, ended},
	} {
		if got := judge(c.family, c.generation, c.epoch, noon.Add(c.after)); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestRefreshTokenText(t *testing.T) {
	const id = "0b0e8f5e-6a54-4c3c-9d0f-3a5b1c9d2e01"
	r := refreshToken{User: 7, Family: id, Generation: 3}
	text := r.text([]byte("secret"))
	if got, ok := readRefresh(text); !ok || got != r {
		t.Errorf("%q reads as %+v %v", text, got, ok)
	}
	if mac := text[strings.LastIndex(text, ".")+1:]; len(mac) != 22 {
		t.Errorf("the MAC has %d characters, want 22", len(mac))
	}
	if r.text([]byte("secret")) != text {
		t.Error("the same token has two texts")
	}
	for name, other := range map[string]refreshToken{
		"user": {8, id, 3}, "family": {7, strings.Replace(id, "0b", "0c", 1), 3}, "generation": r.next(),
	} {
		mac := func(s string) string { return s[strings.LastIndex(s, "."):] }
		if mac(other.text([]byte("secret"))) == mac(text) {
			t.Errorf("another %s has the same MAC", name)
		}
	}
	for _, bad := range []string{
		"", "x", "...", "7." + id + ".3", "7." + id + ".3.mac.more", "07." + id + ".3.mac", "+7." + id + ".3.mac", "0." + id + ".3.mac",
		"-7." + id + ".3.mac", "7." + id + ".0.mac", "7." + id + ".-1.mac", "7." + id + ".03.mac", "7.x.3.mac", "7.{" + id + "}.3.mac",
		"99999999999999999999." + id + ".3.mac", "7." + id + ".99999999999999999999.mac", "7." + id + ".3." + strings.Repeat("m", 128),
	} {
		if got, ok := readRefresh(bad); ok {
			t.Errorf("%q reads as %+v", bad, got)
		}
	}
}

func TestLimitsLetNobodyLockAnotherOut(t *testing.T) {
	for name, l := range limits {
		if l.account > 0 && l.account < 10*l.pair {
			t.Errorf("%s: %d for an account, %d for one caller: too few callers could use it up", name, l.account, l.pair)
		}
	}
}

// What is guessed at most: one registration code in 40,000, and one in 200,000
// that opens an account.
func TestTriesInAll(t *testing.T) {
	for purpose, most := range map[codePurpose]int{register: 25, reset: 5, "another": 5} {
		if got := triesInAll(purpose); got != most || got < codeTries {
			t.Errorf("%s: %d tries in all, %d of one caller, want %d", purpose, got, codeTries, most)
		}
	}
}
