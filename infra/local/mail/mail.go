// Package mail is the operation SendEmail of SES's API (version 2) on one machine. E-mails are kept, and sent to nobody.
//
// What never goes in here: what the platform writes to people, and what a console shows of it.
package mail

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	netmail "net/mail"

	"github.com/tenantry/tenantry/infra/local/awsapi"
)

// Options of Start.
type Options struct {
	awsapi.Options
	// Deliver is given each e-mail before it is acknowledged; its error refuses the request. It may be nil.
	Deliver func(ctx context.Context, e Email) error
}

// Email is an e-mail that was sent.
type Email struct {
	ID            string // which SES gave it
	From          string
	To            []string
	Subject, Text string
	Tags          map[string]string
}

// Server serves the operation. Its Sent returns what was sent so far.
type Server struct {
	*awsapi.Server
	*awsapi.Outbox[Email]
}

// Start listens.
func Start(ctx context.Context, o Options) (_ *Server, err error) {
	s := &Server{Outbox: awsapi.NewOutbox(o.Deliver)}
	s.Server, err = awsapi.Start(ctx, o.Options, awsapi.API{Service: "ses", Serve: s.serve})
	return s, err
}

// request is what the platform uses of SES's. A member that isn't here is refused, because it would be lost.
type request struct {
	FromEmailAddress string
	Destination      struct{ ToAddresses []string }
	Content          struct {
		Simple struct {
			Subject content
			Body    struct{ Text content }
		}
	}
	EmailTags []struct{ Name, Value string }
}

type content struct{ Data, Charset string }

func (s *Server) serve(w http.ResponseWriter, r *http.Request, body []byte) *awsapi.Error {
	if r.Method != http.MethodPost || r.URL.Path != "/v2/email/outbound-emails" {
		return awsapi.Unknown(r)
	}
	e, err := read(body)
	if err != nil {
		return err
	}
	if err := s.Add(r.Context(), e); err != nil {
		return &awsapi.Error{Status: http.StatusInternalServerError, Type: "InternalServiceErrorException", Message: err.Error()}
	}
	awsapi.Send(w, "ses", http.StatusOK, map[string]string{"MessageId": e.ID})
	return nil
}

func read(body []byte) (Email, *awsapi.Error) {
	bad := func(why string) *awsapi.Error {
		return &awsapi.Error{Status: http.StatusBadRequest, Type: "BadRequestException", Message: why}
	}
	var in request
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		return Email{}, bad(err.Error())
	}
	if in.Destination.ToAddresses == nil || in.Content.Simple.Subject.Data == "" || in.Content.Simple.Body.Text.Data == "" {
		return Email{}, bad("a destination, a subject or a text is missing")
	}
	for _, a := range append([]string{in.FromEmailAddress}, in.Destination.ToAddresses...) {
		if _, err := netmail.ParseAddress(a); err != nil {
			return Email{}, bad("no address: " + a)
		}
	}
	e := Email{
		ID: rand.Text(), From: in.FromEmailAddress, To: in.Destination.ToAddresses,
		Subject: in.Content.Simple.Subject.Data, Text: in.Content.Simple.Body.Text.Data, Tags: map[string]string{},
	}
	for _, t := range in.EmailTags {
		e.Tags[t.Name] = t.Value
	}
	return e, nil
}
