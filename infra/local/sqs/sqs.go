// Package sqs is operations of SQS's API on one machine. What SendMessageBatch sends is kept, and delivered to nobody: who started the
// server takes it from there. ReceiveMessage and DeleteMessage are for what was put into a queue by Put.
//
// What never goes in here: what messages say, and who reads them.
package sqs

import (
	"context"
	"crypto/md5" //nolint:gosec // it is what SQS answers, by which the client knows that its bytes arrived
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/tenantry/tenantry/infra/local/awsapi"
)

const (
	most    = 10      // messages in a batch
	largest = 1 << 20 // bytes of a batch
	longest = 900     // seconds for which a message is held back
)

// Options of Start.
type Options struct {
	awsapi.Options
	// Deliver is given each message before it is acknowledged; its error refuses that message and no other of its batch. It may be nil.
	Deliver func(ctx context.Context, m Message) error
	// Fail is asked at the begin of each request; its error fails the request. It may be nil.
	Fail func() error
}

// Message is a message that was sent.
type Message struct {
	ID    string // which SQS gave it
	Queue string // the URL of its queue
	Group string // its MessageGroupId; empty if it has none
	Body  string
	After int // seconds for which it is held back: its DelaySeconds
}

// Server serves the operation. Its Sent returns what was sent so far.
type Server struct {
	*awsapi.Server
	*awsapi.Outbox[Message]

	fail    func() error
	letters letters
}

// Start listens.
func Start(ctx context.Context, o Options) (_ *Server, err error) {
	s := &Server{Outbox: awsapi.NewOutbox(o.Deliver), fail: o.Fail}
	s.Server, err = awsapi.Start(ctx, o.Options, awsapi.API{Service: "sqs", Serve: s.serve})
	return s, err
}

// batch is the input of SendMessageBatch. Members that it has besides are not known here, so a client that begins to use one is told.
type batch struct {
	QueueURL string `json:"QueueUrl"`
	Entries  []entry
}

type entry struct {
	ID      string `json:"Id"`
	Body    string `json:"MessageBody"`
	GroupID string `json:"MessageGroupId"`
	After   int    `json:"DelaySeconds"`
}

// accepted and refused are what becomes of an entry.
type accepted struct {
	ID        string `json:"Id"`
	MessageID string `json:"MessageId"`
	MD5       string `json:"MD5OfMessageBody"`
}

type refused struct {
	ID          string `json:"Id"`
	Code        string
	Message     string
	SenderFault bool
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, body []byte) *awsapi.Error {
	switch target := r.Header.Get("X-Amz-Target"); {
	case r.Method == http.MethodPost && target == "AmazonSQS.ReceiveMessage":
		return s.letters.receive(w, body)
	case r.Method == http.MethodPost && target == "AmazonSQS.DeleteMessage":
		return s.letters.remove(w, body)
	case r.Method != http.MethodPost || target != "AmazonSQS.SendMessageBatch":
		return problem("UnknownOperationException", "no operation that is served here: "+target)
	}
	var in batch
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		return problem("SerializationException", err.Error())
	}
	if wrong := in.check(); wrong != nil {
		return wrong
	}
	if s.fail != nil {
		if err := s.fail(); err != nil {
			return &awsapi.Error{Status: http.StatusServiceUnavailable, Type: "ServiceUnavailable", Message: err.Error()}
		}
	}
	var out struct {
		Successful []accepted
		Failed     []refused `json:",omitempty"`
	}
	for _, e := range in.Entries {
		m := Message{ID: rand.Text(), Queue: in.QueueURL, Group: e.GroupID, Body: e.Body, After: e.After}
		if err := s.Add(r.Context(), m); err != nil {
			out.Failed = append(out.Failed, refused{ID: e.ID, Code: "InternalError", Message: err.Error()})
			continue
		}
		sum := md5.Sum([]byte(e.Body)) //nolint:gosec // see above
		out.Successful = append(out.Successful, accepted{e.ID, m.ID, hex.EncodeToString(sum[:])})
	}
	awsapi.Send(w, "sqs", http.StatusOK, out)
	return nil
}

// check refuses a batch as SQS does.
func (b batch) check() *awsapi.Error {
	if _, _, ok := Queue(b.QueueURL); !ok {
		return problem("QueueDoesNotExist", "The specified queue does not exist: "+b.QueueURL)
	}
	if len(b.Entries) == 0 {
		return problem("EmptyBatchRequest", "There should be at least one SendMessageBatchRequestEntry in the request.")
	}
	if len(b.Entries) > most {
		return problem("TooManyEntriesInBatchRequest", "Maximum number of entries per request are 10.")
	}
	seen, size := map[string]bool{}, 0
	for _, e := range b.Entries {
		size += len(e.Body)
		switch {
		case e.ID == "" || e.Body == "":
			return problem("MissingParameter", "The request must contain the parameters Id and MessageBody.")
		case seen[e.ID]:
			return problem("BatchEntryIdsNotDistinct", "Id "+e.ID+" repeated.")
		case e.After < 0 || e.After > longest:
			return problem("InvalidParameterValue",
				"Value for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.")
		case len(e.GroupID) > 128 || strings.ContainsAny(e.GroupID, " \t\n"):
			return problem("InvalidParameterValue", "Value "+e.GroupID+" for parameter MessageGroupId is invalid.")
		}
		seen[e.ID] = true
	}
	if size > largest {
		return problem("BatchRequestTooLong", "Batch requests cannot be longer than 1048576 bytes.")
	}
	return nil
}

// Queue is the account and the name of a queue by its URL, as SQS makes it: https://host/account/name.
func Queue(address string) (account, name string, ok bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", "", false
	}
	account, name, ok = strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	return account, name, ok && account != "" && name != "" && !strings.Contains(name, "/")
}

// problem is an error of a caller.
func problem(kind, message string) *awsapi.Error {
	return &awsapi.Error{Status: http.StatusBadRequest, Type: kind, Message: message}
}
