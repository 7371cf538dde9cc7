package meter_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/smithy-go"

	"github.com/tenantry/tenantry/shared/table/meter"
)

// CloudWatch reads exactly this.
func TestEmit(t *testing.T) {
	made := meter.Emit(time.UnixMilli(1700000000123), []string{"function"}, meter.Metric{Name: "Calls"}, meter.Metric{Name: "Age", Unit: meter.Seconds})
	got, err := json.Marshal(made.With([]string{"Service"}, meter.Metric{Name: "Failures"}))
	const want = `{"Timestamp":1700000000123,"CloudWatchMetrics":[{"Namespace":"Tenantry","Dimensions":[["Stage","function"]],` +
		`"Metrics":[{"Name":"Calls"},{"Name":"Age","Unit":"Seconds"}]},{"Namespace":"Tenantry","Dimensions":[["Stage","Service"]],` +
		`"Metrics":[{"Name":"Failures"}]}]}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	alone := meter.Emit(time.Now(), nil, meter.Metric{Name: "Calls"})
	if d := alone.Directives[0].Dimensions; len(d) != 1 || len(d[0]) != 1 || d[0][0] != meter.StageDimension {
		t.Errorf("dimensions %v", d)
	}
}

// The SDK's errors name their service however deep they lie.
func TestService(t *testing.T) {
	err := fmt.Errorf("sign: %w", &smithy.OperationError{ServiceID: kms.ServiceID, OperationName: "Sign", Err: errors.New("throttled")})
	if got := meter.Service(fmt.Errorf("login: %w", errors.Join(errors.New("x"), err))); got != "KMS" {
		t.Errorf("%q", got)
	}
	for _, err := range []error{nil, errors.New("KMS")} {
		if got := meter.Service(err); got != "" {
			t.Errorf("%v: %q", err, got)
		}
	}
}
