package main

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// standIn answers as CloudFormation does, as far as the command asks it. It stands in for AWS, of which none is here.
type standIn struct {
	t         *testing.T
	template  string
	status    string
	protected bool
	fails     bool // the bucket can't be deleted
	deleted   int  // how often it was told to delete the stack
	looks     int  // how often it is looked at until the stack is gone
}

func start(t *testing.T) (*standIn, aws.Config) {
	t.Helper()
	template, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := &standIn{t: t, template: string(template), status: "UPDATE_COMPLETE", looks: 2}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, aws.Config{
		Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
		BaseEndpoint: &server.URL, HTTPClient: server.Client(), RetryMaxAttempts: 1,
	}
}

const id = "arn:aws:cloudformation:eu-central-1:123456789012:stack/s/1"

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	action := r.FormValue("Action")
	if name := r.FormValue("StackName"); name != id && (name != "s" || action != "DescribeStacks") {
		s.t.Errorf("%s of %q: a stack that is gone is known by its id alone", action, name)
	}
	answer := func(result string) {
		_, _ = fmt.Fprintf(w, "<%[1]sResponse><%[1]sResult>%[2]s</%[1]sResult></%[1]sResponse>", action, result)
	}
	switch action {
	case "DescribeStacks":
		if s.status == "DELETE_IN_PROGRESS" {
			if s.looks--; s.looks < 0 {
				s.status = "DELETE_COMPLETE"
				if s.fails {
					s.status = "DELETE_FAILED"
				}
			}
		}
		answer(fmt.Sprintf(`<Stacks><member><StackId>%s</StackId><StackName>s</StackName><StackStatus>%s</StackStatus>`+
			`<EnableTerminationProtection>%t</EnableTerminationProtection><CreationTime>2026-11-27T00:00:00Z</CreationTime></member></Stacks>`,
			id, s.status, s.protected))
	case "GetTemplate":
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(s.template))
		answer("<TemplateBody>" + b.String() + "</TemplateBody>")
	case "ListStackResources":
		list := func(next string, members ...string) {
			answer("<StackResourceSummaries>" + strings.Join(members, "") + "</StackResourceSummaries>" + next)
		}
		one := func(id, kind, status string) string {
			return fmt.Sprintf("<member><LogicalResourceId>%s</LogicalResourceId><PhysicalResourceId>s-%s-1</PhysicalResourceId>"+
				"<ResourceType>%s</ResourceType><ResourceStatus>%s</ResourceStatus><ResourceStatusReason>it is in use</ResourceStatusReason></member>",
				id, id, kind, status)
		}
		if r.FormValue("NextToken") == "" {
			list("<NextToken>more</NextToken>", one("OrdersFunction", "AWS::Lambda::Function", "CREATE_COMPLETE"),
				one("Old", "AWS::SQS::Queue", "DELETE_COMPLETE"))
			return
		}
		status := "CREATE_COMPLETE"
		if s.status == "DELETE_FAILED" {
			status = s.status
		}
		list("", one("Table", "AWS::DynamoDB::Table", "CREATE_COMPLETE"), one("SigningKey", "AWS::KMS::Key", "CREATE_COMPLETE"),
			one("Bucket", "AWS::S3::Bucket", status))
	case "DeleteStack":
		s.deleted++
		s.status = "DELETE_IN_PROGRESS"
		answer("")
	default:
		s.t.Errorf("it is asked for %s", action)
	}
}

// do runs the command with an answer; it returns what it said.
func do(t *testing.T, to aws.Config, answer string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(t.Context(), to, "s", strings.NewReader(answer), &out, time.Millisecond)
	return out.String(), err
}

// It says what stays, deletes the stack once its name is typed, and says how the rest goes.
func TestDestroy(t *testing.T) {
	s, to := start(t)
	out, err := do(t, to, "s\n")
	if err != nil || s.deleted != 1 || s.status != "DELETE_COMPLETE" {
		t.Fatalf("%v, deleted %d times, %s: %s", err, s.deleted, s.status, out)
	}
	for _, want := range []string{
		"The stack s in eu-central-1 has 4 resources. 1 are deleted.", "  Table                AWS::DynamoDB::Table   s-Table-1\n", "The stack is deleted.",
		"aws dynamodb delete-table --region eu-central-1 --table-name s-Table-1\n", "schedule-key-deletion --region eu-central-1 --key-id s-SigningKey-1 ",
		"delete-bucket --region eu-central-1 --bucket s-Bucket-1 ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it doesn't say %q: %s", want, out)
		}
	}
	if strings.Contains(out, "OrdersFunction") {
		t.Errorf("a function stays: %s", out)
	}
}

// Nothing is deleted without the stack's name, nor while the stack is being changed or is protected.
func TestNothingIsDeleted(t *testing.T) {
	for name, c := range map[string]struct {
		status, answer, want string
		protected            bool
	}{
		"no answer":     {"UPDATE_COMPLETE", "", errNo.Error(), false},
		"yes":           {"UPDATE_COMPLETE", "y\n", errNo.Error(), false},
		"another stack": {"UPDATE_COMPLETE", "staging\n", errNo.Error(), false},
		"changing":      {"UPDATE_IN_PROGRESS", "s\n", "wait until that has ended", false},
		"protected":     {"CREATE_COMPLETE", "s\n", "--no-enable-termination-protection", true},
	} {
		s, to := start(t)
		s.status, s.protected = c.status, c.protected
		if out, err := do(t, to, c.answer); err == nil || !strings.Contains(err.Error(), c.want) || s.deleted > 0 {
			t.Errorf("%s: %v, deleted %d times: %s", name, err, s.deleted, out)
		}
	}
}

// What was interrupted is waited for again without a question; what CloudFormation can't delete is named with its reason.
func TestHalfWay(t *testing.T) {
	s, to := start(t)
	s.status = "DELETE_IN_PROGRESS"
	if out, err := do(t, to, ""); err != nil || s.deleted > 0 || !strings.Contains(out, "The stack is deleted.") {
		t.Errorf("%v, deleted %d times: %s", err, s.deleted, out)
	}
	s, to = start(t)
	s.fails = true
	if _, err := do(t, to, "s\n"); err == nil || !strings.Contains(err.Error(), "\nBucket: it is in use") {
		t.Error(err)
	}
	s.looks, s.fails = 2, false
	if out, err := do(t, to, "s\n"); err != nil || s.deleted != 2 {
		t.Errorf("again: %v, deleted %d times: %s", err, s.deleted, out)
	}
}

// A stage is one of the file, and nothing else is taken.
func TestStages(t *testing.T) {
	file := filepath.Join(t.TempDir(), "samconfig.toml")
	if err := os.WriteFile(file, []byte("[test.global.parameters]\nstack_name = \"s\"\nregion = \"eu-west-1\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if stage, err := read([]string{"-stage", "test"}, file); err != nil || stage.Stack != "s" || stage.Region != "eu-west-1" {
		t.Error(stage, err)
	}
	for _, args := range [][]string{{}, {"-stage", "prod"}, {"-stage", "test", "more"}, {"-stage"}} {
		if stage, err := read(args, file); err == nil {
			t.Errorf("%q: %v", args, stage)
		}
	}
}
