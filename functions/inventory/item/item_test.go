package item_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/record/recordtest"
)

func TestItems(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[item.Item]{
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
		"123 abc 02": "123ABC02", " 777\tкто\u00a001 ": "777КТО01", "": "", "A1": "A1",
		"\uff21\uff11\u200b 02": "A102",
	} {
		if got := item.Plate(number); got != want {
			t.Errorf("%q is %q, not %q", number, got, want)
		}
	}
}
