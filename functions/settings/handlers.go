package settings

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/customfield"
	"github.com/tenantry/tenantry/shared/directory"
	"github.com/tenantry/tenantry/shared/history"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
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

// write runs the transaction that makes a revision of a definition, with its
// audit record in the log. Where the answer is lost, the log tells what happened.
func (s *service) write(ctx context.Context, r *web.Request, id, revision int64, build func(tx *table.Tx, log history.Log) error) error {
	log := history.Of(r.Table, history.Actor{User: r.Principal.User, Request: r.ID, At: s.now().UTC()})
	err := r.Table.Write(ctx, func(tx *table.Tx, _ int) error { return build(tx, log) })
	return directory.Settle(err, func() (bool, error) { return log.Happened(ctx, kinds.CustomField, id, revision) })
}

func answer(key string, d customfield.Definition, status int) *web.Reply {
	return &web.Reply{Status: status, Header: map[string]string{"ETag": web.ETag(d.Revision)}, Body: view(key, d)}
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

func (s *service) read(ctx context.Context, r *web.Request, in *oneInput) (*web.Reply, error) {
	d, set, _, err := store{r.Table}.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return answer(set.SK, d, http.StatusOK), nil
}

func (s *service) create(ctx context.Context, r *web.Request, in *createInput) (reply *web.Reply, err error) {
	st := store{r.Table}
	key, d := in.Body.apply("", customfield.Definition{Revision: 1})
	err = table.Optimistic(ctx, func() error {
		set, err := st.set(ctx, key)
		if err != nil {
			return err
		}
		if d.ID == 0 {
			// What is refused takes no number.
			if err := fits(set, d); err != nil {
				return err
			}
			if d.ID, err = st.nextID(ctx); err != nil {
				return err
			}
		}
		next, err := set.With(d)
		if err != nil {
			return err
		}
		put, err := st.put(next)
		if err != nil {
			return err
		}
		reply = answer(key, d, http.StatusCreated)
		reply.Header["Location"] = r.BaseURL + strings.Replace(one, "{id}", strconv.FormatInt(d.ID, 10), 1)
		return s.write(ctx, r, d.ID, d.Revision, func(tx *table.Tx, log history.Log) error {
			if err := r.Keep(ctx, tx, reply); err != nil {
				return err
			}
			put(tx)
			return log.Created(tx, kinds.CustomField, d.ID, d.Revision, view(key, d))
		})
	})
	return reply, err
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
func (s *service) update(ctx context.Context, r *web.Request, in *updateInput) (reply *web.Reply, err error) {
	st := store{r.Table}
	err = table.Optimistic(ctx, func() error {
		before, set, sets, err := st.find(ctx, in.ID)
		if err != nil {
			return err
		}
		if err := r.Match(web.ETag(before.Revision)); err != nil {
			return err
		}
		key, after := in.Body.apply(set.SK, before)
		if key == set.SK && after == before {
			reply = answer(key, after, http.StatusOK)
			return nil
		}
		after.Revision++
		var changed []customfield.Set
		to := set
		if key != set.SK {
			changed = append(changed, set.Without(before.ID))
			to = ofKey(sets, key, r.Table)
		}
		next, err := to.With(after)
		if err != nil {
			return err
		}
		put, err := st.put(append(changed, next)...)
		if err != nil {
			return err
		}
		reply = answer(key, after, http.StatusOK)
		return s.write(ctx, r, after.ID, after.Revision, func(tx *table.Tx, log history.Log) error {
			put(tx)
			return log.Changed(tx, kinds.CustomField, after.ID, after.Revision, view(set.SK, before), view(key, after))
		})
	})
	return reply, err
}

// ofKey is the set of a key among all that there are.
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
	return web.None{}, table.Optimistic(ctx, func() error {
		d, set, _, err := st.find(ctx, in.ID)
		if err != nil {
			return err
		}
		if err := r.Match(web.ETag(d.Revision)); err != nil {
			return err
		}
		put, err := st.put(set.Without(d.ID))
		if err != nil {
			return err
		}
		return s.write(ctx, r, d.ID, d.Revision+1, func(tx *table.Tx, log history.Log) error {
			put(tx)
			return log.Deleted(tx, kinds.CustomField, d.ID, d.Revision+1, view(set.SK, d))
		})
	})
}
