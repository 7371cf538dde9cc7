package record

import (
	"slices"

	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
)

// claim is what becomes of the reservation of one value.
type claim struct {
	unique.Value
	from, to int64 // the records that had it and have it; 0 is none
}

// claim finds out what becomes of unique values: what one record leaves and
// another takes is one operation.
func (w *Work) claim() {
	at := map[unique.Value]int{} // places in claims
	of := func(v unique.Value) *claim {
		if _, ok := at[v]; !ok {
			at[v] = len(w.claims)
			w.claims = append(w.claims, claim{Value: v})
		}
		return &w.claims[at[v]]
	}
	for _, p := range w.parts {
		if !p.writes() {
			continue
		}
		_, id := p.self()
		had, has := p.values()
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

func (c claim) write(tx *table.Tx, t *table.Tenant, left unique.Claims) {
	switch {
	case c.from == 0:
		left.Claim(tx, t, c.Value, c.to)
	case c.to == 0:
		unique.Release(tx, t, c.Value, c.from)
	default:
		unique.Move(tx, t, c.Value, c.from, c.to)
	}
}
