package restore

import (
	"context"
	"fmt"
	"reflect"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// whole makes the company's own item that of the copy. It stays suspended, and marked until the end.
func (r *run) whole(ctx context.Context) error {
	if err := r.host(ctx); err != nil {
		return err
	}
	live, err := r.To.Company(ctx, r.is)
	if err != nil {
		return err
	}
	item := clone(r.company)
	item.SetInt("ow", r.owners())
	stand(item, live)
	r.stands = live
	for _, name := range []string{markAt, newAt} {
		if value, is := live[name]; is {
			item[name] = value
		}
	}
	if reflect.DeepEqual(item, live) {
		return nil
	}
	count(r.To, r.report.Put, item)
	return r.all.Put(item).If(markAt+" = ? AND sta = ?", r.Restorer.mark(r.was), live.Int("sta")).Run(ctx)
}

// owners counts the owners of the copy who are members here.
func (r *run) owners() (n int64) {
	for _, m := range r.members {
		if m.Role == tenant.Owner && m.absent == "" {
			n++
		}
	}
	return n
}

// stand makes an item say how the company stands here, whatever it said in the copy: what the authorizer reads must not say for a
// moment that the company can be used. Its plan is the host's, and stays too.
func stand(item, live table.Attributes) {
	for _, name := range []string{"st", "stt", "sta", "stf", "stb", "pl"} {
		delete(item, name)
		if value, is := live[name]; is {
			item[name] = value
		}
	}
}

// check compares what is there with the copy once more, and has the segments made anew.
func (r *run) check(ctx context.Context) error {
	differ := 0
	if err := r.both(ctx, func(copied, live table.Attributes) error {
		if copied != nil {
			r.report.Copied++
		}
		if !reflect.DeepEqual(copied, live) {
			differ++
		}
		return nil
	}); err != nil {
		return err
	}
	var err error
	if r.report.Stay, err = r.waiting(ctx, r.is); err != nil {
		return err
	}
	if differ > 0 {
		return fmt.Errorf("%d items of company %d are not as in the copy again: something writes; run it again later", differ, r.is)
	}
	if r.Segments == nil {
		return nil
	}
	return r.Segments(ctx, r.to)
}

// end takes the mark off: the company is what the copy had, and can be resumed.
func (r *run) end(ctx context.Context) error {
	return r.all.Update(r.to.Company()).Remove(markAt).Remove(newAt).If("attribute_exists(pk)").Run(ctx)
}
