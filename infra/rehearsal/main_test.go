package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/local/samtemplate/tree"
)

const (
	template = "../deployer.yaml"
	stack    = "tenantry-production"
)

// Requests are decided by the roles of the real template; what is decided otherwise than it should be is told.
func TestRun(t *testing.T) {
	for name, c := range map[string]struct{ requests, says string }{
		"may":           {`[{"Role":"ServiceRole","Action":"sqs:CreateQueue","Resource":"arn:aws:sqs:eu-central-1:123456789012:tenantry-production-A-1"}]`, ""},
		"may not":       {`[{"Step":"up A","Role":"ServiceRole","Action":"sqs:CreateQueue","Resource":"arn:aws:sqs:eu-central-1:123456789012:A"}]`, "up A: ServiceRole may not sqs:CreateQueue on arn:aws:sqs"},
		"must not":      {`[{"Role":"ServiceRole","Action":"kms:Sign","Resource":"arn:aws:kms:eu-central-1:123456789012:key/1","Refused":true}]`, ""},
		"may after all": {`[{"Role":"ServiceRole","Action":"kms:CreateKey","Resource":"*","Refused":true}]`, "ServiceRole may kms:CreateKey"},
		"bounded":       {`[{"Role":"ServiceRole","Action":"iam:CreateRole","Resource":"arn:aws:iam::123456789012:role/tenantry-production-A-1","Context":{"iam:PermissionsBoundary":["` + bounds + `"]}}]`, ""},
		"unbounded":     {`[{"Role":"ServiceRole","Action":"iam:CreateRole","Resource":"arn:aws:iam::123456789012:role/tenantry-production-A-1"}]`, "may not iam:CreateRole"},
	} {
		var out strings.Builder
		err := run([]string{"-template", template, "-stack", stack}, strings.NewReader(c.requests), &out)
		if (c.says == "") != (err == nil) || err != nil && !errors.Is(err, command.ErrFound) || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: %v\n%s", name, err, &out)
		}
	}
	for want, c := range map[string][2]string{
		"name -stack":       {"", "[]"},
		"there is no role":  {"-stack=a", `[{"Role":"Other"}]`},
		"the requests":      {"-stack=a", "{"},
		"not known here":    {"-stack=a", `[{"Role":"ServiceRole","Action":"sqs:CreateQueue","Context":{"aws:x":["y"]}}]`},
		"flag provided but": {"-stacks=a", "[]"},
		"no such file":      {"-template=none", "[]"},
	} {
		args := slices.DeleteFunc([]string{"-template=" + template, c[0]}, func(s string) bool { return s == "" })
		if c[0] == "-template=none" {
			args = append(args, "-stack=a")
		}
		if err := run(args, strings.NewReader(c[1]), &strings.Builder{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", c, err, want)
		}
	}
}

// names are the ARNs of what infra/operator.yaml makes, beside a stage, as the stack that the runbook names would make them.
func names(t *testing.T) map[string][]string {
	t.Helper()
	runbook, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`--template-file infra/operator\.yaml --stack-name (\S+)`).FindSubmatch(runbook)
	if named == nil {
		t.Fatal("docs/operations.md doesn't say how infra/operator.yaml is deployed")
	}
	of := strings.ReplaceAll(string(named[1]), "$STACK", stack)
	text, err := os.ReadFile("../operator.yaml")
	if err != nil {
		t.Fatal(err)
	}
	document, err := samtemplate.Document(text)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	resources := tree.Object(document["Resources"])
	for id, r := range resources {
		resource := tree.Object(r)
		properties := tree.Object(resource["Properties"])
		given := func(property, or string) string {
			value := tree.Object(properties[property])
			sub, ok := value["Fn::Sub"].(string)
			if !ok {
				return or
			}
			return strings.ReplaceAll(sub, "${StackName}", stack)
		}
		in, here := "arn:aws:%s:"+region+":"+account+":", of+"-"+id+"-1A2B3C"
		switch resource["Type"] {
		case "AWS::IAM::Role":
			all[id] = []string{"arn:aws:iam::" + account + ":role" + given("Path", "/") + here}
		case "AWS::IAM::ManagedPolicy":
			all[id] = []string{"arn:aws:iam::" + account + ":policy" + given("Path", "/") + here}
		case "AWS::IAM::RolePolicy": // of those
		case "AWS::Logs::LogGroup":
			group := fmt.Sprintf(in, "logs") + "log-group:" + given("LogGroupName", here)
			all[id] = []string{group, group + ":log-stream:1"}
		case "AWS::CloudWatch::Alarm":
			all[id] = []string{fmt.Sprintf(in, "cloudwatch") + "alarm:" + given("AlarmName", here)}
		case "AWS::CodeBuild::Project":
			all[id] = []string{fmt.Sprintf(in, "codebuild") + "project/" + here}
		case "AWS::Scheduler::Schedule":
			all[id] = []string{fmt.Sprintf(in, "scheduler") + "schedule/default/" + here}
		default:
			t.Errorf("%s: how CloudFormation names a %v is not known here", id, resource["Type"])
		}
	}
	// The program's bucket is made by hand, under a name that the template takes.
	parameters := tree.Object(document["Parameters"])
	artifacts := tree.Object(parameters["Artifacts"])
	pattern := tree.Text(artifacts["AllowedPattern"])
	for _, bucket := range []string{stack + "-programs", "operator-" + stack + "-programs"} {
		if regexp.MustCompile(pattern).MatchString(bucket) {
			all["the bucket "+bucket] = []string{"arn:aws:s3:::" + bucket, "arn:aws:s3:::" + bucket + "/operator.zip"}
		}
	}
	if len(all) < 8 {
		t.Fatalf("only %v", all)
	}
	return all
}

// Neither those who deploy the stage nor its functions, at the very most, reach what the operator has: not the roles, which they could take
// on themselves or let others take on, nor the program, nor what it has logged.
func TestTheOperatorStandsApart(t *testing.T) {
	d, err := open(template, stack)
	if err != nil {
		t.Fatal(err)
	}
	favourable := map[string][]string{
		"iam:PermissionsBoundary": {bounds}, "iam:PassedToService": {"lambda.amazonaws.com"},
		"lambda:FunctionArn": {"arn:aws:lambda:" + region + ":" + account + ":function:" + stack + "-A-1"},
	}
	asked := 0
	for role, documents := range d.policies {
		for _, document := range documents {
			for _, s := range document.Statements {
				for _, action := range s.Actions {
					for id, arns := range names(t) {
						for _, arn := range arns {
							service, _, _ := strings.Cut(action, ":")
							// What has no name at all can't be one of these.
							if strings.Split(arn, ":")[2] != service || slices.Equal(s.Resources, []string{"*"}) {
								continue
							}
							asked++
							if may, err := d.may(request{Role: role, Action: action, Resource: arn, Context: favourable}); err != nil || may {
								t.Errorf("%s may %s on %s, %s: %v", role, action, id, arn, err)
							}
						}
					}
				}
			}
		}
	}
	if asked < 100 {
		t.Errorf("only %d questions", asked)
	}
}

// IAM takes so much of a role, without white space: longer names of stacks and buckets have their place in it too.
func TestTheyAreNotTooLong(t *testing.T) {
	const most = 10_240
	of, err := samtemplate.Load(template)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("a", 24)
	d, err := open(template, long)
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{"DeployRole", "ServiceRole"} {
		own, err := of.Policies(role, d.values)
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, tree := range own {
			text, err := json.Marshal(tree)
			if err != nil {
				t.Fatal(err)
			}
			size += len(text)
		}
		t.Logf("%s: %d characters", role, size)
		if size > most || size < most/20 {
			t.Errorf("%s: its policies have %d characters, of %d", role, size, most)
		}
	}
}
