package daily

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table/throttle"
)

// CountMail counts the e-mail that a message of the outbox is about to send to somebody: by a count of the sender's own, and by that of all
// companies, whose limit is given. A message that is tried again has been counted. One that is beyond a limit is given up: outbox.ErrDrop.
func CountMail(ctx context.Context, counts throttle.Throttle, m outbox.Message, own throttle.Count, limit int64, to string) error {
	if m.Attempts > 1 {
		return nil
	}
	_, err := counts.Take(ctx, append([]throttle.Count{own}, Counts(CompanyMail(limit), to)...)...)
	if f, ok := fault.As(err); ok && f.Code == fault.Throttled {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	return err
}
