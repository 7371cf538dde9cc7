package kz_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/decode/kz"
)

type check struct {
	name string
	of   func(string) (string, bool)
}

func (c check) takes(t *testing.T, vectors map[string]string) {
	t.Helper()
	for in, want := range vectors {
		if got, ok := c.of(in); !ok || got != want {
			t.Errorf("%s %q: %q, %v, want %q", c.name, in, got, ok, want)
		}
	}
}

func (c check) refuses(t *testing.T, vectors ...string) {
	t.Helper()
	for _, in := range vectors {
		if got, ok := c.of(in); ok {
			t.Errorf("%s %q is taken as %q", c.name, in, got)
		}
	}
}

func TestIIN(t *testing.T) {
	iin := check{"IIN", kz.IIN}
	iin.takes(t, map[string]string{
		"850515300016": "850515300016", "921130401234": "921130401234", "010228504562": "010228504562",
		"040229600071":         "040229600071", // a leap day
		"850515300701":         "850515300701", // second weights
		" 850515 300016\u00a0": "850515300016",
	})
	iin.refuses(
		t, "850515300017", "", "0", "000000000000", "85051530001", "8505153000166", "850515-300016", "85051530001x", "85051530001６", "+850515300016",
		"851315300018",                                 // month 13
		"140340010302", "191151000429", "220760000118", // BINs
	)
	// What follows has the control digit that its other digits ask for.
	for bad, why := range map[string]string{
		"850230300017": "30 February",
		"851315300011": "month 13",
		"850001300011": "month 0",
		"850515700011": "century 7",
		"850515000017": "century 0",
		"010229600016": "29 February 2001",
		"000229300015": "29 February 1900",
		"000229100012": "29 February 1800",
	} {
		if _, ok := kz.BIN(bad); !ok {
			t.Errorf("%s: the control digit of %s", bad, why)
		}
		if _, ok := kz.IIN(bad); ok {
			t.Errorf("%s: taken with %s", bad, why)
		}
	}
	for i := range len("850515300016") { // every wrong digit shows but the 11th, whose weight is 11
		if i == 10 {
			continue
		}
		good := []byte("850515300016")
		for d := byte('0'); d <= '9'; d++ {
			bad := append([]byte{}, good...)
			if bad[i] = d; d != good[i] {
				iin.refuses(t, string(bad))
			}
		}
	}
}

func TestBIN(t *testing.T) {
	bin := check{"BIN", kz.BIN}
	bin.takes(t, map[string]string{
		"140340010302": "140340010302", "191151000429": "191151000429", "220760000118": "220760000118",
		"850515300016":    "850515300016", // a sole trader's
		"140 340 010 302": "140340010302",
	})
	bin.refuses(t, "000000000000", "140340010303", "", "14034001030", "14034001030a", "1403400103022")
}

func TestIBAN(t *testing.T) {
	iban := check{"IBAN", kz.IBAN}
	iban.takes(t, map[string]string{
		"KZ86125KZT5004100100": "KZ86125KZT5004100100", "KZ257220000000000001": "KZ257220000000000001",
		"KZ86601A861000000001": "KZ86601A861000000001", "kz86 125k zt50 0410 0100": "KZ86125KZT5004100100",
	})
	iban.refuses(
		t, "", "KZ", "KZ87125KZT5004100100", "KZ86125KZT500410010", "KZ86125KZT50041001000", "DE86125KZT5004100100", "KZ8612AKZT5004100100",
		"KZ86125KZT5004100-00", "ＫZ86125KZT5004100100", "KZ68125KZT5004100100",
	)
}

func TestBIK(t *testing.T) {
	bik := check{"BIK", kz.BIK}
	bik.takes(t, map[string]string{
		"HSBKKZKX": "HSBKKZKX", "hsbkkzkx": "HSBKKZKX", "CASPKZKA": "CASPKZKA", "KCJBKZKXXXX": "KCJBKZKXXXX", " IRTYKZ12": "IRTYKZ12",
	})
	bik.refuses(t, "", "HSBKKZK", "HSBKKZKXX", "HSBKKZKXXXXX", "HSBKRUKX", "HSB1KZKX", "HSBKKZK-", "HSBKKZKXXX-", "НSBKKZKX")
}

func TestPhone(t *testing.T) {
	phone := check{"phone", kz.Phone}
	phone.takes(t, map[string]string{
		"8 (701) 123-45-67": "+77011234567", "7011234567": "+77011234567", "77011234567": "+77011234567", "+77011234567": "+77011234567",
		"+7 701 123 45 67": "+77011234567", "8-701-123-45-67": "+77011234567", "8.701.123.45.67": "+77011234567", "0077011234567": "+77011234567",
		"8(7172)55‑66‑77": "+77172556677", "87011234567": "+77011234567", "+7\u00a0701\u00a01234567": "+77011234567",
		"+998 90 123-45-67": "+998901234567", "+49 (30) 901820": "+4930901820", "+1 202 555 0143": "+12025550143", "89161234567": "+79161234567",
	})
	phone.refuses(
		t, "", "+", "00", "7", "701123456", "70112345678", "9011234567", "998901234567", "+7701123456", "+770112345678", "8701123456x",
		"+7701+1234567", "++77011234567", "+01234567890", "+1234567", "+1234567890123456", "+71011234567", "80011234567", "７0１1234567", "7 701 123 45 67 ext 1",
		strings.Repeat(" ", 41)+"7011234567",
	)
}

func FuzzNumbers(f *testing.F) {
	for _, seed := range []string{
		"850515300016", "KZ86125KZT5004100100", "HSBKKZKX", "8 (701) 123-45-67", "+998901234567", "00", "\u2028", "\xff",
	} {
		f.Add(seed)
	}
	checks := []check{{"IIN", kz.IIN}, {"BIN", kz.BIN}, {"IBAN", kz.IBAN}, {"BIK", kz.BIK}, {"phone", kz.Phone}}
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range checks {
			stored, ok := c.of(s)
			if !ok {
				continue
			}
			if again, ok := c.of(stored); !ok || again != stored {
				t.Errorf("%s %q is %q, which is %q, %v", c.name, s, stored, again, ok)
			}
			if strings.Trim(stored, "+0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || len(stored) > 20 {
				t.Errorf("%s %q is %q", c.name, s, stored)
			}
		}
	})
}
