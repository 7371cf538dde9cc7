package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/meter"
)

// These records belong to no group. They measure the mechanisms that groups use: a parent refers to another record and
// holds it, children belong to a parent, and appended records never change.
type (
	parent struct {
		record.Meta
		Of       int64   `dynamo:"o"`
		Children []int64 `dynamo:"l"`
	}
	child struct {
		record.Meta
		Parent int64  `dynamo:"o"`
		Day    string `dynamo:"y"`
	}
	held struct {
		record.Meta
		Name string `dynamo:"n"`
	}
	appended struct {
		record.Meta
		Amount money.Amount `dynamo:"a"`
	}
)

func mechanismKinds() map[string]kinds.Kind {
	return map[string]kinds.Kind{
		"parent": {Code: "zp", Name: "bench_parent"}, "child": {Code: "zc", Name: "bench_child"},
		"held": {Code: "zh", Name: "bench_held", Sums: []string{"b"}, Held: true}, "appended": {Code: "za", Name: "bench_appended"},
	}
}

func parents() *record.Kind[*parent] {
	return &record.Kind[*parent]{
		Kind: mechanismKinds()["parent"], Shown: func(p *parent) any { return map[string]int64{"of": p.Of} },
		References: func(p *parent) []record.Reference {
			return []record.Reference{{Field: "of", Kind: "zh", ID: p.Of, Hold: true}}
		},
	}
}

func children() *record.Kind[*child] {
	return &record.Kind[*child]{
		Kind: mechanismKinds()["child"], Shown: func(c *child) any { return map[string]string{"day": c.Day} },
		Parent: func(c *child) record.Parent { return record.Parent{Kind: "zp", ID: c.Parent, List: "children"} },
		Below:  func(c *child) record.Child { return record.Child{Of: "zh", ID: 1, At: c.Day} },
	}
}

func holders() *record.Kind[*held] {
	return &record.Kind[*held]{
		Kind: mechanismKinds()["held"], Name: func(h *held) string { return h.Name },
		Shown: func(h *held) any { return map[string]string{"name": h.Name} },
	}
}

func appends() *record.Kind[*appended] {
	return &record.Kind[*appended]{Kind: mechanismKinds()["appended"], AppendOnly: true}
}

// mechanisms measures the steps of a unit of work.
func (b *bench) mechanisms(ctx context.Context, r *section) error {
	r.Title = "What units of work are made of"
	s, err := b.open(ctx)
	if err != nil {
		return err
	}
	var own []kinds.Kind
	for _, k := range mechanismKinds() {
		own = append(own, k)
	}
	requests := 0
	now := s.env.Now()
	do := func(decide func(ctx context.Context, w *record.Work) error) (meter.Usage, error) {
		requests++
		scope := record.Scope{
			Table: table.Of(table.OpenWith(engine.Client(s.engine.Endpoint()), crmTable, own...), 99), Now: func() time.Time { return now },
			Actor: audit.Actor{User: 1, Request: fmt.Sprint("bench-", requests), At: now},
		}
		ctx, m := meter.Start(ctx)
		err := scope.Do(ctx, nil, func(w *record.Work) error { return decide(ctx, w) })
		return m.Usage(), err
	}
	most, none := 30, money.Amount{}
	steps := []struct {
		what         string
		calls        int
		read, writes float64
		do           func(ctx context.Context, w *record.Work) error
	}{
		{"a record that others may hold, made", 2, 0, 8, func(_ context.Context, w *record.Work) error {
			holders().Create(w, "", &held{Name: "a"})
			return nil
		}},
		{"a record that holds it, made", 3, 1, 9, func(_ context.Context, w *record.Work) error {
			parents().Create(w, "", &parent{Of: 1})
			return nil
		}},
		{
			fmt.Sprintf("%d children with their parent, in an index by day, its history and a message with a key: one transaction", most),
			3, 1, 105,
			func(ctx context.Context, w *record.Work) error {
				p, err := parents().Edit(ctx, w, 1)
				if err != nil {
					return err
				}
				made := make([]*child, most)
				for i := range made {
					made[i] = &child{Parent: 1, Day: fmt.Sprintf("2026-03-%02d", i+1)}
				}
				children().Create(w, "", made...)
				if err := w.Number(ctx); err != nil {
					return err
				}
				for _, c := range made {
					p.Children = append(p.Children, c.ID)
				}
				w.Arm("bench.parent", "1")
				return nil
			},
		},
		{"a child changed, told by its parent", 3, 2, 8, func(ctx context.Context, w *record.Work) error {
			if _, err := parents().Edit(ctx, w, 1); err != nil {
				return err
			}
			c, err := children().Edit(ctx, w, 1)
			if err == nil {
				c.Day = "2026-04-01"
			}
			return err
		}},
		{
			"a record appended, with an addition to a sum that may not fall below 0", 3, 1, 7,
			func(ctx context.Context, w *record.Work) error {
				if _, err := holders().Read(ctx, w, 1); err != nil {
					return err
				}
				appends().Create(w, "", &appended{Amount: money.Whole(5)})
				holders().AddToSums(w, 1, record.Addition{Name: "b", By: money.Whole(5), Least: &none, Refused: fault.ErrNotFound})
				return nil
			},
		},
		{"a message with a key armed, with a record appended", 2, 0, 8, func(_ context.Context, w *record.Work) error {
			appends().Create(w, "", &appended{Amount: money.Whole(5)})
			w.Arm("bench.parent", "2")
			return nil
		}},
		{fmt.Sprintf("%d children read by their index", most-1), 2, 29.5, 0, func(ctx context.Context, w *record.Work) error {
			list, err := children().Children(ctx, w.Scope(), "zh", 1, record.Span{To: "2026-03-31"})
			if err == nil && len(list) != most-1 {
				err = fmt.Errorf("%d children are found", len(list))
			}
			return err
		}},
		{
			"the holder removed: what is held is let go", 2, 1, 10,
			func(ctx context.Context, w *record.Work) error { return parents().Remove(ctx, w, 1) },
		},
		{"what is held no more, removed", 2, 1, 12, func(ctx context.Context, w *record.Work) error { return holders().Remove(ctx, w, 1) }},
	}
	rows := [][]string{{"Unit of work", "Calls", "Read units", "Write units"}}
	for _, step := range steps {
		used, err := do(step.do)
		if err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
		rows = append(rows, []string{step.what, fmt.Sprint(used.Calls), units(used.ReadUnits), units(used.WriteUnits)})
		r.judge(step.what, used.Calls <= step.calls && used.ReadUnits <= step.read && used.WriteUnits <= step.writes,
			fmt.Sprintf("≤ %d calls, ≤ %s read and %s write units", step.calls, units(step.read), units(step.writes)),
			"%d calls, %s read and %s write units", used.Calls, units(used.ReadUnits), units(used.WriteUnits))
	}
	r.table(rows)
	r.text("Records of no group, below 1 KB each. An operation of a transaction is 2 write units, a number and an entry in an index 1.")
	return nil
}
