package record

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/customfield"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Extra is a free part of a record (JSON of the caller's own) together with the key of the
// custom fields that it is checked against. With an empty key it is checked against no custom
// fields.
type Extra struct {
	Field string // the field that its errors are reported at: "extra"
	Key   string
	JSON  decode.JSON
}

// Free makes the function Kind.Extras for records with one free part, in the field "extra".
func Free[T Stored](key string, of func(rec T) decode.JSON) func(rec T) []Extra {
	return func(rec T) []Extra { return []Extra{{Field: extraField, Key: key, JSON: of(rec)}} }
}

// questions are the items that have to be read to check records.
type questions struct {
	references []referred
	extras     []free
}

// referred is a record that another record refers to.
type referred struct {
	Reference
	errs fault.FieldErrors
}

// free is a free part that has to be checked against the custom fields of its key.
type free struct {
	Extra
	at   *decode.JSON // where the record has it; nil if it was not sent
	errs fault.FieldErrors
}

// sentAt is where a record has the free part of a field that was sent; nil if it was not sent.
func sentAt(sent []sentPart, field string) *decode.JSON {
	for _, s := range slices.Backward(sent) {
		if s.field == field {
			return s.at
		}
	}
	return nil
}

// wanted is a unique value that a record is to get.
type wanted struct {
	unique.Value
	field string
	errs  fault.FieldErrors
	by    tracked
	named bool // Kind.NamesOwner
}

// growth is by how many the live records of a kind grow, where the kind has a limit (Kind.Most).
type growth struct {
	kind       kinds.Kind
	most, more int
	errs       fault.FieldErrors
}

// answered is what has been checked already for a record.
type answered struct {
	references []Reference
	extras     []Extra
}

func (p *trackedRecord[T]) addQuestions(q *questions) {
	if p.action == remove || !p.dirty && len(p.rec.meta().sent) == 0 {
		return
	}
	var had []Reference
	if p.action != create {
		had = p.kind.references(p.before)
	}
	p.answered.refers(q, had, p.kind.references(p.rec), p.errs)
	if p.kind.Extras != nil {
		p.askExtras(q)
	}
}

// refers asks for the records that a record refers to from now on. A reference that it already had
// is kept, even if its target is gone.
func (a *answered) refers(q *questions, had, has []Reference, errs fault.FieldErrors) {
	known := append(slices.Clip(a.references), had...)
	for _, r := range has {
		if !slices.Contains(known, r) && !errs.Has(r.Field) {
			q.references = append(q.references, referred{r, errs})
			a.references = append(a.references, r)
		}
	}
}

// askExtras asks for the custom fields of free parts that are new, changed or sent. Free parts
// that were neither changed nor sent are not checked: a definition that was made later must not
// block other changes to the record.
func (p *trackedRecord[T]) askExtras(q *questions) {
	var before []Extra
	if p.action != create {
		before = p.kind.Extras(p.before)
	}
	p.answered.ask(q, before, p.kind.Extras(p.rec), p.rec.meta().sent, cmp.Or(p.kind.MaxExtra, MaxExtra), p.errs)
}

// ask is askExtras without the type of the record.
func (a *answered) ask(q *questions, before, after []Extra, sent []sentPart, most int, errs fault.FieldErrors) {
	known := a.extras
	for _, e := range before {
		if sentAt(sent, e.Field) == nil {
			known = append(slices.Clip(known), e)
		}
	}
	for _, e := range after {
		same := func(o Extra) bool { return o.Field == e.Field && o.Key == e.Key && string(o.JSON) == string(e.JSON) }
		switch {
		case slices.ContainsFunc(known, same), errs.Has(e.Field):
			continue
		case len(e.JSON) > most:
			errs.AddAt(e.Field, say.TooManyBytes(most))
		case e.Key != "":
			q.extras = append(q.extras, free{e, sentAt(sent, e.Field), errs})
		}
		a.extras = append(a.extras, e)
	}
}

func (p *trackedRecord[T]) newUniques() []wanted {
	if !p.dirty {
		return nil
	}
	had, has := p.uniques()
	return gained(had, has, wanted{Value: unique.Value{Kind: p.kind.Kind.Code}, errs: p.errs, by: p, named: p.kind.NamesOwner})
}

// gained are the values that a record has and did not have before; as is what they have in common.
func gained(had, has []Unique, as wanted) (list []wanted) {
	for _, u := range has {
		if !slices.ContainsFunc(had, func(o Unique) bool { return o.Name == u.Name && o.Value == u.Value }) {
			as.Value, as.field = u.of(as.Kind), u.Field
			list = append(list, as)
		}
	}
	return list
}

func (p *trackedRecord[T]) growth() (c growth, ok bool) {
	c = growth{kind: p.kind.Kind, most: p.kind.Most, errs: p.errs}
	switch p.action {
	case create:
		c.more = 1
	case remove:
		c.more = -1
	case onlyRead, edit:
	}
	return c, p.kind.Most > 0 && c.more != 0
}

func (u Unique) of(kind kinds.Code) unique.Value {
	return unique.Value{Kind: kind, Name: u.Name, Value: u.Value}
}

// check looks up everything that was not checked before, and validates it. It takes one read;
// one more for records that custom fields refer to; and one or two where a unique value is
// already reserved. The error is one fault that lists everything that is wrong.
//
// The items at the keys more are read in the same call.
//
// Two rules are checked only at the end, because later steps of the unit of work may still
// change their result: unique values, and the limit on the number of records. Unique values
// alone cause no read: most are free, and the transaction fails if one is already reserved.
// Only then are they looked up.
func (w *Work) check(ctx context.Context, at stage, more ...table.Key) error {
	q := &questions{}
	for _, p := range w.tracked {
		if err := p.settle(); err != nil {
			return err
		}
		p.addQuestions(q)
	}
	values := slices.Clip(more)
	wants := w.newUniques()
	if len(q.references)+len(q.extras) > 0 || w.try > 1 || w.trial || w.isWrong() {
		for _, v := range wants {
			values = append(values, v.Key(w.scope.Table))
		}
	}
	if at == theEnd {
		for k := range w.growing() {
			values = append(values, w.scope.Table.Sequence(k))
		}
	}
	if err := w.answer(ctx, q, values...); err != nil {
		return err
	}
	if at != theEnd && !w.isWrong() {
		return nil
	}
	if err := w.checkMost(ctx); err != nil {
		return err
	}
	busy, err := w.checkValues(ctx, wants)
	if err != nil {
		return err
	}
	if err := w.fault(); err != nil {
		return err
	}
	if busy != nil {
		return busy
	}
	return nil
}

// answer reads what the questions ask for, together with the items at the keys more, and adds what is
// wrong to the errors.
func (w *Work) answer(ctx context.Context, q *questions, more ...table.Key) error {
	keys := more
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
			r.errs.AddAt(r.Field, say.DoesNotExist(r.ID))
		}
	}
	return w.checkExtras(ctx, q.extras)
}

// newUniques are the unique values that records of the unit of work are to get.
func (w *Work) newUniques() (list []wanted) {
	for _, p := range w.tracked {
		list = append(list, p.newUniques()...)
	}
	return list
}

// exists tells whether a record exists, or will exist after the unit of work.
func (w *Work) exists(k kinds.Code, id int64) bool {
	key := w.scope.Table.Record(k, id)
	if p := w.at[key]; p != nil {
		return !p.isRemoved()
	}
	return w.found[key] != nil
}

func (w *Work) isWrong() bool { return w.errs.Any() }

// fault is one fault of everything that is wrong; nil if nothing is.
func (w *Work) fault() error {
	err := w.errs.Err()
	if f, ok := fault.As(err); ok && len(w.owners) > 0 {
		return f.With("taken_by", w.owners)
	}
	return err
}

// checkExtras checks free parts against the custom fields of their keys, and settles the date-times of those that were sent.
func (w *Work) checkExtras(ctx context.Context, list []free) error {
	t := w.scope.Table
	found, errs := make([][]customfield.Reference, len(list)), make([]fault.FieldErrors, len(list))
	var keys []table.Key
	for i, e := range list {
		set, err := customfield.Decode(w.found[t.Definitions(e.Key)])
		if err != nil {
			return err
		}
		var skipped fault.FieldErrors
		if e.at != nil {
			if *e.at, skipped, err = set.Settle(*e.at, w.scope.Zone); err != nil {
				return err
			}
			e.JSON = *e.at
		}
		found[i], errs[i] = set.Check(e.JSON)
		maps.Copy(errs[i], skipped)
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
				errs[i].Add(r.Field, say.DoesNotExist(r.ID))
			}
		}
		e.errs.Merge(e.Field, errs[i])
	}
	return nil
}

// growing are the kinds with a limit that the unit of work makes more records of.
func (w *Work) growing() map[kinds.Code]growth {
	all := map[kinds.Code]growth{}
	for _, p := range w.tracked {
		if c, ok := p.growth(); ok {
			if o, there := all[c.kind.Code]; there {
				c.more, c.errs = o.more+c.more, o.errs
			}
			all[c.kind.Code] = c
		}
	}
	maps.DeleteFunc(all, func(_ kinds.Code, c growth) bool { return c.more <= 0 })
	return all
}

// checkMost refuses to create more records of a kind than a company may have. Requests that run
// at the same moment may exceed the limit by a few records; the list can bear that. The numbers
// that were given out, which have been read with everything else, are at least as many as the
// records: these are counted only where the numbers alone don't show that there is room.
func (w *Work) checkMost(ctx context.Context) error {
	for k, c := range w.growing() {
		if given := w.found[w.scope.Table.Sequence(k)]; given.Int("n")+int64(c.more) <= int64(c.most) {
			continue
		}
		count, err := w.scope.Listing(k).CountNow(ctx)
		if err != nil {
			return err
		}
		if count+c.more > c.most {
			c.errs.Add(fault.NonField, say.TooManyOfKind(c.most, c.kind.Many))
		}
	}
	return nil
}

// checkValues finds out who has the unique values that records are to get: another record of
// the unit of work, or a record that has reserved them earlier. A value that a running import
// has reserved is returned as a fault of its own, busy, to be used if nothing else is wrong.
func (w *Work) checkValues(ctx context.Context, list []wanted) (busy *fault.Error, err error) {
	own, released := map[unique.Value]tracked{}, map[unique.Value]bool{}
	for _, p := range w.tracked {
		had, has := p.uniqueValues()
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
			own[v.Value] = v.by // the first record that wants the value gets it
		}
	}
	var unknown []unique.Value
	var of []wanted
	for _, v := range list {
		switch {
		case own[v.Value] != v.by:
			v.errs.AddAt(v.field, say.NotUnique)
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
	for n, i := range found.Taken {
		if _, id := of[i].by.kindAndID(); id == found.Owners[n] {
			return nil, table.ErrRevision // the record itself got the value since it was read
		}
		of[i].errs.AddAt(of[i].field, say.NotUniqueOf(found.Owners[n]))
		if of[i].named {
			w.owners[of[i].field] = found.Owners[n]
		}
	}
	w.left = w.left.And(found.Abandoned)
	return found.Busy, nil
}
