package restore

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/infra/operator/erase"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/table"
)

// What the company's item holds until its restore has ended, besides what package erase reads of it (erase.UnfinishedAt): each run writes
// its id when it begins or goes on, and each of its writes depends on the id being there. So of two runs the one that began first writes
// nothing more, however long it had paused.
const (
	markAt = erase.UnfinishedAt // of what it is restored
	runAt  = erase.RunAt        // the id of the run that is at it
	keptAt = erase.BegunAt      // the last numbers of what may be there
	newAt  = "rsn"              // set if the company was not there before: when that began
)

// ErrOvertaken is the end of a run that is not the last one that began.
var ErrOvertaken = errors.New("another run has gone on with this since, or the company was erased; this run has written nothing after that")

// hold makes this run the one that is at the company, provided that it stands as it did when it was looked at.
func (r *run) hold(ctx context.Context, live table.Attributes) error {
	changed := fmt.Errorf("%w: company %d has changed since it was looked at; run it again", ErrRefused, r.is)
	return r.all.Write(ctx, func(tx *table.Tx, _ int) error {
		update := r.all.Update(r.to.Company()).Set(markAt, r.Restorer.mark(r.was)).Set(runAt, r.id).Set(keptAt, r.kept())
		if live.Text(markAt) == "" {
			// Whoever has read how the company stood before, to resume, close or erase it, has to look again. It has rested as long
			// as before.
			update.Set("sta", live.Int("sta")+1)
		}
		for _, name := range []string{"st", "sta", markAt, runAt} {
			condition, args := as(name, live)
			update.If(condition, args...)
		}
		tx.Update(update, changed)
		return nil
	})
}

// as is the condition that an attribute is what it is in an item that was read.
func as(name string, read table.Attributes) (condition string, args []any) {
	if value, is := read[name]; is {
		return name + " = ?", []any{value}
	}
	return "attribute_not_exists(" + name + ")", nil
}

// kept are the last numbers of the company's kinds, as its item keeps them: erasing what was restored by half finds histories by them,
// where counters were not written yet.
func (r *run) kept() table.Attributes {
	kept := table.Attributes{}
	for kind, last := range r.numbers {
		kept.SetInt(string(kind), last)
	}
	return kept
}

// found makes the item of a company that is not there: suspended, and held by this run. Its plan is the host's, so it comes back only
// with the number that it was given for.
func (r *run) found(ctx context.Context) error {
	item, plan := clone(r.company), r.company["pl"]
	stand(item, nil)
	if plan != nil && r.was == r.is && r.Users == nil {
		item["pl"] = plan
	}
	item.SetText("st", "suspended")
	item.SetInt("sta", r.begun.UnixMicro())
	item.SetText("stt", "The company is not open yet.") // so it is when it is restored, too, until it is resumed
	item.SetText(markAt, r.Restorer.mark(r.was))
	item.SetText(runAt, r.id)
	item.SetMap(keptAt, r.kept())
	item.SetInt(newAt, r.begun.UnixMicro())
	delete(item, "h") // the host is its own only once its item is
	return r.all.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Put(r.all.Create(item), fmt.Errorf("%w: company %d is there by now; run it again", ErrRefused, r.is))
		return nil
	})
}

// newRun is the id of a run.
func newRun() string { return uuid.NewString() }

// write runs a transaction, provided that this run is at the company. build adds at most one operation less than a transaction takes.
func (r *run) write(ctx context.Context, build func(tx *table.Tx)) error {
	key := r.to.Company()
	return r.all.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Check(r.all.Table().Check("pk", key.PK).Range("sk", key.SK).If(runAt+" = ?", r.id), ErrOvertaken)
		build(tx)
		return nil
	})
}

// held is ErrOvertaken if this run is not at the company any more. It is for what no transaction writes: files and segments. A run that
// pauses right after that has one of them too many written, which no record names.
func (r *run) held(ctx context.Context) error {
	live, err := r.To.Company(ctx, r.is)
	if err == nil && live.Text(runAt) != r.id {
		err = ErrOvertaken
	}
	return err
}

// end takes the marks off: the company is what the copy had, and can be resumed.
func (r *run) end(ctx context.Context) error {
	return r.all.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Update(r.all.Update(r.to.Company()).Remove(markAt, runAt, keptAt, newAt).If(runAt+" = ?", r.id), ErrOvertaken)
		return nil
	})
}

// A transaction writes so many items and bytes at most, with room for one more of the largest.
const (
	mostWritten = 99
	mostBytes   = 3 << 20
)

// put puts an item, sooner or later: flush ends it. live is what there is in its place; nil if nothing is.
func (r *run) put(ctx context.Context, item, live table.Attributes) error {
	r.puts = append(r.puts, item)
	r.bytes += max(item.Size(), live.Size())
	count(r.To, r.report.Put, item)
	return r.full(ctx)
}

// remove removes an item, sooner or later.
func (r *run) remove(ctx context.Context, item table.Attributes) error {
	r.deletes = append(r.deletes, estate.KeyOf(item))
	r.bytes += item.Size()
	count(r.To, r.report.Removed, item)
	return r.full(ctx)
}

func (r *run) full(ctx context.Context) error {
	if len(r.puts)+len(r.deletes) < mostWritten && r.bytes < mostBytes {
		return nil
	}
	return r.flush(ctx)
}

func (r *run) flush(ctx context.Context) error {
	if len(r.puts)+len(r.deletes) == 0 {
		return nil
	}
	if err := r.write(ctx, func(tx *table.Tx) {
		for _, item := range r.puts {
			tx.Put(r.all.Put(item), nil)
		}
		for _, key := range r.deletes {
			tx.Delete(r.all.Delete(key), nil)
		}
	}); err != nil {
		return fmt.Errorf("restore: %d items: %w", len(r.puts)+len(r.deletes), err)
	}
	r.puts, r.deletes, r.bytes = r.puts[:0], r.deletes[:0], 0
	return nil
}
