package document

import (
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
)

// ErrLinkExpired says that a link has led to a sign and does so no more, until the company sends it again.
var ErrLinkExpired = fault.New(fault.NotFound, "The link has expired: ask the company to send it again.").With("code", "link_expired")

// SignByLink returns the sign to which a link with a uuid leads, to be changed, if the link lives: everything that the public does
// or reads about a sign begins here. It fails with fault.ErrNotFound, and with ErrLinkExpired once the life is over.
func (d *Document) SignByLink(id uuid.UUID, life time.Duration, now time.Time) (*Sign, error) {
	s, err := d.SignByUUID(id)
	if err != nil {
		return nil, err
	}
	if !now.Before(s.linkedAt().Add(life)) {
		return nil, ErrLinkExpired
	}
	return s, nil
}

// linkedAt is when the link of a sign began to live. Who has signed keeps it for as long after that; where it was not stored yet,
// it is when the sign last changed.
func (s *Sign) linkedAt() time.Time {
	at := s.Linked
	if at == 0 {
		at = s.UpdatedAt
	}
	if last := len(s.Stages) - 1; s.Status == Signed && last >= 0 {
		at = max(at, s.Stages[last].At())
	}
	return time.UnixMicro(at)
}
