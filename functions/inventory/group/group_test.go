package group_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/functions/inventory/group"
	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
)

func TestGroups(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*group.Group]{
		Kind: group.Kind(),
		New: func(n int) *group.Group {
			code, price := fmt.Sprintf("46000000%05d", n), money.Whole(int64(n))
			return &group.Group{
				Name: fmt.Sprintf("Группа %d, а название её такое длинное, что в поиске ему отведено не больше места, чем всякому", n), Barcode: &code,
				UnitPrice: &price, Filters: []string{"a", "b"}, Extra: decode.JSON(`{}`),
				Tariffs: []tariff.Tariff{{Element: record.Element{ID: 1, Revision: 1}, Price: price}},
			}
		},
		Change: func(g *group.Group, n int) {
			g.Name, g.Published = fmt.Sprintf("Another %d %d", n, g.ID), n%2 == 0
			g.Tariffs = append([]tariff.Tariff{}, g.Tariffs...)
			g.Tariffs[0].Price = money.Whole(int64(n))
		},
	})
}

func TestNames(t *testing.T) {
	for _, name := range []string{"Седаны", " СЕДАНЫ ", "седаны"} {
		if got := group.Named(name); got != group.Named("Седаны") {
			t.Errorf("%q is found as %+v", name, got)
		}
	}
	if group.Named("a b") != group.Named("A  B") || group.Named("ab") == group.Named("a b") {
		t.Error("spaces within names")
	}
}
