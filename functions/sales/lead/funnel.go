// Package lead is what a company sells by: funnels with their stages, and the leads that move
// through them, as other groups may use them.
//
// A stage is a record of its own, below its funnel. The funnel carries a copy of what it shows
// of its stages, in their order, written together with them, so that a funnel and the head of
// its board are one item. The number of leads in a stage, and the sum of their prices, lie beside
// the stage: a lead holds its stage and adds its price there in the transaction that writes the
// lead. So they are exact, and a stage with leads can't be removed, whatever happens at the same
// moment.
//
// What never goes in here: HTTP, and orders that are made of leads.
package lead

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// StageType is what it means for a lead to be in a stage.
type StageType string

// Types of stages.
const (
	Default StageType = "DEFAULT"
	Success StageType = "SUCCESS"
	Cancel  StageType = "CANCEL"
)

// Values are the types of stages.
func (StageType) Values() []enum.Value { return enum.Named(Default, Success, Cancel) }

// MaxStages is how many stages a funnel may have. It is removed with all of them in one
// transaction, in which each takes three operations.
const MaxStages = 25

// MaxOrdering is the largest ordering of a stage or a lead.
const MaxOrdering = 1<<31 - 1

// Last is the ordering of a stage that is to come after the others of its funnel.
const Last = -1

// Funnel is a funnel as it is stored.
type Funnel struct {
	record.Meta
	Name   string        `dynamo:"n"`
	Stages []FunnelStage `dynamo:"st,omitempty"` // in their order
}

// FunnelStage is what a funnel shows of one of its stages.
type FunnelStage struct {
	ID       int64     `json:"id" dynamo:"id"`
	Name     string    `json:"name" dynamo:"n"`
	Type     StageType `json:"type" dynamo:"t"`
	Colour   *string   `json:"colour" dynamo:"co,omitempty" nullable:"true"`
	Ordering int64     `json:"ordering" dynamo:"o"`
}

// Stage is a stage as it is stored.
type Stage struct {
	record.Meta
	Funnel   int64     `dynamo:"f"`
	Name     string    `dynamo:"n"`
	Type     StageType `dynamo:"t"`
	Colour   *string   `dynamo:"co,omitempty"`
	Ordering int64     `dynamo:"o"`
}

// ShownStage is what callers and the history see of a stage.
type ShownStage struct {
	ID        int64     `json:"id"`
	CreatedAt string    `json:"created_at" format:"date-time"`
	UpdatedAt string    `json:"updated_at" format:"date-time"`
	Funnel    int64     `json:"funnel"`
	Name      string    `json:"name"`
	Type      StageType `json:"type"`
	Colour    *string   `json:"colour" nullable:"true"`
	Ordering  int64     `json:"ordering" doc:"Stages come in this order; of equal ones the older first."`
}

// shownFunnel is what the history shows of a funnel itself; it tells of the stages one by one.
type shownFunnel struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// Funnels is the kind of funnels.
func Funnels() *record.Kind[*Funnel] { return declaredFunnels.Get(declareFunnels) }

var declaredFunnels record.Declared[*Funnel]

func declareFunnels() record.Kind[*Funnel] {
	return record.Kind[*Funnel]{
		Kind: kinds.Of(kinds.Funnel), Name: func(f *Funnel) string { return f.Name },
		Shown: func(f *Funnel) any { return shownFunnel{f.ID, f.Name} },
	}
}

// Stages is the kind of stages. A unit of work that changes a stage calls Keep or Drop, too.
func Stages() *record.Kind[*Stage] { return declaredStages.Get(declareStages) }

var declaredStages record.Declared[*Stage]

func declareStages() record.Kind[*Stage] {
	return record.Kind[*Stage]{
		Kind: kinds.Of(kinds.Stage), Shown: func(s *Stage) any { return s.Shown() },
		Parent: func(s *Stage) record.Parent { return record.Parent{Kind: kinds.Funnel, ID: s.Funnel, List: "stages"} },
	}
}

// Shown returns what callers see of a stage.
func (s *Stage) Shown() ShownStage {
	return ShownStage{
		ID: s.ID, CreatedAt: s.CreatedAt(), UpdatedAt: s.UpdatedAt(), Funnel: s.Funnel,
		Name: s.Name, Type: s.Type, Colour: s.Colour, Ordering: s.Ordering,
	}
}

// next is the ordering of a new stage that comes after all stages of the funnel.
func (f *Funnel) next() int64 {
	if len(f.Stages) == 0 {
		return 0
	}
	return min(f.Stages[len(f.Stages)-1].Ordering+1, MaxOrdering)
}

// Keep copies a stage that a unit of work makes or changes into its funnel, which shows it. A stage
// with the ordering Last gets an ordering after all other stages.
func Keep(ctx context.Context, w *record.Work, s *Stage) error {
	f, err := Funnels().Edit(ctx, w, s.Funnel)
	if err != nil {
		return err
	}
	if s.Ordering == Last {
		s.Ordering = f.next()
	}
	if s.ID == 0 {
		if len(f.Stages) >= MaxStages {
			w.Errors("").Add(fault.NonField, say.FunnelFull(MaxStages))
		}
		if err := w.Number(ctx); err != nil { // returns the errors, too
			return err
		}
	}
	f.Stages = append(without(f.Stages, s.ID), FunnelStage{ID: s.ID, Name: s.Name, Type: s.Type, Colour: s.Colour, Ordering: s.Ordering})
	slices.SortFunc(f.Stages, func(a, b FunnelStage) int {
		return cmp.Or(cmp.Compare(a.Ordering, b.Ordering), cmp.Compare(a.ID, b.ID))
	})
	return nil
}

// Drop takes a stage that a unit of work removes from its funnel.
func Drop(ctx context.Context, w *record.Work, s *Stage) error {
	f, err := Funnels().Edit(ctx, w, s.Funnel)
	if err == nil {
		f.Stages = without(f.Stages, s.ID)
	}
	return err
}

// without returns another list without a stage.
func without(list []FunnelStage, id int64) []FunnelStage {
	return slices.DeleteFunc(slices.Clone(list), func(h FunnelStage) bool { return h.ID == id })
}

// ids are the ids of a funnel's stages, in their order.
func (f *Funnel) ids() []int64 {
	ids := make([]int64, len(f.Stages))
	for i, h := range f.Stages {
		ids[i] = h.ID
	}
	return ids
}

// StagesOf reads the stages of a funnel in their order, in one batch. One that was removed since
// the funnel was read is left out.
func StagesOf(ctx context.Context, w *record.Work, f *Funnel) (list []*Stage, err error) {
	var keys []table.Key
	for _, id := range f.ids() {
		keys = append(keys, Stages().Key(w.Scope().Table, id))
	}
	if err := w.Load(ctx, keys...); err != nil {
		return nil, err
	}
	for _, id := range f.ids() {
		s, err := Stages().Read(ctx, w, id)
		if errors.Is(err, fault.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// Arrange puts the stages of a funnel into the order of their ids in a list, which names all of
// them once, and returns them. What is wrong with the list is reported at a field of the body.
func Arrange(ctx context.Context, w *record.Work, f *Funnel, ids []int64, field string) ([]*Stage, error) {
	if err := f.isAll(ids, field, w.Errors("")); err != nil {
		return nil, err
	}
	if _, err := StagesOf(ctx, w, f); err != nil { // all of them in one batch
		return nil, err
	}
	list := make([]*Stage, len(ids))
	for i, id := range ids {
		s, err := Stages().Edit(ctx, w, id)
		if err != nil {
			return nil, err
		}
		list[i], s.Ordering = s, int64(i)
		if err := Keep(ctx, w, s); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// isAll checks that a list names all stages of the funnel, each once.
func (f *Funnel) isAll(ids []int64, field string, errs fault.FieldErrors) error {
	named := map[int64]bool{}
	for i, id := range ids {
		at := field + "." + strconv.Itoa(i)
		switch {
		case !slices.Contains(f.ids(), id):
			errs.AddAt(at, say.DoesNotExist(id))
		case named[id]:
			errs.AddAt(at, say.StageTwice)
		}
		named[id] = true
	}
	var missing []string
	for _, id := range f.ids() {
		if !named[id] {
			missing = append(missing, strconv.FormatInt(id, 10))
		}
	}
	if len(missing) > 0 && !errs.Has(field) {
		errs.Add(field, say.StagesMissing(strings.Join(missing, ", ")))
	}
	return errs.Err()
}

// Clear removes the stages of a funnel that a unit of work removes. It is refused if leads are
// in any of them.
func Clear(ctx context.Context, w *record.Work, f *Funnel) error {
	ids := f.ids()
	var keys []table.Key
	for _, id := range ids {
		keys = append(keys, Stages().Key(w.Scope().Table, id), w.Scope().Table.Beside(kinds.Stage, id))
	}
	if err := w.Load(ctx, keys...); err != nil {
		return err
	}
	all := map[string]int64{}
	for _, id := range ids {
		by, err := Stages().Holders(ctx, w, id)
		if err != nil {
			return err
		}
		for kind, n := range by {
			all[kind] += n
		}
	}
	if len(all) > 0 {
		return record.Held(all) // of all stages; a lead that comes later is refused by its stage alone
	}
	for _, id := range ids {
		if err := Stages().Remove(ctx, w, id); err != nil {
			return err
		}
	}
	return nil
}
