package samples

import "time"

// earlier are orders of the month before the last one. They are all over, so that only the figures of
// the company still show them.
func earlier(at func(day, hour int) time.Time) []rental {
	const family, tents = "S-01 S-02 S-03 S-04", "T-01 T-02 T-03 T-04"
	less, delivery := Record{"discount": in(discounts, regular)}, extra("Доставка по Алматы")
	return []rental{
		{who: "ТОО «Алатау Прокат»", items: "C-05", from: at(-59, 9), to: at(-52, 9), phase: done, paid: 90_000},
		{who: "Дана Қасымова", items: "C-01", from: at(-58, 10), to: at(-55, 10), phase: done, paid: 48_000, more: delivery},
		{who: "Nomad Bikes", from: at(-57, 11), phase: done, paid: 12_000, back: at(-57, 13), more: extra("Шиномонтаж")},
		{who: "Тимур Ахметов", items: "C-08", from: at(-57, 10), to: at(-54, 10), phase: done, paid: 96_000},
		{who: "John Miller", items: "C-02", from: at(-56, 9), to: at(-54, 9), phase: done, paid: 35_000, more: extra("Airport pick-up")},
		{who: "Ольга Петрова", items: "C-07", from: at(-55, 10), to: at(-51, 10), phase: done, paid: 60_000, fee: 20_000},
		{who: "ТОО «Шымбұлақ Ивент»", items: tents, from: at(-54, 8), to: at(-47, 8), phase: done, paid: 60_000, more: less},
		{who: "Иванов Пётр Андреевич", items: "C-03", from: at(-53, 9), to: at(-46, 9), phase: done, paid: 81_000, more: less},
		{who: "Сергей Ким", items: "S-09", from: at(-52, 12), phase: out, paid: 240_000}, // sold
		{who: "Bauyrzhan Omarov", items: "C-11", from: at(-51, 10), to: at(-49, 10), phase: done, paid: 64_000},
		{who: "Тимур Ахметов", items: "C-01", from: at(-50, 12), to: at(-43, 12), phase: done, paid: 91_500, more: extra("Child seat")},
		{who: "Ержан Төлегенов", items: "C-04", from: at(-49, 10), to: at(-46, 10), phase: done, paid: 30_000}, // a debtor
		{who: "Maria Schneider", items: "B-01 B-02", from: at(-48, 10), to: at(-48, 13), phase: done, paid: 6_000},
		{who: "Nomad Bikes", items: "C-06", from: at(-47, 8), to: at(-45, 8), phase: done, paid: 33_000, more: delivery},
		{who: "Алия Нұрпейісова", items: "C-10", from: at(-46, 10), to: at(-43, 10), phase: done, paid: 96_000},
		{who: "Ольга Петрова", items: "C-02", from: at(-45, 9), to: at(-42, 9), phase: done, paid: 45_000},
		{
			who: "ТОО «Алатау Прокат»", from: at(-44, 11), phase: done, paid: 15_000, back: at(-44, 16),
			more: extra("Шиномонтаж", "Доставка по Алматы"),
		},
		{who: "John Miller", items: "C-05", from: at(-44, 10), to: at(-41, 10), phase: cancelled},
		{who: "Дана Қасымова", items: family, from: at(-43, 9), to: at(-41, 9), phase: done, paid: 48_000},
		{
			who: "Әсел Сәрсенбаева", items: "C-08", from: at(-42, 10), to: at(-39, 10), phase: done, paid: 102_500,
			more: extra("Airport pick-up", "Child seat"),
		},
		{who: "Maria Schneider", items: "C-11", from: at(-41, 10), to: at(-38, 10), phase: done, paid: 96_000},
		{who: "Алия Нұрпейісова", items: "T-05", from: at(-40, 15), phase: out, paid: 50_000}, // sold
		{who: "Тимур Ахметов", items: "C-07", from: at(-39, 10), to: at(-35, 10), phase: done, paid: 60_000},
		{who: "Сергей Ким", items: "C-01", from: at(-38, 10), to: at(-36, 10), phase: done, paid: 30_000, back: at(-36, 15)}, // late
		{who: "Ержан Төлегенов", items: "C-04", from: at(-37, 9), to: at(-30, 9), phase: done, paid: 90_000},
		{who: "ТОО «Шымбұлақ Ивент»", items: "C-10", from: at(-36, 10), to: at(-33, 10), phase: done, paid: 99_000, more: delivery},
		{who: "Bauyrzhan Omarov", items: "C-05", from: at(-35, 10), to: at(-33, 10), phase: done, paid: 30_000},
		{who: "Сергей Ким", items: "C-02", from: at(-34, 9), to: at(-31, 9), phase: done, paid: 48_000, more: delivery},
		{who: "Иванов Пётр Андреевич", items: "C-12", from: at(-33, 10), to: at(-31, 10), phase: done, paid: 64_000},
		{who: "Әсел Сәрсенбаева", items: "C-09", from: at(-31, 9), to: at(-29, 9), phase: done, paid: 64_000},
		{who: "Nomad Bikes", items: "B-03 B-04", from: at(-32, 9), to: at(-31, 9), phase: done, paid: 10_000},
	}
}
