package item_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/record/recordtest"
)

func TestItems(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*item.Item]{
		Kind: item.Kind(),
		New: func(n int) *item.Item {
			tag, plate := fmt.Sprintf("C-%d", n), fmt.Sprintf("%03dABC02", n)
			return &item.Item{
				Name:     fmt.Sprintf("Автомобиль %d, а название его такое длинное, что в поиске ему отведено не больше места, чем всякому", n),
				UniqueID: &tag, Car: &item.Car{Type: item.TypeCar, Number: &plate, Extra: decode.JSON(`{}`)}, Extra: decode.JSON(`{}`),
			}
		},
		Change: func(it *item.Item, n int) {
			it.Name = fmt.Sprintf("Another %d", n)
			if it.Disabled = nil; n%2 == 0 { // every other change gives the values back
				it.Disabled = new(item.DisabledWithdraw)
			}
		},
	})
}

func TestPlates(t *testing.T) {
	for number, want := range map[string]string{
		"123 abc 02": "123ABC02", " 777\tкто\u00a001 ": "777KTO01", "": "", "A1": "A1",
		"\uff21\uff11\u200b 02": "A102",
		"а 123 вс 77":           "A123BC77", "АВЕКМНОРСТУХ": "ABEKMHOPCTYX", "abekmhopctyx": "ABEKMHOPCTYX", "ЖФ1": "ЖФ1", "і1": "I1", "ї1": "Ї1",
	} {
		if got := item.Plate(number); got != want {
			t.Errorf("%q is %q, not %q", number, got, want)
		}
	}
}

// What an item tells when it is written: by what its car can be found now, or could be before.
func TestIdentities(t *testing.T) {
	car := func(number, passport string) *item.Item {
		it := &item.Item{Car: &item.Car{Type: item.TypeCar}}
		it.ID = 7
		if number != "" {
			it.Car.Number = &number
		}
		if passport != "" {
			it.Car.TechPassport = &passport
		}
		return it
	}
	archived := func(it *item.Item) *item.Item { it.Disabled = new(item.DisabledArchive); return it }
	bike := &item.Item{Name: "Bike"}
	a, b, p, q := item.Mark("A1"), item.Mark("B2"), item.Mark("P1"), item.Mark("Q2")
	for _, c := range []struct {
		name          string
		before, after *item.Item
		want          string // empty: nothing
	}{
		{"no car", nil, bike, ""},
		{"a car without numbers", nil, car("", ""), ""},
		{"a new car", nil, car("A1", "P1"), "7:" + a + ":" + p},
		{"nothing of it", car("A1", "P1"), car("A1", "P1"), ""},
		{"the same in other letters", car("A1", "P1"), car("A1", "р 1"), ""},
		{"another number", car("A1", ""), car("B2", ""), "7:" + a + "," + b + ":"},
		{"another passport", car("A1", "P1"), car("A1", "Q2"), "7:" + a + ":" + p + "," + q},
		{"no passport any more", car("", "P1"), car("", ""), "7::" + p},
		{"archived", car("A1", "P1"), archived(car("A1", "P1")), "7:" + a + ":" + p},
		{"archived without a number", car("", "P1"), archived(car("", "P1")), ""},
		{"in use again", archived(car("A1", "")), car("A1", ""), "7:" + a + ":"},
		{"deleted", car("A1", ""), nil, "7:" + a + ":"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for _, m := range item.Kind().Arms(c.before, c.after) {
				got += m.Key
			}
			if got != c.want {
				t.Fatalf("%q, want %q", got, c.want)
			}
			if got == "" {
				return
			}
			if i, err := item.ParseIdentity(got); err != nil || i.Item != 7 || i.Key() != got {
				t.Errorf("read as %+v, %v", i, err)
			}
		})
	}
	if got := item.Kind().ArmsImport([]*item.Item{bike, car("A1", "")}); len(got) != 1 || got[0].Key != "0::" {
		t.Errorf("an import of a car tells %v", got)
	}
	if got := item.Kind().ArmsImport([]*item.Item{bike, bike}); got != nil {
		t.Errorf("an import of no car tells %v", got)
	}
	for _, key := range []string{"", "7", "7:a", "x::", "7:a:b:c"} {
		if _, err := item.ParseIdentity(key); err == nil {
			t.Errorf("%q is read", key)
		}
	}
}
