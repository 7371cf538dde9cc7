package samples

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Lines stands for the ids of item lines of the order that a step has made, by their places.
type Lines []int

// A phase is what became of an order.
type phase int

const (
	asked     phase = iota // a request
	reserved               // promised
	out                    // handed out, all of it or the lines of part
	partly                 // handed out, and the lines of part are back
	done                   // handed out, and all of it is back
	cancelled              // will never be
)

// rental is an order of the demo company.
type rental struct {
	who      string
	items    string // their unique_ids
	from, to time.Time
	phase    phase
	paid     int       // tenge
	fee      int       // tenge, for a scratch
	back     time.Time // when it came back; zero: at its end
	part     Lines
	more     Record // more of the order's fields
}

// orders are the rentals, and the discounts that they have.
func orders(now time.Time) []Step {
	all := Step{List: List{Path: requests}}
	for _, r := range rentals(now) {
		all.Records, all.Then = append(all.Records, r.order()), append(all.Then, r.then(now))
		all.When = append(all.When, r.early(now, r.from))
	}
	return []Step{
		step(discounts, []Record{{"name": regular, "percent": "10"}, {"name": "Акция", "amount": "2000"}}),
		all,
	}
}

// rentals are the orders of the last two months and the next one, in every status, by their start. Times of today are
// relative to now, so that they are right at any hour.
func rentals(now time.Time) []rental {
	zone := time.FixedZone("Almaty", 5*60*60)
	today := now.In(zone)
	at := func(day, hour int) time.Time {
		return time.Date(today.Year(), today.Month(), today.Day()+day, hour, 0, 0, 0, zone)
	}
	near := func(minutes int) time.Time {
		return now.Truncate(30 * time.Minute).Add(time.Duration(minutes) * time.Minute)
	}
	list := slices.Concat(earlier(at), economy(at, near), crossovers(at, near), bicycles(at, near), skis(at), tents(at), workshop(at))
	slices.SortStableFunc(list, func(a, b rental) int { return a.from.Compare(b.from) })
	return list
}

const regular = "Постоянный клиент"

func economy(at func(day, hour int) time.Time, near func(minutes int) time.Time) []rental {
	less, delivery := Record{"discount": in(discounts, regular)}, extra("Доставка по Алматы")
	return []rental{
		{who: "Әсел Сәрсенбаева", items: "C-01", from: at(-27, 10), to: at(-24, 10), phase: done, paid: 48_000, more: delivery},
		{who: "Сергей Ким", items: "C-01", from: at(-20, 12), to: at(-13, 12), phase: done, paid: 91_500, more: extra("Child seat")},
		{who: "John Miller", items: "C-01", from: at(-9, 10), to: at(-6, 10), phase: done, paid: 45_000, back: at(-6, 17)}, // late
		{who: "Дана Қасымова", items: "C-01", from: at(-2, 9), to: at(2, 9), phase: out, paid: 30_000},
		{who: "Ольга Петрова", items: "C-01", from: at(4, 10), to: at(7, 10), phase: reserved},
		{who: "Maria Schneider", items: "C-01", from: at(12, 9), to: at(19, 9), phase: reserved, paid: 40_000},

		{who: "Тимур Ахметов", items: "C-02", from: at(-25, 9), to: at(-22, 9), phase: done, paid: 45_000},
		{who: "Алия Нұрпейісова", items: "C-02", from: at(-16, 14), to: at(-14, 14), phase: done, paid: 30_000},
		{who: "Bauyrzhan Omarov", items: "C-02", from: at(-7, 10), to: at(-5, 10), phase: done, paid: 33_750, back: at(-5, 17)},
		{who: "Ержан Төлегенов", items: "C-02", from: at(-3, 10), to: near(-300), phase: out, paid: 45_000}, // overdue
		{who: "Әсел Сәрсенбаева", items: "C-02", from: at(6, 10), to: at(9, 10), phase: reserved},

		{who: "Иванов Пётр Андреевич", items: "C-03", from: at(-22, 9), to: at(-15, 9), phase: done, paid: 81_000, more: less},
		{who: "Дана Қасымова", items: "C-03", from: at(-11, 10), to: at(-10, 10), phase: done, paid: 15_000},
		{who: "Maria Schneider", items: "C-03", from: at(-1, 11), to: at(6, 11), phase: out, paid: 90_000},
		{who: "Сергей Ким", items: "C-03", from: at(10, 10), to: at(12, 10), phase: asked},

		{who: "Bauyrzhan Omarov", items: "C-04", from: at(-28, 10), to: at(-26, 10), phase: done, paid: 30_000},
		{who: "John Miller", items: "C-04", from: at(-18, 10), to: at(-17, 10), phase: cancelled},
		{who: "Ольга Петрова", items: "C-04", from: at(-5, 9), to: at(-2, 9), phase: done, paid: 45_000},
		{who: "Алия Нұрпейісова", items: "C-04", from: at(1, 10), to: at(3, 10), phase: reserved, more: extra("Child seat")},
		{who: "Тимур Ахметов", items: "C-04", from: at(8, 9), to: at(15, 9), phase: asked},

		{who: "ТОО «Алатау Прокат»", items: "C-05", from: at(-14, 9), to: at(-7, 9), phase: done, paid: 90_000},
		{who: "Ержан Төлегенов", items: "C-05", from: at(-4, 12), to: at(3, 12), phase: out, paid: 50_000},
		{who: "John Miller", items: "C-05", from: at(5, 10), to: at(6, 10), phase: cancelled},
		{who: "Иванов Пётр Андреевич", items: "C-05", from: at(5, 14), to: at(8, 14), phase: reserved, more: less},

		{who: "Тимур Ахметов", items: "C-06", from: at(-18, 10), to: at(-16, 10), phase: done, paid: 30_000},
		{who: "Nomad Bikes", items: "C-06", from: at(-10, 8), to: at(-8, 8), phase: done, paid: 30_000},
		{who: "ТОО «Алатау Прокат»", items: "C-06", from: at(2, 8), to: at(5, 8), phase: reserved, paid: 48_000, more: delivery},

		{who: "Maria Schneider", items: "C-07", from: at(-19, 9), to: at(-12, 9), phase: done, paid: 90_000},
		{who: "Сергей Ким", items: "C-07", from: at(-6, 10), to: at(-3, 10), phase: done, paid: 45_000, back: at(-4, 18)}, // early
		{who: "Алия Нұрпейісова", items: "C-07", from: at(-1, 9), to: near(240), phase: out, paid: 15_000},
		{who: "Дана Қасымова", items: "C-07", from: at(3, 10), to: at(4, 10), phase: asked},
		{who: "John Miller", items: "C-07", from: at(9, 10), to: at(12, 10), phase: reserved, more: extra("Airport pick-up")},
	}
}

func crossovers(at func(day, hour int) time.Time, near func(minutes int) time.Time) []rental {
	delivery := extra("Доставка по Алматы")
	return []rental{
		{
			who: "Тимур Ахметов", items: "C-08", from: at(-23, 10), to: at(-20, 10), phase: done, paid: 101_000,
			more: extra("Airport pick-up"),
		},
		{who: "Ержан Төлегенов", items: "C-08", from: at(-8, 10), to: at(-5, 10), phase: done, paid: 60_000}, // a debtor
		{who: "Maria Schneider", items: "C-08", from: near(180), to: at(4, 10), phase: reserved, paid: 128_000},

		{who: "Алия Нұрпейісова", items: "C-09", from: at(-28, 9), to: at(-21, 9), phase: done, paid: 224_000},
		{who: "ТОО «Шымбұлақ Ивент»", items: "C-09", from: at(-13, 9), to: at(1, 9), phase: out, paid: 250_000},

		{who: "Ольга Петрова", items: "C-10", from: at(-15, 10), to: at(-12, 10), phase: done, paid: 96_000},
		{who: "Bauyrzhan Omarov", items: "C-10", from: at(-3, 9), to: at(4, 9), phase: out, paid: 227_000, more: delivery},
		{who: "ТОО «Алатау Прокат»", items: "C-10", from: at(14, 9), to: at(21, 9), phase: reserved, paid: 100_000},

		{who: "John Miller", items: "C-11", from: at(-12, 12), to: at(-9, 12), phase: done, paid: 96_000},
		{who: "ТОО «Шымбұлақ Ивент»", items: "C-11", from: at(5, 8), to: at(8, 8), phase: asked},
		{who: "Иванов Пётр Андреевич", items: "C-12", from: at(-6, 10), to: at(-4, 10), phase: done, paid: 79_000, fee: 15_000},
	}
}

func bicycles(at func(day, hour int) time.Time, near func(minutes int) time.Time) []rental {
	less := Record{"discount": in(discounts, regular)}
	return []rental{
		{who: "Дана Қасымова", items: "B-01 B-02", from: at(-13, 10), to: at(-13, 13), phase: done, paid: 6_000},
		{who: "Сергей Ким", items: "B-01 B-02", from: near(-90), to: near(150), phase: out},
		{who: "Ольга Петрова", items: "B-01 B-02", from: at(2, 11), to: at(2, 14), phase: asked},
		{who: "Nomad Bikes", items: "B-03", from: at(-9, 10), to: at(-8, 10), phase: done, paid: 5_000},
		{who: "Nomad Bikes", items: "B-04 B-05 B-06", from: at(7, 9), to: at(7, 18), phase: reserved, paid: 13_500, more: less},
		{who: "John Miller", items: "B-07", from: at(-4, 9), to: at(-4, 12), phase: done},      // a debtor
		{who: "Алия Нұрпейісова", items: "B-08", from: at(-11, 15), phase: out, paid: 390_000}, // sold
	}
}

func skis(at func(day, hour int) time.Time) []rental {
	const family = "S-01 S-02 S-03 S-04"
	return []rental{
		{who: "Тимур Ахметов", items: family, from: at(-21, 9), to: at(-19, 9), phase: done, paid: 48_000},
		{who: "Maria Schneider", items: family, from: at(-1, 9), to: at(2, 9), phase: out, paid: 36_000, part: Lines{0, 1, 2}},
		{
			who: "Bauyrzhan Omarov", items: "S-05 S-06", from: at(-5, 9), to: at(1, 18), phase: partly, paid: 42_000,
			part: Lines{1}, back: at(-2, 18),
		},
		{who: "Ержан Төлегенов", items: "S-07", from: at(-8, 9), to: at(-6, 9), phase: cancelled},
		{who: "Ольга Петрова", items: "S-07", from: at(3, 9), to: at(6, 9), phase: reserved},
		{who: "Сергей Ким", items: "S-08", from: at(1, 12), phase: reserved, paid: 100_000}, // a sale
	}
}

func tents(at func(day, hour int) time.Time) []rental {
	const all = "T-01 T-02 T-03 T-04"
	less := Record{"discount": in(discounts, regular)}
	return []rental{
		{who: "ТОО «Шымбұлақ Ивент»", items: all, from: at(-24, 8), to: at(-17, 8), phase: done, paid: 100_800, more: less},
		{who: "Дана Қасымова", items: "T-01", from: at(-5, 10), to: at(-3, 10), phase: done, paid: 8_000},
		{who: "Иванов Пётр Андреевич", items: "T-02 T-03", from: at(1, 10), to: at(3, 10), phase: cancelled},
		{who: "ТОО «Шымбұлақ Ивент»", items: all, from: at(8, 8), to: at(11, 8), phase: reserved, more: extra("Доставка по Алматы")},
		{who: "Алия Нұрпейісова", items: "T-02", from: at(24, 10), to: at(27, 10), phase: asked},
	}
}

// workshop are orders without items.
func workshop(at func(day, hour int) time.Time) []rental {
	tyres := extra("Шиномонтаж")
	return []rental{
		{who: "Nomad Bikes", from: at(-27, 14), phase: done, paid: 12_000, back: at(-27, 17), more: tyres},
		{who: "Bauyrzhan Omarov", from: at(-16, 11), phase: done, paid: 12_000, back: at(-16, 12), more: tyres},
		{who: "Nomad Bikes", from: at(-2, 11), phase: done, paid: 12_000, back: at(-2, 15), more: tyres},
	}
}

// extra are the services of an order.
func extra(names ...string) Record {
	var list []Record
	for _, name := range names {
		list = append(list, Record{"service": in(services, name)})
	}
	return Record{"services": list}
}

// order is the body that makes the order. One without an end is a sale.
func (r rental) order() Record {
	body := Record{"client": in(clients, r.who), "rent_start": stamp(r.from), "status": int(reserved)}
	if r.phase == asked {
		body["status"] = int(asked)
	}
	var lines []Record
	names, sale := fleetNames(), r.to.IsZero()
	for id := range strings.FieldsSeq(r.items) {
		line := Record{"inventory": in(items, names[id])}
		if sale {
			line["type"], line["start_at"] = 1, stamp(r.from)
		}
		lines = append(lines, line)
	}
	if !sale {
		body["rent_end"] = stamp(r.to)
	}
	body["inventories"] = lines
	for name, value := range r.more {
		body[name] = value
	}
	return body
}

// end is when the items came back; for a sale, when they were handed out.
func (r rental) end() time.Time {
	switch {
	case !r.back.IsZero():
		return r.back
	case !r.to.IsZero():
		return r.to
	}
	return r.from
}

// early is a time at which a request about the order is made, if the order began so long ago that it can't be told now: a hand-out can be
// told for 31 days. It is zero for later orders.
func (r rental) early(now, when time.Time) time.Time {
	if r.from.Before(now.AddDate(0, 0, -30)) {
		return when
	}
	return time.Time{}
}

// then is what happens to the order.
func (r rental) then(now time.Time) (calls []Call) {
	act := func(status int, when time.Time, part Lines) {
		body := Record{"status": status}
		if !when.IsZero() {
			body["datetime"] = stamp(when)
		}
		if part != nil {
			body["order_inventories"] = part
		}
		calls = append(calls, Call{"action/", body, r.early(now, when)})
	}
	back := r.end()
	const handOut, cancel, takeBack = 2, 3, 4
	switch r.phase {
	case out:
		act(handOut, r.from, r.part)
	case partly:
		act(handOut, r.from, nil)
		act(takeBack, back, r.part)
	case done:
		act(handOut, r.from, nil)
		act(takeBack, back, nil)
	case cancelled:
		act(cancel, time.Time{}, nil)
	case asked, reserved:
	}
	if r.fee > 0 {
		calls = append(calls, Call{"penalties/", Record{"amount": fmt.Sprint(r.fee), "comment": "Царапина"}, r.early(now, back)})
	}
	if r.paid > 0 {
		paid := r.from
		if paid.After(now) {
			paid = now.Add(-20 * time.Hour)
		}
		calls = append(calls, Call{"pay/", Record{"amount": fmt.Sprint(r.paid), "date": stamp(paid)}, r.early(now, back)})
	}
	return calls
}
