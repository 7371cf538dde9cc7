package document

import (
	"context"
	"errors"
	"time"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
)

// ErrWithdrawn says that nothing can be done about the signs of a document that was withdrawn.
var ErrWithdrawn = fault.New(fault.Conflict, say.DocumentWithdrawn).
	Coded()

// Withdrawn is when the document was withdrawn, as answers show it; nil if it was not. What anybody has signed can't be unmade:
// deleting it takes it from its company's lists, and leaves it to those who signed it and to whoever verifies it.
func (d *Document) Withdrawn() *string {
	if d.Deleted == 0 || !d.HasSignature() {
		return nil
	}
	at := encode.Instant(d.Deleted.Time())
	return &at
}

// orWithdrawn reads a document that is there, or one that was withdrawn. It fails with fault.ErrNotFound, also for a document that
// was deleted before anybody had signed. Nothing but what the public has, and the seal, leads to a document that was withdrawn.
func orWithdrawn(ctx context.Context, k *record.Kind[*Document], s record.Scope, id int64) (*Document, error) {
	d, err := k.Get(ctx, s, id)
	if !errors.Is(err, fault.ErrNotFound) {
		return d, err
	}
	if d, err = k.GetRemoved(ctx, s, id); err != nil {
		return nil, err
	}
	if d.Withdrawn() == nil {
		return nil, fault.ErrNotFound
	}
	return d, nil
}

// Reached is the document of a sign that the public has reached, even if it was withdrawn.
func (k *Desk) Reached(ctx context.Context, p Place, now func() time.Time) (*Document, error) {
	return orWithdrawn(ctx, k.Kind, record.Scope{Table: p.Table, Now: now}, p.Document)
}

// Signing is a document of which one of the signs is to be moved. It fails with ErrWithdrawn if the document was withdrawn.
func (k *Desk) Signing(ctx context.Context, w *record.Work, id int64) (*Document, error) {
	d, err := k.Kind.Edit(ctx, w, id)
	if !errors.Is(err, fault.ErrNotFound) {
		return d, err
	}
	if _, err := orWithdrawn(ctx, k.Kind, w.Scope(), id); err != nil {
		return nil, err
	}
	return nil, ErrWithdrawn
}

// Sealing is a document that is to be sealed, and may have been withdrawn since everybody signed.
func (k *Desk) Sealing(ctx context.Context, w *record.Work, id int64) (*Document, error) {
	d, err := k.Kind.Edit(ctx, w, id)
	if !errors.Is(err, fault.ErrNotFound) {
		return d, err
	}
	return k.Kind.EditRemoved(ctx, w, id)
}

// ToSeal reads a document that everybody may have signed, even if it was withdrawn since.
func (k *Desk) ToSeal(ctx context.Context, s record.Scope, id int64) (*Document, error) {
	return orWithdrawn(ctx, k.Kind, s, id)
}
