package record

import (
	"context"
	"slices"
	"strconv"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
)

// Extra is a free part of a record, and the key of its custom fields; an empty
// key has none.
type Extra struct {
	Field string // where its errors stand: "extra"
	Key   string
	JSON  decode.JSON
}

// Free are the extras of records that have one, in the field "extra".
func Free[T any](key string, of func(rec *T) decode.JSON) func(rec *T) []Extra {
	return func(rec *T) []Extra { return []Extra{{Field: extraField, Key: key, JSON: of(rec)}} }
}

// questions are what has to be looked up to check records.
type questions struct {
	references []referred
	extras     []free
}

// referred is a record that another names.
type referred struct {
	Reference
	errs fault.FieldErrors
}

// free is a free part that is held to the custom fields of its key.
type free struct {
	Extra
	errs fault.FieldErrors
}

// wanted is a unique value that a record gets.
type wanted struct {
	unique.Value
	field string
	errs  fault.FieldErrors
	by    part
}

// crowd are new records of a kind of which there are only so many, less those that
// go.
type crowd struct {
	kind       kinds.Kind
	most, more int
	errs       fault.FieldErrors
}

// answered is what of a record was checked before.
type answered struct {
	references []Reference
	extras     []Extra
}

func (p *one[T]) asks(q *questions) {
	if p.doing == removes || !p.dirty && len(metaOf(p.rec).sent) == 0 {
		return
	}
	k := p.kind
	known := p.answered.references
	if p.before != nil {
		known = append(slices.Clip(known), k.references(p.before)...)
	}
	for _, r := range k.references(p.rec) {
		if !slices.Contains(known, r) && !p.errs.Has(r.Field) { // one that is there already stays, though its record may be gone
			q.references = append(q.references, referred{r, p.errs})
			p.answered.references = append(p.answered.references, r)
		}
	}
	if k.Extras != nil {
		p.asksExtras(q)
	}
}

// asksExtras asks for the custom fields of free parts that are new, changed or
// sent: a definition that was made later stops no other change.
func (p *one[T]) asksExtras(q *questions) {
	most := p.kind.MaxExtra
	if most == 0 {
		most = MaxExtra
	}
	known := p.answered.extras
	if p.before != nil {
		for _, e := range p.kind.Extras(p.before) {
			if !slices.Contains(metaOf(p.rec).sent, e.Field) {
				known = append(slices.Clip(known), e)
			}
		}
	}
	for _, e := range p.kind.Extras(p.rec) {
		same := func(o Extra) bool { return o.Field == e.Field && o.Key == e.Key && string(o.JSON) == string(e.JSON) }
		switch {
		case slices.ContainsFunc(known, same), p.errs.Has(e.Field):
			continue
		case len(e.JSON) > most:
			p.errs.AddAt(e.Field, "Ensure this field has no more than "+strconv.Itoa(most)+" bytes.")
		case e.Key != "":
			q.extras = append(q.extras, free{e, p.errs})
		}
		p.answered.extras = append(p.answered.extras, e)
	}
}

func (p *one[T]) gains() (list []wanted) {
	if !p.dirty {
		return nil
	}
	had, has := p.uniques()
	for _, u := range has {
		if !slices.ContainsFunc(had, func(o Unique) bool { return o.Name == u.Name && o.Value == u.Value }) {
			list = append(list, wanted{Value: p.value(u), field: u.Field, errs: p.errs, by: p})
		}
	}
	return list
}

func (p *one[T]) crowds() (c crowd, ok bool) {
	c = crowd{kind: p.kind.Kind, most: p.kind.Most, errs: p.errs}
	switch p.doing {
	case creates:
		c.more = 1
	case removes:
		c.more = -1
	case reads, edits:
	}
	return c, p.kind.Most > 0 && c.more != 0
}

func (p *one[T]) value(u Unique) unique.Value {
	return unique.Value{Kind: p.kind.Kind.Code, Name: u.Name, Value: u.Value}
}

// check asks for everything that was not checked before, and judges it: one read,
// one more for records that custom fields name, and one or two where a value is
// reserved. The error is the fault of all that is wrong.
//
// What others of the unit of work may still give free is judged at the end: unique
// values, and how many records there are. Unique values alone are no reason to
// read: most are free, and the claim of one that is not fails the transaction;
// then they are looked for.
func (w *Work) check(ctx context.Context, end bool) error {
	q := &questions{}
	for _, p := range w.parts {
		if err := p.settle(); err != nil {
			return err
		}
		p.asks(q)
	}
	var values []table.Key
	gains := w.gains()
	if len(q.references)+len(q.extras) > 0 || w.again || w.isWrong() {
		for _, v := range gains {
			values = append(values, v.Key(w.scope.Table))
		}
	}
	if err := w.answer(ctx, q, values...); err != nil {
		return err
	}
	if !end && !w.isWrong() {
		return nil
	}
	if err := w.checkMost(ctx); err != nil {
		return err
	}
	busy, err := w.checkValues(ctx, gains)
	if err != nil {
		return err
	}
	if err := w.fault(); err != nil {
		return err
	}
	return busy
}

// answer finds out what was asked, with what else is to be read, and adds what is
// wrong.
func (w *Work) answer(ctx context.Context, q *questions, also ...table.Key) error {
	keys := also
	for _, r := range q.references {
		keys = append(keys, w.scope.Table.Record(r.Kind, r.ID))
	}
	for _, e := range q.extras {
		keys = append(keys, w.scope.Table.Definitions(e.Key))
	}
	if err := w.Load(ctx, keys...); err != nil {
		return err
	}
	for _, r := range q.references {
		if !w.exists(r.Kind, r.ID) {
			r.errs.AddAt(r.Field, fault.BadReference(r.ID))
		}
	}
	return w.checkExtras(ctx, q.extras)
}

// gains are the unique values that records of the unit of work get.
func (w *Work) gains() (list []wanted) {
	for _, p := range w.parts {
		list = append(list, p.gains()...)
	}
	return list
}

// exists tells whether a record is there, or will be.
func (w *Work) exists(k kinds.Code, id int64) bool {
	key := w.scope.Table.Record(k, id)
	if p := w.at[key]; p != nil {
		return !p.goes()
	}
	return w.found[key] != nil
}

func (w *Work) isWrong() bool { return w.errs.Any() }

// fault is that of everything that is wrong; nil where nothing is.
func (w *Work) fault() error { return w.errs.Err() }

// checkExtras holds free parts to the custom fields of their keys.
func (w *Work) checkExtras(ctx context.Context, list []free) error {
	t := w.scope.Table
	found, errs := make([][]customfield.Reference, len(list)), make([]fault.FieldErrors, len(list))
	var keys []table.Key
	for i, e := range list {
		set, err := customfield.Decode(w.found[t.Definitions(e.Key)])
		if err != nil {
			return err
		}
		found[i], errs[i] = set.Check(e.JSON)
		for _, r := range found[i] {
			keys = append(keys, t.Record(r.Kind, r.ID))
		}
	}
	if err := w.Load(ctx, keys...); err != nil {
		return err
	}
	for i, e := range list {
		for _, r := range found[i] {
			if !w.exists(r.Kind, r.ID) {
				errs[i].Add(r.Field, fault.BadReference(r.ID))
			}
		}
		e.errs.Merge(e.Field, errs[i])
	}
	return nil
}

// checkMost refuses more records than a company may have of a kind. A few at once
// may pass, which the list bears.
func (w *Work) checkMost(ctx context.Context) error {
	all := map[kinds.Code]crowd{}
	for _, p := range w.parts {
		if c, ok := p.crowds(); ok {
			if o, there := all[c.kind.Code]; there {
				c.more, c.errs = o.more+c.more, o.errs
			}
			all[c.kind.Code] = c
		}
	}
	for k, c := range all {
		if c.more <= 0 {
			continue
		}
		count, err := w.scope.Listing(k).CountNow(ctx)
		if err != nil {
			return err
		}
		if count+c.more > c.most {
			c.errs.Add(fault.NonField, "There can be at most "+strconv.Itoa(c.most)+" "+c.kind.Many+".")
		}
	}
	return nil
}

// checkValues finds out who has the unique values that records get: another of the
// unit of work, or whoever has reserved them. What a running import has is a fault,
// for where nothing else is wrong.
func (w *Work) checkValues(ctx context.Context, list []wanted) (busy, err error) {
	own, released := map[unique.Value]part{}, map[unique.Value]bool{}
	for _, p := range w.parts {
		had, has := p.values()
		for _, v := range had {
			kept := slices.Contains(has, v)
			released[v] = released[v] || !kept
			if kept {
				own[v] = p
			}
		}
	}
	for _, v := range list {
		if own[v.Value] == nil {
			own[v.Value] = v.by // of those that get it, the first
		}
	}
	var unknown []unique.Value
	var of []wanted
	for _, v := range list {
		switch {
		case own[v.Value] != v.by:
			v.errs.AddAt(v.field, fault.NotUnique)
		case w.found[v.Key(w.scope.Table)] != nil && !released[v.Value]:
			unknown, of = append(unknown, v.Value), append(of, v)
		}
	}
	if len(unknown) == 0 {
		return nil, nil
	}
	found, err := unique.Look(ctx, w.scope.Table, unknown, w.scope.Now())
	if err != nil {
		return nil, err
	}
	for _, i := range found.Taken {
		of[i].errs.AddAt(of[i].field, fault.NotUnique)
	}
	w.left = w.left.And(found.Claims)
	if found.Busy != nil {
		return found.Busy, nil
	}
	return nil, nil
}
