package pricebook

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/money"
)

// Price is the price of a tariff in a price list.
type Price struct {
	Tariff int64        `json:"tarif" doc:"Id of a tariff of one of the groups"`
	Price  money.Amount `json:"price"`
}

// PriceList is the prices of some tariffs. Each quote reads those of all active rules, so a list is stored as one short text:
// "17:15000.00 18:91000.00" for the tariffs 17 and 18.
type PriceList []Price

// MarshalText writes the list as it is stored.
func (l PriceList) MarshalText() ([]byte, error) {
	var b []byte
	for i, p := range l {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(strconv.AppendInt(b, p.Tariff, 10), ':')
		b = append(b, p.Price.String()...)
	}
	return b, nil
}

// UnmarshalText reads what was stored. What it does not know is an error: nothing is priced by a part of a list.
func (l *PriceList) UnmarshalText(b []byte) error {
	*l = nil
	for word := range strings.FieldsSeq(string(b)) {
		tariff, price, _ := strings.Cut(word, ":")
		id, bad := strconv.ParseInt(tariff, 10, 64)
		amount, err := money.ParseAmount(price)
		if bad != nil || err != nil {
			return fmt.Errorf("pricebook: %q is no price of a tariff", word)
		}
		*l = append(*l, Price{id, amount})
	}
	return nil
}
