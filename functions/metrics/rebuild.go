package metrics

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/metrics/row"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/resource"
)

// RebuildStatus is whether the metrics are being worked out anew.
type RebuildStatus string

// The statuses of working metrics out anew.
const (
	neverRun RebuildStatus = "never"
	running  RebuildStatus = "running"
	done     RebuildStatus = "done"
)

// Values are the statuses.
func (RebuildStatus) Values() []enum.Value { return enum.Named(neverRun, running, done) }

// MetricRebuild is how far the metrics are worked out anew.
type MetricRebuild struct {
	Status     RebuildStatus `json:"status"`
	Done       int64         `json:"done" doc:"Steps that were taken"`
	Total      int64         `json:"total" doc:"Steps in all: one for each order, and some for the traffic penalties"`
	StartedAt  *string       `json:"started_at" nullable:"true" format:"date-time"`
	FinishedAt *string       `json:"finished_at" nullable:"true" format:"date-time"`
}

// rebuild is the operation that works all rows out anew.
func rebuild(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: "metrics-rebuild", Method: http.MethodPost, Path: path + "rebuild/", Role: tenant.Owner, Status: http.StatusAccepted,
		Idempotent: true, Summary: "Work all metrics out anew",
		Doc: "Such as after a change of the company's time zone, or of the setting accrual. Nothing is deleted before: what differs is " +
			"written, order by order, and " +
			"lists stay exact meanwhile. While it runs, another call answers how far it is. GET tells that, too.",
	}, func(ctx context.Context, r *web.Request, _ *struct{}) (*web.Reply[MetricRebuild], error) {
		var b row.Rebuild
		o := web.OutcomeOf(r, func() (*web.Reply[MetricRebuild], error) { return &web.Reply[MetricRebuild]{Body: viewRebuild(b)}, nil })
		return o.After(row.BeginRebuild(ctx, resource.Scope(r, now), o, &b))
	})
}

// rebuilding is the operation that tells how far that is.
func rebuilding(now func() time.Time) web.Operation {
	return web.Op(web.Operation{
		ID: "metrics-rebuild-read", Method: http.MethodGet, Path: path + "rebuild/", Role: role,
		Summary: "Read how far the metrics are worked out anew",
	}, func(ctx context.Context, r *web.Request, _ *struct{}) (*MetricRebuild, error) {
		b, err := row.LastRebuild(ctx, resource.Scope(r, now))
		return viewRebuild(b), err
	})
}

func viewRebuild(b row.Rebuild) *MetricRebuild {
	v := MetricRebuild{Status: neverRun, Done: b.Done, Total: b.Total()}
	if b.Run == 0 {
		return &v
	}
	v.Status, v.StartedAt = running, encode.Moment(&b.Started)
	v.FinishedAt = encode.Moment(b.Finished)
	if b.Finished != nil {
		v.Status = done
	}
	return &v
}
