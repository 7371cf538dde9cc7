package lead

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// BoardStage is a stage on the board of its funnel, with the leads that are in it.
type BoardStage struct {
	FunnelStage
	Count int64        `json:"count" doc:"How many leads are in it"`
	Sum   money.Amount `json:"sum" doc:"Of their prices"`
}

// boardTries is how often a board is read whose stages change meanwhile.
const boardTries = 3

// Board reads a funnel, and what is in its stages, all as it was at one moment: a lead that
// moves is counted once. It costs two calls, however many leads there are, and three units and
// two for each stage.
func Board(ctx context.Context, s record.Scope, funnel int64) (*Funnel, []BoardStage, error) {
	f, err := Funnels().Get(ctx, s, funnel)
	if err != nil {
		return nil, nil, err
	}
	for range boardTries {
		keys := []table.Key{Funnels().Key(s.Table, funnel)}
		for _, id := range f.ids() {
			keys = append(keys, s.Table.Beside(kinds.Stage, id))
		}
		items, err := s.Table.Snapshot(ctx, keys...)
		if err != nil {
			return nil, nil, err
		}
		w, found := s.Reading(), map[table.Key]table.Attributes{}
		for k, item := range items {
			found[k] = table.Attributes(item)
		}
		w.Know(found, keys...)
		was := f.ids()
		if f, err = Funnels().Read(ctx, w, funnel); err != nil {
			return nil, nil, err
		}
		if slices.Equal(slices.Sorted(slices.Values(was)), slices.Sorted(slices.Values(f.ids()))) {
			tallies, err := tally(ctx, w, f)
			return f, tallies, err
		}
	}
	return nil, nil, fault.ErrUnavailable
}

// tally counts what is in the stages of a funnel.
func tally(ctx context.Context, w *record.Work, f *Funnel) ([]BoardStage, error) {
	list := make([]BoardStage, len(f.Stages))
	for i, h := range f.Stages {
		sums, err := Stages().Sums(ctx, w, h.ID)
		if err != nil {
			return nil, err
		}
		by, err := Stages().Holders(ctx, w, h.ID)
		if err != nil {
			return nil, err
		}
		list[i] = BoardStage{FunnelStage: h, Count: by[kinds.Of(kinds.Lead).Name], Sum: sums[prices]}
	}
	return list, nil
}
