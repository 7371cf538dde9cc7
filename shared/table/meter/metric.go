package meter

import "time"

// Metrics is the member "_aws" of a line of the log: it makes metrics of other
// members of that line (CloudWatch's embedded metric format). Each value of a
// dimension is billed, so dimensions are few: what tells tenants or users apart
// stays a plain member.
type Metrics struct {
	Timestamp  int64       `json:"Timestamp"` // milliseconds
	Directives []Directive `json:"CloudWatchMetrics"`
}

// Directive names members of the line that are dimensions, and those that are
// metrics.
type Directive struct {
	Namespace  string     `json:"Namespace"`
	Dimensions [][]string `json:"Dimensions"` // each list is one series
	Metrics    []Metric   `json:"Metrics"`
}

// Metric is a member that is a metric.
type Metric struct {
	Name string `json:"Name"`
	Unit string `json:"Unit"`
}

// The units of metrics.
const (
	Count        = "Count"
	Bytes        = "Bytes"
	Milliseconds = "Milliseconds"
)

// StageDimension is a dimension of every metric, and a member of every line
// that has one, so that two stages of one account stay apart.
const StageDimension = "Stage"

// namespace holds all our metrics.
const namespace = "Tenantry"

// Emit makes metrics of the members of a line, as one series by stage and the
// other dimensions.
func Emit(at time.Time, dimensions []string, metrics ...Metric) Metrics {
	return Metrics{Timestamp: at.UnixMilli(), Directives: []Directive{{
		Namespace: namespace, Dimensions: [][]string{append([]string{StageDimension}, dimensions...)}, Metrics: metrics,
	}}}
}
