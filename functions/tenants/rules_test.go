package tenants

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/currency"
	"golang.org/x/text/language"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

const platform = "tenantry.test"

func TestParseDomain(t *testing.T) {
	long := strings.Repeat("a", 63)
	for _, c := range []struct {
		text, host string
		message    say.Message
		foreign    bool
	}{
		{text: "acme", host: "acme.tenantry.test"},
		{text: " ACME ", host: "acme.tenantry.test"},
		{text: "acme.tenantry.test", host: "acme.tenantry.test"},
		{text: "Acme.Tenantry.Test.", host: "acme.tenantry.test"},
		{text: "a", host: "a.tenantry.test"},
		{text: "42", host: "42.tenantry.test"},
		{text: "acme-2", host: "acme-2.tenantry.test"},
		{text: long, host: long + ".tenantry.test"},
		{text: "rent.acme.kz", host: "rent.acme.kz", foreign: true},
		{text: "ACME.KZ.", host: "acme.kz", foreign: true},
		{text: "api.acme.kz", host: "api.acme.kz", foreign: true},
		{text: "xn--80aeqo.xn--80ao21a", host: "xn--80aeqo.xn--80ao21a", foreign: true},
		{text: "nottenantry.test", host: "nottenantry.test", foreign: true},

		{text: "api", message: noDomain},
		{text: "WWW", message: noDomain},
		{text: "admin.tenantry.test", message: noDomain},
		{text: "tenantry.test", message: noDomain},
		{text: "abc.execute-api.eu-central-1.amazonaws.com", message: noDomain},

		{text: "", message: badDomain},
		{text: ".", message: badDomain},
		{text: "-acme", message: badDomain},
		{text: "acme-", message: badDomain},
		{text: "ac me", message: badDomain},
		{text: "ac_me", message: badDomain},
		{text: "кафе", message: badDomain},
		{text: "\u212aabc", message: badDomain}, // the Kelvin sign
		{text: "\u212aabc.tenantry.test", message: badDomain},
		{text: "rent.\u212aabc.kz", message: badDomain},
		{text: "ab\xffc", message: badDomain},
		{text: "xn--80aeqo", message: badDomain},
		{text: "xn--80aeqo.tenantry.test", message: badDomain},
		{text: long + "a", message: badDomain},
		{text: "a.b.tenantry.test", message: badDomain},
		{text: ".tenantry.test", message: badDomain},
		{text: "acme..kz", message: badDomain},
		{text: ".acme.kz", message: badDomain},
		{text: "acme.kz..", message: badDomain},
		{text: "127.0.0.1", message: badDomain},
		{text: "acme.k", message: badDomain},
		{text: "acme.kz:8000", message: badDomain},
		{text: "https://acme.kz", message: badDomain},
		{text: "acme.kz/", message: badDomain},
		{text: strings.Repeat(long[:62]+".", 4) + "kz", message: badDomain},
	} {
		d, message := parseDomain(c.text, platform)
		if message != c.message || d.host != c.host || d.foreign != c.foreign || d.reserved != (c.message == noDomain) {
			t.Errorf("%q: %+v %q", c.text, d, message)
		}
	}
}

func TestEveryReservedNameIsRefused(t *testing.T) {
	names := strings.Fields(reserved)
	if len(names) < 50 {
		t.Fatalf("%d names", len(names))
	}
	for _, name := range names {
		if _, message := parseDomain(name, platform); message != noDomain {
			t.Errorf("%s: %q", name, message)
		}
	}
}

// The codes are compared with x/text, whose tables are some years old.
func TestCodes(t *testing.T) {
	has := func(list string) map[string]bool {
		codes := map[string]bool{}
		for _, code := range strings.Fields(list) {
			if codes[code] || !among(list, code) {
				t.Errorf("%s stands twice, or is not found", code)
			}
			codes[code] = true
		}
		if sorted := slices.Sorted(maps.Keys(codes)); strings.Join(sorted, " ") != strings.TrimSpace(list) {
			t.Error("a list is not sorted")
		}
		return codes
	}
	money, gone := has(currencies), "ANG BGN CUC HRK MRO SLL VEF"
	for known := currency.Query(currency.Date(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))); known.Next(); {
		if code := known.Unit().String(); !money[code] && !strings.Contains(gone, code) {
			t.Errorf("currency %s is missing", code)
		}
	}
	for code := range money {
		if _, err := currency.ParseISO(code); err != nil && !strings.Contains("MRU SLE VED VES XCG ZWG", code) {
			t.Errorf("currency %s: %v", code, err)
		}
	}
	places := has(countries)
	if len(places) != 249 {
		t.Errorf("%d countries", len(places))
	}
	for code := range places {
		if r, err := language.ParseRegion(code); err != nil || !r.IsCountry() || r.Canonicalize() != r {
			t.Errorf("country %s: %v", code, err)
		}
	}
	for _, code := range []string{"", " ", "kzt", "KZ", "KZT USD", "XXX", "XAU"} {
		if among(currencies, code) {
			t.Errorf("currency %q", code)
		}
	}
}

func TestTimeZones(t *testing.T) {
	for name, want := range map[string]bool{
		"Asia/Almaty": true, "UTC": true, "Etc/GMT-5": true, "America/Argentina/Buenos_Aires": true, "Europe/Kyiv": true,
		"": false, "Local": false, "Factory": false, "Asia/Atlantis": false, "asia/almaty": false, "posixrules": false,
		"localtime": false, "../etc/passwd": false, "/etc/localtime": false, "Asia/../Asia/Almaty": false, "+05:00": false,
	} {
		if isTimeZone(name) != want {
			t.Errorf("%q: %t", name, !want)
		}
	}
}

func TestCompanyRules(t *testing.T) {
	body := func(change func(*companyBody)) companyBody {
		b := companyBody{
			Name: decode.Some("Acme"), Domain: decode.Some("acme"), Currency: decode.Some("KZT"), TimeZone: decode.Some("Asia/Almaty"),
		}
		if change != nil {
			change(&b)
		}
		return b
	}
	for _, c := range []struct {
		name   string
		change func(*companyBody)
		want   fault.FieldErrors
	}{
		{"the least", nil, nil},
		{"country", func(b *companyBody) { b.Country = decode.Some("KZ") }, nil},
		{"null country", func(b *companyBody) { b.Country = decode.Optional[string]{Set: true, Null: true} }, nil},
		{"large extra", func(b *companyBody) { b.Extra = decode.Some(make(decode.JSON, maxExtra)) }, nil},
		{
			"all wrong", func(b *companyBody) {
				b.Domain, b.Country, b.Currency, b.TimeZone = decode.Some("api"), decode.Some("kz"), decode.Some("XXX"), decode.Some("Mars/Olympus")
				b.Extra = decode.Some(make(decode.JSON, maxExtra+1))
			},
			fault.FieldErrors{
				"domain": []say.Message{noDomain}, "country": []say.Message{say.InvalidChoice("kz")},
				"currency": []say.Message{say.InvalidChoice("XXX")}, "timezone": []say.Message{say.InvalidChoice("Mars/Olympus")},
				"extra": []say.Message{say.TooManyBytes(16384)},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := body(c.change).parse(platform)
			var got fault.FieldErrors
			if f, ok := fault.As(err); ok {
				got = f.Fields
			} else if err != nil {
				t.Fatal(err)
			}
			if !maps.EqualFunc(got, c.want, func(a, b any) bool { return slices.Equal(a.([]say.Message), b.([]say.Message)) }) {
				t.Fatalf("%v, want %v", got, c.want)
			}
		})
	}
	label, err := body(nil).parse(platform)
	if err != nil || label.Host != "acme.tenantry.test" || label.Claim != "" || label.Extra != "{}" || label.Country != nil {
		t.Fatalf("%+v, %v", label, err)
	}
	if r := label.RentalRules(); !r.Combine || !r.ServicesByTime || r.MaxDiscount.Employee != 20 || r.MaxDiscount.Manager != 100 {
		t.Errorf("a new company has the rental settings %+v", r)
	}
	foreign, err := body(func(b *companyBody) { b.Domain = decode.Some("acme.kz") }).parse(platform)
	if err != nil || foreign.Host != "" || foreign.Claim != "acme.kz" {
		t.Fatalf("%+v, %v", foreign, err)
	}
}

func TestBrake(t *testing.T) {
	var b brake
	now := time.Date(2026, 3, 1, 12, 0, 10, 0, time.UTC)
	ask := func(address string, at time.Time, want bool) {
		t.Helper()
		if counts := b.ask(address, at); counts != want {
			t.Errorf("question %d of %s at %s: counted %t", b.asked[address], address, at.Format(time.TimeOnly), counts)
		}
	}
	for i := range 3 * asksAtOnce {
		ask("a", now, (i+1)%asksAtOnce == 0)
	}
	b.refuse("a")
	ask("a", now, true) // whoever was refused is asked about again
	ask("b", now, false)
	for i := range asksAtOnce {
		ask("a", now.Add(50*time.Second), i+1 == asksAtOnce) // another minute
	}
	for i := range maxAddresses * 2 {
		b.ask(strings.Repeat("x", i%100)+time.Duration(i).String(), now)
	}
	if len(b.asked) > maxAddresses {
		t.Errorf("%d addresses remembered", len(b.asked))
	}
}
