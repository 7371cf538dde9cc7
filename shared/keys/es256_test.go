package keys

import (
	"encoding/hex"
	"testing"
)

func TestJoined(t *testing.T) {
	one := "00000000000000000000000000000000000000000000000000000000000000"
	for name, c := range map[string]struct{ der, want string }{
		"small numbers are padded": {"3006020101020102", one + "01" + one + "02"},
		"a number of 256 bits": {
			"3026022100ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff020101",
			"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff" + one + "01",
		},
		"a number of more than 256 bits": {"3027022201" + "0000000000000000000000000000000000000000000000000000000000000000" + "00020101", ""},
		"zero":                           {"3006020100020101", ""},
		"negative":                       {"30060201ff020101", ""},
		"more after it":                  {"300602010102010200", ""},
		"not DER":                        {"ffff", ""},
		"nothing":                        {"", ""},
	} {
		der, err := hex.DecodeString(c.der)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := joined(der)
		if hex.EncodeToString(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %x, %v; want %s", name, got, err, c.want)
		}
	}
}
