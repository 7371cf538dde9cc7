package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/decode/kz"
)

// person is an invented client. Every run invents the same ones.
type person struct {
	name, phone string // the phone in E.164
	iin, bin    string
}

var (
	families = []string{"Сәрсенбаева", "Ахметов", "Ким", "Smith", "Қасымова", "Иванова", "Жұмабеков", "Miller"}
	givens   = []string{"Айгүл", "Ерлан", "Владимир", "Ann", "Әсел", "Ольга", "Нұрлан", "John", "Мадина"}
	firms    = []string{"Степь Логистик", "Алатау Прокат", "Nomad Bikes", "Жібек Жолы", "Caspian Tools"}
	methods  = []string{"Instagram", "Рекомендация", "2ГИС", "Walk-in", "Жарнама"}
)

func individual(n int) person {
	return person{
		name:  fmt.Sprintf("%s %s № %d", families[n%len(families)], givens[n/3%len(givens)], n),
		phone: fmt.Sprintf("+7701%07d", n),
		iin:   iin(n),
	}
}

func legalEntity(n int) person {
	return person{
		name:  fmt.Sprintf("ТОО «%s» № %d", firms[n%len(firms)], n),
		phone: fmt.Sprintf("+7727%07d", n),
		bin:   controlled(fmt.Sprintf("%06d4", 140_000+n/1000), n%1000, kz.BIN),
	}
}

// iin is the identification number of the nth person.
func iin(n int) string {
	const days = 18_000 // from 1950 to 1999
	return controlled(born(n%days).Format("060102")+"3", n/days, kz.IIN)
}

func born(day int) time.Time { return time.Date(1950, 1, 1+day, 0, 0, 0, 0, time.UTC) }

// controlled makes a number from a beginning, a serial number of four digits and a control
// digit. Some serial numbers have no control digit, but at least one of each ten does, so
// every serial is looked for within its own ten.
func controlled(beginning string, serial int, check func(string) (string, bool)) string {
	for try := range 100 {
		if number, ok := check(fmt.Sprintf("%s%04d%d", beginning, serial*10+try/10, try%10)); ok {
			return number
		}
	}
	panic("no number begins with " + beginning)
}

// individuals is the body of an import of n people, starting at person number from.
func individuals(from, n int) string {
	return rows(from, n, individual, func(n int, p person) map[string]any {
		day := born(n % 18_000)
		return map[string]any{
			"name": p.name, "phone": p.phone, "email": fmt.Sprintf("client-%d@example.com", n), "document_number": fmt.Sprintf("N%08d", n),
			"issue_date": "2020-02-29", "issue_date_end": "2030-02-28", "birth_date": day.Format(time.DateOnly),
			"attraction_method": methods[n%len(methods)], "iin": p.iin,
		}
	})
}

// strangers is the body of an import of individuals without an IIN.
func strangers(from, n int) string {
	return rows(from, n, individual, func(n int, p person) map[string]any {
		return map[string]any{
			"name": p.name, "phone": p.phone, "email": fmt.Sprintf("client-%d@example.com", n), "document_number": fmt.Sprintf("N%08d", n),
			"issue_date": "2020-02-29", "issue_date_end": "2030-02-28", "birth_date": born(n % 18_000).Format(time.DateOnly),
		}
	})
}

// legalEntities is the body of an import of n companies, starting at number from.
func legalEntities(from, n int) string {
	return rows(from, n, legalEntity, func(n int, p person) map[string]any {
		return map[string]any{
			"name":     p.name,
			"phone":    p.phone,
			"email":    fmt.Sprintf("company-%d@example.com", n),
			"bin":      p.bin,
			"address":  fmt.Sprintf("Абай даңғылы, %d", n),
			"director": individual(n).name,
			"bik":      "KCJBKZKX",
			"bank":     "Банк ЦентрКредит",
			"iban":     "KZ86125KZT5004100100",
		}
	})
}

func rows(from, n int, of func(n int) person, row func(n int, p person) map[string]any) string {
	list := make([]map[string]any, n)
	for i := range list {
		list[i] = row(from+i, of(from+i))
	}
	encoded, _ := json.Marshal(map[string]any{"data": list}) // texts: it can't fail
	return string(encoded)
}

// found tells whether a person matches all words of a search. It does not use the index.
func (p person) found(search string) bool {
	for _, word := range strings.Fields(strings.ToLower(search)) {
		if !strings.Contains(strings.ToLower(p.name), word) && !strings.Contains(p.phone+" "+p.iin+" "+p.bin, word) {
			return false
		}
	}
	return true
}
