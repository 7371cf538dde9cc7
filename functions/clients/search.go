package clients

import (
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/shared/decode/kz"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// words are those of a search. What is a whole phone is one word, however it is
// written: by its parts, others would be found too.
func words(text string) []string {
	phone, ok := kz.Phone(strings.TrimSpace(text))
	if !ok {
		return search.Words(text)
	}
	number := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	if strings.HasPrefix(number, "00") { // which no spelling has
		number = strings.TrimPrefix(phone, "+")
	}
	return []string{number}
}

// filters are those of the list.
func filters() []resource.Filter {
	return []resource.Filter{
		{Param: web.Param{Name: "type", Doc: "0 individual, 1 legal", Enum: []string{"0", "1"}}, Add: byType},
		{Param: web.Param{Name: "signed", Doc: "Whether the client has signed an agreement.", Enum: []string{"true", "false"}}, Add: bySigned},
		{Param: web.Param{Name: "phone", Doc: "The whole number, however it is written. What is none finds nothing."}, Add: numberIs(client.ByPhone, kz.Phone)},
		{Param: web.Param{Name: "iin", Doc: "The whole IIN. What is none finds nothing."}, Add: numberIs(client.ByIIN, kz.IIN)},
		{Param: web.Param{Name: "bin", Doc: "The whole BIN. What is none finds nothing."}, Add: numberIs(client.ByBIN, kz.BIN)},
		{Param: web.Param{Name: "name", Doc: "Words of the name; all of them must be in it."}, Add: nameHas},
	}
}

func where(q *search.Query, fits func(search.Entry) bool) {
	before := q.Filter
	q.Filter = func(e search.Entry) bool { return (before == nil || before(e)) && fits(e) }
}

func byType(q *search.Query, value string) error {
	if value != "0" && value != "1" {
		return fault.Field("type", fault.BadChoice(value))
	}
	legal := value == "1"
	where(q, func(e search.Entry) bool { return (e.Number(client.ByFlags) >= 2) == legal })
	return nil
}

func bySigned(q *search.Query, value string) error {
	var signed bool
	switch strings.ToLower(value) {
	case "true", "1":
		signed = true
	case "false", "0":
	default:
		return fault.Field("signed", fault.BadBoolean)
	}
	where(q, func(e search.Entry) bool { return (e.Number(client.ByFlags)%2 == 1) == signed })
	return nil
}

// numberIs finds a whole number in any spelling that a client could have been
// given it in. What is no such number is nobody's.
func numberIs(name string, normal func(string) (string, bool)) func(q *search.Query, value string) error {
	return func(q *search.Query, value string) error {
		text, ok := normal(value)
		n, err := strconv.ParseInt(strings.TrimPrefix(text, "+"), 10, 64)
		where(q, func(e search.Entry) bool { return ok && err == nil && e.Number(name) == n })
		return nil
	}
}

func nameHas(q *search.Query, value string) error {
	q.InText = append(q.InText, search.Words(value)...)
	return nil
}
