// Package smsrates says to which countries SMS are sent, and what a segment costs in each.
//
// What never goes in here: who pays, and how many may be sent (functions/sms/account).
package smsrates

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/money"
)

// Country is a country that SMS are sent to.
type Country struct {
	Code  string       // ISO 3166
	Price money.Amount // of a segment
	Share int64        // what a message takes of a free share: how many times the usual price a segment costs, rounded up
}

// Rates list the countries that SMS are sent to; nowhere else does one leave for.
type Rates []Country

// prefixes are how the numbers of a country begin. Kazakhstan and Russia share 7: what begins with 76 and 77 is Kazakhstan's.
func prefixes(code string) []string {
	return map[string][]string{
		"AE": {"971"}, "AM": {"374"}, "AZ": {"994"}, "BY": {"375"}, "CN": {"86"}, "DE": {"49"}, "GE": {"995"}, "KG": {"996"},
		"KR": {"82"}, "KZ": {"76", "77"}, "MD": {"373"}, "MN": {"976"}, "PL": {"48"}, "RU": {"73", "74", "75", "78", "79"},
		"TJ": {"992"}, "TM": {"993"}, "TR": {"90"}, "UA": {"380"}, "UZ": {"998"},
	}[code]
}

// Parse reads rates such as "KZ=1,RU=4.5": how many times the price of a segment one costs in each country.
func Parse(text string, segment money.Amount) (list Rates, err error) {
	for _, one := range strings.Split(text, ",") {
		code, times, ok := strings.Cut(one, "=")
		switch {
		case !ok || prefixes(code) == nil:
			return nil, fmt.Errorf("%q is no country with a price, such as KZ=1", one)
		case slices.ContainsFunc(list, func(c Country) bool { return c.Code == code }):
			return nil, fmt.Errorf("%s is there twice", code)
		}
		n, err := money.ParseAmount(times)
		if err != nil || n.Cmp(money.Amount{}) <= 0 {
			return nil, fmt.Errorf("%q is no price above zero", one)
		}
		price, err := segment.By(n)
		if err != nil || price.IsZero() {
			return nil, errors.Join(fmt.Errorf("%q makes no price", one), err)
		}
		list = append(list, Country{Code: code, Price: price, Share: (n.Cents() + 99) / 100})
	}
	return list, nil
}

// Of finds the country of a telephone in E.164; false if no SMS are sent there.
func (r Rates) Of(phone string) (Country, bool) {
	number, _ := strings.CutPrefix(phone, "+")
	for _, c := range r {
		if slices.ContainsFunc(prefixes(c.Code), func(p string) bool { return strings.HasPrefix(number, p) }) {
			return c, true
		}
	}
	return Country{}, false
}
