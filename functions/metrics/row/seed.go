package row

import (
	"context"
	"fmt"
	"slices"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// Seed writes rows that follow from no orders, and what their days come to, for benchmarks and tests of
// lists. Each row needs an id of its own, a type, a date and its amounts.
func Seed(ctx context.Context, s record.Scope, rows []Row) error {
	const batch = 25 // of one call
	sums := days{}
	for part := range slices.Chunk(rows, batch) {
		items := make([]any, len(part))
		for i := range part {
			sums.add(nil, &part[i])
			part[i].revise(s, nil)
			items[i] = &part[i]
		}
		if _, err := s.Table.Table().Batch("pk", "sk").Write().Put(items...).Run(ctx); err != nil {
			return fmt.Errorf("row: seed: %w", err)
		}
	}
	for date, types := range sums {
		if err := s.Table.Write(ctx, func(tx *table.Tx, _ int) error {
			days{date: types}.write(tx, s.Table)
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// New is a row of a type, for Seed.
func New(of Type, id int64) Row {
	return Row{Meta: record.Meta{ID: id}, Letter: of.letter(), Source: id}
}
