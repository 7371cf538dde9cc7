// Package awsapi is what the servers of single APIs of AWS on one machine have in common: they listen, read a request to
// its end, and take it only if it was signed with a key that they know. Packages kms, mail, sns, sqs and invocations are
// such servers.
//
// Nothing of one API goes in here: its operations, answers and errors are its own package's.
package awsapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/infra/local/serve"
)

// bodyLimit is more than any of the APIs takes.
const bodyLimit = 16 << 20

// Options of a server.
type Options struct {
	// Keys are the access keys that may sign, with their secrets. There has to be one.
	Keys map[string]string
}

// API is one API.
type API struct {
	// Service is the name that requests are signed for.
	Service string
	// Serve answers a request that was signed, or says why not.
	Serve func(w http.ResponseWriter, r *http.Request, body []byte) *Error
}

// Server is a server that runs. Its URL is what the variable of its endpoint is set to.
type Server = serve.Server

// Start begins to listen.
func Start(ctx context.Context, o Options, api API) (*Server, error) {
	if len(o.Keys) == 0 {
		return nil, errors.New(api.Service + ": nobody could sign a request: no access key is given")
	}
	s, err := serve.Start(ctx, o.handler(api))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", api.Service, err)
	}
	return s, nil
}

func (o Options) handler(api API) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
		if err != nil {
			Refuse(w, api.Service, &Error{http.StatusRequestEntityTooLarge, "RequestEntityTooLargeException", err.Error()})
			return
		}
		problem := verify(r, body, o.Keys, api.Service, time.Now())
		if problem == nil {
			problem = api.Serve(w, r, body)
		}
		if problem != nil {
			Refuse(w, api.Service, problem)
		}
	})
}
