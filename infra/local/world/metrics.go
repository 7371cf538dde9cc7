package world

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/metrics/row"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// metrics: ann has let all metrics be worked out, and so has bob. What the orders themselves have told metrics stays in the outbox, as all
// other messages do.
func (s *story) metrics(ctx context.Context) error {
	for id, person := range []string{"ann", "bob"} {
		if err := s.call(ctx, s.values[person+".access"], http.MethodPost, "/v1/crm/metrics/rebuild/", "", nil); err != nil {
			return err
		}
		of := table.Of(s.w.env.Table, tenant.ID(id+1))
		key := outbox.NewKeyed(of.Message, row.Rebuilding, row.Everything, time.Now()).Key()
		done, err := s.worker.Deliver(ctx, key)
		if err == nil && !done {
			err = fmt.Errorf("the metrics of %s are not worked out", person)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
