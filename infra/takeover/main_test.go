package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/samtemplate"
)

const stage = "../../template.yaml"

// left is what the stack of the real template would have left, as AWS prints it, with some of what is gone.
func left(t *testing.T) (file string, ids []string) {
	t.Helper()
	source, err := os.ReadFile(stage)
	if err != nil {
		t.Fatal(err)
	}
	document, err := samtemplate.Document(source)
	if err != nil {
		t.Fatal(err)
	}
	type summary struct{ LogicalResourceId, PhysicalResourceId string }
	var printed struct{ StackResourceSummaries []summary }
	resources, _ := document["Resources"].(map[string]any)
	for id, r := range resources {
		of, _ := r.(map[string]any)
		printed.StackResourceSummaries = append(printed.StackResourceSummaries, summary{id, "old-" + strings.ToLower(id)})
		if of["DeletionPolicy"] != nil {
			ids = append(ids, id)
		}
	}
	text, err := json.Marshal(printed)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "resources.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	slices.Sort(ids)
	return file, ids
}

// Of the real template exactly what is retained is imported, and nothing that is written refers to anything that isn't.
func TestTheRealTemplate(t *testing.T) {
	file, want := left(t)
	to, list := filepath.Join(t.TempDir(), "import.json"), filepath.Join(t.TempDir(), "list.json")
	var out strings.Builder
	err := run(t.Context(), []string{"-template", stage, "-resources", file, "-use", "Table=restored", "-write", to, "-list", list}, &out)
	if err != nil {
		t.Fatal(err)
	}
	var imported []resource
	var document map[string]any
	read(t, list, &imported)
	read(t, to, &document)
	resources, _ := document["Resources"].(map[string]any)
	if got := slices.Sorted(maps.Keys(resources)); !slices.Equal(got, want) || len(imported) != len(want) {
		t.Errorf("imports %v, and lists %v; retained are %v", got, imported, want)
	}
	for _, r := range imported {
		name := "old-" + strings.ToLower(r.LogicalResourceID)
		if r.LogicalResourceID == "Table" {
			name = "restored"
		}
		if len(r.ResourceIdentifier) != 1 || r.ResourceIdentifier[identifiers()[r.ResourceType]] != name {
			t.Errorf("%s is %v, want %s", r.LogicalResourceID, r.ResourceIdentifier, name)
		}
		if of, _ := resources[r.LogicalResourceID].(map[string]any); of["DeletionPolicy"] != "Retain" {
			t.Errorf("%s: an import needs a deletion policy, and leaves what it has found: %v", r.LogicalResourceID, of["DeletionPolicy"])
		}
	}
	known := map[string]bool{}
	for _, section := range []string{"Resources", "Parameters", "Conditions"} {
		part, _ := document[section].(map[string]any)
		for id := range part {
			known[id] = true
		}
	}
	for id := range references(document) {
		if !known[id] && !strings.HasPrefix(id, "AWS::") {
			t.Errorf("refers to %s, which isn't imported", id)
		}
	}
	if !known["DeletionProtection"] || known["MailFrom"] {
		t.Error("has other parameters than those that it uses")
	}
	if !strings.Contains(out.String(), "Table: restored") {
		t.Errorf("says\n%s", &out)
	}
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func TestDerive(t *testing.T) {
	const key = `
Resources:
  Role: {Type: AWS::IAM::Role}
  Key:
    Type: AWS::KMS::Key
    DeletionPolicy: RetainExceptOnCreate
    Properties:
      KeyPolicy:
        Statement:
          - {Sid: Administration, Principal: {AWS: !Sub 'arn:aws:iam::${AWS::AccountId}:root'}}
          - {Sid: Use, Principal: {AWS: !GetAtt Role.Arn}}
          - {Sid: Named, Principal: {AWS: !Sub '${Role.Arn}'}}
`
	for name, test := range map[string]struct {
		source string
		names  map[string]string
		says   string
		sids   []string
	}{
		"a key keeps its administration alone": {source: key, names: map[string]string{"Key": "1234"}, sids: []string{"Administration"}},
		"a key without a name":                 {source: key, says: "-use Key=…"},
		"nothing is retained":                  {source: "Resources: {Role: {Type: AWS::IAM::Role}}", says: "retains nothing"},
		"something else is retained": {
			source: "Resources: {Queue: {Type: AWS::SQS::Queue, DeletionPolicy: Retain}}", says: "a AWS::SQS::Queue is imported is not known",
		},
		"a policy is known by its bucket": {source: `
Resources:
  Bucket: {Type: AWS::S3::Bucket, DeletionPolicy: Retain}
  BucketPolicy: {Type: AWS::S3::BucketPolicy, DeletionPolicy: Retain}`, names: map[string]string{"Bucket": "files"}},
	} {
		t.Run(name, func(t *testing.T) {
			document, list, err := derive([]byte(test.source), test.names)
			if test.says != "" {
				if err == nil || !strings.Contains(err.Error(), test.says) {
					t.Fatalf("it says %v, not %q", err, test.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range list {
				if len(r.ResourceIdentifier) != 1 || r.ResourceIdentifier[identifiers()[r.ResourceType]] == "" {
					t.Errorf("%s is known by %v", r.LogicalResourceID, r.ResourceIdentifier)
				}
			}
			text, err := json.Marshal(document)
			if err != nil {
				t.Fatal(err)
			}
			for _, sid := range []string{"Administration", "Use", "Named"} {
				if strings.Contains(string(text), `"`+sid+`"`) != slices.Contains(test.sids, sid) {
					t.Errorf("%s: %s", sid, text)
				}
			}
		})
	}
}
