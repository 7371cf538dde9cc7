package record

import (
	"slices"

	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
)

// reservation is what a unit of work does with the reservation of one value.
type reservation struct {
	unique.Value
	from, to int64 // the records that had the value before and have it after; 0 means no record
}

// reserve finds out which values are reserved, released and moved. If one record releases a
// value that another one reserves, both are one operation.
func (w *Work) reserve() {
	at := map[unique.Value]int{} // indexes in w.reservations
	of := func(v unique.Value) *reservation {
		if _, ok := at[v]; !ok {
			at[v] = len(w.reservations)
			w.reservations = append(w.reservations, reservation{Value: v})
		}
		return &w.reservations[at[v]]
	}
	for _, p := range w.tracked {
		if !p.writes() {
			continue
		}
		_, id := p.kindAndID()
		had, has := p.uniqueValues()
		for _, v := range had {
			if !slices.Contains(has, v) {
				of(v).from = id
			}
		}
		for _, v := range has {
			if !slices.Contains(had, v) {
				of(v).to = id
			}
		}
	}
}

func (r reservation) write(tx *table.Tx, t *table.Tenant, left unique.Abandoned) {
	switch {
	case r.from == 0:
		left.Reserve(tx, t, r.Value, r.to)
	case r.to == 0:
		unique.Release(tx, t, r.Value, r.from)
	default:
		unique.Move(tx, t, r.Value, r.from, r.to)
	}
}
