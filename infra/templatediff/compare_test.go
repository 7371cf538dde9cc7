package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// small is a template with one of each that a rule looks at.
const small = `
Parameters:
  Stage: {Type: String}
  Keep: {Type: String, Default: 'false'}
Conditions:
  Keeps: !Equals [!Ref Keep, 'true']
Globals:
  Function:
    Environment:
      Variables: {STAGE: !Ref Stage, TABLE_NAME: !Ref Table}
Resources:
  OneFunction:
    Type: AWS::Serverless::Function
    Properties:
      Role: !GetAtt OneRole.Arn
      Environment:
        Variables: {OWN: x}
  OneRole:
    Type: AWS::IAM::Role
    Properties:
      Policies:
        - PolicyName: one
          PolicyDocument:
            Statement:
              - Effect: Allow
                Action: [dynamodb:GetItem, dynamodb:PutItem]
                Resource: !GetAtt Table.Arn
                Condition:
                  ForAllValues:StringLike: {dynamodb:LeadingKeys: [T#*#cli, T#*#ord#*]}
                  'Null': {dynamodb:LeadingKeys: 'false'}
              - Effect: Allow
                Action: s3:GetObject
                Resource: [!Sub '${Bucket.Arn}/t/*']
              - !If
                - Keeps
                - {Effect: Allow, Action: dynamodb:Query, Resource: !Sub '${Table.Arn}/index/old'}
                - !Ref AWS::NoValue
  OneMore:
    Type: AWS::IAM::RolePolicy
    Condition: Keeps
    Properties:
      RoleName: !Ref OneRole
      PolicyDocument:
        Statement:
          - {Effect: Allow, Action: sns:Publish, Resource: '*'}
          - {Effect: Deny, Action: sns:Publish, Resource: !Sub 'arn:aws:sns:*'}
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - {AttributeName: pk, AttributeType: S}
        - {AttributeName: ix, AttributeType: S}
      KeySchema:
        - {AttributeName: pk, KeyType: HASH}
      GlobalSecondaryIndexes:
        - IndexName: changes
          KeySchema:
            - {AttributeName: ix, KeyType: HASH}
          Projection: {ProjectionType: INCLUDE, NonKeyAttributes: [x, y]}
        - !If
          - Keeps
          - IndexName: old
            KeySchema:
              - {AttributeName: pk, KeyType: HASH}
            Projection: {ProjectionType: KEYS_ONLY}
          - !Ref AWS::NoValue
  Bucket:
    Type: AWS::S3::Bucket
    Properties: {BucketEncryption: none}
  BucketPolicy:
    Type: AWS::S3::BucketPolicy
    Properties:
      PolicyDocument:
        Statement:
          - {Effect: Deny, Principal: '*', Action: s3:*, Resource: !GetAtt Bucket.Arn, Condition: {Bool: {aws:SecureTransport: false}}}
  Key:
    Type: AWS::KMS::Key
    Properties:
      KeySpec: HMAC_256
      KeyPolicy:
        Statement:
          - {Effect: Allow, Principal: {AWS: !GetAtt OneRole.Arn}, Action: [kms:Sign, kms:GetPublicKey], Resource: '*'}
  Queue:
    Type: AWS::SQS::Queue
    Properties: {QueueName: !Sub '${AWS::StackName}-normal', VisibilityTimeout: 360}
`

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name     string
		old, new string // of small, replaced
		refused  []string
	}{
		{name: "nothing", old: "Keep: ", new: "Keep: "},

		{name: "a variable is renamed", old: "{OWN: x}", new: "{MINE: x}", refused: []string{"variable OWN of OneFunction"}},
		{name: "a variable of all is gone", old: "STAGE: !Ref Stage, ", refused: []string{"variable STAGE of all functions"}},
		{name: "a variable is added", old: "{OWN: x}", new: "{OWN: x, MINE: y}"},
		{name: "a variable has another value", old: "{OWN: x}", new: "{OWN: y}"},
		{name: "a variable of one becomes one of all", old: "{STAGE: !Ref Stage,", new: "{OWN: z, STAGE: !Ref Stage,"},
		{name: "a variable goes with its function", old: "Type: AWS::Serverless::Function", new: "Type: AWS::SNS::Topic"},

		{name: "a parameter is gone", old: "  Stage: {Type: String}\n", refused: []string{"parameter Stage"}},
		{name: "a parameter is added", old: "Parameters:\n", new: "Parameters:\n  More: {Type: String}\n"},

		{name: "an action is gone", old: "[dynamodb:GetItem, dynamodb:PutItem]", new: "dynamodb:GetItem", refused: []string{
			"right of OneRole: dynamodb:PutItem on ${Table.Arn}",
		}},
		{name: "a leading key is gone", old: ", T#*#ord#*]", new: "]", refused: []string{
			"right of OneRole: dynamodb:GetItem on ${Table.Arn} for T#*#ord#*", "right of OneRole: dynamodb:PutItem on ${Table.Arn} for T#*#ord#*",
		}},
		{name: "a leading key is narrower", old: "[T#*#cli, T#*#ord#*]", new: "[T#*#cli, T#*#ord#1*]", refused: []string{
			"right of OneRole: dynamodb:GetItem on ${Table.Arn} for T#*#ord#*", "right of OneRole: dynamodb:PutItem on ${Table.Arn} for T#*#ord#*",
		}},
		{name: "a leading key is wider", old: "T#*#ord#*]", new: "T#*#ord*, T#*#new]"},
		{name: "a resource is gone", old: "[!Sub '${Bucket.Arn}/t/*']", new: "[!Sub '${Bucket.Arn}/u/*']", refused: []string{
			"right of OneRole: s3:GetObject on ${Bucket.Arn}/t/*",
		}},
		{name: "a resource is wider", old: "[!Sub '${Bucket.Arn}/t/*']", new: "!Sub '${Bucket.Arn}/*'"},
		{
			name: "what was all of a resource is two parts of it", old: "[!Sub '${Bucket.Arn}/t/*']", new: "[!Sub '${Bucket.Arn}/t/a*', !Sub '${Bucket.Arn}/*/b']",
			refused: []string{"right of OneRole: s3:GetObject on ${Bucket.Arn}/t/*"},
		},
		{name: "an action is wider", old: "Action: s3:GetObject", new: "Action: s3:Get*"},
		{
			name: "a condition is added", old: "Action: s3:GetObject\n", new: "Action: s3:GetObject\n                Condition: {Bool: {a: b}}\n",
			refused: []string{"right of OneRole: s3:GetObject on ${Bucket.Arn}/t/*"},
		},
		{name: "a condition is taken away", old: "                  'Null': {dynamodb:LeadingKeys: 'false'}\n"},
		{name: "a policy under a condition is always there", old: "    Condition: Keeps\n", refused: []string{
			"right of OneRole: sns:Publish on arn:aws:sns:* is denied",
		}},
		{name: "its condition holds for less", old: "[!Ref Keep, 'true']", new: "[!Ref Keep, 'sometimes']", refused: []string{
			"index old of Table", "right of OneRole: dynamodb:Query on ${Table.Arn}/index/old", "right of OneRole: sns:Publish on *",
			"right of OneRole: sns:Publish on arn:aws:sns:* is denied",
		}},
		{name: "a policy that names the role is gone", old: "RoleName: !Ref OneRole", new: "RoleName: other", refused: []string{
			"right of OneRole: sns:Publish on *",
		}},
		{name: "more is denied", old: "'arn:aws:sns:*'", new: "'*'", refused: []string{"right of OneRole: sns:Publish on * is denied"}},
		{name: "less is denied", old: "'arn:aws:sns:*'", new: "'arn:aws:sns:1*'"},
		{name: "a function has another role", old: "Role: !GetAtt OneRole.Arn", new: "Role: !GetAtt NoRole.Arn", refused: []string{
			"right of OneRole: dynamodb:GetItem on ${Table.Arn}", "right of OneRole: dynamodb:PutItem on ${Table.Arn}",
			"right of OneRole: dynamodb:Query on ${Table.Arn}/index/old", "right of OneRole: s3:GetObject on ${Bucket.Arn}/t/*",
			"right of OneRole: sns:Publish on *",
		}},
		{name: "a key is for others", old: "{AWS: !GetAtt OneRole.Arn}", new: "{AWS: !GetAtt TwoRole.Arn}", refused: []string{
			"right of Key: kms:GetPublicKey on * by AWS ${OneRole.Arn}", "right of Key: kms:Sign on * by AWS ${OneRole.Arn}",
		}},
		{name: "a key is for more", old: "{AWS: !GetAtt OneRole.Arn}", new: "{AWS: [!GetAtt TwoRole.Arn, !GetAtt OneRole.Arn]}"},
		{name: "a bucket denies more", old: ", Condition: {Bool: {aws:SecureTransport: false}}", refused: []string{
			"right of BucketPolicy: s3:* on ${Bucket.Arn} by * is denied",
		}},

		{name: "an index is gone", old: "IndexName: changes", new: "IndexName: changed", refused: []string{
			"2 indexes of Table at once", "index changes of Table",
		}},
		{name: "an index has other keys", old: "{AttributeName: ix, KeyType: HASH}", new: "{AttributeName: iy, KeyType: HASH}", refused: []string{
			"index changes of Table",
		}},
		{name: "an index holds less", old: "[x, y]", new: "[x]", refused: []string{"index changes of Table"}},
		{name: "an index holds the same", old: "[x, y]", new: "[y, x]"},
		{name: "a kept index is gone", old: "IndexName: old", new: "Nothing: old", refused: []string{"index old of Table"}},
		{name: "an index goes under a condition", old: smallChanges, new: smallChangesIf, refused: []string{"index changes of Table"}},
		{name: "an index is added", old: smallChanges, new: smallChanges + smallAdded},

		{
			name: "a table has another key", old: "{AttributeName: pk, KeyType: HASH}\n      Global", new: "{AttributeName: id, KeyType: HASH}\n      Global",
			refused: []string{"KeySchema of Table"},
		},
		{name: "a key attribute has another type", old: "pk, AttributeType: S", new: "pk, AttributeType: N", refused: []string{"attribute pk of Table"}},
		{name: "a table gets a name", old: "BillingMode: PAY", new: "TableName: mine\n      BillingMode: PAY", refused: []string{"TableName of Table"}},
		{name: "a table is paid otherwise", old: "PAY_PER_REQUEST", new: "PROVISIONED"},
		{name: "a bucket has another id", old: "  Bucket:\n", new: "  Files:\n", refused: []string{"removed Bucket"}},
		{name: "a bucket is something else", old: "Type: AWS::S3::Bucket\n", new: "Type: AWS::S3Express::DirectoryBucket\n", refused: []string{
			"type of Bucket",
		}},
		{name: "a bucket is encrypted", old: "BucketEncryption: none", new: "BucketEncryption: some"},
		{name: "a key is of another kind", old: "HMAC_256", new: "HMAC_512", refused: []string{"KeySpec of Key"}},
		{name: "a queue has another name", old: "-normal'", new: "-other'", refused: []string{"QueueName of Queue"}},
		{name: "a queue is under a condition", old: "Type: AWS::SQS::Queue", new: "Type: AWS::SQS::Queue\n    Condition: Keeps", refused: []string{
			"condition of Queue",
		}},
		{name: "a queue waits longer", old: "VisibilityTimeout: 360", new: "VisibilityTimeout: 400"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(small, test.old) {
				t.Fatalf("the template doesn't hold %q", test.old)
			}
			refused, err := compare([]byte(small), []byte(strings.Replace(small, test.old, test.new, 1)))
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, r := range refused {
				if r.why == "" || r.first == "" || r.second == "" {
					t.Errorf("%s: doesn't say why, or what to do", r.change)
				}
				names = append(names, r.change)
			}
			if !slices.Equal(names, test.refused) {
				t.Errorf("refused\n  %s\nwant\n  %s", strings.Join(names, "\n  "), strings.Join(test.refused, "\n  "))
			}
		})
	}
}

const (
	smallChanges = `        - IndexName: changes
          KeySchema:
            - {AttributeName: ix, KeyType: HASH}
          Projection: {ProjectionType: INCLUDE, NonKeyAttributes: [x, y]}
`
	smallChangesIf = `        - !If
          - Keeps
          - IndexName: changes
            KeySchema:
              - {AttributeName: ix, KeyType: HASH}
            Projection: {ProjectionType: INCLUDE, NonKeyAttributes: [x, y]}
          - !Ref AWS::NoValue
`
	smallAdded = `        - IndexName: more
          KeySchema:
            - {AttributeName: ix, KeyType: HASH}
          Projection: {ProjectionType: KEYS_ONLY}
`
)

// The rules know all that the real template is made of: it may follow itself, and each right in it is seen when it goes.
func TestTheRealTemplate(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("..", "..", "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	refused, err := compare(source, source)
	if err != nil || len(refused) > 0 {
		t.Fatalf("%v, %v", refused, err)
	}
	for _, planted := range []struct{ old, new, refused string }{
		{"TABLE_NAME: ", "TABLE: ", "variable TABLE_NAME of all functions"},
		{"[F#*, K#*, U#*]", "[F#*, U#*]", "right of AuthorizerRole: dynamodb:BatchGetItem on ${Table.Arn} for K#*"},
		{"IndexName: pending", "IndexName: waiting", "index pending of Table"},
		{"  SealKey:\n", "  SealingKey:\n", "removed SealKey"},
		{"  MailDaily:\n", "  MailsDaily:\n", "parameter MailDaily"},
	} {
		changed := strings.Replace(string(source), planted.old, planted.new, 1)
		refused, err := compare(source, []byte(changed))
		if err != nil || !slices.ContainsFunc(refused, func(r refusal) bool { return r.change == planted.refused }) {
			t.Errorf("%s: not found among %v, %v", planted.refused, refused, err)
		}
	}
}
