// Package sns is the operation Publish of SNS's API on one machine, to telephones. SMS are kept, and sent to nobody.
//
// What never goes in here: what the platform writes to people, and what a console shows of it.
package sns

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/infra/local/awsapi"
)

// Options of Start.
type Options struct {
	awsapi.Options
	// Deliver is given each SMS before it is acknowledged; its error refuses the request. It may be nil.
	Deliver func(ctx context.Context, s SMS) error
}

// SMS is an SMS that was sent.
type SMS struct {
	ID         string // which SNS gave it
	To, Text   string
	Attributes map[string]string
}

// Server serves the operation. Its Sent returns what was sent so far.
type Server struct {
	*awsapi.Server
	*awsapi.Outbox[SMS]
}

// Start listens.
func Start(ctx context.Context, o Options) (_ *Server, err error) {
	s := &Server{Outbox: awsapi.NewOutbox(o.Deliver)}
	s.Server, err = awsapi.Start(ctx, o.Options, awsapi.API{Service: "sns", Serve: s.serve})
	return s, err
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, body []byte) *awsapi.Error {
	form, err := url.ParseQuery(string(body))
	if err != nil || r.Method != http.MethodPost || form.Get("Action") != "Publish" {
		message := "no operation that is served here: " + form.Get("Action")
		return &awsapi.Error{Status: http.StatusBadRequest, Type: "InvalidAction", Message: message}
	}
	m, refused := read(form)
	if refused != nil {
		return refused
	}
	if err := s.Add(r.Context(), m); err != nil {
		return &awsapi.Error{Status: http.StatusInternalServerError, Type: "InternalError", Message: err.Error()}
	}
	awsapi.Send(w, "sns", http.StatusOK, struct {
		XMLName struct{} `xml:"http://sns.amazonaws.com/doc/2010-03-31/ PublishResponse"`
		ID      string   `xml:"PublishResult>MessageId"`
		Request string   `xml:"ResponseMetadata>RequestId"`
	}{ID: m.ID, Request: rand.Text()})
	return nil
}

func read(form url.Values) (SMS, *awsapi.Error) {
	m := SMS{ID: rand.Text(), To: form.Get("PhoneNumber"), Text: form.Get("Message"), Attributes: map[string]string{}}
	digits, international := strings.CutPrefix(m.To, "+")
	_, err := strconv.ParseUint(digits, 10, 64)
	if !international || err != nil || len(digits) > 15 || m.Text == "" {
		return m, &awsapi.Error{
			Status: http.StatusBadRequest, Type: "InvalidParameter", Message: "Invalid parameter: PhoneNumber or Message: " + m.To,
		}
	}
	for i := 1; ; i++ {
		entry := "MessageAttributes.entry." + strconv.Itoa(i)
		name := form.Get(entry + ".Name")
		if name == "" {
			return m, nil
		}
		m.Attributes[name] = form.Get(entry + ".Value.StringValue")
	}
}
