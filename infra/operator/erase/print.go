package erase

import (
	"context"
	"fmt"
	"io"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Plan writes what Run would do. It fails as Run would if the company may not be erased now.
func (e *Eraser) Plan(ctx context.Context, t tenant.ID, out io.Writer) error {
	company, err := e.Ready(ctx, t)
	if err != nil {
		return err
	}
	numbers, err := e.Estates.Numbers(ctx, t)
	if err != nil {
		return err
	}
	numbers.Merge(Kept(company))
	c, err := e.Estates.Count(ctx, t, numbers)
	if err != nil {
		return err
	}
	switch items, objects := c.Total(); {
	case company == nil && items.Number+objects.Number == 0:
		_, err = fmt.Fprintf(out, "Company %d is gone, and nothing of it is left.\n", t)
		return err
	case company == nil:
		_, err = fmt.Fprintf(out, "Company %d is gone, and something of it is left.\n", t)
	case company.Text("st") == Erasing:
		_, err = fmt.Fprintf(out, "Company %d, %q, is being erased. What is left of it:\n", t, company.Text("n"))
	default:
		_, err = fmt.Fprintf(out, "Company %d, %q, has:\n", t, company.Text("n"))
	}
	if err != nil {
		return err
	}
	if err := c.Print(out); err != nil {
		return err
	}
	_, err = fmt.Fprint(out, "All of it is erased for good, with all versions of its files, and its members leave it: who of them is in\n"+
		"no other company and holds no invitation goes wholly. Of each sealed file there stays, under its SHA-256, when it was\n"+
		"sealed and at which level. The number is never given again.\n")
	return err
}

// Print writes what was erased, that nothing is left, and who remembers something for how long.
func (r *Report) Print(out io.Writer) error {
	if _, err := fmt.Fprintf(out, "Erased of company %d:\n", r.Company); err != nil {
		return err
	}
	if err := r.Erased.Print(out); err != nil {
		return err
	}
	items, objects := estate.Tally{}, estate.Tally{}
	if r.Left != nil {
		items, objects = r.Left.Total()
	}
	_, err := fmt.Fprintf(out, "Users who went with it: %d. Members who left it and stay: %d. Sealed files that verify still: %d.\n"+
		"Left, as counted again: %d items, %d objects.\n"+
		"Answers kept for repeated requests end by their time, within a day. Point-in-time recovery forgets after 35 days, backups\n"+
		"by their plan, and logs after the stage's LogRetentionDays.\n", r.Gone, r.Stay, r.Sealed, items.Number, objects.Number)
	return err
}
