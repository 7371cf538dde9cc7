package meter

import (
	"errors"
	"time"
)

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
	Unit string `json:"Unit,omitempty"`
}

// Seconds is a unit of metrics. Counts have none, which every line would pay for.
const Seconds = "Seconds"

// Dimensions. Each value of one is billed, and the stage is one of every metric, so that two stages of one account stay
// apart. They are members of the lines, too.
const (
	StageDimension    = "Stage"
	FunctionDimension = "function"
	ServiceDimension  = "Service"
)

// ServiceFailures counts the answers that failed because a service of AWS did, by ServiceDimension.
const ServiceFailures = "ServiceFailures"

// KMSCalls counts the calls of KMS, of which an account may make only so many in a second.
const KMSCalls = "KmsCalls"

// namespace holds all our metrics.
const namespace = "Tenantry"

// Emit makes metrics of the members of a line, as one series by stage and the
// other dimensions.
func Emit(at time.Time, dimensions []string, metrics ...Metric) *Metrics {
	return (&Metrics{Timestamp: at.UnixMilli()}).With(dimensions, metrics...)
}

// And is With for a line that may have no metrics yet.
func (m *Metrics) And(at time.Time, dimensions []string, metrics ...Metric) *Metrics {
	if m == nil {
		return Emit(at, dimensions, metrics...)
	}
	return m.With(dimensions, metrics...)
}

// With adds metrics of the same line, by other dimensions.
func (m *Metrics) With(dimensions []string, metrics ...Metric) *Metrics {
	m.Directives = append(m.Directives, Directive{
		Namespace: namespace, Dimensions: [][]string{append([]string{StageDimension}, dimensions...)}, Metrics: metrics,
	})
	return m
}

// Service is the service of AWS whose call an error comes from, as the SDK names it: KMS, SESv2, DynamoDB. It is empty for
// any other error.
func Service(err error) string {
	var operation interface {
		error
		Service() string
		Operation() string
	}
	if errors.As(err, &operation) {
		return operation.Service()
	}
	return ""
}
