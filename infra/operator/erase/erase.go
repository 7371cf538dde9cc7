// Package erase takes a company out of a stage, wholly and for good, and proves it.
//
// Everything that package estate finds goes: the company's own items and all versions of its objects, and the items of no company that
// are its. What stays is one item for each of its sealed files, by the file's SHA-256, that names nobody: so who has the file can go on
// having it verified. Its members leave it; who of them is in no other company and holds no invitation goes wholly, with every
// sign-in, link and address. The number of the company is never given again.
//
// Erasing can end at any write and be run again. A durable mark comes first: from then on the company can only be erased. Messages go
// next, so that nothing is carried out any more. What finds other things goes after what it finds: records after the items of no company
// that they lead to, counters after the histories of the numbers that they gave out, the company's own item last of all. The mark holds
// the last numbers, so that histories are found even where a counter is gone.
//
// What never goes in here: who may erase, when a closed company's days are over, and asking whether it is meant.
package erase

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Erasing is the state of a company that is being erased, in the attribute st of its item.
const Erasing = "erasing"

// Rest is for how long a company has to have been suspended or closed: nothing that was begun before runs any more then.
const Rest = 15 * time.Minute

// ErrRefused is the cause of every refusal: nothing was written.
var ErrRefused = errors.New("not erased")

// Eraser erases companies of a stage.
type Eraser struct {
	Estates *estate.Estates
	Now     func() time.Time
	// AtOnce erases a company that has not rested yet: the operator knows that nothing of it runs.
	AtOnce bool
	// Unfinished erases also a company that is not restored or imported wholly: a run that is at it ends, and none goes on.
	Unfinished bool
}

// Standing is the state that a company's item names: st, and sta in microseconds or as RFC 3339 writes a time. Without one it is active.
func Standing(company table.Attributes) (state string, since time.Time) {
	if state = company.Text("st"); state == "" {
		state = "active"
	}
	if at, err := time.Parse(time.RFC3339, company.Text("sta")); err == nil {
		return state, at
	}
	return state, time.UnixMicro(company.Int("sta"))
}

// Ready returns the company's item if it may be erased now; nil if it is gone already. Any other error than a refusal is the table's.
func (e *Eraser) Ready(ctx context.Context, t tenant.ID) (table.Attributes, error) {
	company, err := e.Estates.Company(ctx, t)
	if err != nil {
		return nil, err
	}
	if company == nil {
		given, err := e.Estates.Given(ctx, t)
		if err == nil && !given {
			err = fmt.Errorf("%w: no company was ever given the number %d", ErrRefused, t)
		}
		return nil, err
	}
	switch state, since := Standing(company); {
	case company.Text(UnfinishedAt) != "" && !e.Unfinished:
		return nil, fmt.Errorf("%w: company %d is not restored or imported wholly, from %s; run that again first, or say -unfinished",
			ErrRefused, t, company.Text(UnfinishedAt))
	case company.Text("st") == Erasing:
	case state != "suspended" && state != "closed":
		return nil, fmt.Errorf("%w: company %d is %s; suspend it first", ErrRefused, t, state)
	case !e.AtOnce && e.Now().Sub(since) < Rest:
		return nil, fmt.Errorf("%w: company %d is %s only since %s; wait until %s, or say -now if nothing of it runs any more",
			ErrRefused, t, state, since.UTC().Format(time.RFC3339), since.Add(Rest).UTC().Format(time.RFC3339))
	}
	return company, nil
}

// Report says what a run erased, and that nothing is left.
type Report struct {
	Company tenant.ID
	Erased  *estate.Count // by this run
	Left    *estate.Count // after it: nothing
	Gone    int           // users who went with the company
	Stay    int           // members who left it and stay
	Sealed  int           // sealed files that can still be verified
}

// What a company's item holds until a restore or an import of it has ended (infra/operator/restore).
const (
	UnfinishedAt = "rst" // of what it is restored
	RunAt        = "rsr" // the run that is at it: each of its writes depends on that
	BegunAt      = "rsk" // the last numbers of the kinds of which something may be there
)

// rounds is how often everything is walked over at most: who wrote meanwhile has ended by then, or never will.
const rounds = 3

// Run erases a company, or goes on where an earlier run ended.
func (e *Eraser) Run(ctx context.Context, t tenant.ID) (*Report, error) {
	company, err := e.Ready(ctx, t)
	if err != nil {
		return nil, err
	}
	r := &run{Estates: e.Estates, all: e.Estates.All(), of: e.Estates.Of(t), t: t, now: e.Now}
	r.report = &Report{Company: t, Erased: estate.NewCount()}
	if err := r.mark(ctx, company); err != nil {
		return nil, err
	}
	for round := 1; ; round++ {
		if err := r.everything(ctx); err != nil {
			return nil, err
		}
		left, err := r.left(ctx)
		if err != nil {
			return nil, err
		}
		if left == 0 {
			break
		}
		if round == rounds {
			return nil, fmt.Errorf("%d items and objects of company %d came back: something still writes; run it again later", left, t)
		}
	}
	if err := r.counters(ctx); err != nil {
		return nil, err
	}
	if r.report.Left, err = e.Estates.Count(ctx, t, r.numbers); err != nil {
		return nil, err
	}
	if items, objects := r.report.Left.Total(); items.Number+objects.Number > 0 {
		return r.report, fmt.Errorf("%d items and %d objects of company %d are left", items.Number, objects.Number, t)
	}
	return r.report, nil
}

// numbersAt is the attribute of the company's item that keeps the last numbers of its kinds while it is erased.
const numbersAt = "ern"

// mark makes the company one that can only be erased, and keeps the last numbers of its kinds. A company that was resumed since it was
// looked at is refused.
func (r *run) mark(ctx context.Context, company table.Attributes) (err error) {
	if r.numbers, err = r.Numbers(ctx, r.t); err != nil || company == nil {
		return err
	}
	r.numbers.Merge(Kept(company))
	kept := table.Attributes{}
	for kind, last := range r.numbers {
		kept.SetInt(string(kind), last)
	}
	// Its moment is later than any before, so nothing that was read of its standing is written over the mark.
	// A restore that begins now changes the company's moment; one that goes on is another run.
	update := r.all.Update(r.of.Company()).Set("st", Erasing).Set(numbersAt, kept).
		Set("sta", max(r.now().UnixMicro(), company.Int("sta")+1)).Remove(UnfinishedAt, RunAt, BegunAt)
	for _, name := range []string{"sta", UnfinishedAt, RunAt} {
		if value, is := company[name]; is {
			update.If(name+" = ?", value)
		} else {
			update.If("attribute_not_exists(" + name + ")")
		}
	}
	if state := company.Text("st"); state != "" {
		update = update.If("st = ?", state)
	} else {
		update = update.If("attribute_exists(pk) AND attribute_not_exists(st)")
	}
	err = r.all.Write(ctx, func(tx *table.Tx, _ int) error {
		tx.Update(update, fmt.Errorf("%w: company %d is no longer in the state in which it was looked at", ErrRefused, r.t))
		return nil
	})
	return err
}

// Kept are the last numbers that a company's item holds, by the mark of an erasing or of a restore that has not ended.
func Kept(company table.Attributes) estate.Numbers {
	numbers := estate.Numbers{}
	for _, was := range []table.Attributes{company.Map(numbersAt), company.Map(BegunAt)} {
		for kind := range was {
			numbers.Merge(estate.Numbers{kinds.Code(kind): was.Int(kind)})
		}
	}
	return numbers
}

// last are the partitions that go after all others: they find them.
func (r *run) last() []string {
	list := []string{r.of.Company().PK}
	for _, k := range r.of.Kinds() {
		list = append(list, r.of.Sequence(k.Code).PK)
	}
	return list
}

// everything erases all but what finds it.
func (r *run) everything(ctx context.Context) error {
	if err := r.partitions(ctx, r.of.Message("").PK, r.of.Inbox()); err != nil {
		return err
	}
	if err := r.outside(ctx); err != nil {
		return err
	}
	if err := r.members(ctx); err != nil {
		return err
	}
	for item, err := range r.Each(ctx, r.Numbered(r.t, r.numbers)) {
		if err != nil {
			return err
		}
		if err := r.remove(ctx, item); err != nil {
			return err
		}
	}
	last := r.last()
	named := slices.DeleteFunc(r.Named(r.t), func(pk string) bool { return slices.Contains(last, pk) })
	if err := r.partitions(ctx, named...); err != nil {
		return err
	}
	return r.objects(ctx)
}

// left counts what is there besides what goes last.
func (r *run) left(ctx context.Context) (int, error) {
	c, err := r.Count(ctx, r.t, r.numbers)
	if err != nil {
		return 0, err
	}
	items, objects := c.Total()
	for _, pk := range r.last() {
		for _, err := range r.Partition(ctx, pk) {
			if err != nil {
				return 0, err
			}
			items.Number--
		}
	}
	return items.Number + objects.Number, nil
}

// counters erases what goes last, and of it the company's own item last.
func (r *run) counters(ctx context.Context) error {
	last := r.last()
	if err := r.partitions(ctx, last[1:]...); err != nil {
		return err
	}
	return r.partitions(ctx, last[0])
}
