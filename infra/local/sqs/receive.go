package sqs

import (
	"crypto/md5" //nolint:gosec // see Start
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tenantry/tenantry/infra/local/awsapi"
)

// letter is a message that waits to be received.
type letter struct {
	id, queue, body string
	handle          string    // of the last receipt
	hidden          time.Time // nobody receives it until then
}

// letters are what Put has put into queues.
type letters struct {
	mu  sync.Mutex
	all []*letter
}

// Put puts a message into the queue with an address, where it is received until it is deleted. What is sent over the API is not: Sent has
// that.
func (s *Server) Put(queue, body string) {
	s.letters.mu.Lock()
	defer s.letters.mu.Unlock()
	s.letters.all = append(s.letters.all, &letter{id: rand.Text(), queue: queue, body: body})
}

// Left are the messages that Put has put into a queue and nobody has deleted.
func (s *Server) Left(queue string) (bodies []string) {
	s.letters.mu.Lock()
	defer s.letters.mu.Unlock()
	for _, l := range s.letters.all {
		if l.queue == queue {
			bodies = append(bodies, l.body)
		}
	}
	return bodies
}

// received is a message as its receiver gets it.
type received struct {
	ID     string `json:"MessageId"`
	Handle string `json:"ReceiptHandle"`
	Body   string
	MD5    string `json:"MD5OfBody"`
}

// receive carries out ReceiveMessage.
func (l *letters) receive(w http.ResponseWriter, body []byte) *awsapi.Error {
	in := struct {
		QueueURL          string `json:"QueueUrl"`
		Most              int    `json:"MaxNumberOfMessages"`
		VisibilityTimeout int
	}{Most: 1, VisibilityTimeout: 30}
	if err := json.Unmarshal(body, &in); err != nil {
		return problem("SerializationException", err.Error())
	}
	if in.Most < 1 || in.Most > most {
		return problem("InvalidParameterValue", "Value for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10.")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	out := struct{ Messages []received }{}
	for _, waits := range l.all {
		if waits.queue != in.QueueURL || waits.hidden.After(now) || len(out.Messages) == in.Most {
			continue
		}
		waits.handle, waits.hidden = rand.Text(), now.Add(time.Duration(in.VisibilityTimeout)*time.Second)
		sum := md5.Sum([]byte(waits.body)) //nolint:gosec // see Start
		out.Messages = append(out.Messages, received{waits.id, waits.handle, waits.body, hex.EncodeToString(sum[:])})
	}
	awsapi.Send(w, "sqs", http.StatusOK, out)
	return nil
}

// remove carries out DeleteMessage: a handle of an earlier receipt deletes nothing, as it may on AWS.
func (l *letters) remove(w http.ResponseWriter, body []byte) *awsapi.Error {
	var in struct {
		QueueURL string `json:"QueueUrl"`
		Handle   string `json:"ReceiptHandle"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return problem("SerializationException", err.Error())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(waits *letter) bool { return waits.queue == in.QueueURL && waits.handle == in.Handle })
	awsapi.Send(w, "sqs", http.StatusOK, struct{}{})
	return nil
}
