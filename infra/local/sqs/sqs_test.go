package sqs_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	service "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/infra/local/sqs"
)

const address = "https://sqs.us-east-1.amazonaws.com/123456789012/normal"

func start(t *testing.T, o sqs.Options) (*sqs.Server, *service.Client) {
	t.Helper()
	o.Options = awsapi.Options{Keys: map[string]string{"id": "secret"}}
	s, err := sqs.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, service.NewFromConfig(aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(s.URL), RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
	})
}

// batch has the ids and bodies of messages of the group 7, one after the other.
func batch(url string, texts ...string) *service.SendMessageBatchInput {
	in := &service.SendMessageBatchInput{QueueUrl: aws.String(url), Entries: []types.SendMessageBatchRequestEntry{}}
	for i := 0; i < len(texts); i += 2 {
		in.Entries = append(in.Entries, types.SendMessageBatchRequestEntry{
			Id: aws.String(texts[i]), MessageBody: aws.String(texts[i+1]), MessageGroupId: aws.String("7"),
		})
	}
	return in
}

// The client checks the answer's MD5 of each body by itself.
func TestSend(t *testing.T) {
	var delivered []string
	s, client := start(t, sqs.Options{Deliver: func(_ context.Context, m sqs.Message) error {
		delivered = append(delivered, m.Body)
		if m.Body == "no" {
			return errors.New("the disk is full")
		}
		return nil
	}})
	out, err := client.SendMessageBatch(t.Context(), batch(address, "a", "Код & <1>", "b", "no", "c", "{}"))
	if err != nil || len(out.Successful) != 2 || len(out.Failed) != 1 || strings.Join(delivered, " ") != "Код & <1> no {}" {
		t.Fatalf("%+v, %v, %v", out, err, delivered)
	}
	if f := out.Failed[0]; aws.ToString(f.Id) != "b" || aws.ToString(f.Message) != "the disk is full" || aws.ToString(f.Code) == "" || f.SenderFault {
		t.Errorf("%+v", f)
	}
	sent := s.Sent()
	if len(sent) != 2 || sent[0].ID == "" || sent[0].ID != aws.ToString(out.Successful[0].MessageId) || sent[0].ID == sent[1].ID {
		t.Fatalf("%+v", sent)
	}
	sent[1].ID = ""
	if want := (sqs.Message{Queue: address, Group: "7", Body: "{}"}); sent[1] != want {
		t.Errorf("%+v, want %+v", sent[1], want)
	}
}

func TestWhatIsRefused(t *testing.T) {
	long := strings.Repeat("x", 128)
	for says, in := range map[string]*service.SendMessageBatchInput{
		"QueueDoesNotExist: ":            batch("https://sqs.us-east-1.amazonaws.com/normal", "a", "x"),
		"EmptyBatchRequest: ":            batch(address),
		"BatchEntryIdsNotDistinct: ":     batch(address, "a", "x", "a", "y"),
		"MissingParameter: ":             batch(address, "a", ""),
		"BatchRequestTooLong: ":          batch(address, "a", strings.Repeat("x", 1<<19), "b", strings.Repeat("y", 1<<19+1)),
		"TooManyEntriesInBatchRequest: ": batch(address, strings.Split("a b c d e f g h i j k l m n o p q r s t u v", " ")...),
		"InvalidParameterValue: ": {QueueUrl: aws.String(address), Entries: []types.SendMessageBatchRequestEntry{
			{Id: aws.String("a"), MessageBody: aws.String("x"), MessageGroupId: aws.String(long + "x")},
		}},
		"InvalidParameterValue: Value for parameter DelaySeconds": {
			QueueUrl: aws.String(address), Entries: []types.SendMessageBatchRequestEntry{
				{Id: aws.String("a"), MessageBody: aws.String("x"), DelaySeconds: 901},
			},
		},
		"SerializationException: ": {QueueUrl: aws.String(address), Entries: []types.SendMessageBatchRequestEntry{
			{Id: aws.String("a"), MessageBody: aws.String("x"), MessageDeduplicationId: aws.String("d")},
		}},
	} {
		s, client := start(t, sqs.Options{})
		if _, err := client.SendMessageBatch(t.Context(), in); err == nil || !strings.Contains(err.Error(), says) || len(s.Sent()) > 0 {
			t.Errorf("%s%v, sent %v", says, err, s.Sent())
		}
	}
	s, client := start(t, sqs.Options{Fail: func() error { return errors.New("away") }})
	_, err := client.SendMessageBatch(t.Context(), batch(address, "a", "x"))
	if err == nil || !strings.Contains(err.Error(), "ServiceUnavailable: away") || len(s.Sent()) > 0 {
		t.Errorf("%v, sent %v", err, s.Sent())
	}
	if _, err := client.ListQueues(t.Context(), &service.ListQueuesInput{}); err == nil || !strings.Contains(err.Error(), "UnknownOperationException") {
		t.Error(err)
	}
}

// What was put into a queue is received until it is deleted by the handle of its last receipt, and hidden for a while after each.
func TestReceive(t *testing.T) {
	s, client := start(t, sqs.Options{})
	for _, body := range []string{"a", "b", "c"} {
		s.Put(address, body)
	}
	s.Put(address+"2", "of another queue")
	receive := func(most, hidden int32) []types.Message {
		t.Helper()
		out, err := client.ReceiveMessage(t.Context(), &service.ReceiveMessageInput{
			QueueUrl: aws.String(address), MaxNumberOfMessages: most, VisibilityTimeout: hidden,
		})
		if err != nil {
			t.Fatal(err)
		}
		return out.Messages
	}
	remove := func(handle *string) {
		t.Helper()
		if _, err := client.DeleteMessage(t.Context(), &service.DeleteMessageInput{QueueUrl: aws.String(address), ReceiptHandle: handle}); err != nil {
			t.Fatal(err)
		}
	}
	first := receive(2, 60)
	if len(first) != 2 || *first[0].Body != "a" || *first[1].Body != "b" {
		t.Fatalf("%+v", first)
	}
	remove(first[0].ReceiptHandle)
	remove(first[0].ReceiptHandle)
	if rest := receive(10, 60); len(rest) != 1 || *rest[0].Body != "c" {
		t.Errorf("the rest: %+v", rest)
	}
	if hidden := receive(10, 60); len(hidden) != 0 {
		t.Errorf("hidden: %+v", hidden)
	}
	if left := s.Left(address); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
	if _, err := client.ReceiveMessage(t.Context(), &service.ReceiveMessageInput{QueueUrl: aws.String(address), MaxNumberOfMessages: 11}); err == nil {
		t.Error("eleven at once")
	}
}
