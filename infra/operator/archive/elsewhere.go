package archive

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
)

// Marks marks what of an archive was signed on another stage: for restore.Restorer.
func Marks(arrivals *document.Arrivals) func(ctx context.Context, record table.Attributes, at time.Time) error {
	return func(ctx context.Context, record table.Attributes, at time.Time) error {
		if estate.KindOf(record.Text("pk")) != string(kinds.Document) {
			return nil
		}
		return arrivals.Mark(ctx, record, at)
	}
}
