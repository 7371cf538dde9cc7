package samples

import (
	"fmt"
	"time"
)

const (
	penaltyStates = "/v1/cars/states/"
	penalties     = "/v1/cars/penalties/"
)

// violation is a traffic penalty of the demo company, as a registry sends it.
type violation struct {
	days, hour, minute int // how many days ago, and when
	plate, what        string
	amount             int // tenge
	where              string
	paid, noted        bool
	state              string
	driver             [2]string // last and first name, where the registry knows them
}

// traffic are 15 penalties of the last month and the states that the company puts them in. Most of them happened while a
// client had the car. A discount ends after ten days. What is noted from the start is matched to nobody.
func traffic(now time.Time) []Step {
	const (
		speeding = "Превышение скорости на 10–20 км/ч"
		faster   = "Превышение скорости на 20–40 км/ч"
		belt     = "Не пристёгнут ремень безопасности"
		phone    = "Пользование телефоном за рулём"
		parking  = "Стоянка в запрещённом месте"
	)
	const client, own = "Платит клиент", "Өзіміз төлейміз"
	zone := time.FixedZone("Almaty", 5*60*60)
	all := Step{List: List{Path: penalties}}
	for i, v := range []violation{
		{26, 14, 5, "001 ABC 02", speeding, 21_625, "пр. Аль-Фараби — ул. Навои", true, false, client, [2]string{"Сәрсенбаева", "Әсел"}},
		{24, 9, 41, "002ABC02", belt, 21_625, "пр. Абая, 52", true, false, client, [2]string{}},
		{21, 18, 12, "112 DKR 02", speeding, 21_625, "Кульджинский тракт", true, false, client, [2]string{"Ахметов", "Тимур"}},
		{19, 8, 30, "313KZA02", "Проезд на запрещающий сигнал", 43_250, "ул. Сейфуллина — ул. Райымбека", false, false, "", [2]string{}},
		{17, 22, 3, "701 AST 02", faster, 43_250, "Капчагайская трасса, 31 км", false, false, client, [2]string{"Schneider", "Maria"}},
		{14, 11, 20, "114 DKR 02", parking, 21_625, "пр. Достык, 97", true, false, client, [2]string{}},
		{12, 13, 58, "550 BEK 05", belt, 21_625, "ул. Толе би, 180", false, false, own, [2]string{}}, // nobody had the car
		{10, 10, 10, "777 KZN 02", speeding, 21_625, "пр. Аль-Фараби — ул. Навои", false, false, "", [2]string{"Miller", "John"}},
		{9, 17, 45, "550bek05", parking, 21_625, "ул. Панфилова, 110", false, false, "", [2]string{}},
		{8, 15, 30, "001 ABC 02", speeding, 21_625, "Аэропорт, ул. Майлина", false, false, "", [2]string{}},
		{6, 12, 0, "112DKR02", phone, 21_625, "пр. Назарбаева, 223", false, false, client, [2]string{"Төлегенов", "Ержан"}},
		{5, 19, 27, "999 BMW 02", speeding, 21_625, "ул. Саина — ул. Жандосова", false, false, "", [2]string{}}, // nor this one
		{4, 9, 15, "417 TOY 02", belt, 21_625, "ул. Розыбакиева, 247", false, false, "", [2]string{"Петрова", "Ольга"}},
		{3, 20, 2, "113 DKR 02", speeding, 21_625, "дорога на Шымбулак", false, false, "", [2]string{}},
		{2, 16, 40, "313 KZA 05", parking, 21_625, "ул. Гоголя, 40", false, true, own, [2]string{}}, // another's car
	} {
		day := now.In(zone).AddDate(0, 0, -v.days)
		r := Record{
			"outer_id": 4_100_001 + i, "protocol_number": fmt.Sprintf("KZ%s%04d", day.Format("060102"), 117+31*i),
			"description": v.what, "department_name": "ДП г. Алматы", "punishment_main": "Штраф", "amount": fmt.Sprint(v.amount),
			"violation_address": v.where, "violation_date": day.Format(time.DateOnly),
			"violation_time":      fmt.Sprintf("%02d:%02d", v.hour, v.minute),
			"discount_expires_at": day.AddDate(0, 0, 10).Format(time.DateOnly) + "T00:00", "payment_kbk": "204108", "payment_knp": "911",
			"paid": v.paid, "noted": v.noted, "car": Record{"number": v.plate},
		}
		if v.paid {
			r["payment_date"] = day.AddDate(0, 0, 1).Format(time.DateOnly) + "T12:00"
		}
		if v.state != "" {
			r["state"] = in(penaltyStates, v.state)
		}
		if v.driver[0] != "" {
			r["driver"] = Record{"last_name": v.driver[0], "first_name": v.driver[1]}
		}
		all.Records = append(all.Records, r)
	}
	return []Step{step(penaltyStates, []Record{{"name": client, "colour": "#2e7d32"}, {"name": own, "colour": "#0277bd"}}), all}
}
