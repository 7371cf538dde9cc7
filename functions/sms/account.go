package sms

import (
	"context"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// accountVersion is the schema version of account.
const accountVersion = 1

// account is what a company has for SMS. Each change of it is an operation, in the same
// transaction: the balance is always the sum of all operations, and their invoice numbers rise by one.
type account struct {
	table.Item
	Revision int64        `dynamo:"r"` // counts the writes; each write is conditional on it
	Balance  money.Amount `dynamo:"b"` // not negative
	Last     int64        `dynamo:"l"` // invoice number

	written bool // the unit of work already has the operation that writes it
}

// operation is what changed the balance once: what came in, what a message cost, or what of that was
// given back.
type operation struct {
	record.Meta
	Invoice int64        `dynamo:"i"`
	Amount  money.Amount `dynamo:"s"`           // signed, not 0
	Message *int64       `dynamo:"g,omitempty"` // that cost it, or failed
	User    int64        `dynamo:"u,omitempty"` // who topped up, or sent
}

func operations() record.Kind[operation] {
	return record.Kind[operation]{Kind: kinds.Of(kinds.SMSOperation), AppendOnly: true}
}

// accountOf reads the account of a company; one without operations is empty.
func accountOf(found table.Attributes, key table.Key) (*account, error) {
	a := account{Item: table.At(key, accountVersion)}
	if found == nil {
		return &a, nil
	}
	err := found.Decode(&a)
	return &a, err
}

// open is the working copy of the company's account.
func open(ctx context.Context, w *record.Work) (*account, error) {
	key := w.Scope().Table.SMSAccount()
	return record.Once(w, key, func() (*account, error) {
		found, err := w.Item(ctx, key)
		if err != nil {
			return nil, err
		}
		return accountOf(found, key)
	})
}

// book makes an operation, which changes the balance by its amount. If there is less than it takes,
// nothing is written, and the error is a fault with the code sms_balance.
func book(ctx context.Context, w *record.Work, op *operation) error {
	a, err := open(ctx, w)
	if err != nil {
		return err
	}
	balance := a.Balance.Add(op.Amount)
	if balance.IsNegative() {
		return fault.New(fault.Invalid, "The balance for SMS does not cover this message.").
			With("code", "sms_balance").With("needed", op.Amount.Neg()).With("available", a.Balance)
	}
	a.Balance, a.Last = balance, a.Last+1
	operations().Create(w, "", op)
	op.Invoice, op.User = a.Last, w.Scope().Actor.User
	if !a.written {
		a.written = true
		w.Also(func(tx *table.Tx) error {
			a.write(tx, w.Scope().Table)
			return nil
		})
	}
	return nil
}

// write adds the account to a transaction.
func (a *account) write(tx *table.Tx, t *table.Tenant) {
	next := *a
	next.Revision++
	if a.Revision == 0 {
		tx.Put(t.Create(next), table.ErrRevision)
		return
	}
	tx.Put(t.Put(next).If("'r' = ?", a.Revision), table.ErrRevision)
}
