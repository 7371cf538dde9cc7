// Package restore brings one company back from a copy of the table: one that point-in-time recovery has made, or what an export of the
// table has of it (package tableexport). Other companies go on meanwhile.
//
// What the company has in the table becomes what the copy has: its other items go, and those of the copy are put. What the copy can't
// know stays as it is: the log of events and who follows it, because their readers count on it, and counters of numbers, so that none is
// given out twice. Messages that waited in the copy are left out: they were carried out since. The manifests of the search are left out
// too, and its segments are made anew. Items of no company are put back where nobody else has them by now, and what is done with them
// is told.
//
// Under a new number, the company of the copy comes to stand beside the one that there is, with copies of its files.
//
// A restore can end at any write and be run again: it compares what is there with the copy, and writes what differs. Of two runs the one
// that began first writes nothing any more: each write is a transaction that depends on the run being the last one that began. Nothing is
// read but what package estate finds, in the copy too.
//
// The company stays suspended: what the authorizer reads of members and tokens that are back says so from the first moment on.
//
// What never goes in here: making the copy, suspending and resuming, and asking whether it is meant.
package restore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"time"

	"github.com/tenantry/tenantry/infra/operator/erase"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// ErrRefused is the cause of every refusal: nothing was written.
var ErrRefused = errors.New("not restored")

// Restorer restores companies of a stage.
type Restorer struct {
	From, To *estate.Estates // the copy, and the stage's table with its bucket
	Copy     string          // the copy's name, for the mark
	Now      func() time.Time
	// AtOnce restores a company that has not rested yet: the operator knows that nothing of it runs.
	AtOnce bool
	// Instead restores a company of which a restore from another copy was begun and not ended: that copy may be gone.
	Instead bool
	// Users are the numbers here of the users of a company that comes from another stage; nil: it comes from this one. Who is not among
	// them is nobody here. The company's host and its invitations stay where they were.
	Users map[int64]int64
	// Files are the files of a company that comes from another stage; nil: they are in the bucket.
	Files Source
	// Arrives changes a record of a company that comes from another stage, live or deleted, once it has its numbers here, and the same way
	// whenever it is called; at is when the company was begun here. nil: nothing is changed.
	Arrives func(ctx context.Context, record table.Attributes, at time.Time) error
	// Segments makes the segments of all kinds that are searched anew, and fails if they don't agree with the records then.
	Segments func(ctx context.Context, of *table.Tenant) error
}

// Report says what a run has done.
type Report struct {
	Was, Is      tenant.ID
	Put, Removed *estate.Count  // items
	Left         map[string]int // messages of the copy that were left out, by kind
	Objects      int            // versions of files that were copied
	Stay         map[string]int // messages that wait here and stay, by kind
	of           string         // what it was made of
	Told         []string       // who came and went, and what became of items of no company, a sentence each
	Copied       int            // items of the copy that were to be restored, and are there
}

// Ready checks whether a company of the copy may be restored under a number now.
func (r *Restorer) Ready(ctx context.Context, was, is tenant.ID) error {
	_, err := r.ready(ctx, was, is)
	return err
}

// ready does what Ready does, and returns the item of the company that it has judged, or nil.
func (r *Restorer) ready(ctx context.Context, was, is tenant.ID) (live table.Attributes, err error) {
	copied, err := r.From.Company(ctx, was)
	if err != nil {
		return nil, err
	}
	if copied == nil {
		return nil, fmt.Errorf("%w: the copy has no company %d", ErrRefused, was)
	}
	if copied.Text("st") == erase.Erasing {
		return nil, fmt.Errorf("%w: company %d was being erased in the copy; take one of an earlier time", ErrRefused, was)
	}
	if live, err = r.To.Company(ctx, is); err != nil {
		return nil, err
	}
	if live == nil {
		given, err := r.To.Given(ctx, is)
		if err == nil && (!given || was != is || r.Users != nil) {
			err = fmt.Errorf("%w: there is no company %d", ErrRefused, is)
		}
		return nil, err
	}
	return live, r.may(live, was, is)
}

// may tells whether the company that is there may become that of the copy. Under another number than its own, and from another stage,
// only one may that was made for it and has not become it yet.
func (r *Restorer) may(live table.Attributes, was, is tenant.ID) error {
	mark, mine := live.Text(markAt), r.mark(was)
	switch {
	case live.Text("st") == erase.Erasing:
		return fmt.Errorf("%w: company %d is being erased", ErrRefused, is)
	case mark == mine:
		return nil
	case mark != "" && r.Instead && was == is && r.Users == nil:
		return nil
	case mark != "":
		return fmt.Errorf("%w: company %d is being restored from %s; end that first, or say -instead", ErrRefused, is, mark)
	case r.Users != nil:
		return fmt.Errorf("%w: company %d is not one that an import of this archive has begun and not ended", ErrRefused, is)
	case was != is:
		return fmt.Errorf("%w: company %d is another company", ErrRefused, is)
	}
	switch state, since := erase.Standing(live); {
	case state != "suspended": // an owner could take a closing back meanwhile, and the schedule erase
		return fmt.Errorf("%w: company %d is %s; suspend it first", ErrRefused, is, state)
	case !r.AtOnce && r.Now().Sub(since) < erase.Rest:
		return fmt.Errorf("%w: company %d is %s only since %s; wait until %s, or say -now if nothing of it runs any more",
			ErrRefused, is, state, since.UTC().Format(time.RFC3339), since.Add(erase.Rest).UTC().Format(time.RFC3339))
	}
	return nil
}

func (r *Restorer) mark(was tenant.ID) string { return fmt.Sprintf("company %d of %s", was, r.Copy) }

// Run restores a company of the copy under a number: its own, or one that Number has given for it.
func (r *Restorer) Run(ctx context.Context, was, is tenant.ID) (*Report, error) {
	live, err := r.ready(ctx, was, is)
	if err != nil {
		return nil, err
	}
	members, err := r.members(ctx, was)
	if err != nil {
		return nil, err
	}
	told, err := r.comings(ctx, members, was, is)
	if err != nil {
		return nil, err
	}
	run := &run{
		Restorer: r, was: was, is: is, id: newRun(), live: live, all: r.To.All(), to: r.To.Of(is), members: members,
		report: &Report{
			Was: was, Is: is, of: "the copy", Put: estate.NewCount(), Removed: estate.NewCount(), Left: map[string]int{}, Told: told,
		},
	}
	if r.Users != nil {
		run.report.of = "the archive"
	}
	for _, step := range []func(context.Context) error{
		run.begin, run.files, run.comeBack, run.withdraw, run.own, run.whole, run.outside, run.people, run.check, run.end,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return run.report, nil
}

// run is the restore of one company.
type run struct {
	*Restorer
	was, is tenant.ID
	id      string           // of this run
	live    table.Attributes // the company's item as it was looked at; nil if there was none
	all     crosstenant.Table
	to      *table.Tenant

	members  []member         // of the copy
	company  table.Attributes // that of the copy, as it is to be
	stands   table.Attributes // that which is there, and how it stands
	numbers  estate.Numbers   // the greater ones of both
	anew     bool             // the company was not there
	begun    time.Time        // when this restore was, whatever became of it since
	versions map[string]string
	raw      map[table.Key]table.Attributes // while all is compared: items of the copy before anything was renamed
	report   *Report

	puts    []table.Attributes
	deletes []table.Key
	bytes   int
}

// begin reads what a restore goes by, and marks the company. One that is not there begins with its mark.
func (r *run) begin(ctx context.Context) (err error) {
	if r.numbers, err = r.From.Numbers(ctx, r.was); err != nil {
		return err
	}
	live, err := r.To.Numbers(ctx, r.is)
	if err != nil {
		return err
	}
	r.numbers.Merge(live)
	// What another restore was to put may be there without a counter: its copy can't tell any more.
	r.numbers.Merge(erase.Kept(r.live))
	copied, err := r.From.Company(ctx, r.was)
	if err != nil {
		return err
	}
	if r.company, err = r.renamed(copied); err != nil {
		return err
	}
	r.anew = r.live == nil || r.live.Text(markAt) != "" && r.live.Int(newAt) != 0
	if r.live == nil {
		r.begun = r.Now()
		return r.found(ctx)
	}
	r.begun = begun(r.live)
	return r.hold(ctx, r.live)
}

// begun is when the restore of a company that is there began, whichever run this is. One that was there before is suspended since.
func begun(company table.Attributes) time.Time {
	if at := company.Int(newAt); at != 0 {
		return time.UnixMicro(at)
	}
	return time.UnixMicro(company.Int("sta"))
}

// own makes the company's own items those of the copy.
func (r *run) own(ctx context.Context) error {
	err := r.both(ctx, func(copied, live table.Attributes) error {
		switch {
		case copied == nil:
			return r.remove(ctx, live)
		case live != nil && reflect.DeepEqual(copied, live):
			return nil
		}
		return r.put(ctx, copied, live)
	})
	if err != nil {
		return err
	}
	return r.flush(ctx)
}

// both goes through the company's own items that are restored, those of the copy as they are to be and those that are there: first those
// of records' numbers, then those that are found by name. nil stands for none.
func (r *run) both(ctx context.Context, do func(copied, live table.Attributes) error) error {
	r.report.Left = map[string]int{}
	if err := merge(
		r.copied(ctx, r.From.Each(ctx, r.From.Numbered(r.was, r.numbers))), r.there(r.To.Each(ctx, r.To.Numbered(r.is, r.numbers))), do,
	); err != nil {
		return err
	}
	return merge(r.copied(ctx, r.From.InOrder(ctx, r.From.Named(r.was))), r.there(r.To.InOrder(ctx, r.To.Named(r.is))),
		func(copied, live table.Attributes) error {
			if copied == nil && r.To.Pattern(live.Text("pk")).Name == "seq" {
				return nil // of a kind that the copy has none of: its numbers are given out, and stay so
			}
			return do(copied, live)
		})
}

// there are those items that a restore replaces. Messages that wait here stay, because something was promised by each, and paid by some;
// what they name is as in the copy when they are carried out, or gone.
func (r *run) there(items iter.Seq2[table.Attributes, error]) iter.Seq2[table.Attributes, error] {
	return func(yield func(table.Attributes, error) bool) {
		for item, err := range items {
			if (err != nil || r.restored(item) && r.To.Pattern(item.Text("pk")).Name != "outbox") && !yield(item, err) {
				return
			}
		}
	}
}

// copied are items of the copy as they are to be here.
func (r *run) copied(ctx context.Context, items iter.Seq2[table.Attributes, error]) iter.Seq2[table.Attributes, error] {
	return func(yield func(table.Attributes, error) bool) {
		for item, err := range items {
			if err == nil {
				if !r.restored(item) {
					continue
				}
				raw := item
				if item, err = r.rewritten(ctx, item); item == nil && err == nil {
					continue
				}
				if r.raw != nil && err == nil {
					r.raw[estate.KeyOf(item)] = raw
				}
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// restored tells whether an item of the company is one that becomes what the copy has.
func (r *run) restored(item table.Attributes) bool {
	pk, sk := item.Text("pk"), item.Text("sk")
	if charged(pk) && (!r.anew || r.was != r.is && r.Users == nil) {
		return false
	}
	switch r.To.Pattern(pk).Name {
	case "company": // its own steps write it
		return false
	case "allowance", "rate", "export": // of the moment; the last export's files are here as long as they are
		return false
	case "member":
		return r.Users == nil // people writes them
	case "upload": // what was announced under another number can't be taken
		return r.was == r.is
	case "events", "inbox", "hooks": // others count on what they have read
		return r.anew
	case "dir":
		return sk != manifest
	}
	return true
}

// charged tells whether a partition says what a company has paid, sent and used. No restore takes that back: SMS were sent, and days are
// billed. So it stays as it is, and a company that comes to stand beside the one that has paid begins with none of it.
func charged(pk string) bool {
	switch estate.KindOf(pk) {
	case string(kinds.SMSMessage), string(kinds.SMSOperation), "smsaccount", "smsreport", "usage":
		return true
	}
	return false
}

// manifest is the sort key of a manifest of the search.
const manifest = "s#"

// rewritten is an item of the copy as it is to be here; nil if it is left out.
func (r *run) rewritten(ctx context.Context, item table.Attributes) (table.Attributes, error) {
	switch r.From.Pattern(item.Text("pk")).Name {
	case "outbox":
		if item.Text("pq") != "" {
			r.report.Left[item.Text("k")]++
		}
		return nil, nil //nolint:nilnil // it is left out
	case "member":
		if user := item.Int("u"); slices.ContainsFunc(r.members, func(m member) bool { return m.User == user && m.absent != "" }) {
			return nil, nil //nolint:nilnil // it is left out
		}
	case "seq":
		item, err := r.renamed(item)
		for _, k := range r.to.Kinds() {
			if r.to.Sequence(k.Code).PK == item.Text("pk") {
				item.SetInt("n", max(item.Int("n"), r.numbers[k.Code]))
			}
		}
		return item, err
	case "live", "gone":
		item, err := r.renamed(item)
		if err == nil && r.Arrives != nil {
			err = r.Arrives(ctx, item, r.begun)
		}
		return item, err
	}
	return r.renamed(item)
}
