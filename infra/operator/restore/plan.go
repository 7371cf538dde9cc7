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
	_, err := fmt.Fprintf(out, "Look at it, and then: operator resume -tenant %d.\n", r.Is)
	return err
}
