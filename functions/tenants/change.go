package tenants

import (
	"context"
	"net/http"

	"github.com/tenantry/tenantry/shared/directory"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/unique"
	"github.com/tenantry/tenantry/shared/web"
)

type changeInput struct {
	ID      int64  `path:"id"`
	IfMatch string `header:"If-Match"`
	Body    staffChange
}

type removeInput struct {
	ID      int64  `path:"id"`
	IfMatch string `header:"If-Match"`
}

// change gives somebody another role, which counts from the next request on, or
// whoever is invited another name.
func (g *group) change(ctx context.Context, r *web.Request, in *changeInput) (reply *web.Reply, err error) {
	w := g.staff.Writer(r, g.env.Now)
	err = table.Optimistic(ctx, func() error {
		before, err := g.readToChange(ctx, r, w, in.ID)
		if err != nil {
			return err
		}
		after := w.Next(before)
		after.change(&in.Body)
		if err := mayTouch(r.Principal.Role, before.Role, after.Role); err != nil {
			return err
		}
		if record.Same(before, after) {
			reply = g.staff.Answer(before, http.StatusOK)
			return nil
		}
		var at membershipAt
		if before.active() {
			if at, err = g.store.membershipAt(ctx, r.Table.ID(), before.User); err != nil {
				return err
			}
		}
		reply = g.staff.Answer(after, http.StatusOK)
		err = g.store.all.Write(ctx, func(tx *table.Tx, _ int) error {
			if err := w.Replace(tx, before, after, unique.Claims{}); err != nil {
				return err
			}
			switch {
			case before.active():
				g.store.promote(tx, r.Table.ID(), at, before.Role, after.Role)
			case before.Role != after.Role:
				g.store.vouch(tx, before.Email, r.Table.ID(), before.ID, r.Principal.User, g.env.Now())
			}
			return nil
		})
		return directory.Settle(err, func() (bool, error) { return w.Happened(ctx, after) })
	})
	return reply, err
}

// remove ends a membership or an invitation.
func (g *group) remove(ctx context.Context, r *web.Request, in *removeInput) (web.None, error) {
	w := g.staff.Writer(r, g.env.Now)
	return web.None{}, table.Optimistic(ctx, func() error {
		before, err := g.readToChange(ctx, r, w, in.ID)
		if err != nil {
			return err
		}
		if err := mayTouch(r.Principal.Role, before.Role, before.Role); err != nil {
			return err
		}
		var at membershipAt
		if before.active() {
			if at, err = g.store.membershipAt(ctx, r.Table.ID(), before.User); err != nil {
				return err
			}
		}
		return g.end(ctx, w, before, func(tx *table.Tx) error {
			if before.active() {
				g.store.leave(tx, r.Table.ID(), at, before.Role)
			} else {
				g.store.withdraw(tx, before.Email, r.Table.ID(), before.ID)
			}
			return nil
		})
	})
}

// readToChange reads a staff record, and refuses a change that was decided on
// another revision.
func (g *group) readToChange(ctx context.Context, r *web.Request, w staffWriter, id int64) (*staff, error) {
	before, err := w.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return before, r.Match(web.ETag(before.Revision))
}

// end removes a staff record, with whatever more adds.
func (g *group) end(ctx context.Context, w staffWriter, before *staff, more func(tx *table.Tx) error) error {
	d := w.Directory()
	err := directory.Write(ctx, g.store.all, func(tx *table.Tx, counts *directory.Counts) error {
		if err := w.Remove(tx, before); err != nil {
			return err
		}
		if err := more(tx); err != nil {
			return err
		}
		return counts.Deleted(d, before.ID)
	})
	return directory.Settle(err, func() (bool, error) { return w.Happened(ctx, w.Next(before)) })
}
