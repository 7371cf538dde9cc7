package smsrates_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/outbox/notify/smsrates"
)

func TestCountries(t *testing.T) {
	list, err := smsrates.Parse("KZ=1,RU=4.5,UZ=8,CN=0.1", money.Whole(15))
	if err != nil {
		t.Fatal(err)
	}
	for phone, want := range map[string]string{
		"+77011234567": "KZ 15.00 1", "+76001234567": "KZ 15.00 1", "+77172123456": "KZ 15.00 1",
		"+79161234567": "RU 67.50 5", "+74951234567": "RU 67.50 5", "+78121234567": "RU 67.50 5",
		"+998901234567": "UZ 120.00 8", "+8613812345678": "CN 1.50 1",
		"+996700123456": "", "+12025550123": "", "+447700900123": "", "+8821612345678": "",
	} {
		got := ""
		if c, ok := list.Of(phone); ok {
			got = c.Code + " " + c.Price.String() + " " + string(rune('0'+c.Share))
		}
		if got != want {
			t.Errorf("%s: %q, want %q", phone, got, want)
		}
	}
	for text, want := range map[string]string{
		"": "no country with a price", "KZ": "no country", "XX=1": "no country", "KZ=0": "no price above zero", "KZ=-1": "no price",
		"KZ=1,KZ=2": "twice", "KZ=1e3": "no price above zero", "KZ=99999999999999": "makes no price", "KZ=1,": "no country",
	} {
		if _, err := smsrates.Parse(text, money.Whole(15)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
