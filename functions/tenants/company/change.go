package company

import (
	"reflect"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
)

// Change adds the next revision of a company to a unit of work, together with the entry of its
// history, if the company is another than before. told is what the history shows of it. set writes
// what has changed, and nothing else, because other requests update the other fields meanwhile.
// The transaction fails if the company's revision has changed since before was read.
//
// It doesn't ask who may change a company; see staff.Stands.
func (c *Company) Change(w *record.Work, before Company, told func(Company) any, set func(u *dynamo.Update)) (changed bool) {
	if reflect.DeepEqual(before, *c) {
		return false
	}
	c.Revision = before.Revision + 1
	w.Revise(audit.Revision{
		Kind: kinds.Company, ID: c.ID, Number: c.Revision, Action: audit.Changed,
		Before: audit.View{Fields: told(before)}, After: audit.View{Fields: told(*c)},
	})
	next := c.Revision
	w.Also(func(tx *table.Tx) error {
		u := w.Scope().Table.Update(w.Scope().Table.Company()).Set("r", next)
		if before.Revision == 1 {
			u.If("attribute_not_exists('r') OR 'r' = ?", before.Revision) // the first companies were stored without one
		} else {
			u.If("'r' = ?", before.Revision)
		}
		set(u)
		tx.Update(u, table.ErrRevision)
		return nil
	})
	return true
}

// Usable has a transaction fail with fault.ErrForbidden if its company is suspended or closed: what it gives to a stranger, such as a key,
// would not learn of that. The authorizer has looked some time before. It costs two units.
func Usable(tx *table.Tx, of *table.Tenant) {
	k := of.Company()
	tx.Check(of.Table().Check("pk", k.PK).Range("sk", k.SK).If("attribute_not_exists(st)"), fault.ErrForbidden)
}
