package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/decode/kz"
)

var (
	families = []string{"Сәрсенбаева", "Ахметов", "Ким", "Smith", "Қасымова", "Иванова", "Жұмабеков", "Miller"}
	givens   = []string{"Айгүл", "Ерлан", "Владимир", "Ann", "Әсел", "Ольга", "Нұрлан", "John", "Мадина"}
	firms    = []string{"Степь Логистик", "Алатау Прокат", "Nomad Bikes", "Жібек Жолы", "Caspian Tools"}
	methods  = []string{"Instagram", "Рекомендация", "2ГИС", "Walk-in", "Жарнама"}
)

// row is a row of an import. Every run invents the same ones.
type row = map[string]string

// individual is the nth individual, with an IIN.
func individual(n int) row {
	person := stranger(n)
	person["attraction_method"], person["iin"] = methods[n%len(methods)], iin(n)
	return person
}

// stranger is the nth individual, without an IIN.
func stranger(n int) row {
	return row{
		"name":  fmt.Sprintf("%s %s № %d", families[n%len(families)], givens[n/3%len(givens)], n),
		"phone": fmt.Sprintf("+7701%07d", n), "email": fmt.Sprintf("client-%d@example.com", n),
		"document_number": fmt.Sprintf("N%08d", n), "issue_date": "2020-02-29", "issue_date_end": "2030-02-28",
		"birth_date": born(n % 18_000).Format(time.DateOnly),
	}
}

// legalEntity is the nth legal entity.
func legalEntity(n int) row {
	return row{
		"name":  fmt.Sprintf("ТОО «%s» № %d", firms[n%len(firms)], n),
		"phone": fmt.Sprintf("+7727%07d", n), "email": fmt.Sprintf("company-%d@example.com", n),
		"bin": controlled(fmt.Sprintf("%06d4", 140_000+n/1000), n%1000, kz.BIN),
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

// rows is the body of an import of n rows, from one on.
func rows(from, n int, of func(n int) row) string {
	list := make([]row, n)
	for i := range list {
		list[i] = of(from + i)
	}
	encoded, _ := json.Marshal(map[string]any{"data": list}) // texts: it can't fail
	return string(encoded)
}
