package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
)

// thing is a record of no group. Things measure the mechanisms that groups use: a parent refers to a holder and holds it, children
// belong to a parent, and appended things never change.
type thing struct {
	record.Meta
	Of       int64        `dynamo:"o,omitempty"`
	Children []int64      `dynamo:"l,omitempty"`
	Text     string       `dynamo:"n,omitempty"`
	Amount   money.Amount `dynamo:"a,omitempty"`
}

// things is a kind of things.
func things(of kinds.Kind) *record.Kind[*thing] {
	return &record.Kind[*thing]{Kind: of, Shown: func(t *thing) any { return map[string]any{"of": t.Of, "text": t.Text} }}
}

// made is the step that makes a thing.
func made(of *record.Kind[*thing], one *thing) func(context.Context, *record.Work) error {
	return func(_ context.Context, w *record.Work) error {
		of.Create(w, "", one)
		return nil
	}
}

// mechanisms measures the steps of a unit of work.
func (b *bench) mechanisms(ctx context.Context, r *section) error {
	t, err := b.tenant(ctx, "mechanisms")
	if err != nil {
		return err
	}
	parents, children := things(kinds.Kind{Code: "zp", Name: "bench_parent"}), things(kinds.Kind{Code: "zc", Name: "bench_child"})
	holders := things(kinds.Kind{Code: "zh", Name: "bench_held", Sums: []string{"b"}, Held: true})
	appends := &record.Kind[*thing]{Kind: kinds.Kind{Code: "za", Name: "bench_appended"}, AppendOnly: true}
	parents.References = func(t *thing) []record.Reference {
		return []record.Reference{{Field: "of", Kind: "zh", ID: t.Of, Hold: true}}
	}
	children.Parent = func(t *thing) record.Parent { return record.Parent{Kind: "zp", ID: t.Of, List: "children"} }
	children.Below = func(t *thing) record.Child { return record.Child{Of: "zh", ID: 1, At: t.Text} }
	holders.Name = func(t *thing) string { return t.Text }
	conn := table.OpenWith(b.stage.api, tableName, parents.Kind, children.Kind, holders.Kind, appends.Kind)
	now := time.Now()
	most, none := 30, money.Amount{}
	steps := []struct {
		what         string
		calls        int
		read, writes float64
		do           func(ctx context.Context, w *record.Work) error
	}{
		{"a record that others may hold, made", 2, 0, 11, made(holders, &thing{Text: "a"})},
		{"a record that holds it, made", 3, 1, 12, made(parents, &thing{Of: 1})},
		{
			fmt.Sprintf("%d children with their parent, in an index by day, its history and a message with a key: one transaction", most),
			3, 1, 105,
			func(ctx context.Context, w *record.Work) error {
				p, err := parents.Edit(ctx, w, 1)
				if err != nil {
					return err
				}
				list := make([]*thing, most)
				for i := range list {
					list[i] = &thing{Of: 1, Text: fmt.Sprintf("2026-03-%02d", i+1)}
				}
				children.Create(w, "", list...)
				if err := w.Number(ctx); err != nil {
					return err
				}
				for _, c := range list {
					p.Children = append(p.Children, c.ID)
				}
				w.Arm("bench.parent", "1")
				return nil
			},
		},
		{"a child changed, told by its parent", 3, 2, 11, func(ctx context.Context, w *record.Work) error {
			if _, err := parents.Edit(ctx, w, 1); err != nil {
				return err
			}
			c, err := children.Edit(ctx, w, 1)
			if err == nil {
				c.Text = "2026-04-01"
			}
			return err
		}},
		{
			"a record appended, with an addition to a sum that may not fall below 0", 3, 1, 7,
			func(ctx context.Context, w *record.Work) error {
				if _, err := holders.Read(ctx, w, 1); err != nil {
					return err
				}
				appends.Create(w, "", &thing{Amount: money.Whole(5)})
				holders.AddToSums(w, 1, record.Addition{Name: "b", By: money.Whole(5), Least: &none, Refused: fault.ErrNotFound})
				return nil
			},
		},
		{"a message with a key armed, with a record appended", 2, 0, 8, func(_ context.Context, w *record.Work) error {
			appends.Create(w, "", &thing{Amount: money.Whole(5)})
			w.Arm("bench.parent", "2")
			return nil
		}},
		{fmt.Sprintf("%d children read by their index", most-1), 2, 29.5, 0, func(ctx context.Context, w *record.Work) error {
			list, err := children.Children(ctx, w.Scope(), "zh", 1, record.Span{To: "2026-03-31"})
			if err == nil && len(list) != most-1 {
				err = fmt.Errorf("%d children are found", len(list))
			}
			return err
		}},
		{
			"the holder removed: what is held is let go", 2, 1, 13,
			func(ctx context.Context, w *record.Work) error { return parents.Remove(ctx, w, 1) },
		},
		{"what is held no more, removed", 2, 1, 15, func(ctx context.Context, w *record.Work) error { return holders.Remove(ctx, w, 1) }},
	}
	for i, step := range steps {
		scope := record.Scope{
			Table: table.Of(conn, t.ID()), Now: func() time.Time { return now },
			Actor: audit.Actor{User: user, Request: fmt.Sprint("bench-", i), At: now},
		}
		used, err := metered(ctx, func(ctx context.Context) error {
			return scope.Do(ctx, nil, func(w *record.Work) error { return step.do(ctx, w) })
		})
		if err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
		r.judge(step.what, used.calls <= step.calls && used.read <= step.read && used.write <= step.writes,
			fmt.Sprintf("≤ %d calls, ≤ %s read and %s write units", step.calls, units(step.read), units(step.writes)),
			"%s", told([]cost{used.cost}))
	}
	return nil
}
