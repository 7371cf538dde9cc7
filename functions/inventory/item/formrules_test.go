package item_test

import (
	"testing"

	"github.com/tenantry/tenantry/functions/inventory/item"
)

func TestUsualPlates(t *testing.T) {
	for plate, want := range map[string]bool{
		"123ABC02": true, "123AB02": true, "A123ABC": true, "A123AB": true, "777ABC02": true,
		"": false, "123ABC": false, "12ABC02": false, "1234ABC02": false, "123A02": false, "123ABCD02": false, "123ABC2": false, "123ABC002": false,
		"AB123C": false, "A123BC77": false, "A12ABC": false, "123abc02": false, "123 ABC 02": false, "X123ABC02": false,
	} {
		if item.UsualPlate(plate) != want {
			t.Errorf("%q: %v", plate, !want)
		}
	}
}

func TestUsualVINs(t *testing.T) {
	for vin, want := range map[string]bool{
		"JTNB11HK903000001": true, "1HGCM82633A004352": true, "11111111111111111": true, "jtnb11hk903000001": true, " JTNB11HK903000001": true,
		"": false, "JTNB11HK90300000": false, "JTNB11HK9030000011": false, "JTNB11HK90300000O": false, "ITNB11HK903000001": false,
		"QTNB11HK903000001": false, "JTNB11HK90300000-": false, "JTNB11HK90300000А": false,
	} {
		if item.UsualVIN(vin) != want {
			t.Errorf("%q: %v", vin, !want)
		}
	}
}
