package document

import (
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

// ErrLinkExpired says that a link has led to a sign and does so no more, until the company sends it again. Who has signed can't be sent
// it again, and asks for the document.
var ErrLinkExpired = fault.New(fault.NotFound,
	say.SignLinkExpired).Coded()

// SignByLink returns the sign to which a link with a uuid leads, to be changed, if the link lives: everything that the public does
// or reads about a sign begins here. It fails with fault.ErrNotFound, and with ErrLinkExpired once the life is over.
func (d *Document) SignByLink(id uuid.UUID, life time.Duration, now time.Time) (*Sign, error) {
	s, err := d.SignByUUID(id)
	if err != nil {
		return nil, err
	}
	if !now.Before(d.linkedAt(s).Add(life)) {
		return nil, ErrLinkExpired
	}
	return s, nil
}

// linkedAt is when the life of a sign's link began. For who has signed it begins anew with the signature, with the seal, and when the
// document is withdrawn.
func (d *Document) linkedAt(s *Sign) time.Time {
	at := s.Linked
	if last := len(s.Stages) - 1; s.Status == Signed && last >= 0 {
		at = max(at, s.Stages[last].At(), int64(d.Deleted))
		if d.Seal != nil {
			at = max(at, d.Seal.At)
		}
	}
	return time.UnixMicro(at)
}
