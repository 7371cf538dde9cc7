package clients

import (
	"context"
	"fmt"
	"maps"
	"strconv"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
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
	seen := map[string]bool{} // keys of methods
	var order []string
	for i := range a.rows {
		if name := a.rows[i].method; name != "" && !seen[methodKey(name)] {
			seen[methodKey(name)] = true
			order, keys = append(order, name), append(keys, methodName(name).Key(t))
		}
	}
	found, err := record.Look(ctx, t, a.now(), keys...)
	if err != nil {
		return err
	}
	a.looked = func(w *record.Work) { w.Know(found, keys...) }
	a.known, a.unknown = map[string]int64{}, nil
	for _, name := range order {
		if id := unique.Owner(found[methodName(name).Key(t)]); id != 0 {
			a.known[methodKey(name)] = id
		} else {
			a.unknown = append(a.unknown, name)
		}
	}
	if a.custom == nil {
		set, err := customfield.Decode(found[t.Definitions("client")])
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
	wrong, refs := make([]fault.FieldErrors, len(a.rows)), make([][]customfield.Reference, len(a.rows))
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

// write makes the clients, and the attraction methods that there are not yet: all
// of them, or none. What the rows name was looked up; where another was faster it
// is looked up again.
func (a *attempt[In, Out]) write(ctx context.Context) (*web.Reply, error) {
	reply, err := a.made()
	if err != nil {
		return nil, err
	}
	o, again := a.r.Outcome(func() (*web.Reply, error) { return reply, nil }), false
	return o.After(client.Kind().Import(ctx, a.scope, importKind, o, func(w *record.Work, taken []record.TakenRow) ([]*client.Client, error) {
		if again {
			if err := a.resolve(ctx); err != nil {
				return nil, err
			}
		}
		again = true
		a.looked(w)
		a.taken(taken)
		if err := a.refusal(); err != nil {
			return nil, err
		}
		if err := a.makeMethods(ctx, w); err != nil {
			return nil, err
		}
		return a.clients(), nil
	}))
}

// makeMethods makes the attraction methods that there are not yet, and gives every
// row its own.
func (a *attempt[In, Out]) makeMethods(ctx context.Context, w *record.Work) error {
	made := make([]*attractionMethod, len(a.unknown))
	for i, name := range a.unknown {
		made[i] = &attractionMethod{}
		attractionMethods().Kind.Create(w, "", made[i])
		made[i].Name = name
	}
	if err := w.Number(ctx); err != nil {
		return err
	}
	known := maps.Clone(a.known)
	for _, m := range made {
		known[methodKey(m.Name)] = m.ID
	}
	for i := range a.rows {
		if name := a.rows[i].method; name != "" {
			method := known[methodKey(name)]
			a.rows[i].client.AttractionMethod = &method
		}
	}
	return nil
}
