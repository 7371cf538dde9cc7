package company

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Remains is the check of a transaction that the company is there and is not being erased. Erasing marks the company first, and then
// takes out all that was written before. So what comes late, of a message or of an operator, and is written with this check leaves
// nothing of a company that is gone.
func Remains(t *table.Tenant) *dynamo.ConditionCheck {
	return t.Exists(t.Company()).If("attribute_not_exists(st) OR st <> ?", tenant.Erasing)
}

// StillThere tells a unit of work whether the company is there and is not being erased; its transaction checks that once more.
func StillThere(ctx context.Context, w *record.Work) (bool, error) {
	t := w.Scope().Table
	item, err := w.Item(ctx, t.Company())
	if err != nil || item == nil || tenant.State(item.Text("st")) == tenant.Erasing {
		return false, err
	}
	w.Also(func(tx *table.Tx) error {
		tx.Check(Remains(t), table.ErrRevision)
		return nil
	})
	return true, nil
}
