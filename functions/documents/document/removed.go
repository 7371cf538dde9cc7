package document

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
)

// Remove removes a sign that is not signed. Its uuid reaches nothing any more. Where anything had happened to it, the record keeps
// it, with who removed it and when.
func (k *Desk) Remove(ctx context.Context, w *record.Work, d *Document, s *Sign, by By) error {
	if err := d.Removable(s); err != nil {
		return err
	}
	if s.HasHistory() {
		if err := k.move(ctx, w, d, s, Remove, by, k.act(w, d, by, NoMethod), Evidence{Act: ActRemove, Staff: by.Name}); err != nil {
			return err
		}
		kept := *s
		kept.Code = nil // its MAC is of no use without the sign
		d.Removed = append(slices.Clone(d.Removed), kept)
	}
	d.drop(s.ID)
	k.Public.Forget(w, s.UUID)
	return d.complete(ctx, w)
}

// Removable fails where a sign can't be removed.
func (d *Document) Removable(s *Sign) error {
	switch {
	case d.IsSigned():
		return ErrSigned
	case s.Status == Signed:
		return fault.New(fault.Conflict, say.SignMadeStays).Coded().With("status", s.Status)
	case s.HasHistory() && len(d.Removed) >= maxGone:
		return fault.New(fault.Conflict, say.SignTooManyRemoved).
			Coded()
	}
	return nil
}

// HasHistory tells whether anything has happened to the sign since it was added, so that the record keeps it.
func (s *Sign) HasHistory() bool {
	return slices.ContainsFunc(s.Stages, func(g Stage) bool { return !g.IsWhole() || g.To() != Draft })
}

// drop takes a sign out of the list.
func (d *Document) drop(id int64) {
	d.Signs = slices.DeleteFunc(slices.Clone(d.Signs), func(s Sign) bool { return s.ID == id })
}
