package settings

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type createInput struct{ Body body }

type oneInput struct {
	ID int64 `path:"id"`
}

type updateInput struct {
	ID      int64  `path:"id"`
	IfMatch string `header:"If-Match"`
	Body    body
}

type removeInput struct {
	ID      int64  `path:"id"`
	IfMatch string `header:"If-Match"`
}

func answer(key string, d customfield.Definition, status int) *web.Reply[CustomField] {
	return &web.Reply[CustomField]{Status: status, Header: map[string]string{"ETag": web.ETag(d.Revision)}, Body: web.Body(view(key, d))}
}

func (s *service) list(ctx context.Context, r *web.Request, _ *struct{}) ([]CustomField, error) {
	sets, err := store{r.Table}.sets(ctx, false)
	if err != nil {
		return nil, err
	}
	list := []CustomField{}
	for _, set := range sets {
		for _, d := range set.List {
			list = append(list, view(set.SK, d))
		}
	}
	slices.SortFunc(list, func(a, b CustomField) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

func (s *service) read(ctx context.Context, r *web.Request, in *oneInput) (*web.Reply[CustomField], error) {
	d, set, _, err := store{r.Table}.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return answer(set.SK, d, http.StatusOK), nil
}

// made is a definition as a unit of work has written it.
type made struct {
	key string
	customfield.Definition
}

// outcome makes the answer about a definition.
func outcome(r *web.Request, m *made, status int) *web.Outcome[CustomField] {
	return web.OutcomeOf(r, func() (*web.Reply[CustomField], error) {
		reply := answer(m.key, m.Definition, status)
		if status == http.StatusCreated {
			reply.Header["Location"] = r.BaseURL + kinds.Of(kinds.CustomField).One(m.ID)
		}
		return reply, nil
	})
}

func (s *service) create(ctx context.Context, r *web.Request, in *createInput) (*web.Reply[CustomField], error) {
	var m made
	m.key, m.Definition = in.Body.apply("", customfield.Definition{Revision: 1})
	o, st := outcome(r, &m, http.StatusCreated), store{r.Table}
	return o.After(resource.Scope(r, s.now).Do(ctx, o, func(w *record.Work) error {
		set, err := st.set(ctx, m.key)
		if err != nil {
			return err
		}
		if m.ID == 0 {
			// A definition that is refused takes no number.
			useless := idle(r, &m, nil)
			if err := cmp.Or(useless, fits(set, m.Definition), r.Wrong.Err()); err != nil {
				return err
			}
			if m.ID, err = st.nextID(ctx); err != nil {
				return err
			}
		}
		next, err := set.With(m.Definition)
		if err != nil {
			return err
		}
		return st.put(w, revision(m, audit.Created, audit.View{}, shown(m)), next)
	}))
}

// revision returns the entry of a definition's history.
func revision(m made, action audit.Action, before, after audit.View) audit.Revision {
	return audit.Revision{Kind: kinds.CustomField, ID: m.ID, Number: m.Revision, Action: action, Before: before, After: after}
}

func shown(m made) audit.View { return audit.View{Fields: view(m.key, m.Definition)} }

// idle refuses flags of a definition that have no effect. Those that it had before, from when they were taken, stay.
func idle(r *web.Request, m, before *made) error {
	errs := m.Idle(m.key)
	if r.Wrong.Has("key") || r.Wrong.Has("type") {
		return nil // nobody knows yet what it is a field of
	}
	if before != nil && before.key == m.key && before.Type == m.Type {
		maps.DeleteFunc(errs, func(flag string, _ any) bool { return before.Idle(before.key).Has(flag) })
	}
	return errs.Err()
}

// fits tells whether a definition without a number can be added to a set.
func fits(set customfield.Set, d customfield.Definition) error {
	d.ID = table.MaxID
	next, err := set.With(d)
	if err == nil {
		_, err = next.Encode()
	}
	return err
}

// update serves PUT and PATCH, which differ in what the decoder requires.
func (s *service) update(ctx context.Context, r *web.Request, in *updateInput) (*web.Reply[CustomField], error) {
	var m made
	o, st := outcome(r, &m, http.StatusOK), store{r.Table}
	return o.After(resource.Scope(r, s.now).Do(ctx, o, func(w *record.Work) error {
		before, set, sets, err := st.find(ctx, in.ID)
		if err != nil {
			return err
		}
		if err := r.Match(web.ETag(before.Revision)); err != nil {
			return err
		}
		m.key, m.Definition = in.Body.apply(set.SK, before)
		if m.key == set.SK && m.Definition == before {
			return nil
		}
		if err := idle(r, &m, &made{set.SK, before}); err != nil {
			return err
		}
		m.Revision++
		var changed []customfield.Set
		to := set
		if m.key != set.SK {
			changed = append(changed, set.Without(before.ID))
			to = ofKey(sets, m.key, r.Table)
		}
		next, err := to.With(m.Definition)
		if err != nil {
			return err
		}
		return st.put(w, revision(m, audit.Changed, shown(made{set.SK, before}), shown(m)), append(changed, next)...)
	}))
}

// ofKey returns the set of a key among all sets.
func ofKey(sets []customfield.Set, key string, t *table.Tenant) customfield.Set {
	for _, set := range sets {
		if set.SK == key {
			return set
		}
	}
	return customfield.Empty(t, key)
}

func (s *service) remove(ctx context.Context, r *web.Request, in *removeInput) (web.None, error) {
	st := store{r.Table}
	return web.None{}, resource.Scope(r, s.now).Do(ctx, nil, func(w *record.Work) error {
		d, set, _, err := st.find(ctx, in.ID)
		if err != nil {
			return err
		}
		if err := r.Match(web.ETag(d.Revision)); err != nil {
			return err
		}
		m := made{set.SK, d}
		before := shown(m)
		m.Revision++
		return st.put(w, revision(m, audit.Deleted, before, audit.View{}), set.Without(d.ID))
	})
}
