package meter_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/table/meter"
)

// CloudWatch reads exactly this.
func TestEmit(t *testing.T) {
	got, err := json.Marshal(meter.Emit(time.UnixMilli(1700000000123), []string{"Route"}, meter.Metric{Name: "Calls", Unit: meter.Count}))
	const want = `{"Timestamp":1700000000123,"CloudWatchMetrics":[{"Namespace":"Tenantry","Dimensions":[["Stage","Route"]],` +
		`"Metrics":[{"Name":"Calls","Unit":"Count"}]}]}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	alone := meter.Emit(time.Now(), nil, meter.Metric{Name: "Calls", Unit: meter.Count})
	if d := alone.Directives[0].Dimensions; len(d) != 1 || len(d[0]) != 1 || d[0][0] != meter.StageDimension {
		t.Errorf("dimensions %v", d)
	}
}
