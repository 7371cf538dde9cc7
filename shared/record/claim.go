package record

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/unique"
)

// claimTries is how often a write is tried whose values others take and leave.
const claimTries = 3

// Claiming runs a write that claims a record's unique values, again where a value
// turned out to be what a dead import has left. A value that another record took
// after Check is the fault of its field.
func (w Writer[T, Body, View]) Claiming(ctx context.Context, rec *T, claims unique.Claims, write func(unique.Claims) error) error {
	for range claimTries {
		err := write(claims)
		if taken := new(unique.TakenError); !errors.As(err, &taken) {
			return err
		}
		errs := fault.Fields{}
		if claims, err = w.claims(ctx, rec, w.uniques(rec), errs); err != nil {
			return err
		}
		if err := errs.Err(); err != nil {
			return err
		}
	}
	return table.ErrBusy
}

// claims finds out who has unique values that are reserved. What other records
// have is added to errs; what a running import has is a fault.
func (w Writer[T, Body, View]) claims(ctx context.Context, rec *T, list []Unique, errs fault.Fields) (unique.Claims, error) {
	values := make([]unique.Value, len(list))
	for i, u := range list {
		values[i] = unique.Value{Name: u.Name, Value: u.Value}
	}
	found, err := unique.Look(ctx, w.tenant, w.resource.Kind, values, metaOf(rec).ID, w.now())
	if err != nil {
		return unique.Claims{}, err
	}
	for _, i := range found.Taken {
		errs.AddAt(list[i].Field, fault.NotUnique)
	}
	if len(errs) == 0 && found.Busy != nil {
		return unique.Claims{}, found.Busy
	}
	return found.Claims, nil
}
