package stage

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A stack is asked as CloudFormation answers.
func TestStack(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/xml")
		switch {
		case r.FormValue("StackName") != "tenantry":
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprint(w, `<ErrorResponse><Error><Code>ValidationError</Code><Message>Stack does not exist</Message></Error></ErrorResponse>`)
		case r.FormValue("Action") == "DescribeStackResource":
			_, _ = fmt.Fprintf(w, `<DescribeStackResourceResponse><DescribeStackResourceResult><StackResourceDetail>
				<PhysicalResourceId>the %s</PhysicalResourceId></StackResourceDetail></DescribeStackResourceResult></DescribeStackResourceResponse>`,
				r.FormValue("LogicalResourceId"))
		case r.FormValue("Action") == "DescribeStacks":
			_, _ = fmt.Fprint(w, `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>tenantry</StackName><Parameters>
				<member><ParameterKey>CodeKeys</ParameterKey><ParameterValue>a,b</ParameterValue></member>
				<member><ParameterKey>Stage</ParameterKey><ParameterValue>staging</ParameterValue></member>
				</Parameters></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`)
		}
	}))
	defer server.Close()
	for name, value := range map[string]string{
		"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_CONFIG_FILE": "/none",
		"AWS_SHARED_CREDENTIALS_FILE": "/none",
	} {
		t.Setenv(name, value)
	}
	of := func(stack string) Stack {
		t.Helper()
		e, err := Open(t.Context(), Where{Table: "t", Bucket: "b", Stack: stack}, func(name string) string {
			return map[string]string{"CLOUDFORMATION_ENDPOINT": server.URL}[name]
		})
		if err != nil {
			t.Fatal(err)
		}
		return e.Stack
	}
	stack := of("tenantry")
	if id, err := stack.Resource(t.Context(), "CodeKey"); id != "the CodeKey" || err != nil {
		t.Errorf("%q, %v", id, err)
	}
	if values, err := stack.Parameters(t.Context()); err != nil || !maps.Equal(values, map[string]string{"CodeKeys": "a,b", "Stage": "staging"}) {
		t.Errorf("%v, %v", values, err)
	}
	none := of("none")
	if _, err := none.Resource(t.Context(), "CodeKey"); err == nil || !strings.Contains(err.Error(), "the resource CodeKey of the stack none") {
		t.Error(err)
	}
	if _, err := none.Parameters(t.Context()); err == nil || !strings.Contains(err.Error(), "the stack none") {
		t.Error(err)
	}
	if of("") != nil {
		t.Error("a stack that nobody named")
	}
}
