package order

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/functions/orders/pricebook"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
)

// early is a pricer of a company that prices early returns so, and has a price rule for what lasts some days, if any.
func early(by company.Early, percent, days int64) pricer {
	p := utc()
	p.settings = company.Company{}.RentalRules()
	p.settings.Early = by
	p.rules = pricebook.RulesOf(p.settings, time.UTC)
	if percent != 0 {
		of := pricebook.Definition{Name: "Long", AtLeast: moment.Seconds(days) * pricing.Day, Percent: to(money.Whole(percent))}
		p.books = books{1: {Number: 1, Rules: []pricebook.Entry{{ID: 1, Definition: of}}}}
	}
	return p
}

// combinedLine is a rental of an hour, a day, a week or a month, that was priced.
func combinedLine(t testing.TB, p pricer, from, end int64) *Line {
	t.Helper()
	l := lasting(5, 1, from, end)
	l.EndKept = true
	for i, of := range []struct{ price, hours int64 }{{2000, 1}, {15000, 24}, {91000, 168}, {330000, 720}} {
		l.Offer = append(l.Offer, Offered{ID: int64(i + 1), Cost: money.Whole(of.price), Duration: moment.Seconds(of.hours * 3600)})
	}
	if p.books != nil {
		l.Place = &Place{Book: 1}
	}
	price, err := p.priceOf(l, false)
	if err != nil {
		t.Fatal(err)
	}
	l.worth(price, false)
	return l
}

// hoursOf is the time that a line is priced for.
func hoursOf(l *Line) string {
	return fmt.Sprintf("%d-%d", (l.pricedFrom()-hour(0))/(hour(1)-hour(0)), (l.pricedUntil()-hour(0))/(hour(1)-hour(0)))
}

// What comes back early costs what it did, or what the time costs that it was used, which is never more.
func TestComesBack(t *testing.T) {
	for _, tt := range []struct {
		name           string
		early          company.Early
		percent        int64 // from 7 days on
		out, back      int64
		change         func(l *Line)
		price, between string
	}{
		{"kept", company.EarlyKeep, 0, 10, 84, nil, "91000.00", "10-178"},
		{"golden row 22: 3 D + 2 H", company.EarlyReprice, 0, 10, 84, nil, "49000.00", "10-84"},
		{"golden row 22: 6 days would cost 90,000", company.EarlyReprice, -20, 10, 154, nil, "72800.00", "10-178"},
		{"below what the shorter time costs without the rule", company.EarlyReprice, -20, 10, 34, nil, "15000.00", "10-34"},
		{"at its end", company.EarlyReprice, 0, 10, 178, nil, "91000.00", "10-178"},
		{"late", company.EarlyReprice, 0, 10, 190, nil, "91000.00", "10-178"},
		{"at once", company.EarlyReprice, 0, 10, 10, nil, "2000.00", "10-10"},
		{"handed out late, the plan's start counts", company.EarlyReprice, 0, 34, 84, nil, "49000.00", "10-84"},
		{"handed out early, that counts", company.EarlyReprice, 0, 1, 25, nil, "15000.00", "1-25"},
		{"and back before the plan's start", company.EarlyReprice, 0, 1, 3, nil, "4000.00", "1-3"},
		{"paid until later than its end", company.EarlyReprice, 0, 10, 84, func(l *Line) { l.End, l.PricedUntil = hour(50), hour(178) }, "49000.00", "10-84"},
		{"kept later than its end", company.EarlyKeep, 0, 10, 84, func(l *Line) { l.End, l.PricedUntil = hour(50), hour(178) }, "91000.00", "10-178"},
		{"an agreed price", company.EarlyReprice, 0, 10, 84, func(l *Line) { l.agree() }, "91000.00", "10-178"},
		{"a price without a tariff", company.EarlyReprice, 0, 10, 84, func(l *Line) { l.Offer, l.Tariff = nil, nil }, "91000.00", "10-178"},
		{"a tariff of days", company.EarlyReprice, 0, 10, 84, func(l *Line) {
			l.Offer, l.Tariff, l.Cost, l.Duration, l.Price = nil, to[int64](2), money.Whole(15000), pricing.Day, money.Whole(105000)
		}, "60000.00", "10-84"},
		{"a tariff that is paid once", company.EarlyReprice, 0, 10, 84, func(l *Line) {
			l.Offer, l.Tariff, l.Cost, l.Duration, l.Once, l.Price = nil, to[int64](2), money.Whole(500), pricing.Day, true, money.Whole(500)
		}, "500.00", "10-84"},
		{"discounts count anew", company.EarlyReprice, 0, 10, 84, func(l *Line) {
			l.Discount, l.Additional = &Reduction{ID: 1, Percent: to(money.Whole(10))}, money.Whole(100)
		}, "49000.00", "10-84"},
	} {
		p := early(tt.early, tt.percent, 7)
		l := combinedLine(t, p, 10, 178).handedOut(tt.out)
		if tt.change != nil {
			tt.change(l)
		}
		o := orderOf(InRent, l)
		o.include(Changes{Lines: []*Draft{changed(l, l)}})
		before := *l
		if _, err := o.returnLine(l, nil, Action{Status: Completed, At: to(hour(tt.back))}, hour(tt.back), p); err != nil {
			t.Fatal(tt.name, err)
		}
		if l.Price.String() != tt.price || hoursOf(l) != tt.between {
			t.Errorf("%s: %s for %s, want %s for %s", tt.name, l.Price, hoursOf(l), tt.price, tt.between)
		}
		if l.Start != before.Start || l.End != before.End {
			t.Errorf("%s: the plan has changed", tt.name)
		}
		if l.Discount != nil && l.PriceDiscount.Cmp(money.Whole(5000)) != 0 {
			t.Errorf("%s: discounts %s", tt.name, l.PriceDiscount)
		}
		again, err := p.priceOf(l, true) // it stays so, and is explained
		if err != nil || again.Gross.Cmp(l.Price) != 0 || again.Steps[0].Text == "as it was priced" {
			t.Errorf("%s: then %s, %v, %+v", tt.name, again.Gross, err, again.Steps)
		}
		if tt.early == company.EarlyKeep { // the call goes before the settings
			called := before
			o := orderOf(InRent, &called)
			if _, err := o.returnLine(&called, nil, Action{At: to(hour(tt.back)), Early: company.EarlyReprice}, hour(tt.back), p); err != nil || called.Price.String() != "49000.00" {
				t.Errorf("%s: the call asks for another price: %s, %v", tt.name, called.Price, err)
			}
		}
	}
}

// A shorter end keeps the price, or is priced as if the item came back then; so is what follows.
func TestShorterEnds(t *testing.T) {
	keep, reprice := company.EarlyKeep, company.EarlyReprice
	for _, tt := range []struct {
		name           string
		early          company.Early
		percent        int64 // from 7 days on
		ends           []int64
		change         func(l *Line)
		price, between string
	}{
		{"kept", keep, 0, []int64{84}, nil, "91000.00", "10-178"},
		{"and longer, until what was paid", keep, 0, []int64{84, 178}, nil, "91000.00", "10-178"},
		{"not so long", keep, 0, []int64{84, 100}, nil, "91000.00", "10-178"},
		{"longer than what was paid", keep, 0, []int64{84, 179}, nil, "93000.00", "10-179"},
		{"never less than what was kept", keep, 20, []int64{160, 300}, nil, "204000.00", "10-300"},
		{"priced for the new time", reprice, 0, []int64{84}, nil, "49000.00", "10-84"},
		{"and back again", reprice, 0, []int64{84, 178}, nil, "91000.00", "10-178"},
		{"but never dearer", reprice, -20, []int64{154}, nil, "72800.00", "10-178"},
		{"nor then, for less", reprice, -20, []int64{154, 34}, nil, "15000.00", "10-34"},
		{"handed out early", reprice, 0, []int64{25}, func(l *Line) { l.handedOut(1) }, "15000.00", "1-25"},
		{"handed out early, over before it was to begin", reprice, 0, []int64{3}, func(l *Line) { l.handedOut(1) }, "4000.00", "1-3"},
		{"handed out early, kept", keep, 0, []int64{3}, func(l *Line) { l.handedOut(1) }, "91000.00", "10-178"},
		{"handed out early, kept, and longer: those days stay free", keep, 0, []int64{3, 202}, func(l *Line) { l.handedOut(1) }, "106000.00", "10-202"},
		{"handed out early, priced, and a little longer", reprice, 0, []int64{51, 52}, func(l *Line) { l.handedOut(1) }, "34000.00", "1-51"},
		{"handed out early, priced, and much longer", reprice, 0, []int64{49, 178}, func(l *Line) { l.handedOut(1) }, "91000.00", "10-178"},
		{"an agreed price", reprice, 0, []int64{84}, func(l *Line) { l.agree() }, "91000.00", "10-178"},
		{"not handed out yet", keep, 0, []int64{84}, func(l *Line) { l.FactStart = nil }, "49000.00", "10-84"},
		{"from before there was the setting", keep, 0, []int64{84}, func(l *Line) { l.EndKept = false }, "49000.00", "10-84"},
	} {
		p := early(tt.early, tt.percent, 7)
		l := combinedLine(t, p, 10, 178).handedOut(10)
		if tt.change != nil {
			tt.change(l)
		}
		for _, end := range tt.ends {
			l = ending(t, p, l, end)
		}
		if l.Price.String() != tt.price || hoursOf(l) != tt.between || l.End != hour(tt.ends[len(tt.ends)-1]) {
			t.Errorf("%s: %s for %s, want %s for %s", tt.name, l.Price, hoursOf(l), tt.price, tt.between)
		}
	}
	p := early(keep, -20, 7) // 6 days for 90,000 are kept, though 7 would cost 72,800
	l := ending(t, p, combinedLine(t, p, 10, 154).handedOut(10), 100)
	if l = ending(t, p, l, 178); l.Price.String() != "90000.00" || hoursOf(l) != "10-154" {
		t.Errorf("longer than what was kept: %s for %s", l.Price, hoursOf(l))
	}
	if fee, err := p.lateFee(l, hour(178)); err != nil || !fee.IsZero() { // it lies after what is priced, and yet is in time
		t.Errorf("in time: a late fee of %s, %v", fee, err)
	}
	if l = ending(t, p, l, 274); l.Price.String() != "120800.00" || hoursOf(l) != "10-274" {
		t.Errorf("longer still: %s for %s", l.Price, hoursOf(l))
	}
	l = ending(t, early(keep, 0, 0), combinedLine(t, early(keep, 0, 0), 10, 178).handedOut(10), 34)
	if l = ending(t, early(reprice, 0, 0), l, 58); l.Price.String() != "91000.00" || hoursOf(l) != "10-178" {
		t.Errorf("longer, once shorter ones are priced: %s for %s", l.Price, hoursOf(l))
	}
}

// ending is a line after its caller gave it another end.
func ending(t testing.TB, p pricer, l *Line, end int64) *Line {
	t.Helper()
	now := l.with(func(l *Line) { l.End = hour(end) })
	now.startAtHandOut()
	errs := fault.FieldErrors{}
	if err := changed(l, now).priceBy(p, offer{item: grouped().item, discount: l.Discount}, errs); err != nil || len(errs) > 0 {
		t.Fatal(err, wrong(errs))
	}
	return now
}

// Whether the end is moved before an item comes back, or not, is the same money; and what is early is never dearer.
func TestOrderOfClicks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		by := rapid.SampledFrom([]company.Early{company.EarlyKeep, company.EarlyReprice}).Draw(rt, "early")
		p := early(by, rapid.SampledFrom([]int64{0, -20, 30}).Draw(rt, "percent"), rapid.Int64Range(1, 8).Draw(rt, "days"))
		start, length := rapid.Int64Range(5, 50).Draw(rt, "start"), rapid.Int64Range(2, 400).Draw(rt, "hours")
		out := rapid.Int64Range(0, start+length-1).Draw(rt, "out")
		back := rapid.Int64Range(out+1, start+length).Draw(rt, "back")
		was := combinedLine(t, p, start, start+length).handedOut(out)
		direct, shorter := *was, *ending(t, p, was, back)
		for _, l := range []*Line{&direct, &shorter} {
			l.FactEnd = to(hour(back))
			if err := p.comesBack(l, nil, by); err != nil {
				rt.Fatal(err)
			}
			if fee, err := p.lateFee(l, hour(back)); err != nil || !fee.IsZero() {
				rt.Fatalf("a late fee of %s, %v", fee, err)
			}
		}
		used, err := p.priceOf(was.with(func(l *Line) { l.Start, l.End = min(l.Start, hour(out)), hour(back) }), false)
		if err != nil {
			rt.Fatal(err)
		}
		want := was.Price
		if by == company.EarlyReprice && back < start+length && used.Gross.Cmp(want) < 0 {
			want = used.Gross
		}
		if direct.Price.Cmp(want) != 0 || shorter.Price.Cmp(want) != 0 {
			rt.Fatalf("%s directly, %s with a shorter end, want %s", direct.Price, shorter.Price, want)
		}
	})
}

// What is late is so from the end on that was paid.
func TestLateAfterAShorterEnd(t *testing.T) {
	p := early(company.EarlyKeep, 0, 0)
	p.rules.LateByTariffs = true
	l := ending(t, p, combinedLine(t, p, 10, 178).handedOut(10), 84)
	for back, want := range map[int64]string{84: "0.00", 178: "0.00", 179: "0.00", 180: "4000.00"} {
		if fee, err := p.lateFee(l, hour(back)); err != nil || fee.String() != want {
			t.Errorf("back at %d: %s, %v, want %s", back, fee, err, want)
		}
	}
}

// Who takes an item early pays for it where that is charged, but not within the grace.
func TestStartLine(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		charged               company.EarlyStart
		out                   int64
		change                func(l *Line)
		start                 int64
		price, list, discount string
	}{
		{"free", company.EarlyStartFree, 4, nil, 28, "91000.00", "", "0.00"},
		{"charged", company.EarlyStartCharged, 4, nil, 4, "106000.00", "", "0.00"},
		{"within the grace", company.EarlyStartCharged, 27, nil, 28, "91000.00", "", "0.00"},
		{"more than that", company.EarlyStartCharged, 26, nil, 26, "95000.00", "", "0.00"},
		{"late", company.EarlyStartCharged, 30, nil, 28, "91000.00", "", "0.00"},
		{"a sale", company.EarlyStartCharged, 4, func(l *Line) { l.Type, l.End = Sale, 0 }, 28, "91000.00", "", "0.00"},
		{"a discount", company.EarlyStartCharged, 4, func(l *Line) { l.Discount = &Reduction{ID: 1, Percent: to(money.Whole(10))} }, 4, "106000.00", "", "10600.00"},
		{"an agreed price for all of it", company.EarlyStartCharged, 4, func(l *Line) {
			l.agree()
			l.Cost, l.Duration, l.Price, l.List = money.Whole(80000), 0, money.Whole(80000), to(money.Whole(91000))
		}, 4, "80000.00", "91000.00", "0.00"},
		{"an agreed price for each day", company.EarlyStartCharged, 4, func(l *Line) {
			l.agree()
			l.Cost, l.Duration, l.Price, l.List = money.Whole(10000), pricing.Day, money.Whole(70000), to(money.Whole(91000))
		}, 4, "80000.00", "101000.00", "0.00"},
	} {
		p := early(company.EarlyKeep, 0, 0)
		p.settings.EarlyStart = tt.charged
		l := combinedLine(t, p, 28, 196)
		if tt.change != nil {
			tt.change(l)
		}
		o := orderOf(Reserved, l)
		o.include(Changes{Lines: []*Draft{added(l)}})
		isMoved, err := o.startLine(l.handedOut(tt.out), p)
		list := ""
		if l.List != nil {
			list = l.List.String()
		}
		if err != nil || isMoved != (tt.start != 28) || l.Start != hour(tt.start) || l.Price.String() != tt.price || list != tt.list || l.PriceDiscount.String() != tt.discount {
			t.Errorf("%s: moved %t to %s, %s less %s, list %s, %v", tt.name, isMoved, l.Start.Time().UTC(), l.Price, l.PriceDiscount, list, err)
		}
		held := o.Line(5)
		if *held != l.held() || held.Start != min(hour(tt.out), l.Start) || (held.Plan != 0) != (l.Start > hour(tt.out)) {
			t.Errorf("%s: the order holds %+v", tt.name, *held)
		}
		if o.GrossInventory.Cmp(l.Price) != 0 || o.LineDiscounts.Cmp(l.PriceDiscount) != 0 || o.AgreedBelow.Cmp(l.below()) != 0 {
			t.Errorf("%s: the order costs %s, less %s, agreed %s", tt.name, o.GrossInventory, o.LineDiscounts, o.AgreedBelow)
		}
	}
}

// Where a longer time is cheaper, to come early is not.
func TestStartLineIsNeverCheaper(t *testing.T) {
	p := early(company.EarlyKeep, -20, 7)
	p.settings.EarlyStart = company.EarlyStartCharged
	l := combinedLine(t, p, 34, 178) // 6 days for 90,000; 7 would cost 72,800
	o := orderOf(Reserved, l)
	o.include(Changes{Lines: []*Draft{added(l)}})
	moved, err := o.startLine(l.handedOut(10), p)
	if err != nil || !moved || l.Start != hour(10) || l.Price.String() != "90000.00" || hoursOf(l) != "34-178" {
		t.Errorf("moved %t to %s, %s for %s, %v", moved, l.Start.Time().UTC(), l.Price, hoursOf(l), err)
	}
	if again, err := p.priceOf(l, true); err != nil || again.Gross.Cmp(l.Price) != 0 || o.GrossInventory.Cmp(l.Price) != 0 {
		t.Errorf("then %s, the order costs %s, %v", again.Gross, o.GrossInventory, err)
	}
}

// What is back before it was to begin makes the time of the other rentals no longer.
func TestSpanBesideWhatIsBack(t *testing.T) {
	back := lasting(1, 1, 9, 20).handedOut(5).takenBack(8).with(func(l *Line) { l.PricedFrom, l.PricedUntil = hour(5), hour(8) })
	more := lasting(3, 3, 9, 20).handedOut(6).takenBack(7).with(func(l *Line) { l.PricedFrom, l.PricedUntil = hour(6), hour(7) })
	for _, tt := range []struct {
		name string
		o    *Order
		want string
	}{
		{"first", orderOf(InRent, back, lasting(2, 2, 10, 22)), "10-22"},
		{"last", orderOf(InRent, lasting(2, 2, 10, 22), back), "10-22"},
		{"both are", orderOf(InRent, more, back), "5-8"},
	} {
		s := tt.o.span()
		if got := hoursOf(&Line{Start: s.start, End: s.end}); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Services are charged until the end that is priced, and from the planned start on.
func TestSpanOfPricedEnds(t *testing.T) {
	for _, tt := range []struct {
		name string
		line *Line
		want string
	}{
		{"as planned", lasting(1, 1, 9, 20), "9-20"},
		{"paid until later", lasting(1, 1, 9, 20).handedOut(9).with(func(l *Line) { l.PricedUntil = hour(30) }), "9-30"},
		{"longer than what was kept", lasting(1, 1, 9, 20).handedOut(9).with(func(l *Line) { l.PricedUntil = hour(15) }), "9-20"},
		{"back after less than that", lasting(1, 1, 9, 20).handedOut(9).takenBack(16).with(func(l *Line) { l.PricedUntil = hour(15) }), "9-20"},
		{"back early", lasting(1, 1, 9, 20).handedOut(9).takenBack(12).with(func(l *Line) { l.PricedUntil = hour(12) }), "9-12"},
		{"handed out early", lasting(1, 1, 9, 20).handedOut(5).takenBack(12).with(func(l *Line) { l.PricedFrom, l.PricedUntil = hour(5), hour(12) }), "9-12"},
		{"and back before it was to begin", lasting(1, 1, 9, 20).handedOut(5).takenBack(8).with(func(l *Line) { l.PricedFrom, l.PricedUntil = hour(5), hour(8) }), "5-8"},
		{"back early, kept", lasting(1, 1, 9, 20).handedOut(9).takenBack(12), "9-20"},
		{"handed out early for free, and shorter", lasting(1, 1, 5, 8).handedOut(5).with(func(l *Line) { l.PricedFrom, l.PricedUntil = hour(9), hour(20) }), "9-20"},
	} {
		s := orderOf(InRent, tt.line).span()
		if got := hoursOf(&Line{Start: s.start, End: s.end}); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
