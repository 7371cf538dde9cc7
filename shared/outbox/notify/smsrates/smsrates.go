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

// plan is which numbers of a country a telephone can have that takes SMS: how they begin, after the +, and how many digits they have.
// Where the country's plan of numbers says by itself which of them are mobile, the others are left out; elsewhere the length decides.
type plan struct {
	code        string
	begins      []string
	least, most int
}

// plans returns the numbering plans of all countries that can have a price. Kazakhstan and Russia share the code 7. Kazakhstan's 760 is
// left out, because satellite telephones have it; 940 begins like Russia's mobile numbers and belongs to another country.
func plans() []plan {
	return []plan{
		{"AE", []string{"9715"}, 12, 12},
		{"AM", []string{"374"}, 11, 11},
		{"AZ", []string{"994"}, 12, 12},
		{"BY", []string{"375"}, 12, 12},
		{"CN", []string{"861"}, 13, 13},
		{"DE", []string{"4915", "4916", "4917"}, 12, 13},
		{"GE", []string{"9955"}, 12, 12},
		{"KG", []string{"996"}, 12, 12},
		{"KR", []string{"8210"}, 12, 12},
		{"KZ", []string{"770", "7747", "7761", "7762", "7763", "7764", "777", "7785"}, 11, 11},
		{"MD", []string{"373"}, 11, 11},
		{"MN", []string{"976"}, 11, 11},
		{"PL", []string{"48"}, 11, 11},
		{"RU", []string{"79"}, 11, 11},
		{"TJ", []string{"992"}, 12, 12},
		{"TM", []string{"9936", "9937"}, 11, 11},
		{"TR", []string{"905"}, 12, 12},
		{"UA", []string{"380"}, 12, 12},
		{"UZ", []string{"998"}, 12, 12},
	}
}

// known tells whether a country can have a price.
func known(code string) bool {
	return slices.ContainsFunc(plans(), func(p plan) bool { return p.code == code })
}

// has tells whether a number without its + is one of the plan.
func (p plan) has(number string) bool {
	return len(number) >= p.least && len(number) <= p.most && !strings.HasPrefix(number, "7940") &&
		slices.ContainsFunc(p.begins, func(begin string) bool { return strings.HasPrefix(number, begin) })
}

// Parse reads rates such as "KZ=1,RU=4.5": how many times the price of a segment one costs in each country.
func Parse(text string, segment money.Amount) (list Rates, err error) {
	for _, one := range strings.Split(text, ",") {
		code, times, ok := strings.Cut(one, "=")
		switch {
		case !ok || !known(code):
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

// Of finds the country of a telephone in E.164; false if no SMS are sent there, or if the country has no such mobile number.
func (r Rates) Of(phone string) (Country, bool) {
	number, _ := strings.CutPrefix(phone, "+")
	plans := plans()
	i := slices.IndexFunc(plans, func(p plan) bool { return p.has(number) })
	if i < 0 {
		return Country{}, false
	}
	j := slices.IndexFunc(r, func(c Country) bool { return c.Code == plans[i].code })
	if j < 0 {
		return Country{}, false
	}
	return r[j], true
}
