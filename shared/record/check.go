package record

import (
	"context"
	"slices"
	"strconv"

	"github.com/tenantry/tenantry/shared/customfield"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/unique"
)

// Check adds to errs what is wrong with a record as far as the table must be
// asked: references and unique values that it did not have before, and its
// custom fields, all of them. It gives the fault of everything in errs, or what
// Claiming needs. before is nil for a new record. One call where there is
// anything to ask, one more for records that custom fields name, and one or two
// where a value is reserved.
func (w Writer[T, Body, View]) Check(ctx context.Context, before, after *T, errs fault.Fields) (claims unique.Claims, err error) {
	key, extra := "", []byte(nil)
	var keys []table.Key
	if w.resource.Extra != nil {
		key, extra = w.resource.Extra(after)
		most := MaxExtra
		if w.resource.Array {
			most = MaxArrayExtra
		}
		if len(extra) > most {
			errs.Add("extra", "Ensure this field has no more than "+strconv.Itoa(most)+" bytes.")
			key = ""
		}
	}
	if w.resource.Array && before == nil {
		count, err := w.Directory().CountNow(ctx)
		if err != nil {
			return claims, err
		}
		if count >= MaxArray { // a few at once may pass, which the list bears
			errs.Add(fault.NonField, "There can be at most "+strconv.Itoa(MaxArray)+" "+w.resource.Many+".")
		}
	}
	if key != "" {
		keys = append(keys, w.tenant.Definitions(key))
	}
	named := w.references(before, after)
	for _, ref := range named {
		keys = append(keys, w.tenant.Record(ref.Kind, ref.ID))
	}
	wanted := w.wanted(before, after)
	for _, u := range wanted {
		keys = append(keys, w.tenant.Reservation(u.Name, u.Value))
	}
	found, err := Look(ctx, w.tenant, w.now(), keys...)
	if err != nil {
		return claims, err
	}
	for _, ref := range named {
		if found[w.tenant.Record(ref.Kind, ref.ID)] == nil {
			errs.AddAt(ref.Field, fault.BadReference(ref.ID))
		}
	}
	if key != "" {
		set, err := customfield.Decode(found[w.tenant.Definitions(key)])
		if err != nil {
			return claims, err
		}
		if err := w.custom(ctx, set, extra, errs); err != nil {
			return claims, err
		}
	}
	reserved := func(u Unique) bool { return found[w.tenant.Reservation(u.Name, u.Value)] != nil }
	if slices.ContainsFunc(wanted, reserved) {
		if claims, err = w.claims(ctx, after, wanted, errs); err != nil {
			return claims, err
		}
	}
	return claims, errs.Err()
}

// wanted are the unique values that a record has now and had not before.
func (w Writer[T, Body, View]) wanted(before, after *T) []Unique {
	list := w.uniques(after)
	if before == nil {
		return list
	}
	had := w.uniques(before)
	return slices.DeleteFunc(list, func(u Unique) bool { return contains(had, u) })
}

// references are those that a record has now and had not before. One that is
// there already stays, though its record may be gone.
func (w Writer[T, Body, View]) references(before, after *T) []Reference {
	if w.resource.References == nil {
		return nil
	}
	list := w.resource.References(after)
	if before == nil {
		return list
	}
	had := w.resource.References(before)
	return slices.DeleteFunc(list, func(r Reference) bool { return slices.Contains(had, r) })
}

// custom checks the free part of a record.
func (w Writer[T, Body, View]) custom(ctx context.Context, set customfield.Set, extra []byte, errs fault.Fields) error {
	refs, wrong := set.Check(extra)
	keys := make([]table.Key, len(refs))
	for i, ref := range refs {
		keys[i] = w.tenant.Record(ref.Kind, ref.ID)
	}
	found, err := Look(ctx, w.tenant, w.now(), keys...)
	if err != nil {
		return err
	}
	for i, ref := range refs {
		if found[keys[i]] == nil {
			wrong.Add(ref.Field, fault.BadReference(ref.ID))
		}
	}
	errs.Nest("extra", wrong)
	return nil
}
