package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table/meter"
)

// line is what is logged about an attempt. Results that need a person's attention are also
// metrics, which the template's alarms watch. Kind and tenant are not dimensions, because
// every value of a dimension is billed.
type line struct {
	AWS      *meter.Metrics `json:"_aws,omitempty"`
	Stage    string         `json:"Stage"` // meter.StageDimension
	Level    string         `json:"level"`
	Function string         `json:"function"`
	Message  string         `json:"message_id"`
	Kind     string         `json:"kind"`
	Tenant   int64          `json:"tenant,omitempty"`
	Result   string         `json:"result"`
	Attempt  int            `json:"attempt"`
	Lost     bool           `json:"claim_lost,omitempty"` // the attempt took longer than its lease
	Error    string         `json:"error,omitempty"`
	Failed   int            `json:"OutboxFailedAttempts,omitempty"`
	GaveUp   int            `json:"OutboxGaveUp,omitempty"`
	Failures int            `json:"ServiceFailures,omitempty"` // meter.ServiceFailures
	Service  string         `json:"Service,omitempty"`         // meter.ServiceDimension: whose failure failed the attempt
	Calls    int            `json:"calls"`
	Read     float64        `json:"read_units"`
	Write    float64        `json:"write_units"`
	KMS      int            `json:"KmsCalls,omitempty"` // meter.KMSCalls
	Millis   float64        `json:"milliseconds"`
}

const (
	// failedAttempts counts the attempts after which a message waits for another one. It also
	// counts messages that were dropped after a failed attempt, because they had lost their
	// purpose by then.
	failedAttempts = "OutboxFailedAttempts"
	// gaveUpMetric counts messages that are not tried again.
	gaveUpMetric = "OutboxGaveUp"
)

func (w *Worker) report(m outbox.Message, e end, failure error, held bool, err error, used meter.Usage, took time.Duration) {
	id, _ := m.Tenant()
	l := line{
		Stage: w.stage, Level: "info", Function: w.function, Message: m.ID, Kind: string(m.Kind), Tenant: int64(id),
		Result: string(e), Attempt: m.Attempts, Lost: !held && err == nil,
		Calls: used.Calls, Read: used.ReadUnits, Write: used.WriteUnits, Millis: float64(took.Microseconds()) / 1000,
	}
	switch {
	case err != nil:
		l.Level, l.Result, l.Error = "error", "unknown", err.Error()
	case e == gaveUp:
		l.Level, l.Error, l.GaveUp = "error", failure.Error(), 1
		l.AWS = w.count(gaveUpMetric)
	case e == again, e == dropped && m.Problem != "":
		l.Level, l.Error, l.Failed = "warning", failure.Error(), 1
		l.AWS = w.count(failedAttempts)
	case e == dropped:
		l.Level, l.Error = "warning", failure.Error()
	case l.Lost:
		l.Level = "warning"
	}
	if l.Service = meter.Service(errors.Join(err, failure)); l.Service != "" && l.Level != "info" {
		l.Failures = 1
		l.AWS = l.AWS.And(w.now(), []string{meter.ServiceDimension}, meter.Metric{Name: meter.ServiceFailures})
	}
	if l.KMS = used.KMSCalls; l.KMS > 0 {
		l.AWS = l.AWS.And(w.now(), nil, meter.Metric{Name: meter.KMSCalls})
	}
	encoded, jsonErr := json.Marshal(l)
	if jsonErr != nil {
		encoded = fmt.Appendf(nil, `{"level":"error","function":%q,"error":%q}`, w.function, jsonErr)
	}
	_, _ = w.log.Write(append(encoded, '\n')) // a failure of the log can't be logged
}

func (w *Worker) count(metric string) *meter.Metrics {
	return meter.Emit(w.now(), nil, meter.Metric{Name: metric})
}
