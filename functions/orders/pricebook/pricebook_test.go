package pricebook_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/orders/pricebook"
	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// desk makes and changes rules in a company, as its managers do.
type desk struct {
	t *testing.T
	record.Scope
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	of := table.Of(tabletest.New(t), 7)
	return &desk{t, record.Scope{Table: of, Actor: audit.Actor{User: 3, Request: "a", At: noon}, Now: func() time.Time { return noon }}}
}

func percent(n int64) *money.Amount {
	p := money.Whole(n)
	return &p
}

// rule is an active rule that raises prices.
func rule(name string, of int64) pricebook.Rule {
	return pricebook.Rule{Definition: pricebook.Definition{Name: name, Percent: percent(of)}, Active: true}
}

func (d *desk) add(r pricebook.Rule) (int64, error) {
	made := &r
	err := d.Do(d.t.Context(), nil, func(w *record.Work) error {
		again := r
		made = &again
		pricebook.Kind().Create(w, "", made)
		return pricebook.Keep(d.t.Context(), w, made)
	})
	return made.ID, err
}

func (d *desk) change(id int64, with func(r *pricebook.Rule)) error {
	return d.Do(d.t.Context(), nil, func(w *record.Work) error {
		r, err := pricebook.Kind().Edit(d.t.Context(), w, id)
		if err != nil {
			return err
		}
		with(r)
		return pricebook.Keep(d.t.Context(), w, r)
	})
}

func (d *desk) remove(id int64) error {
	return d.Do(d.t.Context(), nil, func(w *record.Work) error {
		r, err := pricebook.Kind().Edit(d.t.Context(), w, id)
		if err != nil {
			return err
		}
		if err := pricebook.Drop(d.t.Context(), w, r); err != nil {
			return err
		}
		return pricebook.Kind().Remove(d.t.Context(), w, id)
	})
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// is is the book as it is now: its number, and its rules with their percents.
func (d *desk) is() string {
	d.t.Helper()
	b, err := pricebook.Now(d.t.Context(), d.Reading())
	d.must(err)
	return told(b)
}

func (d *desk) was(number int64) string {
	d.t.Helper()
	b, err := pricebook.Read(d.t.Context(), d.Reading(), number)
	d.must(err)
	return told(b)
}

func told(b pricebook.Book) string {
	words := []string{fmt.Sprintf("%d:", b.Number)}
	for _, e := range b.Rules {
		words = append(words, fmt.Sprintf("%d %s %s", e.ID, e.Name, e.Percent))
	}
	return strings.Join(words, " ")
}

func TestBooksAreMadeByChangesOfActiveRules(t *testing.T) {
	d := newDesk(t)
	for _, step := range []struct {
		name string
		do   func() error
		want string
	}{
		{"no rule", func() error { return nil }, "0:"},
		{"an inactive one", func() error {
			r := rule("a", 10)
			r.Active = false
			_, err := d.add(r)
			return err
		}, "0:"},
		{"an active one", func() error { _, err := d.add(rule("b", 20)); return err }, "1: 2 b 20.00"},
		{"one becomes active", func() error { return d.change(1, func(r *pricebook.Rule) { r.Active = true }) }, "2: 1 a 10.00 2 b 20.00"},
		{"another percent", func() error { return d.change(2, func(r *pricebook.Rule) { r.Percent = percent(25) }) }, "3: 1 a 10.00 2 b 25.00"},
		{"nothing", func() error { return d.change(2, func(r *pricebook.Rule) { r.Percent = percent(25) }) }, "3: 1 a 10.00 2 b 25.00"},
		{"one becomes inactive", func() error { return d.change(1, func(r *pricebook.Rule) { r.Active = false }) }, "4: 2 b 25.00"},
		{"an inactive one changes", func() error { return d.change(1, func(r *pricebook.Rule) { r.Name = "c" }) }, "4: 2 b 25.00"},
		{"an inactive one goes", func() error { return d.remove(1) }, "4: 2 b 25.00"},
		{"an active one goes", func() error { return d.remove(2) }, "5:"},
		{"a new one", func() error { _, err := d.add(rule("d", -5)); return err }, "6: 3 d -5.00"},
	} {
		d.must(step.do())
		if got := d.is(); got != step.want {
			t.Errorf("%s: the book is %q, want %q", step.name, got, step.want)
		}
	}
	for number, want := range []string{
		"0:", "1: 2 b 20.00", "2: 1 a 10.00 2 b 20.00", "3: 1 a 10.00 2 b 25.00", "4: 2 b 25.00", "5:", "6: 3 d -5.00",
	} {
		if got := d.was(int64(number)); got != want {
			t.Errorf("the book %d is %q, want %q", number, got, want)
		}
	}
	if _, err := pricebook.Read(t.Context(), d.Reading(), 7); err == nil {
		t.Error("a book that is not there was read")
	}
}

// Rules that change at the same moment are all in the last book, and each book has a number of its own.
func TestBooksAreMadeAtTheSameMoment(t *testing.T) {
	d := newDesk(t)
	const many = 5
	var wait sync.WaitGroup
	for n := range many {
		wait.Go(func() {
			if _, err := d.add(rule(fmt.Sprint(n), 1)); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	b, err := pricebook.Now(t.Context(), d.Reading())
	if err != nil || b.Number != many || len(b.Rules) != many {
		t.Fatalf("%+v, %v", b, err)
	}
	for number := range int64(many) {
		before, err := pricebook.Read(t.Context(), d.Reading(), number)
		if err != nil || len(before.Rules) != int(number) {
			t.Errorf("the book %d has %d rules, %v", number, len(before.Rules), err)
		}
	}
}

// refused are the texts of a fault, by field.
func refused(t *testing.T, err error) fault.FieldErrors {
	t.Helper()
	f, ok := fault.As(err)
	if !ok {
		t.Fatalf("%v", err)
	}
	return f.Fields
}

func TestABookHasBounds(t *testing.T) {
	d := newDesk(t)
	for n := range pricebook.MostActive {
		_, err := d.add(rule(fmt.Sprint(n), 1))
		d.must(err)
	}
	before := d.is()
	_, err := d.add(rule("more", 1))
	want := fault.FieldErrors{"active": []say.Message{say.PriceRulesTooMany(100)}}
	if got := refused(t, err); !reflect.DeepEqual(got, want) {
		t.Errorf("refused with %v", got)
	}
	idle := rule("more", 1)
	idle.Active = false
	id, err := d.add(idle)
	d.must(err)
	if err := d.change(id, func(r *pricebook.Rule) { r.Active = true }); !reflect.DeepEqual(refused(t, err), want) {
		t.Errorf("activated: %v", err)
	}
	if d.is() != before {
		t.Errorf("the book is %s", d.is())
	}
	d.must(d.change(1, func(r *pricebook.Rule) { r.Percent = percent(9) }))
}

// A book is refused before it is too large for an item, and not long before.
func TestABookFitsIntoAnItem(t *testing.T) {
	d := newDesk(t)
	g := newGroup(d, 200)
	list := rule("", 0)
	list.Percent, list.Groups = nil, []int64{g.ID}
	list.Name = strings.Repeat("Ж", 255)
	for i := range 200 {
		list.Prices = append(list.Prices, pricebook.Price{Tariff: g.Tariffs[i].ID, Price: money.Most()})
	}
	for n := range pricebook.MostActive {
		_, err := d.add(list)
		if err == nil {
			continue
		}
		want := fault.FieldErrors{fault.NonField: []say.Message{say.PriceRulesTooLarge(340)}}
		if got := refused(t, err); !reflect.DeepEqual(got, want) || n < 50 {
			t.Errorf("after %d rules: %v", n, got)
		}
		idle := list
		idle.Active = false
		_, err = d.add(idle)
		d.must(err)
		return
	}
	t.Error("100 of the longest rules are a book")
}

// newGroup is a group with some tariffs.
func newGroup(d *desk, tariffs int) (g *group.Group) {
	d.t.Helper()
	d.must(d.Do(d.t.Context(), nil, func(w *record.Work) error {
		g = &group.Group{Name: fmt.Sprint("group of ", tariffs)}
		for n := range tariffs {
			g.Tariffs = append(g.Tariffs, tariff.Tariff{Element: record.Element{ID: int64(tariffs*1000 + n), Revision: 1}, Published: true})
		}
		group.Kind().Create(w, "", g)
		return nil
	}))
	return g
}

// A price list has tariffs of its groups alone. One that is gone stays in the list until its groups change.
func TestPriceListsHaveTariffsOfTheirGroups(t *testing.T) {
	d := newDesk(t)
	one, two := newGroup(d, 1), newGroup(d, 2)
	list := func(groups []int64, tariffs ...int64) pricebook.Rule {
		r := rule("list", 0)
		r.Percent, r.Groups = nil, groups
		for _, id := range tariffs {
			r.Prices = append(r.Prices, pricebook.Price{Tariff: id, Price: money.Whole(1)})
		}
		return r
	}
	id, err := d.add(list([]int64{one.ID, two.ID}, 1000, 2001))
	d.must(err)
	for _, tt := range []struct {
		name string
		pricebook.Rule
		want fault.FieldErrors
	}{
		{"of another group", list([]int64{two.ID}, 2000, 1000), fault.FieldErrors{"prices": []fault.FieldErrors{
			{}, {"tarif": []say.Message{say.DoesNotExist(1000)}},
		}}},
		{"of nobody", list([]int64{one.ID}, 7), fault.FieldErrors{"prices": []fault.FieldErrors{{"tarif": []say.Message{say.DoesNotExist(7)}}}}},
		{"no group", list([]int64{one.ID, 99}, 1000), fault.FieldErrors{"groups": fault.FieldErrors{"1": []say.Message{say.DoesNotExist(99)}}}},
	} {
		if _, err := d.add(tt.Rule); !reflect.DeepEqual(refused(t, err), tt.want) {
			t.Errorf("%s: %v", tt.name, refused(t, err))
		}
	}
	d.must(d.Do(t.Context(), nil, func(w *record.Work) error {
		g, err := group.Kind().Edit(t.Context(), w, two.ID)
		if err == nil {
			g.Tariffs = g.Tariffs[:1]
		}
		return err
	}))
	d.must(d.change(id, func(r *pricebook.Rule) { r.Name = "renamed" }))
	err = d.change(id, func(r *pricebook.Rule) { r.Groups = []int64{two.ID, one.ID} })
	if got := refused(t, err); !reflect.DeepEqual(got, fault.FieldErrors{"prices": []fault.FieldErrors{{}, {"tarif": []say.Message{say.DoesNotExist(2001)}}}}) {
		t.Errorf("other groups: %v", got)
	}
}

func TestRulesAreRecords(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*pricebook.Rule]{
		Kind: pricebook.Kind(),
		New: func(n int) *pricebook.Rule {
			r := rule(fmt.Sprint(n), int64(n))
			return &r
		},
		Change: func(r *pricebook.Rule, n int) { r.Ordering, r.Active = int64(n), n%2 == 0 },
	})
}

// Books are kept with these texts, so they stay.
func TestAPriceListIsStoredAsAText(t *testing.T) {
	most := pricebook.PriceList{{1, money.Amount{}}, {table.MaxID, money.Most()}, {17, money.FromCents(1_500_050)}}
	for text, want := range map[string]pricebook.PriceList{"": nil, "1:0.00 999999999999:99999999999999.99 17:15000.50": most} {
		stored, err := want.MarshalText()
		if err != nil || string(stored) != text {
			t.Errorf("%v is stored as %q, %v", want, stored, err)
		}
		var got pricebook.PriceList
		if err := got.UnmarshalText([]byte(text)); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, bad := range []string{"1", "1:x", ":5", "1:5 2", "1:5,2:6"} {
		if err := new(pricebook.PriceList).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is a price list", bad)
		}
	}
}

func of(id int64) *int64 { return &id }

func TestRulesOfAPlace(t *testing.T) {
	b := pricebook.Book{Rules: []pricebook.Entry{
		{ID: 1, Definition: pricebook.Definition{}},
		{ID: 2, Definition: pricebook.Definition{Groups: []int64{5, 6}}},
		{ID: 3, Definition: pricebook.Definition{Categories: []int64{7}}},
		{ID: 4, Definition: pricebook.Definition{Points: []int64{8}}},
		{ID: 5, Definition: pricebook.Definition{Groups: []int64{6}, Points: []int64{8, 9}}},
	}}
	for _, tt := range []struct {
		name string
		pricebook.Place
		want []int64
	}{
		{"nowhere", pricebook.Place{}, []int64{1}},
		{"a group", pricebook.Place{Group: of(5)}, []int64{1, 2}},
		{"another group", pricebook.Place{Group: of(7)}, []int64{1}},
		{"a group of a category", pricebook.Place{Group: of(1), Category: of(7)}, []int64{1, 3}},
		{"a group at a point", pricebook.Place{Group: of(6), Point: of(9)}, []int64{1, 2, 5}},
		{"a point", pricebook.Place{Group: of(1), Point: of(8)}, []int64{1, 4}},
	} {
		var got []int64
		for _, r := range b.At(tt.Place) {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestWhatARuleSays(t *testing.T) {
	for _, tt := range []struct {
		name string
		pricebook.Definition
		want pricing.Rule
	}{
		{
			"a season",
			pricebook.Definition{Name: "N", Ordering: 3, SeasonFrom: "2026-12-30", SeasonTo: "2027-01-02", Yearly: true, Percent: percent(20)},
			pricing.Rule{
				Name: "N", Ordering: 3, Percent: percent(20),
				Season: &pricing.Season{First: pricing.Date{Year: 2026, Month: 12, Day: 30}, Last: pricing.Date{Year: 2027, Month: 1, Day: 2}, Yearly: true},
			},
		},
		{
			"weekdays",
			pricebook.Definition{Weekdays: []int64{1, 6, 7}, Minimum: 900},
			pricing.Rule{Weekdays: []time.Weekday{time.Monday, time.Saturday, time.Sunday}, Minimum: 900},
		},
		{
			"a time of day",
			pricebook.Definition{TimeFrom: "22:30", TimeTo: "06:00", AtLeast: 5, Below: 9, Prices: []pricebook.Price{{4, money.Whole(2)}}},
			pricing.Rule{Hours: &pricing.Hours{From: 81_000, To: 21_600}, AtLeast: 5, Below: 9, Prices: []pricing.ListPrice{{Tariff: 4, Price: money.Whole(2)}}},
		},
	} {
		got := pricebook.Book{Rules: []pricebook.Entry{{Definition: tt.Definition}}}.At(pricebook.Place{})
		if len(got) != 1 || !reflect.DeepEqual(got[0], tt.want) {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// What was stored is what was meant, whatever a rule says.
func TestABookIsReadAsItWasWritten(t *testing.T) {
	d := newDesk(t)
	half, err := money.ParseAmount("12.50")
	d.must(err)
	r := pricebook.Rule{Active: true, Definition: pricebook.Definition{
		Name: "Ночь", Ordering: -2, TimeFrom: "00:00", TimeTo: "23:59", Weekdays: []int64{7}, AtLeast: 60, Below: 61, Percent: &half,
		SeasonFrom: "0001-01-01", SeasonTo: "9999-12-31", Yearly: true, Minimum: 31_622_400,
	}}
	g := newGroup(d, 1)
	r.Groups, r.Prices = []int64{g.ID}, pricebook.PriceList{{g.Tariffs[0].ID, money.FromCents(150)}}
	_, err = d.add(r)
	d.must(err)
	b, err := pricebook.Now(t.Context(), d.Reading())
	d.must(err)
	if got := b.Rules[0].Percent.String(); got != "12.50" {
		t.Errorf("the percent is %s", got)
	}
	if got := b.Rules[0].Prices; len(got) != 1 || got[0].Tariff != 1000 || got[0].Price.String() != "1.50" {
		t.Errorf("the prices are %v", got)
	}
	b.Rules[0].Percent, r.Percent = nil, nil
	b.Rules[0].Prices, r.Prices = nil, nil
	if !reflect.DeepEqual(b.Rules[0].Definition, r.Definition) {
		t.Errorf("%+v", b.Rules[0].Definition)
	}
}

func TestWhatIsOffered(t *testing.T) {
	day := moment.Seconds(86_400)
	list := []tariff.Tariff{
		{Element: record.Element{ID: 1}, Published: true, Price: money.Whole(5), Duration: &day},
		{Element: record.Element{ID: 2}, Price: money.Whole(1)},
		{Element: record.Element{ID: 3}, Published: true, Price: money.Whole(-1)},
		{Element: record.Element{ID: 4}, Published: true, OneTime: true},
	}
	want := []pricing.Offered{
		{ID: 1, Terms: pricing.Terms{Price: money.Whole(5), Duration: day}}, {ID: 4, Terms: pricing.Terms{Once: true}},
	}
	if got := pricebook.Offered(list); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestWhoCombines(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		group           *bool
		company, wanted bool
	}{{nil, true, true}, {nil, false, false}, {&yes, false, true}, {&no, true, false}} {
		if got := pricebook.Combines(&group.Group{Combine: tt.group}, company.Rental{Combine: tt.company}); got != tt.wanted {
			t.Errorf("%+v: %t", tt, got)
		}
	}
}

// A rule that loses a race is decided anew with what the other one has made.
func TestARaceIsDecidedAnew(t *testing.T) {
	d := newDesk(t)
	tries := 0
	err := d.Do(t.Context(), nil, func(w *record.Work) error {
		r := rule("slow", 1)
		pricebook.Kind().Create(w, "", &r)
		if err := pricebook.Keep(t.Context(), w, &r); err != nil {
			return err
		}
		if tries++; tries == 1 {
			if _, err := d.add(rule("fast", 2)); err != nil {
				return errors.Join(err, context.Canceled)
			}
		}
		return nil
	})
	d.must(err)
	if got := d.is(); tries != 2 || !strings.HasPrefix(got, "2: ") || !strings.Contains(got, "slow 1.00") || !strings.Contains(got, "fast 2.00") {
		t.Errorf("after %d tries: %s", tries, got)
	}
}
