package awsapi_test

import (
	"testing"

	"github.com/tenantry/tenantry/infra/local/awsapi"
)

func TestFunction(t *testing.T) {
	for named, want := range map[string][2]string{
		"render":      {"render", ""},
		"render:live": {"render", "live"},
		"arn:aws:lambda:eu-central-1:123456789012:function:render":         {"render", ""},
		"arn:aws:lambda:eu-central-1:123456789012:function:render:live":    {"render", "live"},
		"arn:aws:lambda:eu-central-1:123456789012:function:render:$LATEST": {"render", "$LATEST"},
		"arn:aws:lambda:a": {},
		"arn:aws:lambda:eu-central-1:1:function:render": {},
		"arn:aws:sqs:eu-central-1:123456789012:render":  {},
		"render/live":   {},
		"render:live:1": {},
		"":              {},
	} {
		name, qualifier, ok := awsapi.Function(named)
		if got := [2]string{name, qualifier}; got != want || ok != (want[0] != "") {
			t.Errorf("%q: %v, %t; want %v", named, got, ok, want)
		}
	}
}
