package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/table/meter"
)

// line is what is logged about a request: one line of JSON, which also holds the metrics. Those of
// every request are two, by stage and function: what it took of the table, which AWS tells of the
// table alone. Its time and number are metrics of Lambda's own. What an operation costs is asked of
// the lines themselves (docs/operations.md), because each series of a metric is paid.
type line struct {
	AWS       *meter.Metrics `json:"_aws"`
	Stage     string         `json:"Stage"` // meter.StageDimension
	Level     string         `json:"level"`
	RequestID string         `json:"request_id"`
	Function  string         `json:"function"` // meter.FunctionDimension
	Route     string         `json:"Route"`
	Method    string         `json:"method"`
	Path      string         `json:"path,omitempty"`
	Status    int            `json:"status"`
	Tenant    int64          `json:"tenant,omitempty"`
	User      int64          `json:"user,omitempty"`
	Feed      int64          `json:"feed,omitempty"`
	Key       int64          `json:"key,omitempty"` // the number of a key for programs
	Error     string         `json:"error,omitempty"`
	Failed    int            `json:"ServiceFailures,omitempty"` // meter.ServiceFailures
	Service   string         `json:"Service,omitempty"`         // meter.ServiceDimension: whose failure failed the request
	Unpaid    string         `json:"unpaid,omitempty"`          // why reads could not be charged
	Calls     int            `json:"Calls"`
	Read      float64        `json:"ReadUnits"`
	Write     float64        `json:"WriteUnits"`
	KMS       int            `json:"KmsCalls,omitempty"` // meter.KMSCalls
	Bytes     int            `json:"Bytes"`
	Millis    float64        `json:"Milliseconds"`
}

// requestMetrics are the members of line that are metrics of every request.
var requestMetrics = []meter.Metric{{Name: "ReadUnits"}, {Name: "WriteUnits"}}

func (s *Server) log(c *call, r *http.Request, took time.Duration) {
	used := c.meter.Usage()
	l := line{
		AWS:   meter.Emit(s.config.Now(), []string{meter.FunctionDimension}, requestMetrics...),
		Stage: s.config.Stage,
		Level: "info", RequestID: c.id, Function: s.group.Name, Route: "unmatched", Method: r.Method,
		Status: c.status, Tenant: int64(c.principal.Tenant), User: c.principal.User, Feed: c.principal.Feed, Key: c.principal.Key,
		Calls: used.Calls, Read: used.ReadUnits, Write: used.WriteUnits, Bytes: c.size,
		Millis: float64(took.Microseconds()) / 1000,
	}
	if c.op != nil {
		l.Route = c.op.ID
	} else {
		l.Path = withoutSecrets(r.URL.Path)
	}
	if c.err != nil && c.status >= http.StatusInternalServerError {
		l.Level, l.Error = "error", c.err.Error()
		if l.Service = meter.Service(c.err); l.Service != "" {
			l.Failed = 1
			l.AWS.With([]string{meter.ServiceDimension}, meter.Metric{Name: meter.ServiceFailures})
		}
	}
	if l.KMS = used.KMSCalls; l.KMS > 0 {
		l.AWS.With(nil, meter.Metric{Name: meter.KMSCalls})
	}
	if c.unpaid != nil {
		l.Unpaid = c.unpaid.Error()
	}
	encoded, err := json.Marshal(l)
	if err != nil {
		encoded = fmt.Appendf(nil, `{"level":"error","request_id":%q,"error":%q}`, c.id, err)
	}
	_, _ = s.config.Log.Write(append(encoded, '\n')) // a log that fails has nowhere to say so
}

// withoutSecrets is a path of no operation as it is logged. Some paths have an uuid or a token in them, which is all that its holder has
// to show, and a mistyped path of these is of no operation; so each segment with a digit is left out, but for the version at the front.
func withoutSecrets(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if strings.ContainsAny(s, "0123456789") && (i != 1 || len(s) != len("v1")) {
			segments[i] = "*"
		}
	}
	return strings.Join(segments, "/")
}

// timing is the request's cost as a Server-Timing header.
func timing(u meter.Usage) string {
	return fmt.Sprintf("table;desc=\"%d calls %s rcu %s wcu\";dur=%.1f",
		u.Calls, units(u.ReadUnits), units(u.WriteUnits), float64(u.Time.Microseconds())/1000)
}

func units(u float64) string { return strconv.FormatFloat(u, 'f', -1, 64) }
