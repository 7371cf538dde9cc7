package samples

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Record is a body of a request that makes a record. A value of the type Ref stands for a number.
type Record = map[string]any

// List names a list by its path. A path may contain %d for the number of a record that the list stands
// below; Of is the name of that record.
type List struct{ Path, Of string }

// Ref names a record of a list. It stands for the record's number, and for null if no record of the list
// has that name any more.
type Ref struct {
	List
	Name string
}

// Step fills one list of the demo company, unless something is in it already, or the record that it
// stands below is gone.
type Step struct {
	List
	// At is the address to which the records are sent, if it is not the list's.
	At      string
	Records []Record
	// Then is what happens to each of the records, once it is made.
	Then [][]Call
	// When is when each of the records is made; zero: now.
	When []time.Time
}

// Call is a request at an address below that of a record.
type Call struct {
	Path string
	Body Record
	When time.Time // zero: now
}

// The lists that several steps name.
const (
	points     = "/v1/crm/rental_points/"
	methods    = "/v1/crm/attraction_methods/"
	clients    = "/v1/crm/clients/"
	categories = "/v1/crm/categories/"
	states     = "/v1/crm/inventories/states/"
	groups     = "/v1/crm/groups/"
	items      = "/v1/crm/inventories/"
	services   = "/v1/crm/services/"
	accounts   = "/v1/finances/accounts/"
	funnels    = "/v1/sales/funnels/"
	discounts  = "/v1/crm/discounts/"
	requests   = "/v1/crm/requests/"
)

func in(path, name string) Ref { return Ref{List{Path: path}, name} }

func step(path string, records []Record) Step { return below(List{Path: path}, records) }

func below(list List, records []Record) Step { return Step{List: list, Records: records} }

// Company is what the demo company has, in the order in which it has to be made. Dates are relative to
// now, so that the demo shows the last three months, and what goes on now, whenever it is made.
func Company(now time.Time) []Step {
	return slices.Concat(people(), catalogue(), fleet(now), money(now), sales(), orders(now), sms(), traffic(now), templates())
}

// people are the places where the company works, and whom it works for.
func people() []Step {
	return []Step{
		step("/v1/crm/settings/custom_fields_list/", []Record{
			{
				"key": "client", "name": "licence", "label": "Driving licence", "type": "string", "table": true,
				"options": []string{"A", "B", "BE"},
			},
			{"key": "inventory_car", "name": "seats", "label": "Seats", "type": "integer", "table": true},
		}),
		step(points, []Record{
			{"name": "Алматы, орталық", "address": "Абай даңғылы, 10", "extra": Record{"hours": "9-21"}},
			{"name": "Аэропорт", "address": "Алматы, ул. Майлина, 2"},
			{"name": "Medeu rink", "address": "Gornaya St 465, Almaty"},
		}),
		step(methods, []Record{{"name": "Instagram"}, {"name": "Ұсыныс"}, {"name": "2ГИС"}}),
		step(clients, []Record{
			{
				"name": "Әсел Сәрсенбаева", "phone": "8 (702) 765-43-21", "attraction_method": in(methods, "Instagram"),
				"extra":      Record{"licence": "B"},
				"individual": Record{"iin": "921130401234", "birth_date": "1992-11-30", "document_number": "N04512378"},
			},
			{
				"name": "Иванов Пётр Андреевич", "phone": "+7 705 222 33 44", "email": "petr@example.com",
				"attraction_method": in(methods, "2ГИС"), "signed": true, "sign_date": "2026-02-01",
				"individual": Record{"iin": "850515300701", "birth_date": "1985-05-15"},
			},
			{"name": "John Miller", "phone": "+44 20 7946 0958", "deposit": "50000", "individual": Record{"iin": "010228504562"}},
			{
				"name": "ТОО «Алатау Прокат»", "type": 1, "legal_type": 1, "phone": "+7 727 291 91 01",
				"legal": Record{"bin": "191151000429", "director": "Жұмабеков Нұрлан", "iban": "KZ86125KZT5004100100", "bik": "KCJBKZKX"},
			},
			{"name": "Nomad Bikes", "type": 1, "legal_type": 0, "legal": Record{"bin": "220760000118"}},
			{"name": "Дана Қасымова", "phone": "+7 701 310 20 11", "attraction_method": in(methods, "Instagram")},
			{"name": "Сергей Ким", "phone": "+7 777 415 60 02", "attraction_method": in(methods, "2ГИС")},
			{"name": "Maria Schneider", "phone": "+49 30 901820", "email": "maria@example.org"},
			{"name": "Ержан Төлегенов", "phone": "+7 747 118 33 90"},
			{"name": "Алия Нұрпейісова", "phone": "+7 708 555 14 27", "attraction_method": in(methods, "Ұсыныс")},
			{"name": "Тимур Ахметов", "phone": "+7 775 902 47 15", "attraction_method": in(methods, "Instagram")},
			{"name": "Ольга Петрова", "phone": "+7 702 640 08 31", "email": "olga@example.com"},
			{"name": "Bauyrzhan Omarov", "phone": "+7 771 286 72 44"},
			{"name": "ТОО «Шымбұлақ Ивент»", "type": 1, "legal_type": 1, "phone": "+7 727 333 86 24"},
		}),
	}
}

// catalogue is what the company offers, with its prices.
func catalogue() []Step {
	const day, hour = 86400, 3600
	return []Step{
		step(categories, []Record{{"name": "Көліктер", "kind": "inventory"}, {"name": "Прокат инвентаря", "kind": "inventory"}}),
		step(services, []Record{
			{"name": "Доставка по Алматы", "type": 0, "price": "3000"},
			{"name": "Airport pick-up", "type": 2, "price": "5000"},
			{"name": "Child seat", "type": 1, "price": "1500"},
			{"name": "Шиномонтаж", "type": 4, "price": "12000"},
		}),
		tariffs(services, "Доставка по Алматы", "service", Record{"name": "Город", "price": "3000", "one_time_payment": true}),
		tariffs(services, "Child seat", "service",
			Record{"name": "Day", "price": "1500", "duriation": day}, Record{"name": "Week", "price": "7000", "duriation": 7 * day}),
		step(groups, []Record{
			{"name": "Эконом", "category": in(categories, "Көліктер")},
			{"name": "Кроссоверы", "category": in(categories, "Көліктер")},
			{"name": "Велосипеды", "category": in(categories, "Прокат инвентаря"), "unit_type": "piece"},
			{"name": "Skis", "category": in(categories, "Прокат инвентаря"), "unit_type": "piece"},
			{"name": "Шатырлар", "category": in(categories, "Прокат инвентаря"), "unit_price": "45000", "unit_count": "4"},
		}),
		tariffs(groups, "Эконом", "inventory_group",
			Record{"name": "Сутки", "price": "15000", "duriation": day}, Record{"name": "Неделя", "price": "90000", "duriation": 7 * day}),
		tariffs(groups, "Кроссоверы", "inventory_group",
			Record{"name": "Сутки", "price": "32000", "duriation": day}, Record{"name": "Месяц", "price": "720000", "duriation": 30 * day}),
		tariffs(groups, "Велосипеды", "inventory_group",
			Record{"name": "Час", "price": "1000", "duriation": hour}, Record{"name": "Сутки", "price": "5000", "duriation": day}),
		tariffs(groups, "Skis", "inventory_group", Record{"name": "Day", "price": "6000", "duriation": day}),
		tariffs(groups, "Шатырлар", "inventory_group", Record{"name": "Тәулік", "price": "4000", "duriation": day}),
	}
}

func tariffs(list, of, field string, records ...Record) Step {
	for _, r := range records {
		r[field] = in(list, of)
	}
	return below(List{list + "%d/tarifs/", of}, records)
}

// things are 12 cars and 22 other things.
func things() []Record {
	cars := []struct{ brand, model, number, group string }{
		{"Hyundai", "Accent", "001 ABC 02", "Эконом"},
		{"Hyundai", "Accent", "002 ABC 02", "Эконом"},
		{"Kia", "Rio", "313 KZA 02", "Эконом"},
		{"Chevrolet", "Cobalt", "417 TOY 02", "Эконом"},
		{"Chevrolet", "Cobalt", "418 TOY 02", "Эконом"},
		{"Lada", "Largus", "550 BEK 05", "Эконом"},
		{"Toyota", "Corolla", "701 AST 02", "Эконом"},
		{"Kia", "Sportage", "112 DKR 02", "Кроссоверы"},
		{"Hyundai", "Tucson", "113 DKR 02", "Кроссоверы"},
		{"Toyota", "RAV4", "114 DKR 02", "Кроссоверы"},
		{"Toyota", "Land Cruiser Prado", "777 KZN 02", "Кроссоверы"},
		{"BMW", "X5", "999 BMW 02", "Кроссоверы"},
	}
	var list []Record
	at := []string{"Алматы, орталық", "Аэропорт", "Medeu rink"}
	for i, c := range cars {
		list = append(list, Record{
			"name": c.brand + " " + c.model + ", " + c.number, "unique_id": fmt.Sprintf("C-%02d", i+1), "group": in(groups, c.group),
			"rental_point": in(points, at[i%2]), "category": in(categories, "Көліктер"),
			"state":     in(states, []string{"Ready", "На мойке"}[i%6/5]),
			"buy_price": fmt.Sprint(4_500_000 + 700_000*i), "buy_date": fmt.Sprintf("2025-%02d-15", 1+i),
			"car": Record{"brand": c.brand, "model": c.model, "number": c.number, "extra": Record{"seats": 5}},
		})
	}
	for _, other := range []struct {
		name, group, id, point string
		n                      int
		price                  string
	}{
		{"Trek Marlin 5", "Велосипеды", "B", at[0], 8, "390000"},
		{"Rossignol React", "Skis", "S", at[2], 9, "240000"},
		{"Шатыр Naturehike", "Шатырлар", "T", at[0], 5, "85000"},
	} {
		for i := range other.n {
			list = append(list, Record{
				"name": fmt.Sprintf("%s № %d", other.name, i+1), "unique_id": fmt.Sprintf("%s-%02d", other.id, i+1),
				"group": in(groups, other.group), "rental_point": in(points, other.point),
				"category": in(categories, "Прокат инвентаря"), "state": in(states, "Ready"), "sell_price": other.price,
			})
		}
	}
	return list
}

// fleetNames are the names of the things by their unique_ids.
func fleetNames() map[string]string {
	names := map[string]string{}
	for _, r := range things() {
		names[fmt.Sprint(r["unique_id"])] = fmt.Sprint(r["name"])
	}
	return names
}

// fleet is what the company rents out and sells.
func fleet(now time.Time) []Step {
	const blocked = "BMW X5, 999 BMW 02"
	monday := now.AddDate(0, 0, 7).Truncate(24 * time.Hour)
	return []Step{
		step(states, []Record{
			{"name": "Ready", "colour": "#2e7d32"}, {"name": "На мойке", "colour": "#0277bd"}, {"name": "Жөндеуде", "colour": "#c62828"},
		}),
		step(items, things()),
		below(List{items + "%d/blocks/", blocked}, []Record{
			{"start_at": stamp(monday), "end_at": stamp(monday.AddDate(0, 0, 2)), "reason": "Техосмотр"},
		}),
	}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// money are two accounts and what went through them in the last three months; the rent of the next month is
// due in the future.
func money(now time.Time) []Step {
	const card, cash = "Kaspi", "Касса"
	random := rand.New(rand.NewPCG(7, 90)) //nolint:gosec // a demo that is the same every time
	from := []string{"Әсел Сәрсенбаева", "Иванов Пётр Андреевич", "John Miller", "ТОО «Алатау Прокат»", "Nomad Bikes"}
	var list []Record
	post := func(day int, account, amount, comment string, client any) {
		at := now.AddDate(0, 0, day).Truncate(24 * time.Hour).Add(time.Duration(4+random.IntN(10)) * time.Hour)
		list = append(list, Record{
			"account": in(accounts, account), "amount": amount, "date": stamp(at), "comment": comment, "client": client,
		})
	}
	for day := -90; day < 0; day++ {
		if random.IntN(10) < 6 {
			account, who := []string{card, card, cash}[random.IntN(3)], from[random.IntN(len(from))]
			post(day, account, fmt.Sprint(15_000*(1+random.IntN(8))), "Оплата аренды", in(clients, who))
		}
		switch {
		case (day+90)%30 == 4:
			post(day, card, "-350000", "Аренда офиса", nil)
		case (day+90)%30 == 9:
			post(day, card, "-420000.50", "Жалақы", nil)
		case day%11 == 0:
			post(day, cash, fmt.Sprintf("-%d", 4_000+500*random.IntN(8)), "Car wash", nil)
		}
	}
	post(4, card, "-350000", "Аренда офиса", nil)
	return []Step{
		step(accounts, []Record{{"name": card, "initial": "1200000"}, {"name": cash, "initial": "85000.50", "order": 1}}),
		step("/v1/finances/transactions/", list),
		step("/v1/finances/exchanges/", []Record{
			{
				"from": in(accounts, cash), "to": in(accounts, card), "amount": "200000", "comment": "Инкассация",
				"date": stamp(now.AddDate(0, 0, -2)),
			},
		}),
	}
}

// sales is a funnel with 30 leads.
func sales() []Step {
	const funnel = "Аренда"
	stages := funnels + "%d/stages/"
	names := []string{"Новая заявка", "Переговоры", "Ұсыныс жіберілді", "Won", "Lost"}
	random := rand.New(rand.NewPCG(30, 1)) //nolint:gosec // a demo that is the same every time
	from := []string{"Әсел Сәрсенбаева", "Иванов Пётр Андреевич", "John Miller", "ТОО «Алатау Прокат»", "Nomad Bikes"}
	var leads []Record
	for i := range 30 {
		stage := names[[]int{0, 0, 0, 1, 1, 2, 3, 3, 4, 0}[i%10]]
		lead := Record{
			"funnel": in(funnels, funnel), "stage": Ref{List{stages, funnel}, stage}, "price": fmt.Sprint(15_000 * (1 + random.IntN(20))),
			"ordering": i, "client": in(clients, from[i%len(from)]), "source": in(methods, []string{"Instagram", "2ГИС", "Ұсыныс"}[i%3]),
		}
		if stage == "Lost" {
			lead["cancel_reason"] = []string{"Дорого", "Передумал", "Found another company"}[i%3]
		}
		leads = append(leads, lead)
	}
	return []Step{
		step(funnels, []Record{{"name": funnel}}),
		below(List{stages, funnel}, []Record{
			{"name": names[0], "colour": "#9e9e9e"},
			{"name": names[1], "colour": "#0277bd"},
			{"name": names[2], "colour": "#f9a825"},
			{"name": names[3], "type": "SUCCESS", "colour": "#2e7d32"},
			{"name": names[4], "type": "CANCEL", "colour": "#c62828"},
		}),
		step("/v1/sales/leads/", leads),
	}
}
