package penalty

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// MaxRows is how many rows a registry may send at once.
const MaxRows = 500

const (
	// perTransaction is how many rows are written at once, of which each takes up to four operations: itself,
	// its history, its outer_id, and a message that it may leave. A hundred fit in.
	perTransaction = 20
	// beside is how many transactions run side by side.
	beside = 6
	// lease is how long a request with an Idempotency-Key is waited for.
	lease = time.Minute
)

// RowStatus is what became of a row.
type RowStatus string

// What became of a row.
const (
	RowCreated   RowStatus = "created"
	RowUpdated   RowStatus = "updated"
	RowUnchanged RowStatus = "unchanged"
	RowRefused   RowStatus = "refused"
)

// Values is for enum.Type.
func (RowStatus) Values() []enum.Value {
	return enum.Named(RowCreated, RowUpdated, RowUnchanged, RowRefused)
}

// Result is what became of a row. Errors are those of a row that was refused.
type Result struct {
	ID     int64
	Status RowStatus
	Errors fault.FieldErrors
}

// TakeAll applies many rows, each for itself: a row that is wrong stops no other. results is in step with rows; a
// row that has errors in it already is refused. If there may be no new penalties, full says so, and they are refused. The rows
// are written in several transactions, and a is in the last one. If the request dies between two of them, it can be sent again:
// what was written is found by its outer_id. Who had the cars is found out afterwards, by messages.
func TakeAll(ctx context.Context, s record.Scope, a record.LongAnswer, rows []*Row, results []Result, full error) error {
	f := &feeding{scope: s, rows: rows, results: results, full: full}
	f.refuse()
	if err := f.look(ctx); err != nil {
		return err
	}
	parts := slices.Collect(slices.Chunk(f.open(), perTransaction))
	if len(parts) == 0 {
		parts = [][]int{nil} // the answer alone
	}
	last := len(parts) - 1
	if last > 0 {
		if err := f.write(ctx, holds{a, s.Now().Add(lease)}, parts[0]); err != nil {
			return err
		}
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(beside)
		for _, part := range parts[1:last] {
			g.Go(func() error { return f.write(ctx, nil, part) })
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	return f.write(ctx, a, parts[last])
}

// holds is the Answer of a first transaction that other requests with the same Idempotency-Key wait for.
type holds struct {
	of    record.LongAnswer
	until time.Time
}

// Keep is for record.Answer.
func (h holds) Keep(_ context.Context, tx *table.Tx) error {
	h.of.Hold(tx, h.until)
	return nil
}

// feeding is a request that sends many rows.
type feeding struct {
	scope   record.Scope
	rows    []*Row
	results []Result
	full    error                          // that there may be no new penalties; nil if there may
	found   map[table.Key]table.Attributes // what was read of all rows, before the first transaction
	numbers map[int]int64                  // ids for rows that are new, by their index
	twins   map[int]bool                   // the indexes of rows whose outer_id an earlier row has
}

// refuse refuses the rows that are wrong already, and of several rows with one outer_id all but the first.
func (f *feeding) refuse() {
	seen := map[int64]bool{}
	f.twins = map[int]bool{}
	for i, row := range f.rows {
		if errs := f.results[i].Errors; !errs.Any() && row.OuterID != nil {
			if seen[*row.OuterID] {
				f.twins[i] = true
				f.results[i].Errors = fault.FieldErrors{"outer_id": []say.Message{say.PenaltyTwiceInList}}
			}
			seen[*row.OuterID] = true
		}
		if f.results[i].Errors.Any() {
			f.results[i].Status = RowRefused
		}
	}
}

// open are the indexes of the rows that are not refused.
func (f *feeding) open() (list []int) {
	for i := range f.rows {
		if f.results[i].Status != RowRefused {
			list = append(list, i)
		}
	}
	return list
}

// single are the indexes of the rows that have an outer_id of their own, or none. They are looked at
// even if they are refused already, so that everything that is wrong with a row is told at once.
func (f *feeding) single() (list []int) {
	for i := range f.rows {
		errs := f.results[i].Errors
		if !f.twins[i] && !errs.Has(fault.NonField) && !errs.Has("tenant") { // it is an object, and of this company
			list = append(list, i)
		}
	}
	return list
}

// look reads what is stored of all rows, and reserves ids for the new ones. What it has read is where the
// transactions begin; those that lose a race read anew.
func (f *feeding) look(ctx context.Context) error {
	f.found, f.numbers = map[table.Key]table.Attributes{}, map[int]int64{}
	single := f.single()
	if err := f.read(ctx, f.keys(single)); err != nil {
		return err
	}
	if err := f.read(ctx, f.owners(f.open(), f.found)); err != nil {
		return err
	}
	return f.reserve(ctx, single)
}

// reserve reserves ids for those of some rows that are new and right.
func (f *feeding) reserve(ctx context.Context, rows []int) error {
	var made []int
	for _, i := range rows {
		if k, ok := f.rows[i].key(f.scope.Table); (!ok || f.found[k] == nil) && f.accept(i) {
			made = append(made, i)
		}
	}
	if len(made) == 0 {
		return nil
	}
	first, err := f.scope.Listing(kinds.Penalty).Reserve(ctx, len(made))
	for n, i := range made {
		f.numbers[i] = first + int64(n)
	}
	return err
}

// accept checks a new row before it gets an id, and refuses one that is wrong. It tells whether the row goes on.
func (f *feeding) accept(i int) bool {
	var sent Fields
	f.rows[i].Fields(&sent)
	errs := fault.FieldErrors{}
	errs.Merge("", f.results[i].Errors)
	if sent.Protocol == "" && !errs.Has("protocol_number") {
		errs.Add("protocol_number", say.Required)
	}
	if sent.State != nil && f.found[f.scope.Table.Record(kinds.PenaltyState, *sent.State)] == nil {
		errs.Add("state", say.DoesNotExist(*sent.State))
	}
	if told, is := fault.As(f.full); is && !errs.Any() {
		errs.Add(fault.NonField, told.Detail)
	}
	if errs.Any() {
		f.results[i] = Result{Status: RowRefused, Errors: errs}
	}
	return !errs.Any()
}

func (f *feeding) read(ctx context.Context, keys []table.Key) error {
	found, err := record.Look(ctx, f.scope.Table, f.scope.Now(), keys...)
	maps.Copy(f.found, found)
	return err
}

// keys are the keys of what decides about some rows, besides the penalties that they change.
func (f *feeding) keys(part []int) []table.Key {
	t := f.scope.Table
	seen := map[table.Key]bool{}
	for _, k := range Needs(t) {
		seen[k] = true
	}
	for _, i := range part {
		if k, ok := f.rows[i].key(t); ok {
			seen[k] = true
		}
		var sent Fields
		if f.rows[i].Fields(&sent); sent.State != nil {
			seen[t.Record(kinds.PenaltyState, *sent.State)] = true
		}
	}
	return slices.Collect(maps.Keys(seen))
}

// owners are the keys of the penalties that some rows change.
func (f *feeding) owners(part []int, found map[table.Key]table.Attributes) (keys []table.Key) {
	for _, i := range part {
		if k, ok := f.rows[i].key(f.scope.Table); ok && found[k] != nil {
			keys = append(keys, Kind().Key(f.scope.Table, unique.Owner(found[k])))
		}
	}
	return keys
}

// write writes some rows in one transaction, without those that turn out to be wrong.
func (f *feeding) write(ctx context.Context, a record.Answer, part []int) error {
	for {
		err := f.try(ctx, a, part)
		told, ok := fault.As(err)
		if !ok || told.Code != fault.Invalid {
			return err
		}
		left := slices.DeleteFunc(slices.Clone(part), func(i int) bool { return f.results[i].Status == RowRefused })
		if len(left) == len(part) {
			return err
		}
		part = left
	}
}

// try writes some rows in one transaction, or says of those that are wrong that they are refused.
func (f *feeding) try(ctx context.Context, a record.Answer, part []int) error {
	s := f.scope
	var numbers []int64
	for _, i := range part {
		if n, ok := f.numbers[i]; ok {
			numbers = append(numbers, n)
		}
	}
	s.Numbers = map[kinds.Code][]int64{kinds.Penalty: numbers}
	return s.Do(ctx, a, func(w *record.Work) error {
		if err := f.load(ctx, w, part); err != nil {
			return err
		}
		taken := make([]*Penalty, len(part))
		for n, i := range part {
			p, err := Take(ctx, w, f.rows[i], strconv.Itoa(i))
			if err == nil {
				err = p.happen(ctx, w, Kind().Before(w, p.ID), w.Errors(strconv.Itoa(i)))
			}
			if err != nil {
				return err
			}
			taken[n] = p
		}
		if err := w.Number(ctx); err != nil {
			for _, i := range part {
				if errs := w.Errors(strconv.Itoa(i)); errs.Any() {
					f.results[i] = Result{Status: RowRefused, Errors: errs}
				}
			}
			return err
		}
		return f.tell(w, part, taken)
	})
}

// load gives a unit of work what it needs to know of some rows.
func (f *feeding) load(ctx context.Context, w *record.Work, part []int) error {
	keys := f.keys(part)
	if w.Try() == 1 {
		w.Know(f.found, append(keys, f.owners(part, f.found)...)...)
		return nil
	}
	if err := w.Load(ctx, keys...); err != nil {
		return err
	}
	found := map[table.Key]table.Attributes{}
	for _, k := range keys {
		var err error
		if found[k], err = w.Item(ctx, k); err != nil { // it is there
			return err
		}
	}
	return w.Load(ctx, f.owners(part, found)...)
}

// tell says what becomes of rows, and asks to find out who had the cars.
func (f *feeding) tell(w *record.Work, part []int, taken []*Penalty) error {
	var m toMatch
	for n, i := range part {
		p := taken[n]
		before := Kind().Before(w, p.ID)
		switch {
		case before == nil:
			f.results[i] = Result{ID: p.ID, Status: RowCreated}
		case record.Same(before, p):
			f.results[i] = Result{ID: p.ID, Status: RowUnchanged}
		default:
			f.results[i] = Result{ID: p.ID, Status: RowUpdated}
		}
		if p.moves(before) && !p.IsFrozen() {
			m.Penalties = append(m.Penalties, p.ID)
		}
	}
	if len(m.Penalties) == 0 {
		return nil
	}
	return w.Send(Matching, m)
}
