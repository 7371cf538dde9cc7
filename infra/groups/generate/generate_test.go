package main

import (
	"os"
	"path/filepath"
	"reflect"
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
			t.Errorf("%s is not what the declarations say (%v): run `go generate ./...`", name, err)
		}
	}
}

// Each function of the template is an endpoint group, one that others call, the gateway's authorizer, or one of the five that
// the table, the queues and the schedule call.
func TestEveryFunctionHasItsPlace(t *testing.T) {
	deployed, err := samtemplate.Load(filepath.Join(root(t), "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	all, invoked, others := groups.All(), groups.Invoked(), []string{"authorizer", "bulk", "deliver", "dispatch", "urgent", "worker"}
	for id, f := range deployed.Functions {
		name := f.Group()
		if all[name] == nil && invoked[name] == nil && !slices.Contains(others, name) {
			t.Errorf("%s: %s has no route and no other caller", id, name)
		}
		others = slices.DeleteFunc(others, func(other string) bool { return other == name })
		if _, err := os.Stat(filepath.Join(root(t), "functions", name, "lambda", "main.go")); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		delete(all, name)
		delete(invoked, name)
	}
	if len(all)+len(invoked)+len(others) != 0 {
		t.Errorf("not in the template: %v, %v, %v", all, invoked, others)
	}
}

const (
	marks = `Api:
  DependsOn:
  # Begin of generated aliases of routes
  # End of generated aliases of routes
paths:
  # Begin of generated routes from somewhere
  /v1/old: {}
  # End of generated routes
Resources:
  # Begin of generated functions
  # End of generated functions
  Written: {Type: by people}
  # Begin of generated signers of tokens
  # End of generated signers of tokens
  # Begin of generated users of codes
  # End of generated users of codes
  # Begin of generated users of refresh tokens
  # End of generated users of refresh tokens
  # Begin of generated users of chains
  # End of generated users of chains
  # Begin of generated users of secrets of webhooks
  # End of generated users of secrets of webhooks
  # Begin of generated sealers
  # End of generated sealers
  # Begin of generated rights of the authorizer
  # End of generated rights of the authorizer
  # Begin of generated rights of deliver
  # End of generated rights of deliver
  # Begin of generated variables of deliver
  # End of generated variables of deliver
  # Begin of generated rights of dispatch
  # End of generated rights of dispatch
  # Begin of generated rights of the worker
  # End of generated rights of the worker
  # Begin of generated variables of messages
  # End of generated variables of messages
  # Begin of generated calls of messages
  # End of generated calls of messages
`
	newBikes = "package bikes\n\nfunc New() group { return group{} }\n"
)

// project writes a template with marks, and the group bikes with its declaration.
func project(t *testing.T, source, declared string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		templateFile:                     marks,
		"functions/bikes/group.yaml":     declared,
		"functions/bikes/bikes.go":       source,
		"functions/bikes/bikes_test.go":  "package bikes\nfunc New() {}\n",
		"functions/lonely/lonely.go":     "package lonely\n",
		"functions/authorizer/role.yaml": "{table: [GetItem], reads: [user]}",
		"functions/deliver/role.yaml":    "{table: [GetItem], reads: [hooks]}",
		"functions/dispatch/role.yaml":   "{table: [GetItem], reads: [outbox], indexes: {pending: []}}",
		"functions/worker/role.yaml":     "{table: [PutItem], writes: [cli#log], indexes: {children: [trn]}}",
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

// packing adds a function to a project, which makes segments of what groups search.
func packing(t *testing.T, dir string) string {
	t.Helper()
	folder := filepath.Join(dir, "functions", "pack")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"pack.go": "package pack\n\nfunc New() {}\n",
		"group.yaml": "{description: Packs., invoked: true, packs: true, table: [Query, PutItem], reads: [pt#dir], writes: [pt#dir], " +
			"files: {folders: [search], actions: [PutObject]}}",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const bikes = `
description: "Bikes: all of them."
prefixes: [/v1/bikes, '/v1/shops/{shop}/bikes', $default]
memory: 1024
timeout: 5
environment: {BELL_TOKEN: BellToken, BELL: BellUrl}
table: [GetItem, PutItem, Query]
reads: [company, cli#live, pt]
writes: [cli#sum]
indexes: {changes: [pt], children: [trn]}
files: {folders: [uploads], actions: [GetObject]}
signing: [GetPublicKey]
codes: [GenerateMac]
chain: [GenerateMac, VerifyMac]
other:
  # For the bell.
  - Sid: Ring
    Effect: Allow
    Action: sqs:SendMessage
    Resource: !GetAtt Bell.Arn
`

func TestANewGroup(t *testing.T) {
	files, err := generate(project(t, newBikes+"\nfunc Work() { env.Keys.Sign() }\n", bikes))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"infra/groups/groups_gen.go":     `"bikes": bikes.New,`,
		"functions/worker/groups_gen.go": "bikes.Work(env),",
		"functions/bikes/lambda/main.go": "app.Main(bikes.New, app.WithKeys(awskms.New))",
	} {
		if !strings.Contains(string(files[name]), want) {
			t.Errorf("%s lacks %s:\n%s", name, want, files[name])
		}
	}
	for _, name := range []string{"functions/urgent/groups_gen.go", "functions/bulk/groups_gen.go"} { // its messages are of no such lane
		if text := string(files[name]); text == "" || strings.Contains(text, "bikes") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	if len(files) != 6 {
		t.Errorf("%d files", len(files))
	}
}

// What a declaration says stands in the template between the marks, and what people wrote there is left alone.
func TestTheTemplateOfANewGroup(t *testing.T) {
	files, err := generate(packing(t, project(t, newBikes+"\nfunc f() { env.Keys.Sign() }\n", bikes)))
	if err != nil {
		t.Fatal(err)
	}
	got := string(files[templateFile])
	const to = "x-amazon-apigateway-integration: *bikes}}\n"
	for name, want := range map[string]string{
		"routes": "  # Begin of generated routes from somewhere\n" +
			"          /v1/bikes:\n            x-amazon-apigateway-any-method:\n              x-amazon-apigateway-integration: &bikes\n" +
			"                type: aws_proxy\n                httpMethod: POST\n                payloadFormatVersion: '2.0'\n" +
			"                uri: !Sub 'arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${BikesFunction.Arn}:live/invocations'\n" +
			"          /v1/bikes/{proxy+}: {x-amazon-apigateway-any-method: {" + to +
			"          /v1/shops/{shop}/bikes: {x-amazon-apigateway-any-method: {" + to +
			"          /v1/shops/{shop}/bikes/{proxy+}: {x-amazon-apigateway-any-method: {" + to +
			"          $default: {x-amazon-apigateway-any-method: {isDefaultRoute: true, " + to +
			"  # End of generated routes\n",
		"alias":       "  # Begin of generated aliases of routes\n      - BikesFunctionAliaslive\n  # End of generated aliases of routes\n",
		"release":     "      CodeUri: functions/bikes/lambda/\n      AutoPublishCodeSha256: !Ref Release\n",
		"permission":  "      Action: lambda:InvokeFunction\n      FunctionName: !Ref BikesFunctionAliaslive\n",
		"description": "      Description: 'Bikes: all of them.'\n",
		"memory":      "      MemorySize: 1024\n      Timeout: 5\n",
		"environment": "      Environment:\n        Variables:\n          BELL: !Ref BellUrl\n          BELL_TOKEN: !Ref BellToken\n",
		"reads": "- Sid: Reads\n                Effect: Allow\n                Action: [dynamodb:GetItem, dynamodb:Query]\n" +
			"                Resource: !GetAtt Table.Arn\n                Condition:\n                  ForAllValues:StringLike:\n" +
			"                    dynamodb:LeadingKeys: [T#*#company, T#*#cli, T#*#pt, T#*#pt#*, T#*#cli#bulk]\n" +
			"                  'Null': {dynamodb:LeadingKeys: 'false'}\n",
		"writes": "- Sid: Writes\n                Effect: Allow\n                Action: dynamodb:PutItem\n" +
			"                Resource: !GetAtt Table.Arn\n                Condition:\n                  ForAllValues:StringLike:\n" +
			"                    dynamodb:LeadingKeys: T#*#cli#sum\n                  'Null': {dynamodb:LeadingKeys: 'false'}\n",
		"index": "- Sid: ChildrenIndex\n                Effect: Allow\n                Action: dynamodb:Query\n" +
			"                Resource: !Sub '${Table.Arn}/index/children'\n                Condition:\n                  ForAllValues:StringLike:\n" +
			"                    dynamodb:LeadingKeys: T#*#trn#of#*#*\n                  'Null': {dynamodb:LeadingKeys: 'false'}\n",
		"segments": "- Sid: Segments\n                Effect: Allow\n                Action: s3:GetObjectVersion\n" +
			"                Resource:\n                  - !Sub '${Bucket.Arn}/search/*/pt/*'\n" +
			"              # A presigned request can do what its signer may do",
		"what is packed": "Resource: !GetAtt PackLog.Arn\n              - Sid: Reads\n                Effect: Allow\n" +
			"                Action: dynamodb:Query\n                Resource: !GetAtt Table.Arn\n                Condition:\n" +
			"                  ForAllValues:StringLike:\n                    dynamodb:LeadingKeys: [T#*#pt#dir, T#*#pt, T#*#pt#bulk]\n",
		"packed changes": "- Sid: ChangesIndex\n                Effect: Allow\n                Action: dynamodb:Query\n" +
			"                Resource: !Sub '${Table.Arn}/index/changes'\n                Condition:\n                  ForAllValues:StringLike:\n" +
			"                    dynamodb:LeadingKeys: T#*#pt\n                  'Null': {dynamodb:LeadingKeys: 'false'}\n" +
			"              - Sid: Segments\n                Effect: Allow\n                Action: s3:GetObjectVersion\n" +
			"                Resource:\n                  - !Sub '${Bucket.Arn}/search/*/pt/*'\n              - Sid: Files\n",
		"who packs":  "- !Ref PackFunctionAliaslive\n  # End of generated calls of messages\n",
		"authorizer": "  # Begin of generated rights of the authorizer\n              - Sid: Reads\n                Effect: Allow\n",
		"pending":    "                Resource: !Sub '${Table.Arn}/index/pending'\n  # End of generated rights of dispatch\n",
		"files":      "                Action: s3:GetObject\n                Resource:\n                  - !Sub '${Bucket.Arn}/uploads/*'\n",
		"signing": "- Sid: PublicKeys\n                Effect: Allow\n                Action: kms:GetPublicKey\n" +
			"                Resource: !If [HasSigningKeys, !Split [',', !Ref SigningKeys], !GetAtt SigningKey.Arn]\n",
		"its codes": "              - Sid: CodeKeys\n                Effect: Allow\n                Action: kms:GenerateMac\n" +
			"                Resource: !If [HasCodeKeys, !Split [',', !Ref CodeKeys], !GetAtt CodeKey.Arn]\n" +
			"              - Sid: ChainKeys\n                Effect: Allow\n                Action: [kms:GenerateMac, kms:VerifyMac]\n",
		"codes": "  # Begin of generated users of codes\n          - Sid: Bikes\n            Effect: Allow\n            Principal: *account\n" +
			"            Action: kms:GenerateMac\n            Resource: '*'\n            Condition:\n              ArnLike:\n" +
			"                aws:PrincipalArn: !Sub 'arn:${AWS::Partition}:iam::${AWS::AccountId}:role/${AWS::StackName}-BikesRole-*'\n" +
			"  # End of generated users of codes\n  # Begin of generated users of refresh tokens\n  # End",
		"chain": "  # Begin of generated users of chains\n          - Sid: Bikes\n            Effect: Allow\n            Principal: *account\n" +
			"            Action: [kms:GenerateMac, kms:VerifyMac]\n            Resource: '*'\n",
		"other": "              - Sid: Ring\n                Effect: Allow\n                Action: sqs:SendMessage\n" +
			"                Resource: !GetAtt Bell.Arn\n",
		"what is ours": "  # End of generated functions\n  Written: {Type: by people}\n",
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(got, want) {
				t.Errorf("the template lacks\n%s\n%s", want, got)
			}
		})
	}
	if strings.Contains(got, "/v1/old") {
		t.Errorf("the old route is still there:\n%s", got)
	}
	if again, err := deployed([]byte(got), nil, nil); err != nil || strings.Contains(string(again), "bikes") {
		t.Errorf("a group that went leaves something behind (%v):\n%s", err, again)
	}
}

// What a function isn't declared to need, it may not do.
func TestTheLeastThatAGroupMayDo(t *testing.T) {
	files, err := generate(project(t, newBikes, "description: Bikes.\nprefixes: [/v1/bikes]\n"))
	if err != nil {
		t.Fatal(err)
	}
	functions, _, _ := strings.Cut(string(files[templateFile]), "# End of generated functions")
	if got := strings.Count(functions, "Sid:"); got != 1 {
		t.Errorf("%d statements, want that of the log alone:\n%s", got, functions)
	}
}

func TestNoGroup(t *testing.T) {
	if _, err := generate(t.TempDir()); err == nil {
		t.Error("nobody minds")
	}
}

func TestWhatADeclarationMayNotSay(t *testing.T) {
	for name, declared := range map[string]string{
		"nothing":             "",
		"no description":      "prefixes: [/v1/bikes]",
		"no prefix":           "description: Bikes.",
		"a slash at the end":  "{description: Bikes., prefixes: [/v1/bikes/]}",
		"a parameter":         "{description: Bikes., prefixes: ['/v1/{id}']}",
		"a parameter first":   "{description: Bikes., prefixes: ['/{id}/bikes']}",
		"two parameters":      "{description: Bikes., prefixes: ['/v1/{shop}/{id}/bikes']}",
		"a greedy parameter":  "{description: Bikes., prefixes: ['/v1/{proxy+}/bikes']}",
		"a prefix twice":      "{description: Bikes., prefixes: [/v1/bikes, /v1/bikes]}",
		"another key":         "{description: Bikes., prefixes: [/v1/bikes], tables: [GetItem]}",
		"a wildcard":          "{description: Bikes., prefixes: [/v1/bikes], table: ['*']}",
		"a service":           "{description: Bikes., prefixes: [/v1/bikes], table: ['dynamodb:GetItem']}",
		"an index as a path":  "{description: Bikes., prefixes: [/v1/bikes], indexes: {'*': [cli]}}",
		"an unknown index":    "{description: Bikes., prefixes: [/v1/bikes], indexes: {lost: [cli]}}",
		"all of an index":     "{description: Bikes., prefixes: [/v1/bikes], indexes: {changes: []}}",
		"no kind of an index": "{description: Bikes., prefixes: [/v1/bikes], indexes: {changes: [bike]}}",
		"changes unread":      "{description: Bikes., prefixes: [/v1/bikes], table: [GetItem], reads: [pt#live], indexes: {changes: [pt]}}",
		"a directory alone":   "{description: Bikes., prefixes: [/v1/bikes], table: [GetItem], reads: [pt#dir], indexes: {changes: [pt]}}",
		"an unmerged kind":    "{description: Bikes., prefixes: [/v1/bikes], table: [GetItem], reads: [cli], indexes: {changes: [cli]}}",
		"an unknown name":     "{description: Bikes., prefixes: [/v1/bikes], table: [GetItem], reads: [bike]}",
		"a pattern":           "{description: Bikes., prefixes: [/v1/bikes], table: [GetItem], reads: ['T#*']}",
		"a name twice":        "{description: Bikes., prefixes: [/v1/bikes], table: [GetItem], reads: [cli, pt, cli]}",
		"reads of nothing":    "{description: Bikes., prefixes: [/v1/bikes], table: [GetItem]}",
		"writes of nothing":   "{description: Bikes., prefixes: [/v1/bikes], table: [GetItem, PutItem], reads: [cli]}",
		"reads without any":   "{description: Bikes., prefixes: [/v1/bikes], table: [PutItem], writes: [cli], reads: [cli]}",
		"the whole table":     "{description: Bikes., prefixes: [/v1/bikes], table: [GetItem, Scan], reads: [cli]}",
		"all folders":         "{description: Bikes., prefixes: [/v1/bikes], files: {folders: [''], actions: [GetObject]}}",
		"folders for nothing": "{description: Bikes., prefixes: [/v1/bikes], files: {folders: [t]}}",
		"a variable's value":  "{description: Bikes., prefixes: [/v1/bikes], environment: {BELL: 'https://bell.test'}}",
		"no variable":         "{description: Bikes., prefixes: [/v1/bikes], environment: {'bell ': Bell}}",
		"less than no memory": "{description: Bikes., prefixes: [/v1/bikes], memory: -1}",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := generate(packing(t, project(t, newBikes, declared))); err == nil {
				t.Error("nobody minds")
			}
		})
	}
}

// Which of two groups has a path has to be certain.
func TestOverlappingPrefixes(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want bool
	}{
		{"/v2/documents", "/v2/documents/{ref}/sign", false},
		{"/v2/documents/{ref}/sign", "/v2/documents/{ref}/sign/more", false},
		{"/v2/documents/{ref}/sign", "/v2/documents/{ref}/eds", false},
		{"/v2/documents/{ref}/sign", "/v2/documents/templates/sign/more", false},
		{"/v2/documents", "/v2/document", false},
		{"/v2/documents/templates", "/v2/documents/{ref}/sign", true},
		{"/v2/documents/{ref}/sign", "/v2/documents/templates/sign", true},
		{"/v2/documents/{ref}/sign", "/v2/documents/{id}/sign", true},
		{"/v2/documents/{ref}/sign", "/v2/documents/{id}/sign/more", true},
	} {
		if got := overlap(row.a, row.b); got != row.want {
			t.Errorf("%s and %s: %t", row.a, row.b, got)
		}
		if got := overlap(row.b, row.a); got != row.want {
			t.Errorf("%s and %s: %t", row.b, row.a, got)
		}
	}
	dir := withInvoked(t, newBikes, "description: Bikes.\nprefixes: [/v1/bikes/new]\n", "{description: Presses., prefixes: ['/v1/bikes/{id}/press']}")
	if _, err := generate(dir); err == nil || !strings.Contains(err.Error(), "within the other") {
		t.Errorf("nobody minds: %v", err)
	}
	beside := "{description: Presses., prefixes: ['/v1/bikes/{id}/press'], beside: [bikes], codes: [GenerateMac]}"
	if _, err := generate(withInvoked(t, newBikes, "description: Bikes.\nprefixes: [/v1/bikes/new]\n", beside)); err != nil {
		t.Errorf("it is said that neither serves what both have: %v", err)
	}
}

func TestATemplateWithoutMarks(t *testing.T) {
	for name, source := range map[string]string{
		"none":   "Resources: {}\n",
		"no end": strings.Replace(marks, "# End of generated routes", "", 1),
		"twice":  marks + marks,
		"wrong turn": strings.NewReplacer("# Begin of generated functions", "#", "# End of generated functions", "# Begin of generated functions").
			Replace(marks),
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := deployed([]byte(source), nil, nil); err == nil {
				t.Errorf("nobody minds:\n%s", got)
			}
		})
	}
}

// Whether the worker and who packs know a group is read from its source.
func TestWhatAGroupHas(t *testing.T) {
	for name, want := range map[string]group{
		"identity":  {Name: "identity", Work: []string{"Urgent"}},
		"tenants":   {Name: "tenants", Work: []string{"Urgent", "Work", "Bulk"}, Searched: true},
		"documents": {Name: "documents", Work: []string{"Urgent", "Work", "Bulk"}, Clerk: true, Searched: true},
		"seal":      {Name: "seal"},
	} {
		if got := read(root(t), name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// A function that searches, and the one that makes segments, have the memory for that unless their declarations say otherwise.
func TestMemoryOfWhatSearches(t *testing.T) {
	const line = "      MemorySize: 1769\n"
	for name, row := range map[string]struct {
		declaration string
		want        int
	}{
		"memory as it says":  {bikes, 1}, // of pack alone
		"memory of a search": {strings.Replace(bikes, "memory: 1024\n", "", 1), 2},
		"nothing searched":   {strings.NewReplacer("memory: 1024\n", "", "{changes: [pt], ", "{").Replace(bikes), 0},
	} {
		files, err := generate(packing(t, project(t, newBikes+"\nfunc f() { env.Keys.Sign() }\n", row.declaration)))
		if got := strings.Count(string(files[templateFile]), line); err != nil || got != row.want {
			t.Errorf("%s: %d functions have %q, %v", name, got, line, err)
		}
	}
}
