package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/mail"
	"net/url"
	"strings"

	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/infra/local/policy"
	"github.com/tenantry/tenantry/infra/local/sqs"
)

// longest is more than any service takes of what is judged by its body.
const longest = 16 << 20

// service returns the service that a request was signed for, as its credential's scope says, in the header or in the query.
func service(r *http.Request) string {
	credential := r.URL.Query().Get("X-Amz-Credential")
	if _, header, ok := strings.Cut(r.Header.Get("Authorization"), "Credential="); ok {
		credential, _, _ = strings.Cut(header, ",")
	}
	if scope := strings.Split(credential, "/"); len(scope) == 5 && scope[4] == "aws4_request" {
		return scope[3]
	}
	return ""
}

// whole reads the body of a request whose body says what it asks for, and puts it back. A file's bytes stream through.
func whole(r *http.Request, of string) ([]byte, error) {
	if of == "s3" || of == "lambda" {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, longest))
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, err
}

// read returns what has to be allowed so that a request of a service may be made.
func (n names) read(r *http.Request, of string, body []byte) ([]policy.Request, error) {
	switch of {
	case "dynamodb":
		return n.dynamodb(r.Header.Get("X-Amz-Target"), body)
	case "s3":
		return n.s3(r)
	case "kms":
		return n.kms(r.Header.Get("X-Amz-Target"), body)
	case "ses":
		return n.ses(r, body)
	case "sns":
		return n.sns(body)
	case "sqs":
		return n.sqs(r.Header.Get("X-Amz-Target"), body)
	case "lambda":
		return n.lambda(r)
	}
	return nil, errors.New("it was not signed for a service that is known here")
}

func ask(action, resource string) policy.Request {
	return policy.Request{Action: action, Resource: resource, Context: map[string][]string{}}
}

// arn makes the ARN of a resource of a service in this region.
func (n names) arn(service, resource string) string {
	return "arn:aws:" + service + ":" + n.region + ":" + n.account + ":" + resource
}

// kms: the action has the operation's name, and the key is named by its id or its ARN. A key that isn't made yet has none, and a list of
// keys is of no single one.
func (n names) kms(target string, body []byte) ([]policy.Request, error) {
	operation, ok := strings.CutPrefix(target, "TrentService.")
	var in struct{ KeyId string }
	if operation == "CreateKey" || operation == "ListKeys" {
		return []policy.Request{ask("kms:"+operation, "*")}, nil
	}
	if json.Unmarshal(body, &in) != nil || !ok || in.KeyId == "" || strings.Contains(in.KeyId, "alias/") {
		return nil, fmt.Errorf("%q of the key %q is not known here", target, in.KeyId)
	}
	if !strings.HasPrefix(in.KeyId, "arn:") {
		in.KeyId = n.arn("kms", "key/"+in.KeyId)
	}
	return []policy.Request{ask("kms:"+operation, in.KeyId)}, nil
}

// ses: a mail is sent on behalf of an identity, which is the domain of its sender.
func (n names) ses(r *http.Request, body []byte) ([]policy.Request, error) {
	var in struct{ FromEmailAddress, ConfigurationSetName string }
	if json.Unmarshal(body, &in) != nil || r.Method != http.MethodPost || r.URL.Path != "/v2/email/outbound-emails" {
		return nil, fmt.Errorf("%s %s is not known here", r.Method, r.URL.Path)
	}
	from, err := mail.ParseAddress(in.FromEmailAddress)
	if err != nil {
		return nil, fmt.Errorf("the sender %q: %w", in.FromEmailAddress, err)
	}
	resources := []string{n.arn("ses", "identity/"+from.Address[strings.LastIndex(from.Address, "@")+1:])}
	if in.ConfigurationSetName != "" {
		resources = append(resources, n.arn("ses", "configuration-set/"+in.ConfigurationSetName))
	}
	var all []policy.Request
	for _, resource := range resources {
		request := ask("ses:SendEmail", resource)
		request.Context["ses:FromAddress"] = []string{from.Address}
		all = append(all, request)
	}
	return all, nil
}

// sns: a telephone has no ARN.
func (n names) sns(body []byte) ([]policy.Request, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil || form.Get("Action") != "Publish" {
		return nil, fmt.Errorf("the action %q is not known here", form.Get("Action"))
	}
	topic := form.Get("TopicArn") + form.Get("TargetArn")
	if (topic == "") == (form.Get("PhoneNumber") == "") {
		return nil, errors.New("neither a topic nor a telephone")
	}
	if topic == "" {
		topic = "*"
	}
	return []policy.Request{ask("sns:Publish", topic)}, nil
}

// sqs: a batch is sent by the right to send a message, the others need what they are called. A queue is named by its URL, which ends
// in its account and its name.
func (n names) sqs(target string, body []byte) ([]policy.Request, error) {
	var in struct{ QueueUrl string }
	action := map[string]string{
		"AmazonSQS.SendMessageBatch": "sqs:SendMessage", "AmazonSQS.ReceiveMessage": "sqs:ReceiveMessage",
		"AmazonSQS.DeleteMessage": "sqs:DeleteMessage",
	}[target]
	if err := json.Unmarshal(body, &in); err != nil || action == "" {
		return nil, fmt.Errorf("%q is not known here", target)
	}
	account, name, ok := sqs.Queue(in.QueueUrl)
	if !ok {
		return nil, fmt.Errorf("the queue %q is not known here", in.QueueUrl)
	}
	return []policy.Request{ask(action, "arn:aws:sqs:"+n.region+":"+account+":"+name)}, nil
}

// lambda: a caller names a function by its name or its ARN, with an alias, and needs the right to call that alias.
func (n names) lambda(r *http.Request) ([]policy.Request, error) {
	name, ok := strings.CutPrefix(r.URL.Path, "/2015-03-31/functions/")
	name, call := strings.CutSuffix(name, "/invocations")
	name, qualifier, known := awsapi.Function(name)
	if !ok || !call || r.Method != http.MethodPost || !known {
		return nil, fmt.Errorf("%s %s is not known here", r.Method, r.URL.Path)
	}
	if qualifier != "" {
		name += ":" + qualifier
	}
	return []policy.Request{ask("lambda:InvokeFunction", n.arn("lambda", "function:"+name))}, nil
}
