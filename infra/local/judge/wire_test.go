package judge

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	sestypes "github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/tenantry/tenantry/shared/invoke/awslambda"
)

var known = names{
	region: "eu-central-1", account: "123456789012", table: "t", bucket: "files",
	hashes: map[string]string{"": "pk", "changes": "ix"},
}

// wire reads requests of real clients, and answers each with an error that ends the call.
type wire struct {
	config aws.Config
	read   []string
}

func newWire(t *testing.T) *wire {
	t.Helper()
	w := &wire{}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		of := service(r)
		body, err := whole(r, of)
		if err != nil {
			t.Error(err)
		}
		asked, err := known.read(r, of, body)
		w.read = nil
		if err != nil {
			w.read = append(w.read, "error: "+err.Error())
		}
		for _, a := range asked {
			text := a.Action + " " + strings.NewReplacer("arn:aws:", "", ":eu-central-1:123456789012:", "::").Replace(a.Resource)
			for _, key := range []string{leadingKeys, "ses:FromAddress"} {
				if values := a.Context[key]; len(values) > 0 {
					text += " " + strings.Join(values, ",")
				}
			}
			w.read = append(w.read, text)
		}
		refuse(rw, of, "this")
	}))
	t.Cleanup(server.Close)
	w.config = aws.Config{
		Region: "eu-central-1", BaseEndpoint: aws.String(server.URL), RetryMaxAttempts: 1, HTTPClient: http.DefaultClient,
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", "session"),
	}
	return w
}

func key(pk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": text1(pk), "sk": text1("-")}
}

func text1(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func TestWhatRequestsAskFor(t *testing.T) {
	w := newWire(t)
	table, db, files := aws.String("t"), dynamodb.NewFromConfig(w.config), s3.NewFromConfig(w.config, func(o *s3.Options) { o.UsePathStyle = true })
	const at = "dynamodb::table/t"
	name := func(s string) *string { return aws.String(s) }
	for _, c := range []struct {
		name string
		call func(context.Context) error
		want []string
	}{
		{"get", func(ctx context.Context) error {
			_, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: key("a")})
			return err
		}, []string{"dynamodb:GetItem " + at + " a"}},
		{"put", func(ctx context.Context) error {
			_, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: key("a")})
			return err
		}, []string{"dynamodb:PutItem " + at + " a"}},
		{"update", func(ctx context.Context) error {
			_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: table, Key: key("a"), UpdateExpression: name("REMOVE b")})
			return err
		}, []string{"dynamodb:UpdateItem " + at + " a"}},
		{"delete", func(ctx context.Context) error {
			_, err := db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: table, Key: key("a")})
			return err
		}, []string{"dynamodb:DeleteItem " + at + " a"}},
		{"scan", func(ctx context.Context) error {
			_, err := db.Scan(ctx, &dynamodb.ScanInput{TableName: table})
			return err
		}, []string{"dynamodb:Scan " + at}},
		{"query by conditions", func(ctx context.Context) error {
			_, err := db.Query(ctx, &dynamodb.QueryInput{TableName: table, KeyConditions: map[string]types.Condition{
				"sk": {ComparisonOperator: types.ComparisonOperatorBeginsWith, AttributeValueList: []types.AttributeValue{text1("x")}},
				"pk": {ComparisonOperator: types.ComparisonOperatorEq, AttributeValueList: []types.AttributeValue{text1("a")}},
			}})
			return err
		}, []string{"dynamodb:Query " + at + " a"}},
		{"query by an expression", func(ctx context.Context) error {
			_, err := db.Query(ctx, &dynamodb.QueryInput{
				TableName: table, IndexName: name("changes"), KeyConditionExpression: name("(xm = :s) AND (#i = :i)"),
				ExpressionAttributeNames:  map[string]string{"#i": "ix"},
				ExpressionAttributeValues: map[string]types.AttributeValue{":s": text1("pk"), ":i": text1("a")},
			})
			return err
		}, []string{"dynamodb:Query " + at + "/index/changes a"}},
		{"query of no one key", func(ctx context.Context) error {
			_, err := db.Query(ctx, &dynamodb.QueryInput{
				TableName: table, IndexName: name("changes"), KeyConditionExpression: name("pk = :i"),
				ExpressionAttributeValues: map[string]types.AttributeValue{":i": text1("a")},
			})
			return err
		}, []string{`error: a query of "changes" without one hash key`}},
		{"query of an unknown index", func(ctx context.Context) error {
			_, err := db.Query(ctx, &dynamodb.QueryInput{TableName: table, IndexName: name("other")})
			return err
		}, []string{`error: a query of the index "other", which isn't known`}},
		{"batch of gets", func(ctx context.Context) error {
			_, err := db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
				"t": {Keys: []map[string]types.AttributeValue{key("a"), key("b"), key("a")}},
			}})
			return err
		}, []string{"dynamodb:BatchGetItem " + at + " a,b"}},
		{"batch of writes", func(ctx context.Context) error {
			_, err := db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
				"t": {{PutRequest: &types.PutRequest{Item: key("a")}}, {DeleteRequest: &types.DeleteRequest{Key: key("b")}}},
			}})
			return err
		}, []string{"dynamodb:BatchWriteItem " + at + " a,b"}},
		{"transaction of gets", func(ctx context.Context) error {
			_, err := db.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
				{Get: &types.Get{TableName: table, Key: key("a")}}, {Get: &types.Get{TableName: table, Key: key("b")}},
			}})
			return err
		}, []string{"dynamodb:GetItem " + at + " a,b"}},
		{"transaction of writes", func(ctx context.Context) error {
			_, err := db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
				{Put: &types.Put{TableName: table, Item: key("a")}},
				{Put: &types.Put{TableName: table, Item: key("b")}},
				{Update: &types.Update{TableName: table, Key: key("c"), UpdateExpression: name("REMOVE x")}},
				{Delete: &types.Delete{TableName: table, Key: key("d")}},
				{ConditionCheck: &types.ConditionCheck{TableName: table, Key: key("e"), ConditionExpression: name("attribute_exists(pk)")}},
			}})
			return err
		}, []string{
			"dynamodb:ConditionCheckItem " + at + " e", "dynamodb:DeleteItem " + at + " d",
			"dynamodb:PutItem " + at + " a,b", "dynamodb:UpdateItem " + at + " c",
		}},
		{"another operation", func(ctx context.Context) error {
			_, err := db.ExecuteStatement(ctx, &dynamodb.ExecuteStatementInput{Statement: name("SELECT * FROM t")})
			return err
		}, []string{"error: ExecuteStatement is not known here"}},

		{"an object", func(ctx context.Context) error {
			_, err := files.GetObject(ctx, &s3.GetObjectInput{Bucket: name("files"), Key: name("t/1/ä b")})
			return err
		}, []string{"s3:GetObject s3:::files/t/1/ä b"}},
		{"a version of one", func(ctx context.Context) error {
			_, err := files.GetObject(ctx, &s3.GetObjectInput{Bucket: name("files"), Key: name("t/1/a"), VersionId: name("v")})
			return err
		}, []string{"s3:GetObjectVersion s3:::files/t/1/a"}},
		{"what is known of one", func(ctx context.Context) error {
			_, err := files.HeadObject(ctx, &s3.HeadObjectInput{Bucket: name("files"), Key: name("a")})
			return err
		}, []string{"s3:GetObject s3:::files/a"}},
		{"bytes", func(ctx context.Context) error {
			_, err := files.PutObject(ctx, &s3.PutObjectInput{Bucket: name("files"), Key: name("a"), Body: strings.NewReader("x")})
			return err
		}, []string{"s3:PutObject s3:::files/a"}},
		{"a copy", func(ctx context.Context) error {
			_, err := files.CopyObject(ctx, &s3.CopyObjectInput{Bucket: name("files"), Key: name("a"), CopySource: name("files/b%20c")})
			return err
		}, []string{"s3:GetObject s3:::files/b c", "s3:PutObject s3:::files/a"}},
		{"a copy of a version", func(ctx context.Context) error {
			_, err := files.CopyObject(ctx, &s3.CopyObjectInput{Bucket: name("files"), Key: name("a"), CopySource: name("files/b?versionId=v")})
			return err
		}, []string{"s3:GetObjectVersion s3:::files/b", "s3:PutObject s3:::files/a"}},
		{"a removal", func(ctx context.Context) error {
			_, err := files.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: name("files"), Key: name("a")})
			return err
		}, []string{"s3:DeleteObject s3:::files/a"}},
		{"a removal of a version", func(ctx context.Context) error {
			_, err := files.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: name("files"), Key: name("a"), VersionId: name("v")})
			return err
		}, []string{"s3:DeleteObjectVersion s3:::files/a"}},
		{"tags", func(ctx context.Context) error {
			_, err := files.GetObjectTagging(ctx, &s3.GetObjectTaggingInput{Bucket: name("files"), Key: name("a")})
			return err
		}, []string{"error: the query tagging is not known here"}},
		{"an ACL", func(ctx context.Context) error {
			_, err := files.PutObject(ctx, &s3.PutObjectInput{Bucket: name("files"), Key: name("a"), ACL: s3types.ObjectCannedACLPrivate})
			return err
		}, []string{"error: the header X-Amz-Acl is not known here"}},
		{"a list of keys", func(ctx context.Context) error {
			_, err := files.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: name("files"), Prefix: name("t/1/")})
			return err
		}, []string{"s3:ListBucket s3:::files"}},
		{"a list of versions", func(ctx context.Context) error {
			_, err := files.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: name("files"), Prefix: name("t/1/")})
			return err
		}, []string{"s3:ListBucketVersions s3:::files"}},
		{"uploads of a bucket", func(ctx context.Context) error {
			_, err := files.ListMultipartUploads(ctx, &s3.ListMultipartUploadsInput{Bucket: name("files")})
			return err
		}, []string{"error: the query uploads is not known here"}},
		{"the bucket", func(ctx context.Context) error {
			_, err := files.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: name("files")})
			return err
		}, []string{"error: HEAD /files is not about an object"}},

		{"a key by its id", func(ctx context.Context) error {
			_, err := kms.NewFromConfig(w.config).GetPublicKey(ctx, &kms.GetPublicKeyInput{KeyId: name("k")})
			return err
		}, []string{"kms:GetPublicKey kms::key/k"}},
		{"a key by its ARN", func(ctx context.Context) error {
			_, err := kms.NewFromConfig(w.config).GetPublicKey(ctx, &kms.GetPublicKeyInput{KeyId: name("arn:aws:kms:eu-central-1:1:key/k")})
			return err
		}, []string{"kms:GetPublicKey kms:eu-central-1:1:key/k"}},
		{"a key by an alias", func(ctx context.Context) error {
			_, err := kms.NewFromConfig(w.config).GetPublicKey(ctx, &kms.GetPublicKeyInput{KeyId: name("alias/k")})
			return err
		}, []string{`error: "TrentService.GetPublicKey" of the key "alias/k" is not known here`}},
		{"a mail", func(ctx context.Context) error {
			text := &sestypes.Content{Data: name("x")}
			_, err := sesv2.NewFromConfig(w.config).SendEmail(ctx, &sesv2.SendEmailInput{
				FromEmailAddress: name("Tenantry <a@example.com>"), ConfigurationSetName: name("c"),
				Content: &sestypes.EmailContent{Simple: &sestypes.Message{Subject: text, Body: &sestypes.Body{Text: text}}},
			})
			return err
		}, []string{"ses:SendEmail ses::identity/example.com a@example.com", "ses:SendEmail ses::configuration-set/c a@example.com"}},
		{"an SMS", func(ctx context.Context) error {
			_, err := sns.NewFromConfig(w.config).Publish(ctx, &sns.PublishInput{PhoneNumber: name("+77011234567"), Message: name("x")})
			return err
		}, []string{"sns:Publish *"}},
		{"a topic", func(ctx context.Context) error {
			_, err := sns.NewFromConfig(w.config).Publish(ctx, &sns.PublishInput{
				TopicArn: name("arn:aws:sns:eu-central-1:123456789012:a"), Message: name("x"),
			})
			return err
		}, []string{"sns:Publish sns::a"}},
		{"messages", func(ctx context.Context) error {
			_, err := sqs.NewFromConfig(w.config).SendMessageBatch(ctx, &sqs.SendMessageBatchInput{
				QueueUrl: name("https://sqs.eu-central-1.amazonaws.com/123456789012/normal"),
				Entries:  []sqstypes.SendMessageBatchRequestEntry{{Id: name("0"), MessageBody: name("x")}},
			})
			return err
		}, []string{"sqs:SendMessage sqs::normal"}},
		{"messages to another account", func(ctx context.Context) error {
			_, err := sqs.NewFromConfig(w.config).SendMessageBatch(ctx, &sqs.SendMessageBatchInput{
				QueueUrl: name("https://sqs.eu-central-1.amazonaws.com/1/normal"),
				Entries:  []sqstypes.SendMessageBatchRequestEntry{{Id: name("0"), MessageBody: name("x")}},
			})
			return err
		}, []string{"sqs:SendMessage sqs:eu-central-1:1:normal"}},
		{"a message that is received", func(ctx context.Context) error {
			_, err := sqs.NewFromConfig(w.config).ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: name("https://a/1/normal")})
			return err
		}, []string{"sqs:ReceiveMessage sqs:eu-central-1:1:normal"}},
		{"a message that is removed", func(ctx context.Context) error {
			_, err := sqs.NewFromConfig(w.config).DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: name("https://a/1/normal"), ReceiptHandle: name("x")})
			return err
		}, []string{"sqs:DeleteMessage sqs:eu-central-1:1:normal"}},
		{"a queue that is emptied", func(ctx context.Context) error {
			_, err := sqs.NewFromConfig(w.config).PurgeQueue(ctx, &sqs.PurgeQueueInput{QueueUrl: name("https://a/1/normal")})
			return err
		}, []string{`error: "AmazonSQS.PurgeQueue" is not known here`}},
		{"a function", func(ctx context.Context) error {
			_, err := awslambda.New(func() aws.Config { return w.config }, *w.config.BaseEndpoint, "render")(ctx, []byte("{}"))
			return err
		}, []string{"lambda:InvokeFunction lambda::function:render"}},
		{"a function's alias", func(ctx context.Context) error {
			name := "arn:aws:lambda:eu-central-1:123456789012:function:render:live"
			_, err := awslambda.New(func() aws.Config { return w.config }, *w.config.BaseEndpoint, name)(ctx, []byte("{}"))
			return err
		}, []string{"lambda:InvokeFunction lambda::function:render:live"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.call(t.Context())
			if !slices.Equal(w.read, c.want) {
				t.Errorf("%q, want %q", w.read, c.want)
			}
			// Each client understands the answer: a denial, and not a broken answer.
			if said := fmt.Sprint(err); !strings.Contains(said, "AccessDenied") && !strings.Contains(said, "AuthorizationError") &&
				!strings.Contains(said, "Forbidden") {
				t.Errorf("the client says %v", err)
			}
		})
	}
}

// What no client of ours sends is not guessed at.
func TestWhatIsNotKnown(t *testing.T) {
	signed := func(of, method, path, body string) *http.Request {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=id/20261122/eu-central-1/"+of+"/aws4_request, SignedHeaders=host, Signature=0")
		return r
	}
	for name, r := range map[string]*http.Request{
		"no signature":        httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/files/a", http.NoBody),
		"another service":     signed("sts", http.MethodPost, "/", ""),
		"no queue":            signed("sqs", http.MethodPost, "/", `{"QueueUrl":"normal"}`),
		"another mail":        signed("ses", http.MethodGet, "/v2/email/outbound-emails", "{}"),
		"a mail of nobody":    signed("ses", http.MethodPost, "/v2/email/outbound-emails", "{}"),
		"no topic":            signed("sns", http.MethodPost, "/", "Action=Publish"),
		"another of SNS":      signed("sns", http.MethodPost, "/", "Action=Subscribe"),
		"a function's code":   signed("lambda", http.MethodGet, "/2015-03-31/functions/render", ""),
		"a function's ARN":    signed("lambda", http.MethodPost, "/2015-03-31/functions/arn:aws:lambda:a/invocations", ""),
		"no target":           signed("dynamodb", http.MethodPost, "/", "{}"),
		"no key":              signed("kms", http.MethodPost, "/", "{}"),
		"a form for a bucket": signed("s3", http.MethodPost, "/files/a", ""),
	} {
		body, err := whole(r, service(r))
		if err != nil {
			t.Fatal(err)
		}
		if asked, err := known.read(r, service(r), body); err == nil {
			t.Errorf("%s: %v", name, asked)
		}
	}
}
