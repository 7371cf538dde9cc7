package clients

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/shared/bulk"
	"github.com/tenantry/tenantry/shared/customfield"
	"github.com/tenantry/tenantry/shared/directory"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/history"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/unique"
	"github.com/tenantry/tenantry/shared/web"
)

// resolve looks up the attraction methods that the rows name, and the custom
// fields of clients where they are not known: one call for a hundred of both.
func (a *attempt[In, Out]) resolve(ctx context.Context) error {
	t := a.r.Table
	var keys []table.Key
	if a.custom == nil {
		keys = append(keys, t.Definitions("client"))
	}
	reservations := map[string]table.Key{} // by the keys of methods
	var order []string
	for i := range a.rows {
		if name := a.rows[i].method; name != "" {
			key := methodKey(name)
			if _, seen := reservations[key]; !seen {
				reservations[key] = t.Reservation(uniqueMethod, key)
				order, keys = append(order, name), append(keys, reservations[key])
			}
		}
	}
	found, err := t.GetMany(ctx, keys...)
	if err != nil {
		return err
	}
	a.known, a.unknown, a.reserved = map[string]int64{}, nil, 0
	for _, name := range order {
		if id := unique.Owner(table.Attributes(found[reservations[methodKey(name)]])); id != 0 {
			a.known[methodKey(name)] = id
		} else {
			a.unknown = append(a.unknown, name)
		}
	}
	if a.custom == nil {
		set, err := customfield.Decode(table.Attributes(found[t.Definitions("client")]))
		if err != nil {
			return err
		}
		a.custom = &set
	}
	if len(a.unknown) > maxNewMethods {
		return badData(fmt.Sprintf("The rows name %d attraction methods that do not exist, and an import makes at most %d.", len(a.unknown), maxNewMethods))
	}
	return nil
}

// enforce holds the free parts of the rows to the custom fields. What these
// refer to takes one call for a hundred of them, if there are any.
func (a *attempt[In, Out]) enforce(ctx context.Context) error {
	wrong, refs := make([]fault.Fields, len(a.rows)), make([][]customfield.Reference, len(a.rows))
	var keys []table.Key
	for i := range a.rows {
		r := &a.rows[i]
		switch {
		case r.errs["extra"] != nil || r.errs[fault.NonField] != nil:
		case len(r.client.Extra) > record.MaxExtra:
			r.errs.Add("extra", "Ensure this field has no more than "+strconv.Itoa(record.MaxExtra)+" bytes.")
		default:
			refs[i], wrong[i] = a.custom.Check(r.client.Extra)
			maps.Copy(wrong[i], r.dates)
			for _, ref := range refs[i] {
				keys = append(keys, keyOf(a.r.Table, ref))
			}
		}
	}
	there, err := record.Look(ctx, a.r.Table, a.now(), keys...)
	if err != nil {
		return err
	}
	for i := range a.rows {
		for _, ref := range refs[i] {
			if there[keyOf(a.r.Table, ref)] == nil {
				wrong[i].Add(ref.Field, fault.BadReference(ref.ID))
			}
		}
		a.rows[i].errs.Nest("extra", wrong[i])
	}
	return nil
}

// keyOf is the key of what a custom field names.
func keyOf(t *table.Tenant, ref customfield.Reference) table.Key { return t.Record(ref.Kind, ref.ID) }

// tries is how often an import is begun whose values others took, or had left
// behind, in the meantime.
const tries = 4

// write makes the clients. It does not look up who has their numbers, which
// would be a call for each hundred: it claims them, and looks only where that
// fails.
func (a *attempt[In, Out]) write(ctx context.Context) (*web.Reply, error) {
	reply, err := a.made()
	if err != nil {
		return nil, err
	}
	var claims unique.Claims
	for range tries {
		err = a.commit(ctx, claims, reply)
		var taken *unique.TakenError
		if !errors.As(err, &taken) {
			return reply, err
		}
		if taken.Name == uniqueMethod { // another has just made it
			if err := a.resolve(ctx); err != nil {
				return nil, err
			}
			continue
		}
		found, err := a.look(func(values []unique.Value) (unique.Found, error) {
			return unique.Look(ctx, a.r.Table, kinds.Client, values, 0, a.now())
		})
		if err != nil {
			return nil, err
		}
		if err := a.refusal(); err != nil {
			return nil, err
		}
		if found.Busy != nil {
			return nil, found.Busy
		}
		claims = found.Claims
	}
	return nil, table.ErrBusy.Because(err)
}

// commit makes the clients, and the attraction methods that there are not yet:
// all of them, or none.
func (a *attempt[In, Out]) commit(ctx context.Context, claims unique.Claims, reply *web.Reply) error {
	made, err := a.reserve(ctx)
	if err != nil {
		return err
	}
	actor := history.Actor{User: a.r.Principal.User, Request: a.r.ID, At: a.now()}
	plan := bulk.Plan{
		Rows: make([]bulk.Row, len(a.rows)), By: actor.User, About: actor.About(),
		Also: func(tx *table.Tx, until time.Time) error { return a.r.Hold(ctx, tx, until) },
	}
	for i := range a.rows {
		r := &a.rows[i]
		plan.Rows[i] = bulk.Row{Operations: 1, Put: func(tx *table.Tx, id, im int64) error { a.put(tx, r, id, im, claims); return nil }}
		if r.client.number() != "" {
			plan.Rows[i].Operations++
		}
	}
	_, err = imports().Run(ctx, a.r.Table, a.clients.Directory(), a.now, plan, func(tx *table.Tx, c *directory.Counts, _ int64) error {
		for i, name := range a.unknown {
			m := new(attractionMethod)
			a.methods.Begin(m)
			m.Name = name
			if err := a.methods.Insert(tx, m, made+int64(i), unique.Claims{}); err != nil {
				return err
			}
			if err := c.Created(a.methods.Directory(), made+int64(i)); err != nil {
				return err
			}
		}
		return a.r.Keep(ctx, tx, reply)
	})
	return err
}

// reserve gives the attraction methods that are to be made their ids, the first
// of which it answers: one call, if there are any.
func (a *attempt[In, Out]) reserve(ctx context.Context) (first int64, err error) {
	if len(a.unknown) == 0 {
		return 0, nil
	}
	if a.reserved == 0 {
		if a.reserved, err = a.methods.Directory().Reserve(ctx, len(a.unknown)); err != nil {
			return 0, err
		}
		for i, name := range a.unknown {
			a.known[methodKey(name)] = a.reserved + int64(i)
		}
	}
	return a.reserved, nil
}

// put adds a client to a transaction, and the reservation of its number.
func (a *attempt[In, Out]) put(tx *table.Tx, r *row, id, im int64, claims unique.Claims) {
	c := r.client
	a.clients.Begin(&c)
	if r.method != "" {
		method := a.known[methodKey(r.method)]
		c.AttractionMethod = &method
	}
	c.Import, c.Waiting = im, true
	a.clients.Number(&c, id)
	tx.Put(a.r.Table.Create(c), fmt.Errorf("clients: client %d exists", id))
	if number := c.number(); number != "" {
		claims.Of(im).Claim(tx, a.r.Table, a.unique, number, id)
	}
}
