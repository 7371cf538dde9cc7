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
		"+77011234567": "KZ 15.00 1", "+77471234567": "KZ 15.00 1", "+77771234567": "KZ 15.00 1", "+77621234567": "KZ 15.00 1",
		"+76001234567": "", "+77172123456": "", "+77101234567": "", "+77511234567": "", "+77601234567": "",
		"+79161234567": "RU 67.50 5", "+79401234567": "", "+74951234567": "", "+78121234567": "",
		"+78001234567": "", "+78091234567": "", "+78401234567": "",
		"+7701123456": "", "+770112345678": "", "+99890123456": "", "+9989012345678": "", "+998901234": "", "+861012345678": "",
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

// Each country that can have a price has a number, which has one length.
func TestANumberOfEachCountry(t *testing.T) {
	numbers := map[string]string{
		"AE": "+971501234567", "AM": "+37477123456", "AZ": "+994501234567", "BY": "+375291234567", "CN": "+8613812345678",
		"DE": "+4915123456789", "GE": "+995555123456", "KG": "+996700123456", "KR": "+821012345678", "KZ": "+77011234567",
		"MD": "+37360123456", "MN": "+97688123456", "PL": "+48512345678", "RU": "+79161234567", "TJ": "+992917123456",
		"TM": "+99366123456", "TR": "+905321234567", "UA": "+380501234567", "UZ": "+998901234567",
	}
	for code, number := range numbers {
		list, err := smsrates.Parse(code+"=1", money.Whole(15))
		if err != nil {
			t.Fatal(err)
		}
		for number, want := range map[string]bool{number: true, number + "00": false, number[:len(number)-2]: false} {
			if _, ok := list.Of(number); ok != want {
				t.Errorf("%s: %s: %t", code, number, ok)
			}
		}
	}
}
