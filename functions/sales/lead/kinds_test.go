package lead_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/functions/sales/lead"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/recordtest"
)

func to[T any](v T) *T { return &v }

func TestFunnels(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*lead.Funnel]{
		Kind: lead.Funnels(),
		New: func(n int) *lead.Funnel {
			return &lead.Funnel{Name: fmt.Sprintf("Воронка %d", n), Stages: []lead.FunnelStage{{ID: 1, Name: "New", Type: lead.Default, Colour: to("#ffffff")}}}
		},
		Change: func(f *lead.Funnel, n int) { f.Name = fmt.Sprintf("Another %d", n) },
	})
}

// The history of a stage is a part of its funnel's. This test gives stages histories of their own.
func TestStages(t *testing.T) {
	kind := lead.Stages()
	kind.Parent, kind.Kind.NoHistory = nil, false
	recordtest.Run(t, recordtest.Subject[*lead.Stage]{
		Kind: kind,
		New: func(n int) *lead.Stage {
			return &lead.Stage{Name: fmt.Sprint("Stage ", n), Type: lead.Cancel, Funnel: 1, Colour: to("#ffffff")}
		},
		Change: func(s *lead.Stage, n int) { s.Ordering = int64(n) },
	})
}

func TestLeads(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*lead.Lead]{
		Kind: lead.Kind(),
		Seed: func(t testing.TB, s record.Scope) {
			t.Helper()
			err := s.Do(t.Context(), nil, func(w *record.Work) error {
				lead.Funnels().Create(w, "", &lead.Funnel{Name: "Rentals"})
				if err := w.Number(t.Context()); err != nil {
					return err
				}
				for range 2 {
					if err := add(w, t, &lead.Stage{Funnel: 1, Name: "New", Type: lead.Default, Ordering: lead.Last}); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		},
		New: func(n int) *lead.Lead {
			return &lead.Lead{
				Stage: 1, Funnel: 1, Price: money.Most(), Ordering: lead.MaxOrdering, CancelReason: to("Too dear"), Extra: decode.JSON(`{}`),
				Manager: to(int64(1_000_000_000 + n)),
			}
		},
		Change: func(l *lead.Lead, n int) {
			l.Stage, l.Ordering = 1+int64(n%2), int64(n)
			if n%2 == 0 {
				l.CancelReason = nil
			}
		},
	})
}

func add(w *record.Work, t testing.TB, s *lead.Stage) error {
	t.Helper()
	lead.Stages().Create(w, "", s)
	return lead.Keep(t.Context(), w, s)
}
