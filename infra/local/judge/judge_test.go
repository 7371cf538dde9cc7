package judge_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/tenantry/tenantry/infra/local/judge"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
)

// The function clients may read and write its own records, and read their files; missing may tell that a file isn't there.
const template = `
Resources:
  Clients: {Type: AWS::Serverless::Function, Properties: {CodeUri: functions/clients/lambda/, Role: !GetAtt ClientsRole.Arn}}
  ClientsRole:
    Type: AWS::IAM::Role
    Properties:
      Policies:
        - PolicyName: clients
          PolicyDocument:
            Version: '2012-10-17'
            Statement:
              - Sid: Reads
                Effect: Allow
                Action: [dynamodb:GetItem, dynamodb:BatchGetItem]
                Resource: !GetAtt Table.Arn
                Condition:
                  ForAllValues:StringLike: {dynamodb:LeadingKeys: ['T#*#cli', 'T#*#ctm']}
                  'Null': {dynamodb:LeadingKeys: 'false'}
              - Sid: Writes
                Effect: Allow
                Action: dynamodb:PutItem
                Resource: !GetAtt Table.Arn
                Condition: {ForAllValues:StringLike: {dynamodb:LeadingKeys: 'T#*#cli'}, 'Null': {dynamodb:LeadingKeys: 'false'}}
              - Sid: Files
                Effect: Allow
                Action: [s3:GetObject, s3:PutObject]
                Resource: [!Sub '${Bucket.Arn}/t/*', !Sub '${Bucket.Arn}/uploads/*']
              - {Sid: Codes, Effect: Allow, Action: kms:GenerateMac, Resource: !GetAtt CodeKey.Arn}
              - {Sid: Seals, Effect: Allow, Action: kms:Sign, Resource: !GetAtt SealKey.Arn}
  Other: {Type: AWS::Serverless::Function, Properties: {CodeUri: functions/other/lambda/, Role: !GetAtt OtherRole.Arn}}
  OtherRole:
    Type: AWS::IAM::Role
    Properties:
      Policies:
        - PolicyName: other
          PolicyDocument:
            Version: '2012-10-17'
            Statement:
              - {Sid: Files, Effect: Allow, Action: s3:GetObject, Resource: !Sub '${Bucket.Arn}/t/*'}
              - {Sid: Missing, Effect: Allow, Action: s3:ListBucket, Resource: !GetAtt Bucket.Arn}
              - {Sid: Queues, Effect: Allow, Action: sqs:SendMessage, Resource: [!GetAtt Normal.Arn, !GetAtt Bulk.Arn]}
              - {Sid: NoTopics, Effect: Deny, Action: sns:Publish, Resource: 'arn:aws:sns:*:*:*'}
  Table:
    Type: AWS::DynamoDB::Table
    Properties: {BillingMode: PAY_PER_REQUEST, KeySchema: [{AttributeName: pk, KeyType: HASH}]}
  Bucket: {Type: AWS::S3::Bucket, Properties: {}}
  BucketPolicy:
    Type: AWS::S3::BucketPolicy
    Properties:
      Bucket: !Ref Bucket
      PolicyDocument:
        Version: '2012-10-17'
        Statement:
          - {Effect: Deny, Principal: '*', Action: 's3:*', Resource: !Sub '${Bucket.Arn}/*', Condition: {Bool: {aws:SecureTransport: false}}}
          - {Effect: Deny, Principal: '*', Action: 's3:*', Resource: !Sub '${Bucket.Arn}/t/secret'}
  Normal: {Type: AWS::SQS::Queue, Properties: {}}
  Bulk: {Type: AWS::SQS::Queue, Properties: {}}
  CodeKey: {Type: AWS::KMS::Key, Properties: {}}
  SealKey:
    Type: AWS::KMS::Key
    Properties:
      KeyPolicy:
        Version: '2012-10-17'
        Statement:
          - {Sid: Seal, Effect: Allow, Principal: {AWS: !GetAtt OtherRole.Arn}, Action: kms:Sign, Resource: '*'}
`

// room is a judge before an engine that answers everything, and knows no file that is called none.
type room struct {
	*judge.Judge
	got []string // what reached the engine
}

func newRoom(t *testing.T) *room {
	t.Helper()
	r := &room{}
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Error(err)
		}
		r.got = append(r.got, fmt.Sprintf("%s %s %s %.20s", request.Method, request.Host, request.URL, body))
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		if strings.HasSuffix(request.URL.Path, "none") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(engine.Close)
	parsed, err := samtemplate.Parse([]byte(template))
	if err != nil {
		t.Fatal(err)
	}
	engines := map[string]string{}
	for _, service := range []string{"dynamodb", "s3", "kms", "sqs"} {
		engines[service] = engine.URL
	}
	r.Judge, err = judge.Open(judge.Options{
		Template: parsed, Region: "eu-central-1", Names: map[string]string{"Table": "t", "Bucket": "files"}, Engines: engines,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// config returns the configuration with which a function's clients reach the judge.
func (r *room) config(t *testing.T, group string) aws.Config {
	t.Helper()
	url, err := r.Listen(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	return aws.Config{
		Region: "eu-central-1", BaseEndpoint: aws.String(url), RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
	}
}

func byPath(o *s3.Options) { o.UsePathStyle = true }

func TestRequestsAreJudged(t *testing.T) {
	r := newRoom(t)
	config := r.config(t, "clients")
	db, files, keys := dynamodb.NewFromConfig(config), s3.NewFromConfig(config, byPath), kms.NewFromConfig(config)
	other := r.config(t, "other")
	others := s3.NewFromConfig(other, byPath)
	send := func(config aws.Config, queue string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := sqs.NewFromConfig(config).SendMessageBatch(ctx, &sqs.SendMessageBatchInput{
				QueueUrl: aws.String("https://sqs.invalid/123456789012/" + queue),
				Entries:  []sqstypes.SendMessageBatchRequestEntry{{Id: aws.String("0"), MessageBody: aws.String("x")}},
			})
			return err
		}
	}
	table, bucket := aws.String("t"), aws.String("files")
	item := func(pk string) map[string]types.AttributeValue {
		return map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: pk}}
	}
	get := func(client *s3.Client, key string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: aws.String(key)})
			return err
		}
	}
	sign := func(key string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := keys.Sign(ctx, &kms.SignInput{KeyId: aws.String(key), Message: []byte("x"), SigningAlgorithm: "ECDSA_SHA_256"})
			return err
		}
	}
	for _, c := range []struct {
		name, denial string
		call         func(context.Context) error
	}{
		{"what is allowed", "", func(ctx context.Context) error {
			_, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: item("T#7#cli")})
			return err
		}},
		{"another action", "clients may not dynamodb:DeleteItem on arn:aws:dynamodb:eu-central-1:123456789012:table/t with the keys T#7#cli " +
			"(no statement allows it)", func(ctx context.Context) error {
			_, err := db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: table, Key: item("T#7#cli")})
			return err
		}},
		{"another table", "clients may not dynamodb:PutItem on arn:aws:dynamodb:eu-central-1:123456789012:table/u", func(ctx context.Context) error {
			_, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("u"), Item: item("T#7#cli")})
			return err
		}},
		{"another prefix", "with the keys T#7#ctm", func(ctx context.Context) error {
			_, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: item("T#7#ctm")})
			return err
		}},
		{
			"one item of a batch", "dynamodb:BatchGetItem on arn:aws:dynamodb:eu-central-1:123456789012:table/t with the keys T#7#cli, U#1",
			func(ctx context.Context) error {
				_, err := db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
					"t": {Keys: []map[string]types.AttributeValue{item("T#7#cli"), item("U#1")}},
				}})
				return err
			},
		},
		{"one write of a transaction", "may not dynamodb:ConditionCheckItem", func(ctx context.Context) error {
			_, err := db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
				{Put: &types.Put{TableName: table, Item: item("T#7#cli")}},
				{ConditionCheck: &types.ConditionCheck{TableName: table, Key: item("T#7#cli"), ConditionExpression: aws.String("attribute_exists(pk)")}},
			}})
			return err
		}},
		{"a scan, which has no key", "dynamodb:Scan", func(ctx context.Context) error {
			_, err := db.Scan(ctx, &dynamodb.ScanInput{TableName: table})
			return err
		}},
		{"what isn't known", "make a request of dynamodb on POST / (ListTables is not known here)", func(ctx context.Context) error {
			_, err := db.ListTables(ctx, &dynamodb.ListTablesInput{})
			return err
		}},
		{"a file", "", get(files, "t/1/a")},
		{"a file elsewhere", "clients may not s3:GetObject on arn:aws:s3:::files/render/1/a", get(files, "render/1/a")},
		{"what the bucket denies", "the statement 2 denies it", get(files, "t/secret")},
		{"a file that isn't there", "clients may not s3:ListBucket on arn:aws:s3:::files", get(files, "t/none")},
		{"a key", "", func(ctx context.Context) error {
			_, err := keys.GenerateMac(ctx, &kms.GenerateMacInput{KeyId: aws.String("CodeKey"), Message: []byte("x"), MacAlgorithm: "HMAC_SHA_256"})
			return err
		}},
		{"a key that is another's", "clients may not kms:Sign on arn:aws:kms:eu-central-1:123456789012:key/SealKey", sign("SealKey")},
		{"a message", "", send(other, "Bulk")},
		{
			"a message to a queue of nobody", "other may not sqs:SendMessage on arn:aws:sqs:eu-central-1:123456789012:Bulk2",
			send(other, "Bulk2"),
		},
		{
			"a message of who sends none", "clients may not sqs:SendMessage on arn:aws:sqs:eu-central-1:123456789012:Normal",
			send(config, "Normal"),
		},
		{"a key of nobody", "every key has a policy", sign("Nobody")},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.Event(t.Name())
			before := len(r.got)
			err, reached := c.call(t.Context()), len(r.got) > before
			denials := r.Denials()
			if c.denial == "" && (err != nil || len(denials) > 0 || !reached) {
				t.Errorf("%v, %v", err, denials)
			}
			if c.denial == "" {
				return
			}
			if len(denials) != 1 || !strings.Contains(denials[0].String(), c.denial) || !strings.HasPrefix(denials[0].String(), t.Name()+": ") {
				t.Errorf("%v, want one with %q", denials, c.denial)
			}
			if said := fmt.Sprint(err); !strings.Contains(said, "AccessDenied") || reached && c.name != "a file that isn't there" {
				t.Errorf("%s; it reached the engine: %v", said, reached)
			}
		})
	}
	if err := get(others, "t/none")(t.Context()); err == nil || !strings.Contains(err.Error(), "404") || len(r.Denials()) > 0 {
		t.Errorf("a file that isn't there, of who may know: %v", err)
	}
}

// A client's request reaches the engine as it was signed, under the host that was signed.
func TestRequestsPassUnchanged(t *testing.T) {
	r := newRoom(t)
	config := r.config(t, "clients")
	host := strings.TrimPrefix(*config.BaseEndpoint, "http://")
	if _, err := s3.NewFromConfig(config, byPath).PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String("files"), Key: aws.String("t/1/ä b+c"), Body: strings.NewReader(strings.Repeat("x", 20)),
		ContentType: aws.String("text/plain"),
	}); err != nil {
		t.Fatal(err)
	}
	want := "PUT " + host + " /files/t/1/%C3%A4%20b%2Bc?x-id=PutObject "
	if len(r.got) != 1 || !strings.HasPrefix(r.got[0], want) {
		t.Errorf("%q, want %q", r.got, want)
	}
}

func TestPresignedRequestsAreJudged(t *testing.T) {
	r := newRoom(t)
	presign := s3.NewPresignClient(s3.NewFromConfig(r.config(t, "clients"), byPath))
	for key, allowed := range map[string]bool{"t/1/a": true, "temporary/1/a": false} {
		signed, err := presign.PresignPutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String("files"), Key: aws.String(key)})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Presigned(t.Context(), "clients", signed.Method, signed.URL); (err == nil) != allowed || (len(r.Denials()) == 0) != allowed {
			t.Errorf("%s: %v", key, err)
		}
		if err := r.Presigned(t.Context(), "other", signed.Method, signed.URL); err == nil || len(r.Denials()) != 1 {
			t.Errorf("%s, signed by who may only read: %v", key, err)
		}
	}
	if err := r.Presigned(t.Context(), "clients", http.MethodGet, "http://x/files/t/1/a"); err == nil {
		t.Error("a request that nobody signed")
	}
}

// Of what nobody used each right is told by itself: an action, a resource, a pattern of keys.
func TestRightsThatNothingUses(t *testing.T) {
	r := newRoom(t)
	config := r.config(t, "clients")
	if _, err := dynamodb.NewFromConfig(config).GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: aws.String("t"), Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "T#7#cli"}},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s3.NewFromConfig(config, byPath).GetObject(t.Context(), &s3.GetObjectInput{
		Bucket: aws.String("files"), Key: aws.String("uploads/1"),
	}); err != nil {
		t.Fatal(err)
	}
	const want = `clients Codes kms:GenerateMac
clients Files files/t/*
clients Files s3:PutObject
clients Reads dynamodb:BatchGetItem
clients Seals kms:Sign
clients Writes T#*#cli
clients Writes dynamodb:PutItem
other Files s3:GetObject
other Missing s3:ListBucket
other Queues Bulk
other Queues Normal
other Queues sqs:SendMessage
other SealKey.Seal kms:Sign`
	var got []string
	for _, right := range r.Unused() {
		got = append(got, right.String())
	}
	if strings.Join(got, "\n") != want {
		t.Errorf("unused:\n%s\nwant:\n%s", strings.Join(got, "\n"), want)
	}
}

func TestOpenRefusesWhatItCantJudge(t *testing.T) {
	parse := func(old, changed string) *samtemplate.Template {
		parsed, err := samtemplate.Parse([]byte(strings.ReplaceAll(template, old, changed)))
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for name, o := range map[string]judge.Options{
		"an operator":      {Template: parse("ForAllValues:StringLike", "StringNotLike")},
		"a key's policy":   {Template: parse("Action: kms:Sign, Resource: '*'", "NotAction: kms:Sign, Resource: '*'")},
		"a role elsewhere": {Template: parse("Role: !GetAtt OtherRole.Arn", "Role: 'arn:aws:iam::1:role/x'")},
		"an address":       {Template: parse("", ""), Engines: map[string]string{"s3": "localhost"}},
	} {
		if _, err := judge.Open(o); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	r := newRoom(t)
	if _, err := r.Listen(t.Context(), "nobody"); err == nil {
		t.Error("a function that the template doesn't have")
	}
}
