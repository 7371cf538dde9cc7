// Package account is what a company has for SMS, and the one door by which SMS leave (Door): it decides whether a telephone may be
// sent to, what that costs, who pays it, and how many may be sent.
//
// What never goes in here: how a provider is talked to (shared/outbox/notify), and what a message says.
package account

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// version is the schema version of an Account.
const version = 1

// Account is what a company has for SMS. Each change of its balance is an operation, in the same transaction: the balance is
// always the sum of all operations, and their invoice numbers rise by one.
type Account struct {
	table.Item
	Revision int64        `dynamo:"r"` // counts the writes; each write is conditional on it
	Balance  money.Amount `dynamo:"b"` // not negative
	Last     int64        `dynamo:"l"` // invoice number
	// Day is the last day of UTC, in days since 1970, whose free share has paid, and Used how much; see Door.
	Day  int64 `dynamo:"fd,omitempty"`
	Used int64 `dynamo:"fu,omitempty"`
	// Refused is when a signer was last refused a code that nothing could pay, in microseconds; 0: never.
	Refused int64 `dynamo:"rf,omitempty"`

	written bool // the unit of work already has the operation that writes it
}

// Operation is what changed the balance once: what came in, what an SMS cost, or what of that was given back.
type Operation struct {
	record.Meta
	Invoice int64        `dynamo:"i"`
	Amount  money.Amount `dynamo:"s"`            // signed, not 0
	Message *int64       `dynamo:"g,omitempty"`  // of /v1/sms/messages/, that cost it, or failed
	User    int64        `dynamo:"u,omitempty"`  // who topped up, or sent
	Comment *string      `dynamo:"cm,omitempty"` // what the operator said of it
}

// Operations is the kind of the operations.
func Operations() *record.Kind[*Operation] { return declaredOperations.Get(declareOperations) }

var declaredOperations record.Declared[*Operation]

func declareOperations() record.Kind[*Operation] {
	return record.Kind[*Operation]{Kind: kinds.Of(kinds.SMSOperation), AppendOnly: true}
}

// Of reads the account of a company; one without operations is empty.
func Of(found table.Attributes, key table.Key) (*Account, error) {
	a := Account{Item: table.At(key, version)}
	if found == nil {
		return &a, nil
	}
	err := found.Decode(&a)
	return &a, err
}

// Open is the working copy of the company's account.
func Open(ctx context.Context, w *record.Work) (*Account, error) {
	key := w.Scope().Table.SMSAccount()
	return record.Once(w, key, func() (*Account, error) {
		found, err := w.Item(ctx, key)
		if err != nil {
			return nil, err
		}
		return Of(found, key)
	})
}

// Book makes an operation, which changes the balance by its amount. If there is less than it takes, nothing is written, and the
// error is a fault with the code sms_balance.
func Book(ctx context.Context, w *record.Work, op *Operation) error {
	a, err := Open(ctx, w)
	if err != nil {
		return err
	}
	balance := a.Balance.Add(op.Amount)
	if balance.IsNegative() {
		return fault.New(fault.Invalid, say.SMSBalance).
			Coded().With("needed", op.Amount.Neg()).With("available", a.Balance)
	}
	a.Balance, a.Last = balance, a.Last+1
	Operations().Create(w, "", op)
	op.Invoice, op.User = a.Last, w.Scope().Actor.User
	a.changes(w)
	return nil
}

// FreeLeft is what is left of a free share at a moment. What came late of a day after which another has paid takes of the other's.
func (a *Account) FreeLeft(share int64, at time.Time) int64 {
	if a.Day < dayOf(at) {
		return share
	}
	return max(0, share-a.Used)
}

// changes has the unit of work write the account, once.
func (a *Account) changes(w *record.Work) {
	if a.written {
		return
	}
	a.written = true
	w.Also(func(tx *table.Tx) error {
		a.write(tx, w.Scope().Table)
		return nil
	})
}

// write adds the account to a transaction.
func (a *Account) write(tx *table.Tx, t *table.Tenant) {
	next := *a
	next.Revision++
	if a.Revision == 0 {
		tx.Put(t.Create(next), table.ErrRevision)
		return
	}
	tx.Put(t.Put(next).If("'r' = ?", a.Revision), table.ErrRevision)
}

// dayOf is the day of UTC of a moment, in days since 1970.
func dayOf(at time.Time) int64 { return at.Unix() / int64((24 * time.Hour).Seconds()) }
