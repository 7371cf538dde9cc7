package account

import (
	"context"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// TopUp books an amount that a company has paid. errs takes what is wrong with it, at the field amount.
func TopUp(ctx context.Context, w *record.Work, amount money.Amount, comment *string, errs fault.FieldErrors) (*Operation, error) {
	if !errs.Has("amount") && amount.Cmp(money.Amount{}) <= 0 {
		errs.Add("amount", say.NotAboveZero)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	a, err := Open(ctx, w)
	if err != nil {
		return nil, err
	}
	if a.Balance.Add(amount).Cmp(money.Most()) > 0 {
		return nil, fault.Field("amount", say.TooManyDigits)
	}
	op := &Operation{Amount: amount, Comment: comment}
	return op, Book(ctx, w, op)
}

// booked says that something was booked, and may not be booked again.
type booked struct {
	table.Item
	Operation int64        `dynamo:"o,omitempty"`   // 0: nothing was to be booked
	Amount    money.Amount `dynamo:"s"`             // of the operation
	TTL       int64        `dynamo:"ttl,omitempty"` // Unix seconds
}

const bookedVersion = 1

// once reads what was booked under a key; nil if nothing was.
func once(ctx context.Context, w *record.Work, key table.Key) (*booked, error) {
	found, err := w.Item(ctx, key)
	if err != nil || found == nil {
		return nil, err
	}
	b := new(booked)
	return b, found.Decode(b)
}

// takes has the unit of work note what it books. Of two at once, the slower one is decided again.
func (b *booked) takes(w *record.Work) {
	w.Also(func(tx *table.Tx) error {
		tx.Put(w.Scope().Table.Create(*b), table.ErrRevision)
		return nil
	})
}

// Receipt is what a reference of the operator stands for.
type Receipt struct {
	Operation int64
	Amount    money.Amount
	New       bool // it was booked now, and not before
}

// Receive books an amount under a reference of the operator, who may repeat it: the same reference is booked once. If it was
// booked with another amount, the error is a Conflict. A company that is gone is not found.
func Receive(ctx context.Context, w *record.Work, reference string, amount money.Amount, comment *string) (r Receipt, err error) {
	key := w.Scope().Table.SMSReceipt(reference)
	b, err := once(ctx, w, key)
	if err != nil {
		return r, err
	}
	if b != nil {
		r = Receipt{Operation: b.Operation, Amount: b.Amount}
		if b.Amount.Cmp(amount) != 0 {
			err = fault.New(fault.Conflict, say.SMSReferenceBooked(b.Amount.String()))
		}
		return r, err
	}
	there, err := company.StillThere(ctx, w)
	if err == nil && !there {
		err = fault.ErrNotFound
	}
	if err != nil {
		return r, err
	}
	op, err := TopUp(ctx, w, amount, comment, w.Errors(""))
	if err != nil {
		return r, err
	}
	if err := w.Number(ctx); err != nil {
		return r, err
	}
	(&booked{Item: table.At(key, bookedVersion), Operation: op.ID, Amount: amount}).takes(w)
	return Receipt{Operation: op.ID, Amount: amount, New: true}, nil
}
