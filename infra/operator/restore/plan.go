package restore

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tenantry/tenantry/shared/tenant"
)

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
	members, err := r.members(ctx, was)
	if err != nil {
		return err
	}
	if anew {
		is = 0 // it is not given yet
	}
	told, err := r.comings(ctx, members, was, is)
	if err != nil {
		return err
	}
	waiting, err := r.waiting(ctx, is)
	if err != nil {
		return err
	}
	for _, line := range told {
		fmt.Fprintln(out, line)
	}
	fmt.Fprint(out, "Messages that waited in the copy are left out. What the company has paid, sent by SMS and used stays as it is here;\n"+
		"beside another company it begins with none of that. Other companies go on meanwhile.\n")
	return printKinds(out, "Messages that wait here stay, and are carried out as the records are then", waiting)
}

// printKinds prints numbers of messages by their kinds, a line each.
func printKinds(out io.Writer, what string, kinds map[string]int) error {
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if _, err := fmt.Fprintf(out, "%s: %d of %s.\n", what, kinds[kind], kind); err != nil {
			return err
		}
	}
	return nil
}

// Print writes what was done, and what is left to do.
func (r *Report) Print(out io.Writer) error {
	put, _ := r.Put.Total()
	removed, _ := r.Removed.Total()
	fmt.Fprintf(out, "Company %d is what %s has, as compared again: %d items. Written: %d, removed: %d, files copied: %d.\n",
		r.Is, r.of, r.Copied, put.Number, removed.Number, r.Objects)
	for _, told := range r.Told {
		fmt.Fprintln(out, told)
	}
	if err := printKinds(out, "Messages that waited in the copy and are left out", r.Left); err != nil {
		return err
	}
	if err := printKinds(out, "Messages that wait here and stay", r.Stay); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "Look at it, and then: operator resume -tenant %d.\n", r.Is)
	return err
}
