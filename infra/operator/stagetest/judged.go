package stagetest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/judge"
	"github.com/tenantry/tenantry/infra/local/kms"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/operator/stage"
)

const region = "us-east-1"

// resources takes a template's resources apart.
var resources = regexp.MustCompile(`(?m)^  [A-Za-z]`)

// Judged is a program that may do only what OperatorRole may by the policy of one command. At the end of the test it was denied nothing,
// and the policy has no right that it did not use. engines are addresses of services besides the table's and the bucket's, by the names
// that the judge has for them.
func (s *Stage) Judged(t testing.TB, command string, engines map[string]string) *stage.Env {
	t.Helper()
	j, e := s.Judge(t, command, engines)
	t.Cleanup(func() {
		for _, denial := range j.Denials() {
			t.Error(denial)
		}
		for _, right := range Idle(j, command) {
			t.Errorf("nothing uses the right %s", right)
		}
	})
	return e
}

// Idle are the rights of the operator's role that a command didn't use. What the policy of ChainKey gives the role is for imports alone.
func Idle(j *judge.Judge, command string) (idle []judge.Right) {
	for _, right := range j.Unused() {
		if right.Role == "operator" && (command == "import" || !strings.HasSuffix(right.Statement, ".Operator")) {
			idle = append(idle, right)
		}
	}
	return idle
}

// Judge is such a program, and the judge that says what it was denied.
func (s *Stage) Judge(t testing.TB, command string, engines map[string]string) (*judge.Judge, *stage.Env) {
	t.Helper()
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	of, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	operator, err := os.ReadFile(filepath.Join(root, "infra", "operator.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	role, policy := resource(t, string(operator), "OperatorRole"), resource(t, string(operator), policyOf(command))
	// The judge knows the roles of functions: here the program is one, beside those of the stage.
	const begin, program = "\nResources:\n", `
  OperatorFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: infra/operator/lambda/
      Role: !GetAtt OperatorRole.Arn

`
	whole, err := samtemplate.Parse([]byte(strings.Replace(string(of), begin, begin+role+policy+program, 1)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"dynamodb": s.Endpoints["DYNAMODB_ENDPOINT"], "s3": s.Endpoints["S3_ENDPOINT"]}
	maps.Copy(all, engines)
	names := kms.Resources()
	maps.Copy(names, map[string]string{
		"Table": s.Table, "Bucket": s.Bucket, "StackName": "local", "MailFrom": "noreply@tenantry.test",
		"Operator": "arn:aws:iam::000000000000:user/operator", "OperatorRole": "operator/local/local-operator-OperatorRole-1",
	})
	j, err := judge.Open(judge.Options{Template: whole, Region: region, Engines: all, Names: names})
	if err != nil {
		t.Fatal(err)
	}
	address, err := j.Listen(t.Context(), "operator")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.Close)
	endpoints := maps.Clone(s.Endpoints)
	for name := range endpoints {
		endpoints[name] = address
	}
	for service := range engines {
		endpoints[strings.ToUpper(service)+"_ENDPOINT"] = address
	}
	e, _ := s.through(nil, endpoints)
	return j, e
}

// policyOf is the logical id of the policy of a command.
func policyOf(command string) string { return strings.ToUpper(command[:1]) + command[1:] + "Policy" }

// resource is the text of a resource of a template.
func resource(t testing.TB, template, id string) string {
	t.Helper()
	_, rest, ok := strings.Cut(template, "\n  "+id+":\n")
	if !ok {
		t.Fatalf("infra/operator.yaml has no %s", id)
	}
	text := fmt.Sprintf("  %s:\n%s", id, rest)
	if next := resources.FindStringIndex(rest); next != nil {
		text = fmt.Sprintf("  %s:\n%s", id, rest[:next[0]])
	}
	text, _, _ = strings.Cut(text, "\nOutputs:\n")
	lines := strings.Split(text, "\n")
	for i, line := range lines { // what is said of the next resource
		if strings.HasPrefix(line, "  #") {
			return strings.Join(lines[:i], "\n") + "\n"
		}
	}
	return text + "\n"
}
