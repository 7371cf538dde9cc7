package unique

import "github.com/tenantry/tenantry/shared/table"

// Owner is the record that has a value, by the item of its reservation: for
// values that no import reserves, which are read with other items. 0 where there
// is none.
func Owner(reservation table.Attributes) int64 { return reservation.Int("o") }
