package clients

import (
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kz"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/slimindex"
	"github.com/tenantry/tenantry/shared/web"
)

// The numbers of a client in the slim index.
const (
	byPhone = "p"
	byIIN   = "i"
	byBIN   = "b"
	byFlags = "y" // 2 × type, and 1 where it has signed
)

// digits are those of them that are searched, with their width; a phone is as
// long as it is.
func digits() map[string]int { return map[string]int{byPhone: 1, byIIN: 12, byBIN: 12} }

func numbers(c *client) map[string]int64 {
	list := map[string]int64{byFlags: 2 * c.Type}
	if c.Signed {
		list[byFlags]++
	}
	add := func(name string, text *string) {
		if text == nil {
			return
		}
		if n, err := strconv.ParseInt(strings.TrimPrefix(*text, "+"), 10, 64); err == nil {
			list[name] = n
		}
	}
	add(byPhone, c.Phone)
	if c.Individual != nil {
		add(byIIN, c.Individual.IIN)
	}
	if c.Legal != nil {
		add(byBIN, c.Legal.BIN)
	}
	return list
}

// words are those of a search. What can only be a phone is one word, in the
// digits that are stored.
func words(search string) []string {
	search = strings.TrimSpace(search)
	number := strings.Map(func(r rune) rune {
		if strings.ContainsRune("+()- ", r) {
			return -1
		}
		return r
	}, search)
	if number == "" || strings.Trim(number, "0123456789") != "" {
		return slimindex.Words(search)
	}
	if phone, ok := kz.Phone(search); ok && (len(number) == 11 || strings.HasPrefix(search, "+")) {
		number = strings.TrimPrefix(phone, "+")
	}
	return []string{number}
}

// filters are those of the list.
func filters() []record.Filter {
	return []record.Filter{
		{Param: web.Param{Name: "type", Doc: "0 individual, 1 legal", Enum: []string{"0", "1"}}, Add: byType},
		{Param: web.Param{Name: "signed", Doc: "Whether the client has signed an agreement.", Enum: []string{"true", "false"}}, Add: bySigned},
		{Param: web.Param{Name: "phone", Doc: "The whole number, however it is written."}, Add: phoneIs},
		{Param: web.Param{Name: "iin", Doc: "The whole IIN."}, Add: numberIs(byIIN)},
		{Param: web.Param{Name: "bin", Doc: "The whole BIN."}, Add: numberIs(byBIN)},
		{Param: web.Param{Name: "name", Doc: "Words of the name; all of them must be in it."}, Add: nameHas},
	}
}

func where(q *slimindex.Query, fits func(slimindex.Entry) bool) {
	before := q.Filter
	q.Filter = func(e slimindex.Entry) bool { return (before == nil || before(e)) && fits(e) }
}

func byType(q *slimindex.Query, value string) error {
	if value != "0" && value != "1" {
		return fault.Field("type", fault.BadChoice(value))
	}
	legal := value == "1"
	where(q, func(e slimindex.Entry) bool { return (e.Number(byFlags) >= 2) == legal })
	return nil
}

func bySigned(q *slimindex.Query, value string) error {
	var signed bool
	switch strings.ToLower(value) {
	case "true", "1":
		signed = true
	case "false", "0":
	default:
		return fault.Field("signed", fault.BadBoolean)
	}
	where(q, func(e slimindex.Entry) bool { return (e.Number(byFlags)%2 == 1) == signed })
	return nil
}

func phoneIs(q *slimindex.Query, value string) error {
	phone, ok := kz.Phone(value)
	if !ok {
		return fault.Field("phone", kz.BadPhone)
	}
	return numberIs(byPhone)(q, strings.TrimPrefix(phone, "+"))
}

func numberIs(name string) func(q *slimindex.Query, value string) error {
	return func(q *slimindex.Query, value string) error {
		n, err := strconv.ParseInt(value, 10, 64)
		where(q, func(e slimindex.Entry) bool { return err == nil && n > 0 && e.Number(name) == n })
		return nil
	}
}

func nameHas(q *slimindex.Query, value string) error {
	q.InText = append(q.InText, slimindex.Words(value)...)
	return nil
}
