package samtemplate_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/policy"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
)

const roles = `
Parameters:
  Provider: {Type: String, Default: none}
  Sender: {Type: String, Default: a@example.com}
  Keys: {Type: String, Default: ''}
Conditions:
  Sends: !And [!Equals [!Ref Provider, sns], !Not [!Equals [!Ref Sender, '']]]
  HasKeys: !Not [!Condition NoKeys]
  NoKeys: !Or [!Equals [!Ref Keys, ''], !Equals [!Ref Keys, none]]
Resources:
  First: {Type: AWS::Serverless::Function, Properties: {CodeUri: functions/first/lambda/, Role: !GetAtt FirstRole.Arn}}
  FirstRole:
    Type: AWS::IAM::Role
    Properties:
      Policies:
        - PolicyName: first
          PolicyDocument:
            Version: '2012-10-17'
            Statement:
              - Sid: Table
                Effect: Allow
                Action: dynamodb:GetItem
                Resource: [!GetAtt Table.Arn, !Sub '${Table.Arn}/index/x', !Ref AWS::NoValue]
              - Sid: Mail
                Effect: Allow
                Action: ses:SendEmail
                Resource: !Sub ['arn:aws:ses:${AWS::Region}:${AWS::AccountId}:identity/${D}', {D: !Select [1, !Split ['@', !Ref Sender]]}]
              - Sid: Keys
                Effect: Allow
                Action: kms:Sign
                Resource: !If [HasKeys, !Split [',', !Ref Keys], !Join ['', [!GetAtt Key.Arn]]]
  More:
    Type: AWS::IAM::RolePolicy
    Condition: Sends
    Properties: {RoleName: !Ref FirstRole, PolicyName: more, PolicyDocument: {Version: '2012-10-17', Statement: []}}
  Other:
    Type: AWS::IAM::RolePolicy
    Properties: {RoleName: !Ref OtherRole, PolicyName: other, PolicyDocument: {Version: '2012-10-17', Statement: []}}
  OtherRole: {Type: AWS::IAM::Role, Properties: {}}
  Table: {Type: AWS::DynamoDB::Table, Properties: {}}
  Key: {Type: AWS::KMS::Key, Properties: {}}
  Own: {Type: AWS::KMS::Key, Properties: {KeyPolicy: {Statement: [{Principal: {AWS: !GetAtt FirstRole.Arn}}]}}}
  Bucket: {Type: AWS::S3::Bucket, Properties: {}}
  BucketPolicy: {Type: AWS::S3::BucketPolicy, Properties: {Bucket: !Ref Bucket, PolicyDocument: {Statement: [!Sub '${Bucket.Arn}/*']}}}
`

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestARoleAndItsPolicies(t *testing.T) {
	template := parse(t, roles)
	values := template.ARNs("eu-central-1", map[string]string{"Table": "t1", "FirstRole": "first", "Provider": "none"})
	role, err := template.Role("First", values)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"first":{"Statement":[` +
		`{"Action":"dynamodb:GetItem","Effect":"Allow","Resource":["arn:aws:dynamodb:eu-central-1:123456789012:table/t1",` +
		`"arn:aws:dynamodb:eu-central-1:123456789012:table/t1/index/x"],"Sid":"Table"},` +
		`{"Action":"ses:SendEmail","Effect":"Allow","Resource":"arn:aws:ses:eu-central-1:123456789012:identity/example.com","Sid":"Mail"},` +
		`{"Action":"kms:Sign","Effect":"Allow","Resource":"arn:aws:kms:eu-central-1:123456789012:key/Key","Sid":"Keys"}],` +
		`"Version":"2012-10-17"}}`
	if got := asJSON(t, role.Policies); got != want || role.ARN != "arn:aws:iam::123456789012:role/first" {
		t.Errorf("%s has %s, want %s", role.ARN, got, want)
	}
	values["Provider"], values["Keys"] = "sns", "arn:a,arn:b"
	if role, err = template.Role("First", values); err != nil || role.Policies["more"] == nil || role.Policies["other"] != nil {
		t.Errorf("policies %v, %v", role.Policies, err)
	}
	if got := asJSON(t, role.Policies["first"]); !strings.Contains(got, `"Resource":["arn:a","arn:b"]`) {
		t.Errorf("keys of the parameter: %s", got)
	}
	got, err := template.ResourcePolicies(values)
	const account = `{"Action":"kms:*","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:root"},"Resource":"*"}`
	for of, want := range map[string]string{
		"arn:aws:s3:::Bucket":                           `{"Statement":["arn:aws:s3:::Bucket/*"]}`,
		"arn:aws:kms:eu-central-1:123456789012:key/Key": `{"Statement":[` + account + `],"Version":"2012-10-17"}`,
		"arn:aws:kms:eu-central-1:123456789012:key/Own": `{"Statement":[{"Principal":{"AWS":"arn:aws:iam::123456789012:role/first"}}]}`,
	} {
		if err != nil || asJSON(t, got[of]) != want {
			t.Errorf("%s: %s, %v; want %s", of, asJSON(t, got[of]), err, want)
		}
	}
}

// A policy beside a role is one of those that it names.
func TestAPolicyBesideARole(t *testing.T) {
	template := parse(t, roles+`
  Beside:
    Type: AWS::IAM::ManagedPolicy
    Properties:
      Roles: [!Ref FirstRole]
      PolicyDocument: {Statement: [!Ref Table]}
  Others:
    Type: AWS::IAM::ManagedPolicy
    Properties:
      Roles: [!Ref Table]
      PolicyDocument: {Statement: []}
`)
	role, err := template.Role("First", template.ARNs("r", map[string]string{"Table": "t1", "Provider": "none"}))
	if err != nil || asJSON(t, role.Policies["Beside"]) != `{"Statement":["t1"]}` || role.Policies["Others"] != nil {
		t.Errorf("policies %v, %v", role.Policies, err)
	}
}

func TestWhatIsNotUnderstoodOfARoleIsAnError(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"no role", "Role: !GetAtt FirstRole.Arn", "Role: 'arn:aws:iam::1:role/x'", "none of the template"},
		{"a boundary", "      Policies:", "      PermissionsBoundary: a\n      Policies:", "of its own"},
		{"a policy of AWS", "      Policies:", "      ManagedPolicyArns: [a]\n      Policies:", "of its own"},
		{"a policy of another kind", "Type: AWS::IAM::RolePolicy", "Type: AWS::IAM::Policy", "not known"},
		{"one beside it, at times", "Type: AWS::IAM::RolePolicy", "Type: AWS::IAM::ManagedPolicy", "with a condition"},
		{"an unknown condition", "Condition: Sends", "Condition: Sent", "no condition Sent"},
		{"half a condition", "!Equals [!Ref Provider, sns]", "!Equals [!Ref Provider]", "!Equals is not understood"},
		{"an unknown resource", "!GetAtt Table.Arn", "!GetAtt Tabel.Arn", "Tabel.Arn"},
		{"too few parts", "!Select [1,", "!Select [2,", "out of 2"},
		{"an unknown function", "!Ref AWS::NoValue", "!FindInMap [a, b, c]", "!FindInMap"},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := strings.ReplaceAll(roles, c.old, c.new)
			if source == roles {
				t.Fatal("the case changes nothing")
			}
			template := parse(t, source)
			_, err := template.Role("First", template.ARNs("r", nil))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// Every policy of the project's template can be judged.
func TestTheProjectsPoliciesAreUnderstood(t *testing.T) {
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	template, err := samtemplate.Load(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	values := template.ARNs("eu-central-1", map[string]string{"MailFrom": "noreply@example.com", "SmsProvider": "sns"})
	for function := range template.Functions {
		role, err := template.Role(function, values)
		if err != nil || len(role.Policies) == 0 {
			t.Errorf("%s: %v", function, err)
		}
		for name, tree := range role.Policies {
			if _, err := policy.Parse(name, policy.OfRole, tree); err != nil {
				t.Errorf("%s: %v", function, err)
			}
		}
	}
	of, err := template.ResourcePolicies(values)
	if err != nil {
		t.Fatal(err)
	}
	for name, tree := range of {
		if _, err := policy.Parse(name, policy.OfResource, tree); err != nil {
			t.Error(err)
		}
	}
}
