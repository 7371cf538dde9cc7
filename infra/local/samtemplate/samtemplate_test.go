package samtemplate_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/shared/table/keyspace"
)

const small = `
Parameters:
  Stage: {Type: String, Default: staging}
  Domain: {Type: String}
Globals:
  Function:
    Timeout: 29
    MemorySize: 512
    Environment: {Variables: {STAGE: !Ref Stage, TABLE_NAME: !Ref Table, FIXED: 'a', ANY: both}}
Resources:
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      StreamSpecification: {StreamViewType: KEYS_ONLY}
  First:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: functions/first/lambda/
      Timeout: 5
      Environment: {Variables: {DOMAIN: {Ref: Domain}, ARN: {'Fn::GetAtt': [Table, Arn]}, ANY: own, URL: !Sub 'https://${Domain}/${!x}'}}
  Guard:
    Type: AWS::Serverless::Function
    Properties: {CodeUri: functions/guard/lambda, Environment: {Variables: {QUEUE: !Ref Queue, CALLS: !Ref FirstAliaslive}}}
  Queue: {Type: AWS::SQS::Queue, Properties: {}}
  Api:
    Type: AWS::Serverless::HttpApi
    Properties:
      Auth:
        DefaultAuthorizer: G
        Authorizers: {G: {FunctionArn: !Sub '${Guard.Arn}:live', AuthorizerPayloadFormatVersion: '2.0', EnableSimpleResponses: true}}
      DefinitionBody:
        paths:
          /a:
            x-amazon-apigateway-any-method:
              x-amazon-apigateway-integration: &first {type: aws_proxy, payloadFormatVersion: '2.0', uri: !Sub 'arn:x/functions/${First.Arn}:live/invocations'}
          /open: {get: {security: [{NONE: []}], x-amazon-apigateway-integration: *first}}
`

func parse(t *testing.T, source string) *samtemplate.Template {
	t.Helper()
	template, err := samtemplate.Parse([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return template
}

func TestFunctionsTakeTheGlobalsUnlessTheySayOtherwise(t *testing.T) {
	template := parse(t, small)
	first, guard := template.Functions["First"], template.Functions["Guard"]
	if first.Group() != "first" || guard.Group() != "guard" {
		t.Errorf("groups %q, %q", first.Group(), guard.Group())
	}
	if first.Timeout != 5*time.Second || guard.Timeout != 29*time.Second || first.MemoryMB != 512 {
		t.Errorf("limits %v, %v, %d", first.Timeout, guard.Timeout, first.MemoryMB)
	}
}

func TestEnvironmentIsResolved(t *testing.T) {
	template := parse(t, small)
	values := map[string]string{"Table": "t1", "Table.Arn": "arn:t1", "Domain": "example.com"}
	got, err := template.Environment("First", values)
	want := map[string]string{
		"STAGE": "staging", "TABLE_NAME": "t1", "FIXED": "a", "ANY": "own",
		"DOMAIN": "example.com", "ARN": "arn:t1", "URL": "https://example.com/${x}",
	}
	if err != nil || !maps.Equal(got, want) {
		t.Fatalf("%v, %v; want %v", got, err, want)
	}
	values["Stage"] = "local"
	if got, err := template.Environment("Guard", values); err != nil || got["STAGE"] != "local" || got["ANY"] != "both" {
		t.Fatalf("%v, %v", got, err)
	} else if want := "https://sqs.invalid/123456789012/Queue"; got["QUEUE"] != want || template.ARNs("local", nil)["Queue"] != want {
		t.Fatalf("a queue is at %s, want %s", got["QUEUE"], want)
	} else if want := "arn:aws:lambda:local:123456789012:function:First:live"; got["CALLS"] != want ||
		template.ARNs("local", nil)["FirstAliaslive"] != want {
		t.Fatalf("a function is called as %s, want %s", got["CALLS"], want)
	}
	delete(values, "Domain")
	if _, err := template.Environment("First", values); err == nil || !strings.Contains(err.Error(), "Domain") {
		t.Fatalf("a value that nothing gives: %v", err)
	}
	if _, err := template.Environment("None", values); err == nil {
		t.Fatal("an unknown function has an environment")
	}
}

func TestRoutes(t *testing.T) {
	want := []samtemplate.Route{
		{Path: "/a", Method: "ANY", Function: "First", Authorizer: "Guard"},
		{Path: "/open", Method: "GET", Function: "First"},
	}
	if got := parse(t, small).Routes; !slices.Equal(got, want) {
		t.Fatalf("%+v, want %+v", got, want)
	}
}

// An index that another replaces is there only while a parameter says so.
func TestAnIndexUnderACondition(t *testing.T) {
	const index = "\n      GlobalSecondaryIndexes: [!If [Keeps, {IndexName: old}, !Ref AWS::NoValue], {IndexName: new}]"
	source := strings.Replace(small, "PAY_PER_REQUEST", "PAY_PER_REQUEST"+index, 1)
	for conditions, want := range map[string][]string{
		"Conditions: {Keeps: !Equals [!Ref Stage, 'true']}\n":    {"new"},
		"Conditions: {Keeps: !Equals [!Ref Stage, 'staging']}\n": {"old", "new"},
	} {
		table, err := parse(t, conditions+source).Table()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range table.GlobalSecondaryIndexes {
			got = append(got, aws.ToString(i.IndexName))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", conditions, got, want)
		}
	}
	if _, err := parse(t, source).Table(); err == nil || !strings.Contains(err.Error(), "no condition Keeps") {
		t.Errorf("without the condition: %v", err)
	}
}

func TestWhatIsNotUnderstoodIsAnError(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"routes as events", "Properties: {CodeUri: functions/guard/lambda,", "Properties: {CodeUri: f, Events: {E: {Type: HttpApi}},", "DefinitionBody"},
		{"no code", "CodeUri: functions/first/lambda/", "Description: x", "CodeUri"},
		{"unknown function in a uri", "${First.Arn}", "${Fist.Arn}", "Fist"},
		{"uri without a function", "/functions/${First.Arn}:live/invocations", "/x", "names no function"},
		{"an alias of nothing", "*first", "*second", "unknown anchor"},
		{"a reference, which SAM's tools don't understand", "*first", "{$ref: '#/components/first'}", "aws_proxy"},
		{"payload 1.0", "type: aws_proxy, payloadFormatVersion: '2.0'", "type: aws_proxy, payloadFormatVersion: '1.0'", "payload 2.0"},
		{"a function without its alias", "First.Arn}:live/", "First.Arn}/", "no function's alias"},
		{"unknown authorizer", "${Guard.Arn}", "${Card.Arn}", "authorizer G"},
		{"an authorizer without its alias", "'${Guard.Arn}:live'", "'${Guard.Arn}'", "authorizer G"},
		{"policy answers", "EnableSimpleResponses: true", "EnableSimpleResponses: false", "simple responses"},
		{"a key twice", "Timeout: 5", "Timeout: 5\n      Timeout: 6", "already defined"},
		{"no number", "Timeout: 5", "Timeout: soon", "Timeout"},
		{"not YAML", "Parameters:", "\tParameters:", "yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := strings.ReplaceAll(small, c.old, c.new)
			if source == small {
				t.Fatal("the case changes nothing")
			}
			if _, err := samtemplate.Parse([]byte(source)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
		})
	}
	if _, err := parse(t, strings.Replace(small, "!Ref Table", "!FindInMap [a, b, c]", 1)).Environment("Guard", nil); err == nil ||
		!strings.Contains(err.Error(), "!FindInMap") {
		t.Fatalf("an unknown intrinsic in the environment: %v", err)
	}
	if _, err := parse(t, small).Bucket(); err == nil {
		t.Fatal("a bucket out of nowhere")
	}
	if _, err := parse(t, strings.Replace(small, "PAY_PER_REQUEST", "PROVISIONED", 1)).Table(); err == nil {
		t.Fatal("a provisioned table")
	}
	if _, err := samtemplate.Load(filepath.Join(t.TempDir(), "none.yaml")); err == nil {
		t.Fatal("a template out of nowhere")
	}
}

// TestTheProjectsOwnTemplate keeps the local platform able to read what is deployed.
func TestTheProjectsOwnTemplate(t *testing.T) {
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	template, err := samtemplate.Load(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{
		"Table": "t", "Bucket": "b", "SigningKey": "s", "CodeKey": "c", "RefreshKey": "r", "ChainKey": "h", "HookKey": "k", "SealKey": "e", "PlatformDomain": "d", "MailFrom": "m",
		"Api": "a", "AWS::Region": "r", "AWS::URLSuffix": "u",
	}
	for name, f := range template.Functions {
		values[name] = f.Group()
	}
	for name, f := range template.Functions {
		env, err := template.Environment(name, values)
		if err != nil {
			t.Error(err)
		}
		if env["TABLE_NAME"] != "t" || env["BUCKET_NAME"] != "b" {
			t.Errorf("%s: environment %v", name, env)
		}
		if info, err := os.Stat(filepath.Join(root, "functions", f.Group())); err != nil || !info.IsDir() {
			t.Errorf("%s: no folder of its group %q", name, f.Group())
		}
	}
	paths := map[string]string{}
	for _, r := range template.Routes {
		if r.Method != "ANY" || r.Authorizer != "AuthorizerFunction" {
			t.Errorf("route %+v", r)
		}
		paths[r.Path] = r.Function
	}
	for path := range paths {
		if prefix, ok := strings.CutSuffix(path, "/{proxy+}"); ok && paths[prefix] != paths[path] {
			t.Errorf("%s goes to %s, %s to %s", path, paths[path], prefix, paths[prefix])
		}
	}
	if paths["$default"] != "FallbackFunction" || paths["/v2/documents/{proxy+}"] != "DocumentsFunction" {
		t.Errorf("routes %v", paths)
	}
	table, err := template.Table()
	if err != nil {
		t.Fatal(err)
	}
	if len(table.KeySchema) != 2 || aws.ToString(table.KeySchema[0].AttributeName) != "pk" ||
		table.KeySchema[0].KeyType != types.KeyTypeHash ||
		len(table.GlobalSecondaryIndexes) != len(keyspace.Indexes()) || table.StreamSpecification != nil || table.TableName != nil {
		t.Errorf("table %+v", table)
	}
	for i, want := range keyspace.Indexes() {
		index := table.GlobalSecondaryIndexes[i]
		if aws.ToString(index.IndexName) != want.Name || aws.ToString(index.KeySchema[0].AttributeName) != want.Hash ||
			aws.ToString(index.KeySchema[1].AttributeName) != want.Sort || !slices.Equal(index.Projection.NonKeyAttributes, want.Holds) {
			t.Errorf("index %+v, registered as %+v", index, want)
		}
		if got := slices.ContainsFunc(table.AttributeDefinitions, func(a types.AttributeDefinition) bool {
			return aws.ToString(a.AttributeName) == want.Sort && a.AttributeType == types.ScalarAttributeTypeN
		}); got != want.Number {
			t.Errorf("%s is a number: %t, registered: %t", want.Sort, got, want.Number)
		}
	}
	bucket, err := template.Bucket()
	for _, folder := range keyspace.Folders() {
		if bucket.Ends[folder.Name+"/"] != folder.Days {
			t.Errorf("%s ends after %d days, registered with %d", folder.Name, bucket.Ends[folder.Name+"/"], folder.Days)
		}
		if bucket.Old[folder.Name+"/"] != folder.Old {
			t.Errorf("what is old in %s ends after %d days, registered with %d", folder.Name, bucket.Old[folder.Name+"/"], folder.Old)
		}
	}
	if err != nil || !bucket.Versioned || len(bucket.CORS) == 0 || len(bucket.CORS[0].AllowedMethods) == 0 {
		t.Errorf("bucket %+v, %v", bucket, err)
	}
}
