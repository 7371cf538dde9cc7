// Package rebuild is the operator's command that compares what follows from the records of a company with the records, and makes anew what
// differs: the counters of lists, the entries of the index of changes, and the segments that searches read.
//
// What never goes in here: how each of them is made (shared/record/listing, shared/record/search).
package rebuild

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/pack"
	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// memory is how many bytes of segments are kept meanwhile.
const memory = 1 << 30

// parts are what can be made anew.
var parts = []string{"counters", "entries", "segments"}

// work is one run of the command.
type work struct {
	*stage.Env

	of      *table.Tenant
	merger  *search.Merger
	compare bool
	differs bool
}

// Run compares, and mends unless it is only to compare. Its error is command.ErrFound if anything differed.
func Run(ctx context.Context, e *stage.Env, args []string) error {
	flags := e.Flags("rebuild")
	company := flags.Int64("tenant", 0, "the `number` of the company")
	only := flags.String("kind", "", "the `code` of one kind, as keys have it; without it, all kinds")
	part := flags.String("part", "", "one of "+strings.Join(parts, ", ")+"; without it, all")
	compare := flags.Bool("compare", false, "compare only, and change nothing")
	if err := stage.Parse(flags, args); err != nil {
		return err
	}
	if *part != "" && !slices.Contains(parts, *part) {
		return fmt.Errorf("-part %s is none of %v", *part, parts)
	}
	list, err := kindsOf(e, *only)
	if err != nil {
		return err
	}
	if err := e.NeedsBucket(); err != nil {
		return err
	}
	c, err := e.Company(ctx, tenant.ID(*company))
	if err != nil {
		return err
	}
	if !*compare {
		what := "counters, entries and segments"
		if *part != "" {
			what = *part
		}
		if err := e.Ask(fmt.Sprintf("This reads all records of company %d, %q (kinds: %s), and makes anew what differs of its %s.",
			*company, c.Name, named(list), what), "Whoever works in the company works on meanwhile, and loses nothing."); err != nil {
			return err
		}
	}
	w := work{Env: e, of: e.Of(tenant.ID(*company)), compare: *compare, merger: pack.Merger(app.Env{
		Table: e.Conn, Files: e.Files, Now: e.Now, NewUUID: uuid.New, Config: app.Config{SearchMemory: memory},
	})}
	for _, kind := range list {
		for i, look := range []func(context.Context, kinds.Code) error{w.counters, w.entries, w.segments} {
			if *part != "" && *part != parts[i] {
				continue
			}
			if err := look(ctx, kind); err != nil {
				return fmt.Errorf("%s, %s: %w", kind, parts[i], err)
			}
		}
	}
	if w.differs {
		return command.ErrFound
	}
	e.Say("Nothing differs.")
	return nil
}

// kindsOf are the kinds that are looked at: one, or all.
func kindsOf(e *stage.Env, only string) (list []kinds.Code, err error) {
	for _, k := range e.Conn.Space().Kinds() {
		if only == "" || kinds.Code(only) == k.Code {
			list = append(list, k.Code)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s is no kind: docs/keys.md lists them", only)
	}
	return list, nil
}

func named(list []kinds.Code) string {
	if len(list) > 1 {
		return "all"
	}
	return string(list[0])
}

// counters compares the counters of a kind with its records, and the last number that was given out.
func (w *work) counters(ctx context.Context, kind kinds.Code) error {
	if kinds.Of(kind).Unlisted {
		return nil
	}
	d := listing.Of(w.of, kind, nil)
	n, last, highest, err := d.Buckets(ctx)
	if err != nil {
		return err
	}
	if highest > last {
		w.differs = true
		w.Say("%s: the last number given out is %d, and there is a record %d%s", kind, last, highest, w.how("raised"))
		if !w.compare {
			if err := d.MendSequence(ctx, highest); err != nil {
				return err
			}
		}
	}
	for bucket := range n {
		if err := w.bucket(ctx, d, kind, bucket); err != nil {
			return err
		}
	}
	return nil
}

// bucket compares one bucket, until it is right or somebody is to look why it doesn't get so.
func (w *work) bucket(ctx context.Context, d listing.Listing, kind kinds.Code, number int) error {
	for range table.Tries {
		r, err := d.Recount(ctx, number)
		if errors.Is(err, fault.ErrUnavailable) {
			return fmt.Errorf("%w; suspend the company, and run it again", err)
		}
		if err != nil || r.Right() {
			return err
		}
		w.differs = true
		w.Say("%s: counters say %d records, there are %d; they differ at the ids %s%s",
			kind, r.Counted, r.Live, ranges(r.Wrong), w.how("mended"))
		if w.compare {
			return nil
		}
		if _, err := d.Mend(ctx, r); err != nil {
			return err
		}
	}
	return errors.New("the counters are written all the time: suspend the company, and run it again")
}

// how says what becomes of what differs.
func (w *work) how(mended string) string {
	if w.compare {
		return ""
	}
	return ": " + mended
}

// entries compares the entries of the index of changes with their records.
func (w *work) entries(ctx context.Context, kind kinds.Code) error {
	if !slices.Contains(w.merger.Kinds(), kind) {
		return nil
	}
	found, err := w.merger.MendEntries(ctx, w.of, kind, !w.compare)
	if err != nil || len(found.Wrong) == 0 {
		return err
	}
	w.differs = true
	w.Say("%s: %d of %d entries say something else than their records%s%s", kind, len(found.Wrong), found.Records, some(found.Wrong),
		w.how("made anew"))
	return nil
}

// segments compares what searches know with the records, and makes the segments anew.
func (w *work) segments(ctx context.Context, kind kinds.Code) error {
	if !slices.Contains(w.merger.Kinds(), kind) {
		return nil
	}
	d, err := w.merger.Compare(ctx, w.of, kind)
	switch {
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		w.differs = true
		w.Say("%s: %v%s", kind, err, w.how("made anew"))
	case !d.Built: // searches read the records, of which there may be so many by now that there are to be segments
	default:
		w.differs = w.differs || d.Any()
		w.Say("%s: %d records in %d segments: %d lacking%s, %d other%s, %d ghosts%s", kind, d.Records, d.Segments,
			len(d.Lacking), some(d.Lacking), len(d.Other), some(d.Other), len(d.Ghosts), some(d.Ghosts))
	}
	if w.compare {
		return nil
	}
	return w.merger.Anew(ctx, w.of, kind, func(until time.Time) error { return w.wait(ctx, until) })
}

// wait waits until a time of the stage's clock.
func (w *work) wait(ctx context.Context, until time.Time) error {
	select {
	case <-time.After(until.Sub(w.Now())):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// most is how many ids or ranges are told.
const most = 20

// some are the first ids of a list.
func some(ids []int64) string {
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprint(" ", ids[:min(len(ids), most)])
}

// ranges are the first ranges of a list.
func ranges(list []listing.Range) string {
	var texts []string
	for _, r := range list[:min(len(list), most)] {
		texts = append(texts, fmt.Sprintf("%d-%d", r.From, r.To))
	}
	if len(list) > most {
		texts = append(texts, fmt.Sprintf("and %d more", len(list)-most))
	}
	return strings.Join(texts, ", ")
}
