package tenants

import (
	"context"
	"net/http"

	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
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

// scope returns the scope of a unit of work that writes, for the caller, in a company and in
// the part of the table that belongs to no company.
func (g *group) scope(r *web.Request, id tenant.ID) record.Scope {
	s := resource.Scope(r, g.env.Now)
	s.Table, s.Through = table.Of(g.env.Table, id), g.store.all
	return s
}

// change gives a member another role, or the right to read finance, which is valid from the next request on, or gives an
// invited person another name.
func (g *group) change(ctx context.Context, r *web.Request, in *changeInput) (*web.Reply[Staff], error) {
	var of resource.Result[*staff.Staff]
	o, company := g.staff.Outcome(ctx, r, &of, http.StatusOK), r.Table.ID()
	return o.After(g.scope(r, company).Do(ctx, o, func(w *record.Work) error {
		rec, err := g.staff.Edit(ctx, w, r, in.ID)
		if err != nil {
			return err
		}
		of = resource.Result[*staff.Staff]{Work: w, Record: rec}
		before, read := rec.Role, rec.Finance
		in.Body.change(rec)
		if err := mayTouch(w, r, rec, before); err != nil || rec.Role == before && rec.Finance == read {
			return err
		}
		if !rec.IsActive() {
			w.Also(func(tx *table.Tx) error {
				g.store.vouch(tx, rec.Email, company, rec.ID, r.Principal.User, g.env.Now())
				return nil
			})
			return nil
		}
		at, err := g.store.membershipAt(ctx, company, rec.User)
		if err != nil {
			return err
		}
		w.Also(func(tx *table.Tx) error {
			g.store.promote(tx, company, at, before, rec)
			return nil
		})
		return nil
	}))
}

// remove ends a membership or an invitation.
func (g *group) remove(ctx context.Context, r *web.Request, in *removeInput) (web.None, error) {
	company := r.Table.ID()
	return web.None{}, g.scope(r, company).Do(ctx, nil, func(w *record.Work) error {
		rec, err := g.staff.Edit(ctx, w, r, in.ID)
		if err != nil {
			return err
		}
		if err := mayTouch(w, r, rec, rec.Role); err != nil {
			return err
		}
		if err := g.staff.Kind.Remove(ctx, w, in.ID); err != nil {
			return err
		}
		places, err := g.seatsOf(ctx, w, -1)
		if err != nil {
			return err
		}
		if !rec.IsActive() {
			w.Also(func(tx *table.Tx) error {
				g.store.withdraw(tx, rec.Email, company, rec.ID)
				tx.Update(g.store.update(places), table.ErrRevision)
				return nil
			})
			return nil
		}
		if places.vacates(rec.Role) {
			return errLastOwner
		}
		at, err := g.store.membershipAt(ctx, company, rec.User)
		if err != nil {
			return err
		}
		w.Also(func(tx *table.Tx) error {
			g.store.leave(tx, places, at, rec.Role)
			return nil
		})
		return nil
	})
}
