package restore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/pack"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// memory is how many bytes of segments are kept while they are made.
const memory = 1 << 30

// Command restores a company from a copy of the table.
func Command(ctx context.Context, e *stage.Env, args []string) error {
	flags := e.Flags("restore")
	id := flags.Int64("tenant", 0, "the `number` of the company in the copy")
	from := flags.String("from", "", "the `name` of the copy: a table that was restored to a point in time, or imported from an export")
	as := flags.String("as", "", "`new`, to have it stand beside the company that there is, or the number that an earlier run gave it")
	atOnce := flags.Bool("now", false, "don't wait until the company has rested for a quarter of an hour: nothing of it runs any more")
	if err := stage.Parse(flags, args); err != nil {
		return err
	}
	if *id <= 0 || *from == "" {
		return errors.New("name the company with -tenant, and the copy of the table with -from")
	}
	if *from == e.Table {
		return errors.New("-from is the stage's own table: name the copy")
	}
	if err := e.NeedsBucket(); err != nil {
		return err
	}
	r := &Restorer{
		From: estate.Open(table.Open(e.DB, *from), estate.Bucket{}),
		To:   estate.Open(e.Conn, estate.Bucket{API: e.S3, Name: e.Bucket}),
		Copy: *from, Now: e.Now, AtOnce: *atOnce,
		Segments: Segments(app.Env{
			Table: e.Conn, Files: e.Files, Now: e.Now, NewUUID: uuid.New, Config: app.Config{SearchMemory: memory},
		}),
	}
	was, is := tenant.ID(*id), tenant.ID(*id)
	if *as != "" && *as != "new" {
		number, err := strconv.ParseInt(*as, 10, 64)
		if err != nil || number <= 0 {
			return fmt.Errorf("-as %s is neither new nor a number", *as)
		}
		is = tenant.ID(number)
	}
	if *as != "new" {
		if err := r.Ready(ctx, was, is); err != nil {
			return err
		}
	}
	if err := r.Plan(ctx, was, is, *as == "new", e.Out); err != nil {
		return err
	}
	if err := e.Ask(); err != nil {
		return err
	}
	if *as == "new" {
		var err error
		if is, err = r.Number(ctx, was); err != nil {
			return err
		}
		e.Say("Its number is %d. If this is interrupted, go on with -as %d.", is, is)
	}
	report, err := r.Run(ctx, was, is)
	if err != nil {
		return err
	}
	return report.Print(e.Out)
}

// Plan writes what Run would do.
func (r *Restorer) Plan(ctx context.Context, was, is tenant.ID, anew bool, out io.Writer) error {
	company, err := r.From.Company(ctx, was)
	if err != nil {
		return err
	}
	if company == nil {
		return fmt.Errorf("%w: the copy has no company %d", ErrRefused, was)
	}
	numbers, err := r.From.Numbers(ctx, was)
	if err != nil {
		return err
	}
	c, err := r.From.Count(ctx, was, numbers)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "The copy has of company %d, %q:\n", was, company.Text("n"))
	if err := c.Print(out); err != nil {
		return err
	}
	if anew || was != is {
		fmt.Fprint(out, "It comes to stand beside the company that there is, under a number of its own, suspended, with copies of its\n"+
			"files. Its host, feed tokens, keys and links of signs stay with whoever has them; its members are members of both.\n"+
			"Its webhooks tell the same receivers once it is resumed, and have other secrets.\n")
	} else {
		fmt.Fprint(out, "The company becomes what the copy has; what came since is removed. It stays suspended. Its log of events, and\n"+
			"how far webhooks are in it, stay as they are, and no number is given twice.\n")
	}
	fmt.Fprint(out, "Messages that waited in the copy are left out. What the company has paid, sent by SMS and used stays as it is here;\n"+
		"beside another company it begins with none of that. Other companies go on meanwhile.\n")
	return nil
}

// Print writes what was done, and what is left to do.
func (r *Report) Print(out io.Writer) error {
	put, _ := r.Put.Total()
	removed, _ := r.Removed.Total()
	fmt.Fprintf(out, "Company %d is what the copy has, as compared again: %d items. Written: %d, removed: %d, files copied: %d.\n",
		r.Is, r.Copied, put.Number, removed.Number, r.Objects)
	for _, told := range r.Told {
		fmt.Fprintln(out, told)
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Left)) {
		fmt.Fprintf(out, "Messages that waited in the copy and are left out: %d of %s.\n", r.Left[kind], kind)
	}
	_, err := fmt.Fprintf(out, "Look at it, and then: operator resume -tenant %d. Delete the copy: it is paid by its size.\n", r.Is)
	return err
}

// Segments has what is searched of a company made anew from its records, and compares both.
func Segments(env app.Env) func(context.Context, *table.Tenant) error {
	return func(ctx context.Context, of *table.Tenant) error {
		m := pack.Merger(env)
		for _, kind := range m.Kinds() {
			if err := m.Anew(ctx, of, kind, pack.Wait(ctx)); err != nil {
				return fmt.Errorf("restore: segments of %s: %w", kind, err)
			}
			d, err := m.Compare(ctx, of, kind)
			if err != nil {
				return fmt.Errorf("restore: segments of %s: %w", kind, err)
			}
			if d.Any() {
				return fmt.Errorf("the search of %s knows other records than there are: %d lacking, %d other, %d ghosts",
					kind, len(d.Lacking), len(d.Other), len(d.Ghosts))
			}
		}
		return nil
	}
}
