package outbox

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/shared/meter"
	"github.com/tenantry/tenantry/shared/outbox"
)

// line is what is logged of an attempt. Only a message that was given up is a
// metric too (EMF): it is what a person must look at. Kind and tenant are
// properties, because each value of a dimension is billed.
type line struct {
	AWS      *emf    `json:"_aws,omitempty"`
	Level    string  `json:"level"`
	Function string  `json:"function"`
	Message  string  `json:"message_id"`
	Kind     string  `json:"kind"`
	Tenant   int64   `json:"tenant,omitempty"`
	Result   string  `json:"result"`
	Attempt  int     `json:"attempt"`
	Lost     bool    `json:"claim_lost,omitempty"` // it took longer than its lease
	Error    string  `json:"error,omitempty"`
	GaveUp   int     `json:"OutboxGaveUp,omitempty"`
	Calls    int     `json:"calls"`
	Read     float64 `json:"read_units"`
	Write    float64 `json:"write_units"`
	Millis   float64 `json:"milliseconds"`
}

type emf struct {
	Timestamp int64       `json:"Timestamp"`
	Metrics   []emfMetric `json:"CloudWatchMetrics"`
}

type emfMetric struct {
	Namespace  string       `json:"Namespace"`
	Dimensions [][]string   `json:"Dimensions"`
	Metrics    []metricName `json:"Metrics"`
}

type metricName struct {
	Name string `json:"Name"`
	Unit string `json:"Unit"`
}

func (w *Worker) report(m outbox.Message, e end, failure error, held bool, err error, used meter.Usage, took time.Duration) {
	id, _ := m.Tenant()
	l := line{
		Level: "info", Function: "outbox", Message: m.ID, Kind: string(m.Kind), Tenant: int64(id),
		Result: string(e), Attempt: m.Attempts, Lost: !held && err == nil,
		Calls: used.Calls, Read: used.ReadUnits, Write: used.WriteUnits, Millis: float64(took.Microseconds()) / 1000,
	}
	switch {
	case err != nil:
		l.Level, l.Result, l.Error = "error", "unknown", err.Error()
	case e == gaveUp:
		l.Level, l.Error, l.GaveUp = "error", failure.Error(), 1
		l.AWS = &emf{Timestamp: w.now().UnixMilli(), Metrics: []emfMetric{{
			Namespace: "Tenantry", Dimensions: [][]string{{}}, Metrics: []metricName{{"OutboxGaveUp", "Count"}},
		}}}
	case e == again, e == dropped:
		l.Level, l.Error = "warning", failure.Error()
	case l.Lost:
		l.Level = "warning"
	}
	encoded, jsonErr := json.Marshal(l)
	if jsonErr != nil {
		encoded = fmt.Appendf(nil, `{"level":"error","function":"outbox","error":%q}`, jsonErr)
	}
	_, _ = w.log.Write(append(encoded, '\n')) // a log that fails has nowhere to say so
}
