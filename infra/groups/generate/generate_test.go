package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
)

func root(t *testing.T) string {
	t.Helper()
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestWhatIsCommittedIsCurrent(t *testing.T) {
	files, err := generate(root(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root(t), name))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s is not what the template says (%v): run `go generate ./infra/groups`", name, err)
		}
	}
}

// Each function of the template is an endpoint group, or one of the two that
// the gateway and the table call.
func TestEveryFunctionHasItsPlace(t *testing.T) {
	deployed, err := samtemplate.Load(filepath.Join(root(t), "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	all := groups.All()
	for id, f := range deployed.Functions {
		name := f.Group()
		if all[name] == nil && !slices.Contains([]string{"authorizer", "worker"}, name) {
			t.Errorf("%s: %s has no route and no other caller", id, name)
		}
		if _, err := os.Stat(filepath.Join(root(t), "functions", name, "lambda", "main.go")); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		delete(all, name)
	}
	if len(all) != 0 {
		t.Errorf("not in the template: %v", all)
	}
}

// project writes a template with one function and the group's file.
func project(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"template.yaml": `
Resources:
  Api:
    Type: AWS::Serverless::HttpApi
    Properties:
      DefinitionBody:
        paths:
          /v1/bikes: {x-amazon-apigateway-any-method: {x-amazon-apigateway-integration: {$ref: '#/components/x-amazon-apigateway-integrations/bikes'}}}
        components:
          x-amazon-apigateway-integrations:
            bikes:
              type: aws_proxy
              payloadFormatVersion: '2.0'
              uri: !Sub 'arn:aws:apigateway:x:lambda:path/2015-03-31/functions/${BikesFunction.Arn}/invocations'
  BikesFunction:
    Type: AWS::Serverless::Function
    Properties: {CodeUri: functions/bikes/lambda/}
  LonelyFunction:
    Type: AWS::Serverless::Function
    Properties: {CodeUri: functions/lonely/lambda/}
`,
		"functions/bikes/bikes.go":      source,
		"functions/bikes/bikes_test.go": "package bikes\nfunc New() {}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestANewGroup(t *testing.T) {
	files, err := generate(project(t, "package bikes\n\nfunc New() group { return group{} }\n\nfunc Work() {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		mapFile:                          `"bikes": bikes.New,`,
		workFile:                         `"bikes": bikes.Work,`,
		"functions/bikes/lambda/main.go": "app.Main(bikes.New)",
	} {
		if !strings.Contains(string(files[name]), want) {
			t.Errorf("%s lacks %s:\n%s", name, want, files[name])
		}
	}
	if len(files) != 3 {
		t.Errorf("%d files", len(files))
	}
}

func TestAGroupThatIsNotThere(t *testing.T) {
	for name, source := range map[string]string{
		"no New":          "package bikes\n",
		"a method New":    "package bikes\n\ntype a int\n\nfunc (a) New() {}\n",
		"another package": "package trikes\n\nfunc New() {}\n",
		"no Go":           "no Go",
	} {
		if _, err := generate(project(t, source)); err == nil {
			t.Errorf("%s: nobody minds", name)
		}
	}
	if _, err := generate(t.TempDir()); err == nil {
		t.Error("no template: nobody minds")
	}
}

// What a group's main is linked with, and whether the worker knows it, is read
// from its source.
func TestWhatAGroupNeeds(t *testing.T) {
	for name, want := range map[string]group{
		"identity":  {Name: "identity", Work: true, Keys: true},
		"tenants":   {Name: "tenants", Work: true},
		"documents": {Name: "documents"},
		"fallback":  {Name: "fallback", Keys: true},
	} {
		if got, err := read(filepath.Join(root(t), "functions", name)); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
}
