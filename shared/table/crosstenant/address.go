package crosstenant

import (
	"context"
	"errors"
	"fmt"

	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// LanguageOf is the language that whoever has an address has chosen; empty if nobody has it, or none is chosen.
func LanguageOf(ctx context.Context, t Table, address string) (say.Language, error) {
	var owner struct {
		table.Item
		User int64 `dynamo:"u"`
	}
	if err := t.Get(ctx, Email(address), &owner); err != nil {
		return "", orNone(err)
	}
	var who Person
	if err := t.Get(ctx, User(owner.User), &who); err != nil {
		return "", orNone(err)
	}
	return who.Language, nil
}

func orNone(err error) error {
	if errors.Is(err, table.ErrNotFound) {
		return nil
	}
	return fmt.Errorf("crosstenant: language of an address: %w", err)
}
